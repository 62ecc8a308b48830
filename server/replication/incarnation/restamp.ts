import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { detailOfRestamp } from '@markbook/sync/journal'
import { PENDING } from '@markbook/sync/stamp'
import { EXISTENCE, type Presence, type Stamp, textToVersions, type Versions, type VersionsText } from '@markbook/sync/versions'
import { and, eq, gt, isNull, or } from 'drizzle-orm'
import { laptopOwner } from '../../store/laptop.ts'
import { tableOrder } from '../../store/replica/links.ts'
import { knownRows, storedAnew, versionsHeld } from '../../store/replica/states.ts'
import { nearIdOf } from '../../store/row-changes.ts'
import type { RestampEntry, WriteTx } from '../../store/tx.ts'
import { isTakenAsSigned } from '../journal/row-proofs.ts'

/** A number of this database, and the counter up to which a parent has its writes. */
export type UnacknowledgedNumber = { node: string; acknowledged: number }

/**
 * Gives the writes after `acknowledged` of each of these numbers dots of this database's present number, in one transaction, since a row
 * may bear several of them. History entries prove them as they proved them before. A row stays as it is where its last write of each number
 * is in `known`.
 */
export async function restamp(
  tx: WriteTx,
  school: string,
  unsaid: readonly UnacknowledgedNumber[],
  known: Dots = new Set(),
): Promise<void> {
  if (unsaid.length === 0) return
  const { sync_row } = tx.t
  const named = unsaid.map(({ node }) => tx.dialect.contains(sync_row.vv, node))
  const rows: Row<'sync_row'>[] = await tx.db
    .select()
    .from(sync_row)
    .where(and(eq(sync_row.school_id, school), or(...named)))
  const isWanted = (row: VersionsText) => {
    const { vv } = textToVersions(row)
    return unsaid.some(({ node, acknowledged }) => (vv[node] ?? 0) > acknowledged)
  }
  const isKnown = (row: VersionsText & OfRow) => {
    const { vv } = textToVersions(row)
    const last = unsaid.filter(({ node, acknowledged }) => (vv[node] ?? 0) > acknowledged)
    return last.every(({ node }) => known.has(dotOf(row, node, vv[node])))
  }
  const wanted = rows.filter((row) => isWanted(row) && !isKnown(row))
  const { node: nodes } = tx.t
  const [current] = await tx.db.select().from(nodes).where(isNull(nodes.ended_at))
  const own = current?.id as string
  for (const table of tableOrder) {
    const ids = wanted.filter(({ table_name }) => table_name === table).map(({ row_id }) => row_id)
    if (ids.length === 0) continue
    // Read again under a lock: the rows may have been written meanwhile.
    const held = (await versionsHeld(tx, table, school, ids)).filter(isWanted)
    const anew = new Map<string, Versions>()
    const changed = held.map((row) => {
      const versions = unsaid.reduce((last, { node, acknowledged }) => moved(last, node, own, acknowledged), textToVersions(row))
      anew.set(row.row_id, versions)
      return storedAnew(table, row, versions)
    })
    const retold = isTakenAsSigned(table) ? await restatedOf(tx, school, table, anew) : []
    tx.replica.recordReceived(school, changed)
    tx.replica.restate(school, retold)
  }
}

/** Keys of writes: table, row, number and counter. */
type Dots = ReadonlySet<string>

/**
 * Writes under these own numbers that a child has brought back and that this database does not have itself. Others know them by that dot; a
 * parent would take a new dot for a second write, beside what came after the first.
 */
export async function broughtBack(tx: WriteTx, school: string, unsaid: readonly UnacknowledgedNumber[]): Promise<Dots> {
  if (unsaid.length === 0) return new Set()
  const { history, sync_peer } = tx.t
  const peers = await tx.db.select({ node_id: sync_peer.node_id }).from(sync_peer).where(eq(sync_peer.side, 'child'))
  const children = new Set(peers.map(({ node_id }) => node_id))
  if (children.size === 0) return children
  const entries = await tx.db
    .select({
      table_name: history.entity,
      row_id: history.row_id,
      node: history.node_id,
      counter: history.node_seq,
      source: history.source_id,
    })
    .from(history)
    .where(and(eq(history.school_id, school), or(...unsaid.map(after(tx)))))
  const dots = (from: (source: string | null) => boolean) =>
    entries.filter(({ source }) => from(source)).map((entry) => dotOf(entry, entry.node, entry.counter))
  const fromChildren = new Set(dots((source) => source !== null && children.has(source)))
  for (const own of dots((source) => source === null)) fromChildren.delete(own)
  return fromChildren
}

type OfRow = { table_name: string; row_id: string }
const dotOf = ({ table_name, row_id }: OfRow, node: string, counter: number | null | undefined) =>
  `${table_name}:${row_id} ${node} ${counter}`

const after =
  ({ t: { history } }: WriteTx) =>
  ({ node, acknowledged }: UnacknowledgedNumber) =>
    and(eq(history.node_id, node), gt(history.node_seq, acknowledged))

/**
 * One entry for each author of a row that is stamped anew. None for what a laptop wrote by nobody over what was refused: no parent takes
 * that.
 */
async function restatedOf(tx: WriteTx, school: string, table: Replicated, anew: ReadonlyMap<string, Versions>): Promise<RestampEntry[]> {
  const isLaptop = (await laptopOwner(tx)) !== null
  const known = await knownRows(tx, table, school, [...anew.keys()])
  return [...anew].flatMap(([row_id, { units, alive }]) => {
    const values = known.get(row_id)?.state.values ?? {}
    const moved = Object.entries(units).filter(([, [, counter]]) => counter === PENDING)
    const actors = [...new Set(moved.map(([, [, , , actor]]) => actor))].filter((actor) => !isLaptop || actor !== null)
    return actors.map((actor_id) => {
      const stamps = Object.fromEntries(moved.filter(([, [, , , actor]]) => actor === actor_id))
      const action = alive.length === 0 && EXISTENCE in stamps ? 'delete' : 'update'
      const near_id = nearIdOf(table, { ...values, id: row_id })
      return { actor_id, entity: table, row_id, near_id, action, detail: JSON.stringify(detailOfRestamp(table, values, stamps)) }
    })
  })
}

function moved({ vv, units, alive }: Versions, from: string, to: string, after: number): Versions {
  if ((vv[from] ?? 0) <= after) return { vv, units, alive }
  const stamps = Object.entries(units).map(([unit, stamp]): [string, Stamp] => {
    const [node, counter, ...rest] = stamp
    return [unit, node === from && counter > after ? ([to, PENDING, ...rest] as unknown as Stamp) : stamp]
  })
  const there = alive.map((each): Presence => (each[0] === from && each[1] > after ? [to, PENDING] : each))
  return { vv: { ...vv, [from]: Math.min(vv[from] ?? 0, after), [to]: PENDING }, units: Object.fromEntries(stamps), alive: there }
}
