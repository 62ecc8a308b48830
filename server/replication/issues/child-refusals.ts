import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { canonical, type RowState } from '@markbook/sync/merge/state'
import type { Malformed } from '@markbook/sync/protocol/page'
import { type RefusedWrite, refusedWrite } from '@markbook/sync/refused'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, asc, eq, inArray, isNotNull, isNull, ne } from 'drizzle-orm'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { entryId, isGivenWay, isOwnLoss } from './refusals.ts'

type Peer = Pick<Row<'sync_peer'>, 'id' | 'kind' | 'node_id' | 'school_id' | 'user_id'>
type Kept = RefusedWrite & { id: string }

/** A row of a child of which units were refused, and not as a conflict. `theirs`: the row here; undefined where there is none. */
export type RefusedRow = {
  table: Replicated
  state: RowState
  units: readonly { unit: string; code: string }[]
  theirs: RowState | undefined
}

/** The code of the entry which says that a full list has no room for more. */
const MORE = 'more'

/**
 * Keeps what this node refused of a child, for its administrators. Each write is kept once, however often it comes: its id follows from the
 * row, the unit and the dot. Of each person's laptops, and of a school's servers, at most `limits.sync.refused.writes` are kept: what was
 * put aside first gives way, and one entry tells that there is no room for more.
 */
export async function keepChildRefusals(
  tx: WriteTx,
  peer: Peer,
  rows: readonly RefusedRow[],
  malformed: readonly Malformed[],
): Promise<void> {
  const school = peer.school_id as string
  if (rows.length + malformed.length === 0) return
  const kept = (await hasOtherParent(tx, peer)) ? rows.flatMap((row) => withOwnUnits(peer, row)) : rows
  const writes = [...kept.flatMap((row) => writesIn(peer, row)), ...unreadable(tx, peer, malformed)]
  const known = new Set((await knownOf(tx, { school, ids: JSON.stringify(writes.map(({ id }) => id)) })).map(({ id }) => id))
  const fresh = [...new Map(writes.filter(({ id }) => !known.has(id)).map((write) => [write.id, write])).values()]
  if (fresh.length === 0) return
  const room = await roomFor(tx, peer, fresh.length)
  await insert(tx, peer, fresh.slice(0, room))
  if (fresh.length > room) await tellMore(tx, peer)
}

/** Whether a laptop may have another, first parent: its school has a server of its own below this node. */
export const hasOtherParent = async (tx: ReadTx, { kind, school_id }: Pick<Peer, 'kind' | 'school_id'>): Promise<boolean> =>
  kind === 'laptop' && (await schoolsServers(tx, { school: school_id as string })).length > 0

/**
 * The refused units that a laptop wrote itself, for a laptop that may have another, first parent (`hasOtherParent`). What others made comes
 * by way of that parent, and the laptop does not give way to what is refused of it here.
 */
function withOwnUnits({ node_id }: Peer, row: RefusedRow): RefusedRow[] {
  const { state, theirs } = row
  const units = row.units.filter(({ unit }) => state.units[unit]?.[0] === node_id)
  return units.length > 0 && isOwnLoss(node_id, state, theirs ?? null) ? [{ ...row, units }] : []
}

const writesIn = ({ kind, school_id, node_id }: Peer, { table, state, units }: RefusedRow): Kept[] =>
  units.flatMap(({ unit, code }) => {
    const write = refusedWrite(table, state, unit, code)
    if (!write || (kind === 'laptop' && isGivenWay(table, write, node_id))) return []
    return [{ ...write, value: shortened(write.value), id: entryId(school_id as string, table, state, unit) }]
  })

/** A value that would fill the disk is only on the child's own list. */
const shortened = (value: RefusedWrite['value']) => (canonical(value).length > limits.sync.refused.valueLength ? {} : value)

