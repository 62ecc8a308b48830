import type { Pending } from './pending.ts'

/** Where a browser keeps text; `localStorage`, or nothing where that is refused. */
export type Box = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
type Owner = { userId: string; schoolId: string }
type Kept = { beat: number; pending: readonly Pending[] }

const PREFIX = 'markbook.marks'
/** A window that has not said for so long that it lives has gone, ms. */
const SILENCE = 20_000
/** What nobody came back for in so long is forgotten, ms. */
const FORGOTTEN = 30 * 86_400_000
/** Marks that are kept of one assessment, and assessments in all: more than a teacher types in a day without a server. */
const MOST_MARKS = 1_000
const MOST_PLACES = 100

/**
 * What a window has not brought to the server yet, kept on this computer, so that a closed window or a crash loses nothing. Every window
 * keeps its own; what one left behind that has gone is taken over by the next of the same person at the same school, and shown to nobody
 * else (decision 321).
 */
export class KeptMarks {
  private readonly own = new Map<string, readonly Pending[]>()
  constructor(
    private readonly box: Box | null,
    private readonly owner: Owner,
    private readonly windowId: string,
    private readonly now: () => number,
  ) {}

  private keyOf(assessmentId: string, windowId = this.windowId): string {
    return [PREFIX, this.owner.userId, this.owner.schoolId, assessmentId, windowId].join('/')
  }

  /** False where the computer keeps nothing: then leaving loses it. */
  keep(assessmentId: string, pending: readonly Pending[]): boolean {
    this.own.set(assessmentId, pending)
    if (pending.length === 0) this.own.delete(assessmentId)
    return this.write(assessmentId, this.now())
  }

  /** Says that this window lives; on leaving (`isLeaving`) that it is gone, so that the next need not wait. */
  beat(isLeaving = false): void {
    for (const assessmentId of this.own.keys()) this.write(assessmentId, isLeaving ? 0 : this.now())
  }

  /** What windows that have gone left of an assessment; from now on it is this window's. */
  takeOver(assessmentId: string): Pending[] {
    const found = this.records().filter((record) => {
      const isOurs = record.userId === this.owner.userId && record.schoolId === this.owner.schoolId && record.assessmentId === assessmentId
      return isOurs && (record.windowId === this.windowId ? !this.own.has(assessmentId) : this.now() - record.kept.beat > SILENCE)
    })
    for (const { key, windowId } of found) if (windowId !== this.windowId) this.remove(key)
    return found.flatMap(({ kept }) => kept.pending)
  }

  /** Removes what is old, of anybody. */
  tidy(): void {
    const newest = (kept: Kept) => Math.max(0, ...kept.pending.map(({ at }) => Date.parse(at) || 0))
    for (const { key, kept } of this.records()) if (this.now() - newest(kept) > FORGOTTEN) this.remove(key)
  }

  private write(assessmentId: string, beat: number): boolean {
    const pending = this.own.get(assessmentId) ?? []
    const key = this.keyOf(assessmentId)
    if (pending.length === 0) {
      this.remove(key)
      return true
    }
    if (this.own.size > MOST_PLACES || pending.length > MOST_MARKS) return false
    try {
      this.box?.setItem(key, JSON.stringify({ beat, pending } satisfies Kept))
      return this.box !== null
    } catch {
      return false
    }
  }

  private remove(key: string): void {
    try {
      this.box?.removeItem(key)
    } catch {
      // What cannot be removed is offered again, and found to have arrived.
    }
  }

  private records() {
    const keys: string[] = []
    try {
      for (let at = 0; at < (this.box?.length ?? 0); at += 1) keys.push(this.box?.key(at) ?? '')
    } catch {
      return []
    }
    return keys.flatMap((key) => {
      const [prefix, userId, schoolId, assessmentId, windowId, ...more] = key.split('/')
      const kept = prefix === PREFIX && more.length === 0 ? keptIn(this.box?.getItem(key) ?? null) : null
      return kept && userId && schoolId && assessmentId && windowId ? [{ key, userId, schoolId, assessmentId, windowId, kept }] : []
    })
  }
}

const isPending = (value: unknown): value is Pending => {
  const { assessmentId, studentId, score, seen, at } = (value ?? {}) as Partial<Pending>
  return (
    [assessmentId, studentId, at].every((each) => typeof each === 'string') &&
    typeof score === 'number' &&
    (seen === null || typeof seen === 'number')
  )
}

/** Anybody may have written there: what is no such record is none. */
function keptIn(text: string | null): Kept | null {
  try {
    const { beat, pending } = JSON.parse(text ?? 'null') as Partial<Kept>
    return typeof beat === 'number' && Array.isArray(pending) ? { beat, pending: pending.filter(isPending) } : null
  } catch {
    return null
  }
}
