import { descriptions } from '@markbook/shared/tables/tables'
import type { RowAnswer } from '@markbook/sync/protocol/messages'
import { type Carried, packRows } from '@markbook/sync/protocol/page'
import { and, eq, gt } from 'drizzle-orm'
import type { Peer } from '../../store/peer-row.ts'
import { type AnyRow, idsByTable, linksFrom, parentIdOf, type RowName } from '../../store/replica/links.ts'
import { knownByKey } from '../../store/replica/states.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { scopeOf, within } from '../scope/scope.ts'

const after = statement<{ school: string; table: string; ids: string; seq: number }>()(({ db, t: { sync_row }, p, dialect }) =>
  db
    .select({ id: sync_row.row_id })
    .from(sync_row)
    .where(
      and(
        eq(sync_row.school_id, p.school),
        eq(sync_row.table_name, p.table),
        dialect.inList(sync_row.row_id as never, p.ids),
        gt(sync_row.seq, p.seq),
      ),
    ),
)

/**
 * Answers with the rows which `rows` name and which a child that has read up to `seen` lacks. The child takes the parent's row in place of
 * a refused write. Without the rows that it names that row would be held, the refused write would stand meanwhile, and would later count as
 * the later write.
 */
export async function unreadParents(tx: ReadTx, peer: Peer, rows: readonly Carried[], seen: number): Promise<RowAnswer[]> {
  const school = peer.school_id as string
  const named: RowName[] = []
  for (const { table, state } of rows)
    for (const link of linksFrom(table)) {
      const id = descriptions[link.parent].scope === 'school' ? parentIdOf(link, state.values as AnyRow) : null
      if (id !== null) named.push({ table: link.parent, id })
    }
  const unread: RowName[] = []
  for (const [table, ids] of idsByTable(named))
    for (const { id } of await after(tx, { school, table, ids: JSON.stringify(ids), seq: seen })) unread.push({ table, id })
  const found = await knownByKey(tx, school, unread)
  if (found.size === 0) return []
  const held = await within(tx, school, await scopeOf(tx, peer), [...found.values()])
  return held.map((row) => ({
    table: row.table,
    id: row.state.id,
    outcome: 'merged',
    units: [],
    code: null,
    theirs: packRows([row])[0] ?? null,
  }))
}
