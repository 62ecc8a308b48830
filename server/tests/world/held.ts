import type { Replicated } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { eq } from 'drizzle-orm'
import { type AnyRow, linksFrom, parentIdOf } from '../../store/replica/links.ts'
import { rowsById, settledRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import type { WorldNode } from './node.ts'

/** Rows that a node may lack or keep, as «table id», for what it holds; `wrongly`: what it holds though no rule of the database says so. */
export type Holding = { held: Set<string>; wrongly: string[] }

/** `all`: everybody, whose lists of refused writes may bear what a row waits for: then nobody else has it any more, and it waits for good. */
export async function heldAt(nodes: readonly WorldNode[], school: string, all: readonly WorldNode[]): Promise<Holding> {
  const givenUp = await refusedRows(all, school)
  const holding: Holding = { held: new Set(), wrongly: [] }
  for (const node of nodes) {
    const rows = await node.store.read(asSystem(), (tx) =>
      tx.line.db.select().from(tx.t.sync_held).where(eq(tx.t.sync_held.school_id, school)),
    )
    for (const { table_name, row_id, reason, state } of rows) {
      holding.held.add(`${table_name} ${row_id}`)
      const parents = linksFrom(table_name as Replicated).map((link) => parentIdOf(link, (JSON.parse(state) as RowState).values as AnyRow))
      if (!/check/i.test(reason) && !parents.some((id) => givenUp.has(id ?? '')))
        holding.wrongly.push(`${node.name} still holds ${table_name} ${row_id}: ${reason}`)
      // What it hangs on stays there for it, though it was deleted elsewhere and here.
      for (const parent of await stayingFor(node, school, table_name as Replicated, JSON.parse(state))) holding.held.add(parent)
    }
  }
  return holding
}

async function refusedRows(nodes: readonly WorldNode[], school: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const node of nodes) {
    const rows = await node.store.read(asSystem(), (tx) =>
      tx.line.db.select().from(tx.t.sync_refused).where(eq(tx.t.sync_refused.school_id, school)),
    )
    for (const { row_id, unit } of rows) if (unit === EXISTENCE) ids.add(row_id)
  }
  return ids
}

/** Of the row as it stands where it was written, and as it waits where no database takes it. */
const stayingFor = (node: WorldNode, school: string, table: Replicated, { id, values }: RowState): Promise<string[]> =>
  node.store.read(asSystem(), async (tx) => {
    const rows = [...(await rowsById(tx, table, school, [id])), values as AnyRow]
    const staying: string[] = []
    for (const [row, link] of rows.flatMap((row) => linksFrom(table).map((link) => [row, link] as const))) {
      const parent = parentIdOf(link, row)
      if (parent !== null && (await settledRows(tx, school, link.parent)).has(parent)) staying.push(`${link.parent} ${parent}`)
    }
    return staying
  })
