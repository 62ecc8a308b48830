import type { Replicated } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { type AnyRow, linksFrom, parentIdOf } from '../../store/replica/links.ts'
import { rowsById, settledRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import type { WorldNode } from './node.ts'

/** Rows that a node may lack or keep, as «table id», for what it holds; `wrongly`: what it holds though no rule of the database says so. */
export type Holding = { held: Set<string>; wrongly: string[] }

export async function heldAt(nodes: readonly WorldNode[], school: string): Promise<Holding> {
  const holding: Holding = { held: new Set(), wrongly: [] }
  for (const node of nodes) {
    const rows = await node.store.read(asSystem(), (tx) =>
      tx.line.db.select().from(tx.t.sync_held).where(eq(tx.t.sync_held.school_id, school)),
    )
    for (const { table_name, row_id, reason } of rows) {
      holding.held.add(`${table_name} ${row_id}`)
      if (!/check/i.test(reason)) holding.wrongly.push(`${node.name} still holds ${table_name} ${row_id}: ${reason}`)
      // What it hangs on stays there for it, though it was deleted elsewhere and here.
      for (const parent of await stayingFor(node, school, table_name as Replicated, row_id)) holding.held.add(parent)
    }
  }
  return holding
}

const stayingFor = (node: WorldNode, school: string, table: Replicated, rowId: string): Promise<string[]> =>
  node.store.read(asSystem(), async (tx) => {
    const [row] = await rowsById(tx, table, school, [rowId])
    const staying: string[] = []
    for (const link of row ? linksFrom(table) : []) {
      const id = parentIdOf(link, row as AnyRow)
      if (id !== null && (await settledRows(tx, school, link.parent)).has(id)) staying.push(`${link.parent} ${id}`)
    }
    return staying
  })
