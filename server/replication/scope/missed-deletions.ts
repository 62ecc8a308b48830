import { limits } from '@markbook/shared/limits'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import type { KnownRowsQuery, UnknownRows } from '@markbook/sync/protocol/messages'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, eq } from 'drizzle-orm'
import type { Peer } from '../../store/peer-row.ts'
import { everyId } from '../../store/replica/feed.ts'
import { forgetRows } from '../../store/replica/forget.ts'
import { keyOf, tableOrder } from '../../store/replica/links.ts'
import { overwriteRow } from '../../store/replica/overwrite.ts'
import { namedBelow } from '../../store/replica/remove-deleted.ts'
import { type KnownRow, knownRows } from '../../store/replica/states.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'

/** Whether a child that has read up to this cursor may have missed deletions that were forgotten (SPEC, «Tombstones»). */
export async function isBelowFloor(tx: ReadTx, school: string, epoch: string, cursor: string | null): Promise<boolean> {
  const known = textToCursor(cursor)
  return known?.kind === 'feed' && known.epoch === epoch && known.seq < (await tx.dialect.feedOf(tx.connection, school)).floor
}

/** At the parent: those of the ids that it does not know at all. A held row is known. */
export async function unknownOf(tx: ReadTx, { school_id }: Peer, { table, ids }: KnownRowsQuery): Promise<UnknownRows> {
  if (!Object.hasOwn(descriptions, table)) return { unknown: [] }
  const school = school_id as string
  const { sync_held } = tx.t
  const stored = await tx.dialect.versionsOf(tx.connection, school, table, ids)
  const held = await tx.db
    .select({ id: sync_held.row_id })
    .from(sync_held)
    .where(and(eq(sync_held.school_id, school), eq(sync_held.table_name, table)))
  const known = new Set([...stored.map(({ row_id }) => row_id), ...held.map(({ id }) => id)])
  return { unknown: ids.filter((id) => !known.has(id)) }
}

type Asking = (asked: KnownRowsQuery) => Promise<UnknownRows>

/**
 * At a child that was away so long that its parent has forgotten deletions which the child never read: removes the rows that the parent
 * does not know and that have nothing unsent. A row with unsent writes lives again, as after any deletion that a write had not seen. The
 * next pull copies from the start. All is removed in one transaction; if that fails, the next greeting does it again.
 */
export async function dropUnknown(store: Store, peer: Peer, ask: Asking): Promise<void> {
  const school = peer.school_id as string
  const gone = new Map<Replicated, readonly string[]>()
  for (const table of tableOrder.filter((each) => descriptions[each].scope === 'school'))
    for await (const ids of everyId(store, school, table, limits.sync.pageRows))
      gone.set(table, [...(gone.get(table) ?? []), ...(await ask({ table, ids: [...ids] })).unknown])
  await store.write(asSystem(), async (tx) => {
    const unsent = await unsentOf(tx, peer)
    const hasChildren = (await tx.db.$count(tx.t.sync_peer, eq(tx.t.sync_peer.side, 'child'))) > 0
    // Child rows first: a row that is then still named stays.
    for (const [table, ids] of [...gone].reverse()) {
      const known = await knownRows(
        tx,
        table,
        school,
        ids.filter((id) => !unsent.has(keyOf({ table, id }))),
      )
      const there = [...known.values()].filter(({ state }) => state.alive.length > 0)
      await letGoOf(tx, school, { table, rows: there, node: store.nodeId, hasChildren })
    }
  })
}

type Leaving = { table: Replicated; rows: readonly KnownRow[]; node: string; hasChildren: boolean }

async function letGoOf(tx: WriteTx, school: string, { table, rows, node, hasChildren }: Leaving): Promise<void> {
  if (rows.length === 0) return
  const needed = await namedBelow(tx, school, table, rows)
  const units = [EXISTENCE, ...Object.keys(descriptions[table].units)]
  const leave: string[] = []
  for (const known of rows) {
    const { id, values } = known.state
    if (needed.has(id)) await overwriteRow(tx, school, node, { table, known, units, values, deletes: false, theirs: null })
    // This node's children must read the deletion.
    else if (hasChildren) await overwriteRow(tx, school, node, { table, known, units: [], values: {}, deletes: true, theirs: null })
    else leave.push(id)
  }
  await forgetRows(tx, table, school, leave)
}

/** Keys (`table:id`) of the rows written here or by a child since the parent last acknowledged this feed. */
async function unsentOf(tx: ReadTx, { school_id, own_seq, node_id }: Peer): Promise<Set<string>> {
  const span = { after: own_seq, upTo: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER, notFrom: [node_id] }
  const entries = await tx.dialect.feedEntries(tx.connection, school_id as string, span)
  return new Set(entries.map(({ table_name: table, row_id: id }) => keyOf({ table, id })))
}
