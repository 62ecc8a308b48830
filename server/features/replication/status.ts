import { setTimeout as after } from 'node:timers/promises'
import { replicationFailures } from '@markbook/shared/contract/replication'
import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { and, count, eq, gt, isNull, min, ne, or, type SQL } from 'drizzle-orm'
import type { Config } from '../../config.ts'
import type { Services } from '../../http/services.ts'
import { placeIn } from '../../replication/downstream/tombstones.ts'
import { mayJoin } from '../../replication/exchange/join-by-hand.ts'
import { filesWaiting } from '../../replication/files/queue.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import type { UpstreamStatus } from '../../replication/upstream/upstream-status.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { ago } from './ago.ts'
import { belowSentence, computersBelow, copiesAmong } from './below.ts'
import { openConflicts } from './conflict-groups.ts'
import { comparisonOf, differenceSentence, differs } from './difference.ts'
import { heldSentence, holdingsOf } from './holdings.ts'
import { refusedUnseen } from './refused.ts'
import { heldOf, parentOf } from './replication.queries.ts'

/** `course`: the state of the running replication; null where none runs here. `role`: that of this server. */
export async function statusOf(
  tx: ReadTx,
  school: string,
  course: UpstreamStatus | null,
  role: Config['role'] = 'school',
): Promise<SyncStatus> {
  const parent = await parentOf(tx, school, course)
  const waiting = parent ? await waitingFor(tx, parent) : { rows: 0, marks: 0, oldest: null }
  const files = parent ? await filesWaiting(tx, parent.id) : { up: 0, down: 0 }
  const computers = await computersBelow(tx, school)
  const laptops = computers.filter(({ kind }) => kind === 'laptop').length
  const numbers = {
    parent: parent && { name: parent.name, kind: kindOf(parent) },
    is_laptop: isLaptopUnder(parent),
    holds: await holdingsOf(tx, course),
    schools_below: computers.length - laptops,
    laptops_below: laptops,
    copies: copiesAmong(computers).length,
    may_join: await mayJoin(tx, { role, course }),
    reached: parent && (await reachedBy(tx, parent, course?.above)),
    last_seen_at: parent?.last_seen_at ?? null,
    waiting: waiting.rows,
    waiting_marks: waiting.marks,
    oldest_waiting_at: waiting.oldest,
    copy: course?.copy ?? null,
    files_to_send: files.up,
    files_to_come: files.down,
    open_conflicts: await openConflicts(tx, school),
    held: (await heldOf(tx, school)).length,
    refused: await refusedUnseen(tx, 'own', school),
    refused_below: await refusedUnseen(tx, 'below', school),
    ...comparisonOf(parent ? await parentsOf(tx) : [], tx.nowMs),
    clock_offset_ms: parent?.clock_offset ?? null,
  }
  const state = stateOf(parent, course, waiting.rows)
  const place = parent ? placeOf(parent) : belowSentence(computers, tx.nowMs)
  const obstacle = state === 'offline' ? (course?.obstacle ?? null) : null
  const sentence = `${sentenceOf({ state, obstacle }, numbers, place, tx.nowMs)}${heldSentence(numbers.holds)}`
  return { state, obstacle, sentence: obstacle === 'altered' ? `${sentence} ${ALTERED}` : sentence, ...numbers }
}

const ALTERED =
  'What came on the line was not authentic, and nothing of it was taken: something changes what is sent, or another server answers there.'

type Standing = Pick<SyncStatus, 'state' | 'obstacle'>
type Numbers = Omit<SyncStatus, 'state' | 'obstacle' | 'sentence'>

/** Whether this node is one person's computer rather than a school's server: only a laptop's enrolment names a person. */
const isLaptopUnder = (parent: Pick<Row<'sync_peer'>, 'user_id'> | null): boolean => parent !== null && parent.user_id !== null

/** The parent of a school's server is the centre, on whatever database that runs. */
const kindOf = (parent: Row<'sync_peer'>) => (isLaptopUnder(parent) ? (parent.kind as 'school' | 'centre') : 'centre')

export function stateOf(parent: Row<'sync_peer'> | null, course: UpstreamStatus | null, waiting: number): SyncStatus['state'] {
  if (!parent) return 'alone'
  const notice = course?.notice ?? 'offline'
  if (notice === 'revoked' || notice === 'upgrade') return notice
  if (notice === 'offline' || notice === 'alone') return 'offline'
  return waiting > 0 ? 'sending' : 'up_to_date'
}

/**
 * The node that has everything except waiting rows. A laptop's rows are at its school, and at the centre once the school has reported all
 * of them.
 */
async function reachedBy(tx: ReadTx, parent: Row<'sync_peer'>, above: number | null | undefined): Promise<'school' | 'centre'> {
  if (above == null || kindOf(parent) === 'centre') return kindOf(parent)
  const { seq } = await tx.dialect.feedOf(tx.connection, parent.school_id as string)
  return seq <= above ? 'centre' : 'school'
}

/** Rows of this node's feed that its parent has not acknowledged, how many of them are marks, and when the first was written. */
export async function waitingFor(tx: ReadTx, parent: Row<'sync_peer'>): Promise<{ rows: number; marks: number; oldest: string | null }> {
  const { sync_row, history } = tx.t
  const { own_seq, node_id } = parent
  const school = parent.school_id as string
  const { table_name } = sync_row
  const found: { table_name: string; count: number }[] = await tx.db
    .select({ table_name, count: count() })
    .from(sync_row)
    .where(isWaitingFor(tx, parent))
    .groupBy(table_name)
  const rows = found.reduce((sum, each) => sum + each.count, 0)
  const marks = found.find((each) => each.table_name === 'grade')?.count ?? 0
  if (rows === 0) return { rows, marks, oldest: null }
  const [oldest] = await tx.db
    .select({ at: min(history.at) })
    .from(history)
    .where(and(eq(history.school_id, school), gt(history.seq, own_seq), ne(history.node_id, node_id)))
  return { rows, marks, oldest: (oldest?.at as string | null) ?? null }
}

