import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { Listeners } from '../../../api/listeners.ts'
import { type CellValue, cellValueOf } from './cell-value.ts'
import { grouped } from './mark-values.ts'
import { compareWithStored, isSendable, type MarkEntry, type PendingMark, replacePending, type StoredMark } from './pending-mark.ts'

/** The delay before a request, in ms; marks typed within it are sent together. */
const BATCH_DELAY = 200
const BACK_OFF = { first: 1_000, most: 30_000 }

export type QueueEnvironment<Row extends StoredMark> = {
  /** Saves marks of one assessment, none of them a deletion, and returns the stored rows. */
  send(assessmentId: string, marks: readonly PendingMark[]): Promise<readonly Row[]>
  /** Deletes the mark of a pupil; succeeds where there is none. Throws `grades.changed_meanwhile` where it is none of the `known` marks. */
  remove(assessmentId: string, studentId: string, known: readonly (CellValue | undefined)[]): Promise<void>
  /** Reads the server before every request, not only after it was away: for entries whose changes by others do not arrive as events. */
  readsFirst?: boolean
  /** The delay after the last entry before a request, in ms; `BATCH_DELAY` by default. */
  delay?: number
  /** Reads the stored marks of an assessment, at least those of these pupils. */
  read(assessmentId: string, studentIds: readonly string[]): Promise<readonly Row[]>
  /** Called with the rows that the server has stored. */
  saved(assessmentId: string, rows: readonly Row[]): void
  /** Called with a mark that the server does not have any more. */
  removed(assessmentId: string, studentId: string): void
  /** Stores the pending marks, so that they survive the page. */
  store(assessmentId: string, pending: readonly PendingMark[]): void
  later(ms: number, then: () => void): () => void
  now(): string
  /** A number from 0 to 1. */
  random(): number
}

type AssessmentQueue = {
  entries: Map<string, PendingMark>
  isBusy: boolean
  /** The number of failed tries in a row. Above zero it is unknown whether the last request was handled. */
  tries: number
  /** True after a refusal that named no mark: then marks are sent one at a time. */
  isSingly: boolean
  failure: Failure | null
  /** Cancels the scheduled request; null where none is scheduled. */
  stop: (() => void) | null
}

/**
 * Sends marks to the server in the order of entry, one request at a time for each assessment. While the server is unreachable marks wait,
 * with growing pauses. Before they are sent again they are compared with the stored marks, so that nobody else's mark is overwritten unseen
 * (docs/design/app.md).
 */
export class MarkQueue<Row extends StoredMark = StoredMark> {
  private readonly queues = new Map<string, AssessmentQueue>()
  private readonly changes = new Listeners<[assessmentId: string, studentIds: readonly string[]]>()
  /** Adds a listener, which is called with the marks whose state has changed. */
  readonly listen = this.changes.add
  private changeCount = 0
  /** A number that is different after every change. */
  version = (): number => this.changeCount

  constructor(private readonly environment: QueueEnvironment<Row>) {}

  get = (assessmentId: string, studentId: string): PendingMark | undefined => this.queues.get(assessmentId)?.entries.get(studentId)
  all = (): PendingMark[] => [...this.queues.values()].flatMap(({ entries }) => [...entries.values()])
  /** The failure of the last request of any assessment; null where there is none. */
  failure = (): Failure | null => [...this.queues.values()].find(({ failure }) => failure)?.failure ?? null

  /**
   * Enters marks over the values that were `seen`. Over a conflict it is the decision, where the other mark was seen. `isCompared`: compare
   * with the server's marks first, since what was seen may be old.
   */
  put(marks: readonly MarkEntry[], { isCompared = false } = {}): void {
    for (const [assessmentId, own] of byAssessment(marks)) {
      const queue = this.queue(assessmentId)
      const isFirst = queue.tries === 0
      if (isCompared && isFirst) queue.tries = 1
      for (const mark of own) {
        const entered = replacePending(queue.entries.get(mark.studentId), mark, this.environment.now())
        // `waiting` at once while the server is unreachable.
        queue.entries.set(mark.studentId, queue.tries > 0 && entered.state === 'fresh' ? { ...entered, state: 'waiting' } : entered)
      }
      this.changed(assessmentId, own)
      // A scheduled request will include these marks. None is scheduled where all earlier entries were discarded meanwhile.
      if (isFirst || !(queue.stop || queue.isBusy)) this.schedule(assessmentId, queue, this.environment.delay ?? BATCH_DELAY)
    }
  }

