import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { comparedWith, type Entered, enteredOver, goesOut, type Pending, type Recorded } from './pending.ts'

/** A moment for the next mark to be typed into the same request. */
const GATHER = 200
const BACK_OFF = { first: 1_000, most: 30_000 }

export type Outgoing = { studentId: string; score: number; remarks?: string | null }
type Means<Row extends Recorded> = {
  /** Saves marks of one assessment, all or none, and answers them as stored. */
  send(assessmentId: string, marks: readonly Outgoing[]): Promise<readonly Row[]>
  /** The marks of an assessment as the server has them now. */
  read(assessmentId: string): Promise<readonly Row[]>
  /** What the server has stored. */
  arrived(assessmentId: string, rows: readonly Row[]): void
  /** Keeps what has not arrived through the end of this page. */
  keep(assessmentId: string, pending: readonly Pending[]): void
  later(ms: number, then: () => void): () => void
  now(): string
  /** From 0 to 1. */
  random(): number
}

type Lane = {
  entries: Map<string, Pending>
  isBusy: boolean
  /** Tries that found no server. Above zero it is not known what became of the last one. */
  tries: number
  /** After a refusal that named no mark: one at a time. */
  isSingly: boolean
  failure: Failure | null
  stop: (() => void) | null
}

/**
 * The marks on their way from this page to the server. Of each assessment one request is under way at a time, in the order of typing.
 * While the server is away they wait, with longer and longer pauses; before they go again they are compared with what the server has, so
 * that nobody's mark is overwritten unseen (decision 321).
 */
export class MarkQueue<Row extends Recorded = Recorded> {
  private readonly lanes = new Map<string, Lane>()
  private readonly listeners = new Set<(assessmentId: string, studentIds: readonly string[]) => void>()
  constructor(private readonly means: Means<Row>) {}

