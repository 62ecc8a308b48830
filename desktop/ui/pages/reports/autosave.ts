import { Listeners } from '../../api/listeners.ts'
import { mayBeOnServer, type PendingMark } from '../marks/model/pending-mark.ts'
import { type TextField, textValue, typedOf } from './pending-text.ts'

export type FieldValues<F extends TextField> = Readonly<Record<F, string>>
/** `waiting`: stored on this computer until the server answers; `wrong`: invalid; `asked`: somebody else has changed the text. */
export type SaveState = 'same' | 'saving' | 'waiting' | 'saved' | 'wrong' | 'asked' | 'failed'
/** A text that needs a decision of the user. */
export type OpenText<F extends TextField> = { field: F; pending: PendingMark }
export type AutosaveSnapshot<F extends TextField> = { values: FieldValues<F>; state: SaveState; open: readonly OpenText<F>[] }

/** The queue of texts for one row (`useAutosave`). */
export type RowQueue<F extends TextField> = {
  get(field: F): PendingMark | undefined
  /** Stores a text, and sends it after a pause. `seen`: the text that it replaces. */
  put(field: F, value: PendingMark['score'], seen: PendingMark['score']): void
  resolve(pending: PendingMark, choice: 'mine' | 'theirs' | 'compare'): void
  /** Updates a question with the text that the server has now. */
  reconcile(field: F, stored: PendingMark['score']): void
  /** Sends without the pause. */
  sendNow(): void
  listen(listener: () => void): () => void
}

/** The pause after the last key before a text is sent, in ms. */
export const PAUSE_MS = 900

/**
 * The texts of one row as in its fields. Each key press goes to the queue, which stores and sends it; an invalid value stays here. Neither
 * a failure nor new values from the server replace an edited field or the focused one (`setFocusedField`).
 */
export class Autosave<F extends TextField> {
  #stored: FieldValues<F>
  #latest: FieldValues<F>
  /** What the page's cache had in a field when it was saved. It is passed to `mergeStored` once more, before the saved value. */
  #superseded: Partial<Record<F, string>> = {}
  /** The entries of the queue at its last change. */
  #known: Partial<Record<F, PendingMark>> = {}
  #snapshot: AutosaveSnapshot<F>
  /** The focused field, and the text that Esc brings back: the last one that was saved, left, or given to the server. */
  #focus: { field: F; kept: string } | null = null
  #isSaved = false
  readonly #changes = new Listeners()
  readonly subscribe = this.#changes.add
  readonly #queue: RowQueue<F>
  readonly #isInvalid: (field: F, value: string) => boolean

  constructor(stored: FieldValues<F>, queue: RowQueue<F>, isInvalid: (field: F, value: string) => boolean) {
    this.#stored = stored
    this.#latest = stored
    this.#queue = queue
    this.#isInvalid = isInvalid
    this.#snapshot = { values: stored, state: 'same', open: [] }
    this.#hear()
  }

  readonly getSnapshot = (): AutosaveSnapshot<F> => this.#snapshot

  /** Follows the queue; the returned function ends that. */
  follow(): () => void {
    this.#hear()
    return this.#queue.listen(() => this.#hear())
  }