/**
 * Rows of this node's feed that a child has not read, and since when; null before the end of its first copy. A laptop skips rows that it
 * may not hold. `node`: this node's present id.
 */
export async function unreadBy(tx: ReadTx, child: Row<'sync_peer'>, node: string): Promise<{ rows: number; oldest: string | null } | null> {
  const own_seq = placeIn(node, child.their_cursor)
  return own_seq === 0 ? null : waitingFor(tx, { ...child, own_seq })
}

/** The condition that the parent has neither acknowledged a row of this node's feed, nor sent it. */
export function isWaitingFor({ t: { sync_row } }: ReadTx, { school_id, own_seq, node_id }: Row<'sync_peer'>): SQL | undefined {
  const isOurs = or(isNull(sync_row.source_id), ne(sync_row.source_id, node_id))
  return and(eq(sync_row.school_id, school_id as string), gt(sync_row.seq, own_seq), isOurs)
}

const placeOf = (parent: Row<'sync_peer'>) => (kindOf(parent) === 'centre' ? 'at the centre' : 'at school')

/** The status sentence. `place`: where a parent's rows are; without a parent, the sentence of `belowSentence`. */
function sentenceOf({ state, obstacle }: Standing, numbers: Numbers, place: string, nowMs: number): string {
  const { waiting, oldest_waiting_at, copy, files_to_send, files_to_come, open_conflicts, refused } = numbers
  const toDecide =
    open_conflicts > 0 ? ` ${open_conflicts === 1 ? '1 conflict waits' : `${open_conflicts} conflicts wait`} for a decision.` : ''
  const files = files_to_send + files_to_come
  const notTaken =
    notTakenSentence(refused, '') + notTakenSentence(numbers.refused_below, ` of ${belowNamed(numbers)}`) + copiesSentence(numbers.copies)
  const conflicts =
    (files > 0 ? ` ${files === 1 ? '1 file is' : `${files} files are`} still on the way.` : '') +
    differenceSentence(numbers, nowMs) +
    toDecide +
    notTaken
  const name = numbers.parent?.name ?? 'its parent'
  const everything = refused > 0 ? 'everything else' : 'everything'
  const rows = waiting === 1 ? '1 change waits' : `${waiting} changes wait`
  const oldest = oldest_waiting_at ? `, the oldest for ${ago(nowMs - Date.parse(oldest_waiting_at))}` : ''
  if (obstacle === 'parent_older')
    return `The program of ${name} is too old for this one, and must be updated there.${waiting === 0 ? '' : ` ${rows} until then${oldest}.`} Nothing is lost.${conflicts}`
  if (copy && (state === 'up_to_date' || state === 'sending' || state === 'offline')) return copying(copy, state === 'offline')
  const arrived = differs(numbers) ? `${everything} was sent` : `${everything} is ${place}`
  switch (state) {
    case 'alone':
      return `${place}${conflicts}`
    case 'up_to_date':
      return `E${arrived.slice(1)}.${conflicts}`
    case 'sending':
      return `${rows} to arrive ${place}.${conflicts}`
    case 'offline':
      return waiting === 0 ? `Offline at the moment; ${arrived}.${conflicts}` : `Offline: ${rows}${oldest}. Nothing is lost.${conflicts}`
    case 'revoked':
      return `An administrator has revoked this ${numbers.is_laptop ? 'laptop' : 'server'}, or ${name} no longer knows it. It goes on by itself and sends nothing.${conflicts}`
    case 'upgrade':
      return `This program is too old for ${name}: install the newer one. Nothing is lost.${conflicts}`
  }
}

const notTakenSentence = (count: number, whose: string): string =>
  count === 0
    ? ''
    : ` ${count === 1 ? `1 write${whose} was` : `${count} writes${whose} were`} not taken: look at ${count === 1 ? 'it' : 'them'}.`

const copiesSentence = (count: number): string =>
  count === 0 ? '' : ` ${count === 1 ? '1 computer was copied: look at it.' : `${count} computers were copied: look at them.`}`

/** Whose writes this node refuses. */
export const belowNamed = ({ schools_below, refused_below }: Pick<SyncStatus, 'schools_below' | 'refused_below'>): string =>
  refused_below === 1
    ? `a ${schools_below > 0 ? 'server or laptop' : 'laptop'}`
    : `${schools_below > 0 ? 'servers and laptops' : 'laptops'}`

const copying = ({ copied, total }: NonNullable<Numbers['copy']>, isOffline: boolean) =>
  `The first copy of the school’s rows: ${copied.toLocaleString('en')} of ${total.toLocaleString('en')} are here.${
    isOffline ? ' It goes on where it stopped when the line is back.' : ''
  }`

/** The status now and after each change, until the server ends or the client disconnects. */
export async function* followStatus(services: Services, { userId, school }: { userId: string; school: string }, signal: AbortSignal) {
  const { store, jobs } = services
  // Streams of work and of replication share one limit.
  if (!jobs.join(userId)) throw replicationFailures.tooManyListeners()
  let last = ''
  try {
    while (!signal.aborted && !jobs.isStopping) {
      const status = await store.read(asSystem(userId), (tx) =>
        statusOf(tx, school, services.replication?.course() ?? null, services.config.role),
      )
      const text = JSON.stringify(status)
      if (text !== last) yield status
      last = text
      await after(limits.sync.checkEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
  } finally {
    jobs.leave(userId)
  }
}