  /** Adds a mark as a conflict with somebody else's newer mark, for the user to decide. */
  addConflict(mark: MarkEntry, theirs: CellValue): void {
    const queue = this.queue(mark.assessmentId)
    const entered = replacePending(queue.entries.get(mark.studentId), mark, this.environment.now())
    queue.entries.set(mark.studentId, { ...entered, state: 'conflict', theirs })
    this.changed(mark.assessmentId, [mark])
  }

  /** Compares pending marks with rows of the server: equal ones are saved, different ones become conflicts. */
  reconcile(assessmentId: string, rows: readonly StoredMark[]): void {
    const queue = this.queues.get(assessmentId)
    if (!queue) return
    const own = rows.flatMap((row) => {
      const pending = queue.entries.get(row.student_id)
      return pending && pending.state !== 'sending' && pending.state !== 'refused' ? [{ pending, row }] : []
    })
    for (const { pending, row } of own) settle(queue, pending, row)
    if (own.length > 0)
      this.changed(
        assessmentId,
        own.map(({ pending }) => pending),
      )
  }

  /** Adds entries of an earlier window. They are compared with the server, and sent where nobody changed the mark. */
  takeOver(pending: readonly PendingMark[]): void {
    for (const [assessmentId, own] of byAssessment(pending)) {
      const queue = this.queue(assessmentId)
      const unknown = own.filter((each) => isUnknown(each, queue.entries.get(each.studentId)))
      for (const each of unknown) queue.entries.set(each.studentId, merged(each, queue.entries.get(each.studentId)))
      queue.tries = Math.max(queue.tries, 1)
      this.changed(assessmentId, unknown)
      if (hasSendable(queue)) this.schedule(assessmentId, queue, 0)
    }
  }

  /**
   * Applies the user's decision about entries as they were shown: `mine` overwrites, `theirs` discards, `compare` compares with the server
   * and sends. An entry that has changed since is left alone.
   */
  resolve(pending: readonly PendingMark[], choice: 'mine' | 'theirs' | 'compare'): void {
    for (const [assessmentId, own] of byAssessment(pending)) {
      const queue = this.queue(assessmentId)
      for (const { studentId, score, remarks, theirs = null } of own) {
        const known = queue.entries.get(studentId)
        if (!known || known.state === 'sending' || known.score !== score || known.remarks !== remarks) continue
        if (choice === 'theirs') queue.entries.delete(studentId)
        else queue.entries.set(studentId, { ...known, state: 'waiting', ...(choice === 'mine' && { seen: theirs }) })
      }
      if (choice !== 'theirs') queue.tries = Math.max(queue.tries, 1)
      this.changed(assessmentId, own)
      if (choice !== 'theirs') this.schedule(assessmentId, queue, 0)
    }
  }

  /** Notifies the listeners about all marks of an assessment. */
  announce(assessmentId: string): void {
    this.notify(assessmentId, [...(this.queues.get(assessmentId)?.entries.keys() ?? [])])
  }

  /** Sends new entries without the delay. */
  sendNow(assessmentId: string): void {
    const queue = this.queues.get(assessmentId)
    if (queue && queue.tries === 0 && hasSendable(queue)) this.schedule(assessmentId, queue, 0)
  }

  /** Sends waiting marks now. */
  retry(): void {
    for (const [assessmentId, queue] of this.queues) if (hasSendable(queue)) this.schedule(assessmentId, queue, 0)
  }

  private queue(assessmentId: string): AssessmentQueue {
    const known = this.queues.get(assessmentId) ?? {
      entries: new Map(),
      isBusy: false,
      tries: 0,
      isSingly: false,
      failure: null,
      stop: null,
    }
    this.queues.set(assessmentId, known)
    return known
  }

  private schedule(assessmentId: string, queue: AssessmentQueue, ms: number): void {
    queue.stop?.()
    queue.stop = this.environment.later(ms, () => {
      queue.stop = null
      void this.run(assessmentId, queue)
    })
  }

