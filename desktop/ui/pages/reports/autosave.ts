export type Texts<F extends string> = Readonly<Record<F, string>>
export type SaveState = 'same' | 'waiting' | 'saving' | 'saved' | 'wrong' | 'failed'
export type Seen<F extends string> = { values: Texts<F>; state: SaveState; failure: unknown }

type Ways<F extends string> = {
  /** Sends what changed; the fields that cannot be sent as they are typed are never among them. */
  save: (changed: Partial<Record<F, string>>) => Promise<unknown>
  isWrong?: (field: F, value: string) => boolean
  /** Whether the same is worth sending again by itself, as where nobody answered. */
  isPassing?: (failure: unknown) => boolean
  pauseMs?: number
  againMs?: number
}

const PAUSE_MS = 900
const AGAIN_MS = 5_000

/**
 * The texts of one row that save themselves: a moment after the last key, or at once with `flush`. One request at a time; what is typed
 * meanwhile goes with the next. What is typed is never taken away: not by a failure, and not by news from the server, which only reach
 * the fields that nobody has changed and nobody is in (`hold`).
 */
export class Autosave<F extends string> {
  #known: Texts<F>
  #seen: Seen<F>
  #held: F | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #isSaving = false
  readonly #listeners = new Set<() => void>()
  readonly #ways: Ways<F>

  constructor(stored: Texts<F>, ways: Ways<F>) {
    this.#known = stored
    this.#ways = ways
    this.#seen = { values: stored, state: 'same', failure: null }
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly seen = (): Seen<F> => this.#seen

  edit(field: F, value: string): void {
    this.#show({ ...this.#seen, values: { ...this.#seen.values, [field]: value }, failure: null })
    this.#later(this.#ways.pauseMs ?? PAUSE_MS)
  }

  hold(field: F | null): void {
    this.#held = field
  }

  /** What the server has now. */
  adopt(stored: Texts<F>): void {
    const changed = this.#changed()
    const news = this.#fields().filter((field) => !(field in changed) && field !== this.#held && stored[field] !== this.#known[field])
    if (news.length === 0) return
    const taken = Object.fromEntries(news.map((field) => [field, stored[field]])) as Partial<Record<F, string>>
    this.#known = { ...this.#known, ...taken }
    this.#show({ ...this.#seen, values: { ...this.#seen.values, ...taken } })
  }

  /** Sends what waits, now. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#isSaving) return
    const sent = this.#sendable()
    if (Object.keys(sent).length === 0) return this.#settle(this.#seen.state === 'waiting' ? 'same' : this.#seen.state)
    this.#isSaving = true
    this.#show({ ...this.#seen, state: 'saving', failure: null })
    const failure = await this.#ways.save(sent).then(
      () => null,
      (error: unknown) => error ?? new Error('nothing said why'),
    )
    this.#isSaving = false
    if (failure !== null) return this.#fail(failure)
    this.#known = { ...this.#known, ...sent }
    this.#settle('saved')
    if (Object.keys(this.#sendable()).length > 0) this.#later(this.#ways.pauseMs ?? PAUSE_MS)
  }

  /** Nothing that was typed is lost while this says so. */
  get isUnsaved(): boolean {
    return this.#isSaving || Object.keys(this.#changed()).length > 0
  }

  #fail(failure: unknown): void {
    this.#show({ ...this.#seen, state: 'failed', failure })
    if (this.#ways.isPassing?.(failure)) {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.flush(), this.#ways.againMs ?? AGAIN_MS)
    }
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#settle('waiting')
    this.#timer = setTimeout(() => void this.flush(), ms)
  }

  #settle(state: SaveState): void {
    const isWrong = this.#fields().some((field) => field in this.#changed() && this.#isWrong(field))
    this.#show({ ...this.#seen, state: isWrong ? 'wrong' : this.#isSaving ? 'saving' : state })
  }

  #fields = (): F[] => Object.keys(this.#known) as F[]
  #isWrong = (field: F): boolean => this.#ways.isWrong?.(field, this.#seen.values[field]) ?? false

  #changed(): Partial<Record<F, string>> {
    const { values } = this.#seen
    const fields = this.#fields().filter((field) => values[field] !== this.#known[field])
    return Object.fromEntries(fields.map((field) => [field, values[field]])) as Partial<Record<F, string>>
  }

  #sendable(): Partial<Record<F, string>> {
    const changed = Object.entries(this.#changed()) as [F, string][]
    return Object.fromEntries(changed.filter(([field]) => !this.#isWrong(field))) as Partial<Record<F, string>>
  }

  #show(seen: Seen<F>): void {
    this.#seen = seen
    for (const listener of this.#listeners) listener()
  }
}
