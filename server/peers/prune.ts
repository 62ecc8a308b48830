import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { forgetRows } from '../store/replica/forget.ts'
import { knownRows, rowsWhere } from '../store/replica/states.ts'
import type { WriteTx } from '../store/tx.ts'
import { scopeOf, within } from './scope.ts'

type Peer = Pick<Row<'sync_peer'>, 'school_id' | 'user_id' | 'own_seq'>

/**
 * Rows follow rights (sync.md, «Topology»): what a laptop's user may no longer read leaves it, once the parent has every write of it.
 * Nothing is deleted for anybody else; where the right comes back, the rows are copied again.
 */
export async function prune(tx: WriteTx, node: string, { school_id, user_id, own_seq }: Peer): Promise<void> {
  const school = school_id as string
  const scope = await scopeOf(tx, { kind: 'laptop', school_id, user_id })
  const gone = new Map<Replicated, string[]>()
  for (const table of [...(Object.keys(descriptions) as Replicated[])].reverse()) {
    if (scope.holds(table) && !OF_SOME.includes(table)) continue
    const rows = await rowsWhere(tx, table, school)
    const ids = rows.map(({ id }) => id)
    const states = [...(await knownRows(tx, table, school, ids)).values()].map(({ state }) => ({ table, state }))
    const kept = new Set((await within(tx, school, scope, states)).map(({ state }) => state.id))
    const outside = states.filter(({ state }) => !kept.has(state.id))
    if (outside.some(({ state }) => (state.vv[node] ?? 0) > own_seq)) return
    gone.set(
      table,
      outside.map(({ state }) => state.id),
    )
  }
  for (const [table, ids] of gone) await forgetRows(tx, table, school, ids)
}

const OF_SOME: readonly Replicated[] = ['report_book', 'report_book_entry', 'report_book_pdf', 'class_report_file', 'sync_conflict']