  private async run(assessmentId: string, queue: AssessmentQueue): Promise<void> {
    if (queue.isBusy) return
    queue.isBusy = true
    let batch: PendingMark[] = []
    try {
      const isCompared = queue.tries > 0 || this.environment.readsFirst
      const sendable = isCompared ? await this.compare(assessmentId, queue) : allSendable(queue)
      batch = nextBatch(sendable, queue)
      if (batch.length > 0) await this.send(assessmentId, queue, batch)
      // Marks that came meanwhile and must be compared stay so.
      queue.tries = [...queue.entries.values()].some(({ state }) => state === 'waiting') ? 1 : 0
      queue.failure = null
    } catch (error) {
      this.failed(assessmentId, queue, batch, error)
    } finally {
      queue.isBusy = false
      if (!hasSendable(queue)) queue.isSingly = false
      else this.schedule(assessmentId, queue, queue.tries > 0 ? this.pause(queue) : (this.environment.delay ?? 0))
    }
  }

  /**
   * Compares the sendable entries with the server, and returns those that may be sent now. What is entered during the request is not
   * compared, and waits for the next one.
   */
  private async compare(assessmentId: string, queue: AssessmentQueue): Promise<PendingMark[]> {
    const asked = new Set(allSendable(queue).map(({ studentId }) => studentId))
    const rows = await this.environment.read(assessmentId, [...asked])
    const rowsByStudentId = new Map(rows.map((row) => [row.student_id, row]))
    const sendableOfAsked = () => allSendable(queue).filter(({ studentId }) => asked.has(studentId))
    const own = sendableOfAsked()
    for (const pending of own) {
      const stored = rowsByStudentId.get(pending.studentId)
      settle(queue, pending, stored)
      // No request is open, so that the stored mark is the one that this entry overwrites, even if its own reply gets lost.
      this.set(queue, [pending], () => ({ seen: cellValueOf(stored) }))
    }
    this.environment.saved(assessmentId, rows)
    this.changed(assessmentId, own)
    return sendableOfAsked()
  }

  private async send(assessmentId: string, queue: AssessmentQueue, batch: PendingMark[]): Promise<void> {
    for (const pending of batch) queue.entries.set(pending.studentId, { ...pending, state: 'sending' })
    this.changed(assessmentId, batch)
    const rows = await this.deliver(assessmentId, batch)
    for (const { studentId, score } of batch) {
      const now = queue.entries.get(studentId)
      // Typed again while it was being sent: the new mark overwrites the one just saved, and is sent next.
      if (now?.state === 'sending') queue.entries.delete(studentId)
      else if (now && isSendable(now)) queue.entries.set(studentId, { ...now, state: 'fresh', seen: score, ours: undefined })
    }
    this.environment.saved(assessmentId, rows)
    this.changed(assessmentId, batch)
  }

  /** Sends a batch; returns the stored rows, none for a deletion. */
  private async deliver(assessmentId: string, batch: readonly PendingMark[]): Promise<readonly Row[]> {
    const marks = batch.filter(({ score }) => score !== null)
    if (marks.length > 0) return this.environment.send(assessmentId, marks)
    for (const { studentId, seen, ours } of batch) {
      await this.environment.remove(assessmentId, studentId, [seen, ours])
      this.environment.removed(assessmentId, studentId)
    }
    return []
  }

  private failed(assessmentId: string, queue: AssessmentQueue, batch: readonly PendingMark[], error: unknown): void {
    const failure = failureOf(error)
    if (isTemporary(failure)) {
      queue.tries += 1
      queue.failure = failure
      // Marks in the failed request may have been saved.
      const all = [...queue.entries.values()]
      this.set(queue, all, ({ state, score }) => ({ state: 'waiting', ...(state === 'sending' && { ours: score }) }))
    } else {
      const named = batch.flatMap((pending, at) => {
        const issue = failure.issues?.find(({ path }) => path.split('.')[1] === String(at))
        return issue ? [{ pending, message: issue.message }] : []
      })
      if (named.length === 0 && batch.length > 1) queue.isSingly = true
      const refused = named.length > 0 ? named : batch.length === 1 ? batch.map((pending) => ({ pending, message: failure.message })) : []
      // Where a batch takes several requests, some may have been handled.
      this.set(queue, batch, ({ state, score }) => ({ state: 'fresh', ...(state === 'sending' && { ours: score }) }))
      for (const { pending, message } of refused) this.set(queue, [pending], () => ({ state: 'refused', message, code: failure.code }))
      // Reading the server was refused: nothing is sent until the user decides.
      if (batch.length === 0)
        this.set(queue, allSendable(queue), () => ({
          state: 'refused',
          message: failure.message,
          code: failure.code,
        }))
    }
    this.changed(assessmentId, [...queue.entries.values()])
  }