  /** Hears of every mark whose state has changed. */
  listen(listener: (assessmentId: string, studentIds: readonly string[]) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  of = (assessmentId: string, studentId: string): Pending | undefined => this.lanes.get(assessmentId)?.entries.get(studentId)
  all = (): Pending[] => [...this.lanes.values()].flatMap(({ entries }) => [...entries.values()])
  /** Why the last try of any assessment did not arrive; null where all is well. */
  failure = (): Failure | null => [...this.lanes.values()].find(({ failure }) => failure)?.failure ?? null

  put(marks: readonly Entered[]): void {
    for (const [assessmentId, own] of grouped(marks)) {
      const lane = this.lane(assessmentId)
      for (const mark of own) {
        const entered = enteredOver(lane.entries.get(mark.studentId), mark, this.means.now())
        // Of a server that is known to be away nobody is told that it saves.
        lane.entries.set(mark.studentId, lane.tries > 0 ? { ...entered, state: 'waiting' } : entered)
      }
      this.changed(assessmentId, own)
      if (lane.tries === 0) this.schedule(assessmentId, lane, GATHER)
    }
  }

  /** A mark that was typed while somebody else's came: it waits until the person has chosen. */
  contest(mark: Entered, theirs: number | null): void {
    const lane = this.lane(mark.assessmentId)
    const entered = enteredOver(lane.entries.get(mark.studentId), mark, this.means.now())
    lane.entries.set(mark.studentId, { ...entered, state: 'conflict', theirs })
    this.changed(mark.assessmentId, [mark])
  }

  /** The server has told what it has: what waits for that very mark has arrived, what waits on another needs a decision. */
  noticed(assessmentId: string, rows: readonly Recorded[]): void {
    const lane = this.lanes.get(assessmentId)
    if (!lane) return
    const own = rows.flatMap((row) => {
      const pending = lane.entries.get(row.student_id)
      return pending && pending.state !== 'sending' && pending.state !== 'refused' ? [{ pending, row }] : []
    })
    for (const { pending, row } of own) {
      const found = comparedWith(pending, row)
      if (found === 'arrived') lane.entries.delete(pending.studentId)
      else if (found === 'conflict' || pending.state === 'conflict')
        lane.entries.set(pending.studentId, { ...pending, state: 'conflict', theirs: row.score })
    }
    if (own.length > 0)
      this.changed(
        assessmentId,
        own.map(({ pending }) => pending),
      )
  }

  /** What an earlier page left behind: it waits until the person says what is to become of it. */
  offer(pending: readonly Pending[]): void {
    for (const [assessmentId, own] of grouped(pending)) {
      const { entries } = this.lane(assessmentId)
      const unknown = own.filter(({ studentId }) => !entries.has(studentId))
      for (const each of unknown) entries.set(each.studentId, { ...each, state: 'offered' })
      this.changed(assessmentId, unknown)
    }
  }

  /** The person's word on a mark that waits for it. `mine` is sent whatever stands there; `theirs` gives it up. */
  decide(pending: readonly Pending[], choice: 'mine' | 'theirs' | 'compare'): void {
    for (const [assessmentId, own] of grouped(pending)) {
      const lane = this.lane(assessmentId)
      for (const { studentId } of own) {
        const known = lane.entries.get(studentId)
        if (!known || known.state === 'sending') continue
        if (choice === 'theirs') lane.entries.delete(studentId)
        else lane.entries.set(studentId, { ...known, state: 'waiting', ...(choice === 'mine' && { seen: known.theirs ?? null }) })
      }
      if (choice !== 'theirs') lane.tries = Math.max(lane.tries, 1)
      this.changed(assessmentId, own)
      if (choice !== 'theirs') this.schedule(assessmentId, lane, 0)
    }
  }

  /** The server may be back: what waits goes now. */
  retry(): void {
    for (const [assessmentId, lane] of this.lanes) if (hasOutgoing(lane)) this.schedule(assessmentId, lane, 0)
  }

  private lane(assessmentId: string): Lane {
    const known = this.lanes.get(assessmentId) ?? {
      entries: new Map(),
      isBusy: false,
      tries: 0,
      isSingly: false,
      failure: null,
      stop: null,
    }
    this.lanes.set(assessmentId, known)
    return known
  }

  private schedule(assessmentId: string, lane: Lane, ms: number): void {
    lane.stop?.()
    lane.stop = this.means.later(ms, () => void this.run(assessmentId, lane))
  }

  private async run(assessmentId: string, lane: Lane): Promise<void> {
    if (lane.isBusy) return
    lane.isBusy = true
    let batch: Pending[] = []
    try {
      if (lane.tries > 0) await this.compare(assessmentId, lane)
      batch = [...lane.entries.values()].filter(goesOut).slice(0, lane.isSingly ? 1 : limits.bulkGrades)
      if (batch.length > 0) await this.send(assessmentId, lane, batch)
      lane.tries = 0
      lane.failure = null
    } catch (error) {
      this.failed(assessmentId, lane, batch, error)
    } finally {
      lane.isBusy = false
      if (!hasOutgoing(lane)) lane.isSingly = false
      else this.schedule(assessmentId, lane, lane.tries > 0 ? this.pause(lane) : 0)
    }
  }

  private async compare(assessmentId: string, lane: Lane): Promise<void> {
    const rows = await this.means.read(assessmentId)
    const there = new Map(rows.map((row) => [row.student_id, row]))
    const own = [...lane.entries.values()].filter(goesOut)
    for (const pending of own) {
      const row = there.get(pending.studentId)
      const found = comparedWith(pending, row)
      if (found === 'arrived') lane.entries.delete(pending.studentId)
      if (found === 'conflict') lane.entries.set(pending.studentId, { ...pending, state: 'conflict', theirs: row?.score ?? null })
    }
    this.means.arrived(assessmentId, rows)
    this.changed(assessmentId, own)
  }

  private async send(assessmentId: string, lane: Lane, batch: Pending[]): Promise<void> {
    for (const pending of batch) lane.entries.set(pending.studentId, { ...pending, state: 'sending' })
    this.changed(assessmentId, batch)
    const sent = batch.map(({ studentId, score, remarks }) => ({ studentId, score, ...(remarks !== undefined && { remarks }) }))
    const rows = await this.means.send(assessmentId, sent)
    for (const { studentId, score } of batch) {
      const now = lane.entries.get(studentId)
      // Typed anew while it was on its way: that goes next, and stands on what has just been saved.
      if (now?.state === 'sending') lane.entries.delete(studentId)
      else if (now && goesOut(now)) lane.entries.set(studentId, { ...now, state: 'fresh', seen: score, ours: undefined })
    }
    this.means.arrived(assessmentId, rows)
    this.changed(assessmentId, batch)
  }

  private failed(assessmentId: string, lane: Lane, batch: readonly Pending[], error: unknown): void {
    const failure = error instanceof Failure ? error : new Failure(0, 'unreachable', String(error))
    if (isAway(failure)) {
      lane.tries += 1
      lane.failure = failure
      // What was under way may have arrived.
      const all = [...lane.entries.values()]
      this.set(lane, all, ({ state, score }) => ({ state: 'waiting', ...(state === 'sending' && { ours: score }) }))
    } else {
      const named = batch.flatMap((pending, at) => {
        const issue = failure.issues?.find(({ path }) => path.startsWith(`grades.${at}.`))
        return issue ? [{ pending, message: issue.message }] : []
      })
      if (named.length === 0 && batch.length > 1) lane.isSingly = true
      const refused = named.length > 0 ? named : batch.length === 1 ? batch.map((pending) => ({ pending, message: failure.message })) : []
      this.set(lane, batch, () => ({ state: 'fresh' }))
      for (const { pending, message } of refused) this.set(lane, [pending], () => ({ state: 'refused', message }))
      // A look at the marks that was refused has nothing to compare with: nothing goes out until somebody looks.
      if (batch.length === 0)
        this.set(lane, [...lane.entries.values()].filter(goesOut), () => ({ state: 'refused', message: failure.message }))
    }
    this.changed(assessmentId, [...lane.entries.values()])
  }

  /** Of those that go out by themselves. */
  private set(lane: Lane, pendings: readonly Pending[], change: (now: Pending) => Partial<Pending>): void {
    for (const { studentId } of pendings) {
      const now = lane.entries.get(studentId)
      if (now && goesOut(now)) lane.entries.set(studentId, { ...now, ...change(now) })
    }
  }

  private pause({ tries }: Lane): number {
    const longest = Math.min(BACK_OFF.most, BACK_OFF.first * 2 ** (tries - 1))
    return longest * (0.5 + this.means.random() / 2)
  }

  private changed(assessmentId: string, pendings: readonly { studentId: string }[]): void {
    this.means.keep(assessmentId, [...(this.lanes.get(assessmentId)?.entries.values() ?? [])])
    const ids = pendings.map(({ studentId }) => studentId)
    for (const listener of this.listeners) listener(assessmentId, ids)
  }
}

const hasOutgoing = ({ entries }: Lane) => [...entries.values()].some(goesOut)

/** Nobody answered, or whoever did could not for now: it may be asked again. So may whoever has to sign in first. */
const isAway = ({ status, code }: Failure) =>
  [0, 401, 408, 425, 429].includes(status) || status >= 500 || code === 'changed_meanwhile' || code === 'duplicate'

function grouped<T extends { assessmentId: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(item.assessmentId, [...(groups.get(item.assessmentId) ?? []), item])
  return groups
}
