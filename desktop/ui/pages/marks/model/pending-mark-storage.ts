import { readStored, writeStored } from '../../../components/browser-storage.ts'
import { type BrowserDatabase, keysBelow, type PendingStore } from '../../../storage/browser-database.ts'
import type { PendingMark } from './pending-mark.ts'

type Owner = { userId: string; schoolId: string }
/** The sheet where the marks of an assessment are entered. `isSet`: `classId` is the id of a teaching set. */
export type SheetScope = { classId: string; subjectId: string; termId: string; isSet?: boolean }
/**
 * The pending marks of an assessment in one window. `beat`: when the window was last alive, in ms; `found`: when another person's window
 * first found them since.
 */
export type PendingRecord<Place = SheetScope> = Owner & {
  assessmentId: string
  windowId: string
  beat: number
  found?: number
  pending: readonly PendingMark[]
  sheet?: Place | undefined
}
/** What a closed window left of an assessment. */
export type Abandoned<Place = SheetScope> = Pick<PendingRecord<Place>, 'assessmentId' | 'pending' | 'sheet'>

/**
 * Pages that this tab showed before `until` (ms), which are closed. One with a later heartbeat is open in another tab, which was copied to
 * make this one.
 */
export type FormerPages = { ids: ReadonlySet<string>; until: number }

/** A window without a heartbeat for this time is closed, in ms. */
const WINDOW_TIMEOUT = 20_000
/** Records of other people are removed this long after they were found, in ms. */
const MAX_AGE = 30 * 86_400_000
/** The largest numbers for an assessment and in all; more than a teacher enters in a day without a server. */
const MAX_MARKS = 1_000
const MAX_ASSESSMENTS = 100

/** The copies in local storage, whose keys are `<start>/<user>/<school>/<assessment>/<window>`. */
const COPIES: Record<PendingStore, string> = {
  pending_marks: 'markbook.marks',
  pending_attendance: 'markbook.attendance',
  pending_texts: 'markbook.texts',
}

/**
 * Stores the pending marks of a window in the browser's database, so that they survive closing and crashes. Each window has records of its
 * own; the next window of the same person and school takes over those of a closed one (docs/design/app.md). For attendance a register
 * replaces the assessment; for report books a class and term replace it, and a text the pupil. Both have stores of their own.
 */
export class PendingMarkStorage<Place = SheetScope> {
  private readonly own = new Map<string, Omit<Abandoned<Place>, 'assessmentId'>>()
  private isLeaving = false
  constructor(
    private readonly database: () => Promise<BrowserDatabase | null>,
    private readonly owner: Owner,
    private readonly windowId: string,
    private readonly now: () => number,
    private readonly kept: PendingStore = 'pending_marks',
    private readonly former: FormerPages = { ids: new Set(), until: 0 },
  ) {}

  /** False where the browser cannot store them. Calls take effect in order. */
  store(assessmentId: string, pending: readonly PendingMark[], sheet?: Place): Promise<boolean> {
    if (pending.length > 0) this.own.set(assessmentId, { pending, sheet })
    else this.own.delete(assessmentId)
    return this.write(assessmentId, this.now())
  }

  /**
   * Updates the heartbeat of this window's records; `isLeaving` releases them, so that the next window need not wait. `told` is called for
   * each assessment with whether its entries are stored, since the browser may have removed them.
   */
  heartbeat(isLeaving = false, told: (assessmentId: string, isStored: boolean) => void = () => {}): void {
    this.isLeaving = isLeaving
    for (const id of this.own.keys()) void this.write(id, isLeaving ? 0 : this.now()).then((isStored) => told(id, isStored))
  }

  /**
   * Takes over the entries of closed windows: `keep` stores them as this window's, and the old records are removed in the same step. Two
   * windows that do this at the same time get different ones. Returns the number of entries of windows that may still be open.
   */
  async takeOver(keep: (left: Abandoned<Place>) => void): Promise<number> {
    let elsewhere = 0
    const database = await this.database()
    await this.importCopies(database, keep)
    if (!database) return elsewhere
    const tx = database.transaction(this.kept, 'readwrite')
    for (const record of (await tx.store.getAll(keysBelow(this.owner.userId, this.owner.schoolId))).filter(isRecord<Place>)) {
      const { assessmentId, windowId, pending, sheet, beat } = record
      if (windowId === this.windowId) continue
      const isFormer = this.former.ids.has(windowId) && beat <= this.former.until
      if (!isFormer && this.isOpen(beat)) {
        elsewhere += pending.length
        continue
      }
      keep({ assessmentId, pending, sheet })
      // What `keep` stores is written in a later transaction.
      const own = this.own.get(assessmentId)
      if (own) await tx.store.put(this.recordOf(assessmentId, own, this.now()))
      await tx.store.delete([this.owner.userId, this.owner.schoolId, assessmentId, windowId])
    }
    await tx.done
    return elsewhere
  }

