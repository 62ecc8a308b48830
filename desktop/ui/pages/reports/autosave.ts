import { Listeners } from '../../api/listeners.ts'

export type FieldValues<F extends string> = Readonly<Record<F, string>>
export type SaveState = 'same' | 'waiting' | 'saving' | 'saved' | 'wrong' | 'failed'
export type AutosaveSnapshot<F extends string> = { values: FieldValues<F>; state: SaveState; failure: unknown }

type AutosaveOptions<F extends string> = {
  /** Sends the changed fields; invalid ones are left out. */
  save: (changed: Partial<Record<F, string>>) => Promise<unknown>
  isWrong?: (field: F, value: string) => boolean
  /** True for a failure after which the same request is sent again automatically. */
  isTemporary?: (failure: unknown) => boolean
}

const PAUSE_MS = 900
const RETRY_MS = 5_000

/**
 * Saves the fields of one row after a pause, or at once with `flush`. It sends one request at a time; later edits go with the next one.
 * Neither a failure nor new values from the server replace an edited field or the focused one (`setFocusedField`).
 */
export class Autosave<F extends string> {
  #stored: FieldValues<F>
  #latest: FieldValues<F>
  /** What the cache of the page held of a field when it was saved. It arrives once more before the saved value does. */
  #superseded: Partial<Record<F, string>> = {}
  #snapshot: AutosaveSnapshot<F>
  #focusedField: F | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #isSaving = false
  readonly #changes = new Listeners()
  readonly subscribe = this.#changes.add
  readonly #options: AutosaveOptions<F>

  constructor(stored: FieldValues<F>, options: AutosaveOptions<F>) {
    this.#stored = stored
    this.#latest = stored
    this.#options = options
    this.#snapshot = { values: stored, state: 'same', failure: null }
  }

  readonly getSnapshot = (): AutosaveSnapshot<F> => this.#snapshot

  edit(field: F, value: string): void {
    this.#publish({ ...this.#snapshot, values: { ...this.#snapshot.values, [field]: value }, failure: null })
    this.#schedule()
  }

  setFocusedField(field: F | null): void {
    this.#focusedField = field
  }

  /** Takes over newer values from the server. Values of before the last save are not newer. */
  mergeStored(stored: FieldValues<F>): void {
    this.#latest = stored
    const changed = this.#changed()
    const newer = this.#fields().filter((field) => {
      if (stored[field] !== this.#superseded[field]) delete this.#superseded[field]
      return !(field in changed) && !(field in this.#superseded) && field !== this.#focusedField && stored[field] !== this.#stored[field]
    })
    if (newer.length === 0) return
    const merged = Object.fromEntries(newer.map((field) => [field, stored[field]])) as Partial<Record<F, string>>
    this.#stored = { ...this.#stored, ...merged }
    this.#publish({ ...this.#snapshot, values: { ...this.#snapshot.values, ...merged } })
  }

  /** Saves now. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#isSaving) return
    const sent = this.#sendable()
    if (Object.keys(sent).length === 0) return this.#setState(this.#snapshot.state === 'waiting' ? 'same' : this.#snapshot.state)
    this.#isSaving = true
    this.#publish({ ...this.#snapshot, state: 'saving', failure: null })
    const failure = await this.#options.save(sent).then(
      () => null,
      (error: unknown) => error ?? new Error('rejected without a reason'),
    )
    this.#isSaving = false
    if (failure !== null) return this.#fail(failure)
    this.#stored = { ...this.#stored, ...sent }
    // The reply may have reached the cache already.
    for (const field of this.#fields()) {
      if (field in sent && sent[field] !== this.#latest[field]) this.#superseded[field] = this.#latest[field]
    }
    this.#setState('saved')
    if (Object.keys(this.#sendable()).length > 0) this.#schedule()
  }

  /** True while edits would be lost with the page. */
  get isUnsaved(): boolean {
    return this.#isSaving || Object.keys(this.#changed()).length > 0
  }

  #fail(failure: unknown): void {
    this.#publish({ ...this.#snapshot, state: 'failed', failure })
    if (this.#options.isTemporary?.(failure)) {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.flush(), RETRY_MS)
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    this.#setState('waiting')
    this.#timer = setTimeout(() => void this.flush(), PAUSE_MS)
  }

  #setState(state: SaveState): void {
    const isWrong = this.#fields().some((field) => field in this.#changed() && this.#isWrong(field))
    this.#publish({ ...this.#snapshot, state: isWrong ? 'wrong' : this.#isSaving ? 'saving' : state })
  }

  #fields = (): F[] => Object.keys(this.#stored) as F[]
  #isWrong = (field: F): boolean => this.#options.isWrong?.(field, this.#snapshot.values[field]) ?? false

  #changed(): Partial<Record<F, string>> {
    const { values } = this.#snapshot
    const fields = this.#fields().filter((field) => values[field] !== this.#stored[field])
    return Object.fromEntries(fields.map((field) => [field, values[field]])) as Partial<Record<F, string>>
  }

  #sendable(): Partial<Record<F, string>> {
    const changed = Object.entries(this.#changed()) as [F, string][]
    return Object.fromEntries(changed.filter(([field]) => !this.#isWrong(field))) as Partial<Record<F, string>>
  }

  #publish(snapshot: AutosaveSnapshot<F>): void {
    this.#snapshot = snapshot
    this.#changes.notify()
  }
}
