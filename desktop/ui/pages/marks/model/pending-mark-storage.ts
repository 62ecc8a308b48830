import { type BrowserDatabase, keysBelow, type PendingStore } from '../../../storage/browser-database.ts'
import type { PendingMark } from './pending-mark.ts'

type Owner = { userId: string; schoolId: string }
/** Where the marks of an assessment are entered. `isSet`: `classId` is that of a teaching set. */
export type SheetScope = { classId: string; subjectId: string; termId: string; isSet?: boolean }
/** The pending marks of an assessment in one window. `beat`: when that window was last alive, ms. */
export type PendingRecord<Place = SheetScope> = Owner & {
  assessmentId: string
  windowId: string
  beat: number
  pending: readonly PendingMark[]
  sheet?: Place | undefined
}
/** What a closed window left of an assessment. */
export type Abandoned<Place = SheetScope> = Pick<PendingRecord<Place>, 'assessmentId' | 'pending' | 'sheet'>

/**
 * Pages that a tab showed until so long, ms: they are gone. One that was alive after that is the page of another tab, of which this one is a
 * copy.
 */
export type FormerPages = { ids: ReadonlySet<string>; until: number }

/** A window without a heartbeat for so long is closed, ms. */
const WINDOW_TIMEOUT = 20_000
/** Records older than this are removed, ms. */
const MAX_AGE = 30 * 86_400_000
/** Bounds per assessment and in all: more than a teacher enters in a day without a server. */
const MAX_MARKS = 1_000
const MAX_ASSESSMENTS = 100

/**
 * Keeps the pending marks of a window in the browser's database, so that closing or crashing loses none. Each window has records of its own;
 * the next window of the same person at the same school takes over those of a closed one (docs/design/app.md). Of attendance a register
 * stands in place of an assessment, of report books a class and term, and each text in place of a pupil; both have stores of their own.
 */
export class PendingMarkStorage<Place = SheetScope> {
  private readonly own = new Map<string, Omit<Abandoned<Place>, 'assessmentId'>>()
  constructor(
    private readonly database: () => Promise<BrowserDatabase | null>,
    private readonly owner: Owner,
    private readonly windowId: string,
    private readonly now: () => number,
    private readonly kept: PendingStore = 'pending_marks',
    private readonly former: FormerPages = { ids: new Set(), until: 0 },
  ) {}

  /** False where the browser keeps nothing. Calls take effect in their order. */
  store(assessmentId: string, pending: readonly PendingMark[], sheet?: Place): Promise<boolean> {
    if (pending.length > 0) this.own.set(assessmentId, { pending, sheet })
    else this.own.delete(assessmentId)
    return this.write(assessmentId, this.now())
  }

  /** Refreshes the records of this window; `isLeaving` releases them, so that the next window need not wait. */
  heartbeat(isLeaving = false): void {
    for (const assessmentId of this.own.keys()) void this.write(assessmentId, isLeaving ? 0 : this.now())
  }

  /**
   * Takes over what closed windows left: `keep` stores it as this window's, and the records of the others go with that, or not at all. Two
   * windows that do so at once take over different ones. Answers how many entries are those of other windows that may be open still.
   */
  async takeOver(keep: (left: Abandoned<Place>) => void): Promise<number> {
    let elsewhere = 0
    const database = await this.database()
    if (!database) return elsewhere
    if (this.kept === 'pending_marks') await importOld(database, this.now())
    const tx = database.transaction(this.kept, 'readwrite')
    for (const record of (await tx.store.getAll(keysBelow(this.owner.userId, this.owner.schoolId))).filter(isRecord<Place>)) {
      const { assessmentId, windowId, pending, sheet, beat } = record
      if (windowId === this.windowId) continue
      const isFormer = this.former.ids.has(windowId) && beat <= this.former.until
      if (!isFormer && this.now() - beat <= WINDOW_TIMEOUT) {
        elsewhere += pending.length
        continue
      }
      keep({ assessmentId, pending, sheet })
      // What `keep` stored comes in a transaction after this one.
      const own = this.own.get(assessmentId)
      if (own) await tx.store.put(this.recordOf(assessmentId, own, this.now()))
      await tx.store.delete([this.owner.userId, this.owner.schoolId, assessmentId, windowId])
    }
    await tx.done
    return elsewhere
  }

  /** Removes expired records of everybody. */
  async removeExpired(): Promise<void> {
    const tx = (await this.database())?.transaction(this.kept, 'readwrite')
    if (!tx) return
    const newest = ({ pending }: PendingRecord<Place>) => Math.max(0, ...pending.map(({ at }) => Date.parse(at) || 0))
    for (const record of (await tx.store.getAll()).filter(isRecord<Place>)) {
      const { userId, schoolId, assessmentId, windowId } = record
      if (this.now() - newest(record) > MAX_AGE) await tx.store.delete([userId, schoolId, assessmentId, windowId])
    }
    await tx.done
  }

  private recordOf(assessmentId: string, { pending, sheet }: Omit<Abandoned<Place>, 'assessmentId'>, beat: number): PendingRecord<Place> {
    return { ...this.owner, assessmentId, windowId: this.windowId, beat, pending, sheet }
  }

  private async write(assessmentId: string, beat: number): Promise<boolean> {
    const own = this.own.get(assessmentId)
    if (own && (this.own.size > MAX_ASSESSMENTS || own.pending.length > MAX_MARKS)) return false
    try {
      const database = await this.database()
      if (!database) return !own
      // On the disk before it counts as kept: a battery may end. Committed at once: a page that is left may not come to it any more.
      const tx = database.transaction(this.kept, 'readwrite', { durability: 'strict' })
      if (own) void tx.store.put(this.recordOf(assessmentId, own, beat))
      else void tx.store.delete([this.owner.userId, this.owner.schoolId, assessmentId, this.windowId])
      tx.commit()
      await tx.done
      return true
    } catch {
      return !own
    }
  }
}

/**
 * Takes in what the app left in the browser's local storage until November 2026, where its window is closed. The keys were
 * `markbook.marks/<user>/<school>/<assessment>/<window>`.
 */
async function importOld(database: BrowserDatabase, now: number): Promise<void> {
  for (const key of oldKeys()) {
    const [, userId = '', schoolId = '', assessmentId = '', windowId = ''] = key.split('/')
    const record = { ...parse(localStorage.getItem(key)), userId, schoolId, assessmentId, windowId }
    if (!isRecord(record) || now - record.beat <= WINDOW_TIMEOUT) continue
    await database.put('pending_marks', { ...record, beat: 0 })
    localStorage.removeItem(key)
  }
}

function oldKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith('markbook.marks/'))
  } catch {
    return []
  }
}

function parse(text: string | null): object {
  try {
    return JSON.parse(text ?? '{}') as object
  } catch {
    return {}
  }
}

/** A text of a report book may be long. */
const isValue = (value: unknown) => value === null || typeof value === 'number' || (typeof value === 'string' && value !== '')

const isPending = (value: unknown): value is PendingMark => {
  const { assessmentId, studentId, score, seen, at } = (value ?? {}) as Partial<PendingMark>
  return [assessmentId, studentId, at].every((each) => typeof each === 'string') && [score, seen].every(isValue)
}

/** What another version of the app wrote in another shape is left alone. */
const isRecord = <Place>(value: unknown): value is PendingRecord<Place> => {
  const { beat, pending } = (value ?? {}) as Partial<PendingRecord<Place>>
  return typeof beat === 'number' && Array.isArray(pending) && pending.every(isPending)
}