  /**
   * Removes the records of other people that were found a month ago. Not by the times of entry: a computer whose battery is empty starts
   * years ago. This person's own are sent, however old: a month is less than the summer holidays.
   */
  async removeExpired(): Promise<void> {
    const tx = (await this.database())?.transaction(this.kept, 'readwrite')
    if (!tx) return
    for (const record of (await tx.store.getAll()).filter(isRecord<Place>)) {
      const { userId, schoolId, assessmentId, windowId, found } = record
      if (userId === this.owner.userId) continue
      if (found === undefined || found > this.now()) await tx.store.put({ ...record, found: this.now() })
      else if (this.now() - found > MAX_AGE) await tx.store.delete([userId, schoolId, assessmentId, windowId])
    }
    await tx.done
  }

  /** Whether the window of a heartbeat may be open. One from the future is of a closed one: the clock was set back since. */
  private isOpen = (beat: number): boolean => Math.abs(this.now() - beat) <= WINDOW_TIMEOUT

  /**
   * Moves into the database what other pages wrote to local storage as they were left; where the browser cannot store it, as on a full
   * disk, it is kept in this window alone. Until November 2026 the app stored all pending marks there, under the same keys.
   */
  private async importCopies(database: BrowserDatabase | null, keep: (left: Abandoned<Place>) => void): Promise<void> {
    for (const key of copiesBelow(COPIES[this.kept])) {
      const [, userId = '', schoolId = '', assessmentId = '', windowId = ''] = key.split('/')
      const record = { ...parse(readStored(key)), userId, schoolId, assessmentId, windowId }
      if (windowId === this.windowId || !isRecord<Place>(record) || this.isOpen(record.beat)) continue
      const isOwn = userId === this.owner.userId && schoolId === this.owner.schoolId
      const moved = await database?.put(this.kept, { ...record, beat: 0 }).catch(() => undefined)
      if (!moved && !isOwn) continue
      writeStored(key, null)
      if (!moved) keep(record)
    }
  }

  private recordOf(assessmentId: string, { pending, sheet }: Omit<Abandoned<Place>, 'assessmentId'>, beat: number): PendingRecord<Place> {
    return { ...this.owner, assessmentId, windowId: this.windowId, beat, pending, sheet }
  }

  private async write(assessmentId: string, beat: number): Promise<boolean> {
    const own = this.own.get(assessmentId)
    if (own && (this.own.size > MAX_ASSESSMENTS || own.pending.length > MAX_MARKS)) return false
    const copy = [COPIES[this.kept], this.owner.userId, this.owner.schoolId, assessmentId, this.windowId].join('/')
    // A page that is left may end before the database answers, or before it is open.
    if (own && this.isLeaving) writeStored(copy, JSON.stringify(this.recordOf(assessmentId, own, 0)))
    try {
      const database = await this.database()
      if (!database) return !own
      // `strict`: written to the disk before it counts as stored, as the power may fail. Committed explicitly, because a page that is left
      // may not run on.
      const tx = database.transaction(this.kept, 'readwrite', { durability: 'strict' })
      if (own) void tx.store.put(this.recordOf(assessmentId, own, beat))
      else void tx.store.delete([this.owner.userId, this.owner.schoolId, assessmentId, this.windowId])
      tx.commit()
      await tx.done
      // A page that went on after all, or came back, has everything in the database.
      writeStored(copy, null)
      return true
    } catch {
      return !own
    }
  }
}

/** The keys of local storage that begin with this. */
function copiesBelow(start: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(`${start}/`))
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

/** Any length: the text of a report book may be long. */
const isValue = (value: unknown) => value === null || typeof value === 'number' || (typeof value === 'string' && value !== '')

const isPending = (value: unknown): value is PendingMark => {
  const { assessmentId, studentId, score, seen, at } = (value ?? {}) as Partial<PendingMark>
  return [assessmentId, studentId, at].every((each) => typeof each === 'string') && [score, seen].every(isValue)
}

/** Records that another version wrote in another shape are not touched. */
const isRecord = <Place>(value: unknown): value is PendingRecord<Place> => {
  const { beat, pending } = (value ?? {}) as Partial<PendingRecord<Place>>
  return typeof beat === 'number' && Array.isArray(pending) && pending.every(isPending)
}
