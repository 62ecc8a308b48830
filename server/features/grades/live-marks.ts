import { setTimeout as after } from 'node:timers/promises'
import { gradeFailures, type LiveMarks, RelatedTable } from '@markbook/shared/contract/grades'
import { limits } from '@markbook/shared/limits'
import type { SchoolCaller } from '../../http/caller.ts'
import type { Services } from '../../http/services.ts'
import { callerAgain } from '../../http/sessions.ts'
import { commitWaiters } from '../../replication/downstream/commit-waiters.ts'
import type { UpstreamStatus } from '../../replication/upstream/upstream-status.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { classOf } from '../policy.ts'
import { parentOf } from '../replication/replication.queries.ts'
import { readableSet } from '../teaching-sets/teaching-sets.policy.ts'
import { gradesGoneSince, marksOfSetSince, marksSince, tablesSince } from './live-marks.queries.ts'

/** The marks of a class, or of a teaching set. */
export type Followed = { caller: SchoolCaller; term: string; subject: string } & (
  | { group: string; set?: never }
  | { set: string; group?: never }
)
type Placed = { seq: number; source_id: string | null }
/** What a client has received: our feed's position, the part of it that the parent had, and, on a laptop, that the centre had. */
type SyncPosition = { seq: number; parent: string; acknowledged: number; above: number }

/** All marks of a class, then each change, until the client disconnects or may no longer read them, or the server ends. */
export async function* followMarks(services: Services, followed: Followed, signal: AbortSignal): AsyncGenerator<LiveMarks> {
  const { store, jobs } = services
  const { caller } = followed
  // Streams of work, replication and marks share one limit.
  if (!jobs.join(caller.user_id)) throw gradeFailures.tooManyListeners()
  const over = AbortSignal.any([signal, jobs.stopping])
  let sent: SyncPosition | null = null
  try {
    while (!over.aborted) {
      // Listening starts before reading, so that no change is missed in between.
      const news = waitersOf(store).next([caller.school_id], limits.sync.checkEveryMs, over)
      const upstream = services.replication?.course() ?? null
      const now = await store.read(asSystem(caller.user_id), (tx) => nextEvent(tx, followed, sent, upstream))
      if (!now) return news.forget()
      if (now.event) yield now.event
      sent = now.position
      await news.promise
      await after(limits.liveMarks.readEveryMs, undefined, { ref: false })
    }
  } finally {
    jobs.leave(caller.user_id)
  }
}

const waitersByStore = new WeakMap<Store, ReturnType<typeof commitWaiters>>()
/** One listener for all streams of marks on this server. */
function waitersOf(store: Store): ReturnType<typeof commitWaiters> {
  const known = waitersByStore.get(store) ?? commitWaiters(store)
  waitersByStore.set(store, known)
  return known
}

/** The next event, or null where the client may not read the marks any more. */
async function nextEvent(
  tx: ReadTx,
  followed: Followed,
  before: SyncPosition | null,
  upstream: UpstreamStatus | null,
): Promise<{ position: SyncPosition; event: LiveMarks | null } | null> {
  const school = followed.caller.school_id
  const parent = await parentOf(tx, school, upstream)
  const above = upstream?.above ?? 0
  const { seq, floor } = await tx.dialect.feedOf(tx.connection, school)
  const position = { seq, parent: parent?.node_id ?? '', acknowledged: parent?.own_seq ?? seq, above }
  const isNews = !before || (Object.keys(position) as (keyof SyncPosition)[]).some((each) => before[each] !== position[each])
  if (!isNews) return { position, event: null }
  if (before && !(await mayStillRead(tx, followed))) return null
  const since = before && before.parent === position.parent && before.seq >= floor ? before : null
  const { term, subject } = followed
  const asked = { school, term, subject }
  const isOurs = (mark: Placed) => parent !== null && mark.source_id !== parent.node_id
  const marksAfter = async (after: number, isMeant: (mark: Placed) => boolean) =>
    (await marksOf(tx, followed, { ...asked, since: after })).filter(isMeant).map(({ seq: at, source_id, ...mark }) => {
      const is_waiting = isOurs({ seq: at, source_id }) && at > position.acknowledged
      return { ...mark, is_waiting, is_above: !is_waiting && at <= above }
    })
  const gone = since ? await gradesGoneSince(tx, school, since.seq, limits.liveMarks.deletionsPerEvent) : []
  if (!since || gone.length === limits.liveMarks.deletionsPerEvent) {
    return { position, event: { is_whole: true, marks: await marksAfter(-1, () => true), gone: [], touched: [] } }
  }
  const touched = (await tablesSince(tx, school, since.seq, RelatedTable.options)) as LiveMarks['touched']
  // A mark is sent again when the parent, or the centre, has received it since.
  const [isAcknowledged, isAtCentre] = [position.acknowledged !== since.acknowledged, above !== since.above]
  const first = Math.min(since.seq, isAcknowledged ? since.acknowledged : since.seq, isAtCentre ? Math.min(above, since.above) : since.seq)
  const marks = await marksAfter(first, (mark) => mark.seq > since.seq || isAtCentre || isOurs(mark))
  const isEmpty = marks.length + gone.length + touched.length === 0
  return { position, event: isEmpty ? null : { is_whole: false, marks, gone, touched } }
}

const marksOf = (tx: ReadTx, { group, set }: Followed, asked: { school: string; term: string; subject: string; since: number }) =>
  set === undefined ? marksSince(tx, { ...asked, of: group }) : marksOfSetSince(tx, { ...asked, of: set })

async function mayStillRead(tx: ReadTx, { caller, group, set }: Followed): Promise<boolean> {
  const now = await callerAgain(tx, caller).catch(() => null)
  if (now?.school_id !== caller.school_id || !now.is_active || !now.role || now.role === 'member') return false
  const context = { tx, caller: now as SchoolCaller }
  return (set === undefined ? classOf(context, 'readClass', group) : readableSet(context, set)).then(
    () => true,
    () => false,
  )
}