/** Entries of unreadable rows, one for each row. Neither the write nor its author can be told, but a laptop writes for its one person. */
const unreadable = (tx: WriteTx, { school_id, user_id }: Peer, malformed: readonly Malformed[]): Kept[] =>
  malformed
    .filter(({ table }) => !descriptions[table].sealed)
    .map(({ table, id }) => ({
      id: naturalId('refusal', school_id as string, table, id, 'malformed'),
      table_name: table,
      row_id: id,
      unit: EXISTENCE,
      value: null,
      actor_id: user_id,
      hlc: tx.nowMs,
      code: 'malformed',
      node_id: null,
      counter: null,
    }))

const schoolsServers = rowsBy(
  'sync_peer',
  { school: 'school_id' },
  { columns: ['id'], where: { side: 'child', kind: 'school', revoked_at: null } },
)
const knownOf = rowsBy('sync_refused', { school: 'school_id', ids: { in: 'id' } }, { columns: ['id'] })

/** How many of `wanted` can be kept, once what was put aside longest ago has given way. */
async function roomFor(tx: WriteTx, peer: Peer, wanted: number): Promise<number> {
  const { sync_refused } = tx.t
  const ofThem = and(
    eq(sync_refused.school_id, peer.school_id as string),
    inArray(sync_refused.peer_id, await enrolmentsOf(tx, peer)),
    ne(sync_refused.code, MORE),
  )
  const room = limits.sync.refused.writes - (await tx.db.$count(sync_refused, ofThem))
  if (wanted <= room) return wanted
  const aside: { id: string }[] = await tx.db
    .select({ id: sync_refused.id })
    .from(sync_refused)
    .where(and(ofThem, isNotNull(sync_refused.seen_at)))
    .orderBy(asc(sync_refused.seen_at), asc(sync_refused.id))
    .limit(wanted - Math.max(0, room))
  if (aside.length > 0) {
    const ids = aside.map(({ id }) => id)
    await tx.local.delete(tx.t.sync_refused).where(inArray(sync_refused.id, ids))
  }
  return Math.min(wanted, Math.max(0, room) + aside.length)
}

/** The enrolments that share one limit. A laptop that begins anew is enrolled anew, and gets no more room by it. */
export async function enrolmentsOf({ db, t: { sync_peer } }: ReadTx, { school_id, user_id }: Peer): Promise<string[]> {
  const whose = user_id === null ? isNull(sync_peer.user_id) : eq(sync_peer.user_id, user_id)
  const found: { id: string }[] = await db
    .select({ id: sync_peer.id })
    .from(sync_peer)
    .where(and(eq(sync_peer.school_id, school_id as string), eq(sync_peer.side, 'child'), whose))
  return found.map(({ id }) => id)
}

/** Rows in one statement. */
const AT_ONCE = 500

async function insert(tx: WriteTx, { id: peer_id, school_id }: Peer, writes: readonly Kept[]): Promise<void> {
  const own = { school_id: school_id as string, refused_at: tx.now, seen_at: null, peer_id }
  for (let at = 0; at < writes.length; at += AT_ONCE) {
    const rows = writes.slice(at, at + AT_ONCE).map((write) => ({ ...write, ...own }))
    await tx.local.insert(tx.t.sync_refused).values(rows).onConflictDoNothing()
  }
}

/** Opens that entry again where somebody has put it aside and there is more still. */
async function tellMore(tx: WriteTx, { id: peer_id, school_id, user_id }: Peer): Promise<void> {
  const school = school_id as string
  const now = { refused_at: tx.now, seen_at: null, hlc: tx.nowMs, peer_id }
  await tx.local
    .insert(tx.t.sync_refused)
    .values({
      ...now,
      id: naturalId('refusal', school, user_id ?? '', MORE),
      school_id: school,
      table_name: 'sync_peer',
      row_id: peer_id,
      unit: EXISTENCE,
      value: {},
      actor_id: user_id,
      code: MORE,
    })
    .onConflictDoUpdate({ target: tx.t.sync_refused.id, set: now })
}
