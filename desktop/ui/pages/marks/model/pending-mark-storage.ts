import type { PendingMark } from './pending-mark.ts'

/** The part of `Storage` that is used. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
type Owner = { userId: string; schoolId: string }
/** Where the marks of an assessment are entered. */
export type SheetScope = { classId: string; subjectId: string; termId: string }
/** `sheet`: absent in what an older version stored. */
type StoredRecord = { beat: number; pending: readonly PendingMark[]; sheet?: SheetScope | undefined }
/** What a closed window left of an assessment. */
export type Abandoned = { assessmentId: string; pending: readonly PendingMark[]; sheet?: SheetScope | undefined }

const PREFIX = 'markbook.marks'
/** A window without a heartbeat for so long is closed, ms. */
const WINDOW_TIMEOUT = 20_000
/** Records older than this are removed, ms. */
const MAX_AGE = 30 * 86_400_000
/** Bounds per assessment and in all: more than a teacher enters in a day without a server. */
const MAX_MARKS = 1_000
const MAX_ASSESSMENTS = 100

/**
 * Stores the pending marks of a window in the browser, so that closing or crashing loses none. Each window has records of its own; the
 * next window of the same user at the same school takes over those of a closed one (docs/design/app.md).
 */
export class PendingMarkStorage {
  private readonly own = new Map<string, Omit<StoredRecord, 'beat'>>()
  constructor(
    private readonly storage: BrowserStorage | null,
    private readonly owner: Owner,
    private readonly windowId: string,
    private readonly now: () => number,
  ) {}

  private keyOf(assessmentId: string, windowId = this.windowId): string {
    return [PREFIX, this.owner.userId, this.owner.schoolId, assessmentId, windowId].join('/')
  }

  /** False where the browser stores nothing. */
  store(assessmentId: string, pending: readonly PendingMark[], sheet?: SheetScope): boolean {
    this.own.set(assessmentId, { pending, sheet })
    if (pending.length === 0) this.own.delete(assessmentId)
    return this.write(assessmentId, this.now())
  }

  /** Refreshes the records of this window; `isLeaving` releases them, so that the next window need not wait. */
  heartbeat(isLeaving = false): void {
    for (const assessmentId of this.own.keys()) this.write(assessmentId, isLeaving ? 0 : this.now())
  }

  /** Takes over what closed windows left: `keep` stores it as this window's, before the records of the others are removed. */
  takeOver(keep: (left: Abandoned) => void): void {
    const found = this.records().filter(({ userId, schoolId, assessmentId, windowId, stored }) => {
      const isOurs = userId === this.owner.userId && schoolId === this.owner.schoolId
      return isOurs && (windowId === this.windowId ? !this.own.has(assessmentId) : this.now() - stored.beat > WINDOW_TIMEOUT)
    })
    for (const { key, windowId, assessmentId, stored } of found) {
      keep({ assessmentId, pending: stored.pending, sheet: stored.sheet })
      if (windowId !== this.windowId) this.remove(key)
    }
  }

  /** Removes expired records of all users. */
  removeExpired(): void {
    const newest = (stored: StoredRecord) => Math.max(0, ...stored.pending.map(({ at }) => Date.parse(at) || 0))
    for (const { key, stored } of this.records()) if (this.now() - newest(stored) > MAX_AGE) this.remove(key)
  }

  private write(assessmentId: string, beat: number): boolean {
    const { pending, sheet } = this.own.get(assessmentId) ?? { pending: [] }
    const key = this.keyOf(assessmentId)
    if (pending.length === 0) {
      this.remove(key)
      return true
    }
    if (this.own.size > MAX_ASSESSMENTS || pending.length > MAX_MARKS) return false
    try {
      this.storage?.setItem(key, JSON.stringify({ beat, pending, sheet } satisfies StoredRecord))
      return this.storage !== null
    } catch {
      return false
    }
  }

  private remove(key: string): void {
    try {
      this.storage?.removeItem(key)
    } catch {
      // A record that cannot be removed is offered again and found to have arrived.
    }
  }

  private records() {
    const keys: string[] = []
    try {
      for (let at = 0; at < (this.storage?.length ?? 0); at += 1) keys.push(this.storage?.key(at) ?? '')
    } catch {
      return []
    }
    return keys.flatMap((key) => {
      const [prefix, userId, schoolId, assessmentId, windowId, ...more] = key.split('/')
      const stored = prefix === PREFIX && more.length === 0 ? parseRecord(this.storage?.getItem(key) ?? null) : null
      return stored && userId && schoolId && assessmentId && windowId ? [{ key, userId, schoolId, assessmentId, windowId, stored }] : []
    })
  }
}

const isPending = (value: unknown): value is PendingMark => {
  const { assessmentId, studentId, score, seen, at } = (value ?? {}) as Partial<PendingMark>
  return (
    [assessmentId, studentId, at].every((each) => typeof each === 'string') &&
    [score, seen].every((each) => each === null || typeof each === 'number')
  )
}

const isSheet = (value: unknown): value is SheetScope => {
  const { classId, subjectId, termId } = (value ?? {}) as Partial<SheetScope>
  return [classId, subjectId, termId].every((each) => typeof each === 'string')
}

/** Parses a record; null for a text of another shape. */
function parseRecord(text: string | null): StoredRecord | null {
  try {
    const { beat, pending, sheet } = JSON.parse(text ?? 'null') as Partial<StoredRecord>
    if (typeof beat !== 'number' || !Array.isArray(pending)) return null
    return { beat, pending: pending.filter(isPending), ...(isSheet(sheet) && { sheet }) }
  } catch {
    return null
  }
}