  edit(field: F, typed: string): void {
    this.#keepRested(field)
    this.#snapshot = { ...this.#snapshot, values: { ...this.#snapshot.values, [field]: typed } }
    const pending = this.#queue.get(field)
    const value = textValue(field, typed)
    const seen = pending ? pending.seen : textValue(field, this.#stored[field])
    const isBack = value === seen && (!pending || (!mayBeOnServer(pending) && pending.state !== 'conflict'))
    if (this.#isInvalid(field, typed)) this.#takeBack(field, pending)
    else if (isBack) this.#withdraw(field, pending)
    else this.#queue.put(field, value, seen)
    this.#publish()
  }

  setFocusedField(field: F | null): void {
    if (field === null) {
      this.#focus = null
      return
    }
    const pending = this.#queue.get(field)
    this.#focus = { field, kept: pending ? typedOf(pending.score) : this.#stored[field] }
  }

  /** Drops what was typed into the focused field since its text was last saved or waited for the server; false where that is nothing. */
  revert(field: F): boolean {
    this.#keepRested(field)
    if (this.#focus?.field !== field) return false
    const { kept } = this.#focus
    const shown = this.#snapshot.values[field]
    if (!this.#isInvalid(field, shown) && textValue(field, shown) === textValue(field, kept)) return false
    this.edit(field, kept)
    return true
  }

  /** A text that has not changed for the pause is saved soon, or waits while the server is unreachable. */
  #keepRested(field: F): void {
    const pending = this.#queue.get(field)
    if (pending && Date.now() - Date.parse(pending.at) >= PAUSE_MS) this.#keep(field, pending)
  }

  #keep(field: F, { score }: PendingMark): void {
    if (this.#focus?.field === field) this.#focus = { field, kept: typedOf(score) }
  }

  /** Takes over newer values from the server; values read before the last save are not newer. */
  mergeStored(stored: FieldValues<F>): void {
    this.#latest = stored
    this.#renewQuestions(stored)
    const newer = this.#fields().filter((field) => {
      if (stored[field] !== this.#superseded[field]) delete this.#superseded[field]
      const isSuperseded = field in this.#superseded
      return !this.#isChanged(field) && !isSuperseded && field !== this.#focus?.field && stored[field] !== this.#stored[field]
    })
    if (newer.length === 0) return
    const merged = Object.fromEntries(newer.map((field) => [field, stored[field]])) as Partial<Record<F, string>>
    this.#stored = { ...this.#stored, ...merged }
    this.#snapshot = { ...this.#snapshot, values: { ...this.#snapshot.values, ...merged } }
    this.#publish()
  }

  /** Updates the questions, since the other person may have changed the text again. */
  #renewQuestions(stored: FieldValues<F>): void {
    for (const { field, pending } of this.#snapshot.open) {
      const theirs = textValue(field, stored[field])
      if (pending.state === 'conflict' && theirs !== (pending.theirs ?? null)) this.#queue.reconcile(field, theirs)
    }
  }

  flush(): void {
    this.#queue.sendNow()
  }

  /** Applies a decision: `mine` overwrites the other text, `theirs` keeps it, `compare` sends a refused text again. */
  decide({ field, pending }: OpenText<F>, choice: 'mine' | 'theirs' | 'compare'): void {
    if (choice === 'theirs') {
      delete this.#known[field]
      if (pending.state === 'conflict') this.#markStored(field, typedOf(pending.theirs))
      this.#snapshot = { ...this.#snapshot, values: { ...this.#snapshot.values, [field]: this.#stored[field] } }
    }
    this.#queue.resolve(pending, choice)
    this.#publish()
  }

  /** True while a field differs from the server. */
  get isUnsaved(): boolean {
    return this.#fields().some(this.#isChanged)
  }

  /** True while a field has an invalid value. */
  get isWrong(): boolean {
    return this.#fields().some((field) => this.#isChanged(field) && this.#isInvalid(field, this.#snapshot.values[field]))
  }

  /**
   * Keeps an invalid value in its field only. Its valid beginnings, which may have been sent during typing, are undone by sending the
   * former text.
   */
  #takeBack(field: F, pending: PendingMark | undefined): void {
    if (pending && pending.state !== 'conflict' && mayBeOnServer(pending)) this.#queue.put(field, pending.seen, pending.seen)
    else this.#withdraw(field, pending)
  }

  #withdraw(field: F, pending: PendingMark | undefined): void {
    if (!pending) return
    delete this.#known[field]
    this.#markStored(field, typedOf(pending.seen))
    this.#queue.resolve(pending, 'theirs')
  }

  /** Handles a change of the queue: an entry that is gone was saved; one from another window is shown. */
  #hear(): void {
    for (const field of this.#fields()) {
      const before = this.#known[field]
      const now = this.#queue.get(field)
      if (before && !now) {
        this.#markStored(field, typedOf(before.score))
        this.#keep(field, before)
        this.#isSaved = true
      }
      // The text was saved, and the user typed on.
      if (before && now && now.state !== 'conflict' && before.seen !== now.seen) this.#markStored(field, typedOf(now.seen))
      const shown = this.#snapshot.values[field]
      const isOfOtherWindow = now && !this.#isInvalid(field, shown) && textValue(field, shown) !== now.score
      if (isOfOtherWindow) this.#snapshot = { ...this.#snapshot, values: { ...this.#snapshot.values, [field]: typedOf(now.score) } }
      if (now && (isOfOtherWindow || now.state === 'sending')) this.#keep(field, now)
      if (now) this.#known[field] = now
      else delete this.#known[field]
    }
    this.#publish()
  }

  #markStored(field: F, value: string): void {
    // Nothing was saved: the cache may be newer.
    if (value === this.#stored[field]) return
    this.#stored = { ...this.#stored, [field]: value }
    // The cache may have the saved value already.
    if (value !== this.#latest[field]) this.#superseded[field] = this.#latest[field]
  }

  #stateOf(): SaveState {
    const states = new Set(this.#fields().map((field) => this.#queue.get(field)?.state))
    if (this.isWrong) return 'wrong'
    if (states.has('conflict')) return 'asked'
    if (states.has('refused')) return 'failed'
    if (states.has('waiting')) return 'waiting'
    if (states.has('fresh') || states.has('sending')) return 'saving'
    return this.#isSaved ? 'saved' : 'same'
  }

  #fields = (): F[] => Object.keys(this.#stored) as F[]
  /** «97,5» over 97.5, or a space at the end, is no change. */
  #isChanged = (field: F): boolean => {
    const shown = this.#snapshot.values[field]
    if (this.#queue.get(field) || this.#isInvalid(field, shown)) return true
    return textValue(field, shown) !== textValue(field, this.#stored[field])
  }

  #publish(): void {
    const open = this.#fields().flatMap((field) => {
      const pending = this.#queue.get(field)
      return pending?.state === 'conflict' || pending?.state === 'refused' ? [{ field, pending }] : []
    })
    this.#snapshot = { ...this.#snapshot, open, state: this.#stateOf() }
    this.#changes.notify()
  }
}