  /** Changes the entries that are still sendable. */
  private set(queue: AssessmentQueue, pendings: readonly PendingMark[], change: (now: PendingMark) => Partial<PendingMark>): void {
    for (const { studentId } of pendings) {
      const now = queue.entries.get(studentId)
      if (now && isSendable(now)) queue.entries.set(studentId, { ...now, ...change(now) })
    }
  }

  private pause({ tries }: AssessmentQueue): number {
    const longest = Math.min(BACK_OFF.most, BACK_OFF.first * 2 ** (tries - 1))
    return longest * (0.5 + this.environment.random() / 2)
  }

  private changed(assessmentId: string, pendings: readonly { studentId: string }[]): void {
    this.environment.store(assessmentId, [...(this.queues.get(assessmentId)?.entries.values() ?? [])])
    this.notify(
      assessmentId,
      pendings.map(({ studentId }) => studentId),
    )
  }

  private notify(assessmentId: string, studentIds: readonly string[]): void {
    this.changeCount += 1
    this.changes.notify(assessmentId, studentIds)
  }
}

/** Removes an entry that equals the stored mark; makes it a conflict where the stored mark is unknown to the user. */
function settle({ entries }: AssessmentQueue, pending: PendingMark, stored: StoredMark | undefined): void {
  const found = compareWithStored(pending, stored)
  if (found === 'arrived') entries.delete(pending.studentId)
  else if (found === 'conflict' || pending.state === 'conflict')
    entries.set(pending.studentId, { ...pending, state: 'conflict', theirs: cellValueOf(stored) })
}

/** The entries of the next request: several marks, or one deletion. */
function nextBatch(sendable: readonly PendingMark[], { isSingly }: AssessmentQueue): PendingMark[] {
  const [first] = sendable
  if (first?.score === null) return [first]
  return sendable.filter(({ score }) => score !== null).slice(0, isSingly ? 1 : limits.gradesPerRequest)
}

/** Whether an entry of another window says more than this window's: of two for one mark the newer one counts, with the remark of either. */
const isUnknown = (each: PendingMark, known: PendingMark | undefined): boolean =>
  !known || known.at < each.at || (each.remarks !== undefined && known.remarks === undefined && known.score !== null)

function merged(each: PendingMark, known: PendingMark | undefined): PendingMark {
  const [newest, older] = known && known.at >= each.at ? [known, each] : [each, known]
  const remarks = newest.remarks === undefined && newest.score !== null ? older?.remarks : newest.remarks
  // A decision of this window stays open.
  if (newest === known && !isSendable(known)) return { ...newest, remarks }
  return { ...newest, remarks, state: 'waiting', ours: mayBeStored(known?.state === 'sending' ? known : newest) }
}

/** A value that the window of the entry may have saved. */
const mayBeStored = ({ state, score, ours }: PendingMark): CellValue => (state === 'sending' || ours === undefined ? score : ours)

const allSendable = ({ entries }: AssessmentQueue) => [...entries.values()].filter(isSendable)
const hasSendable = (queue: AssessmentQueue) => allSendable(queue).length > 0

/** Whether the same request may succeed later: no reply, an overloaded server, a missing session, or a race. */
export const isTemporary = (failure: unknown): boolean => {
  const { status, code } = failureOf(failure)
  return [0, 401, 408, 425, 429].includes(status) || status >= 500 || CHANGED.has(code)
}

const failureOf = (error: unknown): Failure => (error instanceof Failure ? error : new Failure(0, 'unreachable', String(error)))

const CHANGED = new Set(['changed_meanwhile', 'duplicate', 'grades.changed_meanwhile', 'attendance.changed_meanwhile'])

const byAssessment = <T extends { assessmentId: string }>(items: readonly T[]) => grouped(items, ({ assessmentId }) => assessmentId)
