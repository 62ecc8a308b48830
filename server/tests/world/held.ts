import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, eq, isNull } from 'drizzle-orm'
import { type AnyRow, linksFrom, parentIdOf, tableOrder } from '../../store/replica/links.ts'
import { rowsById, rowsWhere, settledRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import type { WorldNode } from './node.ts'

/** Rows that a node may lack or keep, as «table id», for what it holds; `wrongly`: what it holds though no rule of the database says so. */
export type Holding = { held: Set<string>; wrongly: string[] }

/**
 * `all`: everybody. Where what a row waits for was refused, or went with a disk, nobody has it any more, and it waits for good. So does a
 * fourth term of a year, for a year has three, and what hangs on that.
 */
export async function heldAt(nodes: readonly WorldNode[], school: string, all: readonly WorldNode[]): Promise<Holding> {
  const holding: Holding = { held: new Set(), wrongly: [] }
  const waiting = await Promise.all(nodes.map(async (node) => ({ node, rows: await heldRows(node, school) })))
  // Nearly always.
  if (waiting.every(({ rows }) => rows.length === 0)) return holding
  const givenUp = await refusedRows(all, school)
  const somewhere = await knownAnywhere(all, school)
  for (const { node, rows } of waiting) {
    const rightly = new Set<string | null>(await fourthTerms(node, school, rows))
    // Parents first.
    const inOrder = [...rows].sort((a, b) => orderOf(a.table_name) - orderOf(b.table_name))
    for (const { table_name, row_id, reason, state } of inOrder) {
      holding.held.add(`${table_name} ${row_id}`)
      const parents = linksFrom(table_name as Replicated).map((link) => parentIdOf(link, (JSON.parse(state) as RowState).values as AnyRow))
      const waitsForGood = parents.some((id) => id !== null && (givenUp.has(id) || rightly.has(id) || !somewhere.has(id)))
      if (/check/i.test(reason) || waitsForGood) rightly.add(row_id)
      if (!rightly.has(row_id)) holding.wrongly.push(`${node.name} still holds ${table_name} ${row_id}: ${reason}`)
      // What it hangs on stays there for it, though it was deleted elsewhere and here.
      for (const parent of await stayingFor(node, school, table_name as Replicated, JSON.parse(state))) holding.held.add(parent)
    }
  }
  return holding
}

const heldRows = (node: WorldNode, school: string): Promise<Row<'sync_held'>[]> =>
  node.store.read(asSystem(), (tx) => tx.connection.db.select().from(tx.t.sync_held).where(eq(tx.t.sync_held.school_id, school)))

const orderOf = (table: string) => tableOrder.indexOf(table as Replicated)
const fourthTerms = (node: WorldNode, school: string, held: readonly { table_name: string; row_id: string; state: string }[]) =>
  node.store.read(asSystem(), async (tx) => {
    const years = (await rowsWhere(tx, 'term', school)).map((row) => row['academic_year_id'])
    const yearOf = (state: string) => (JSON.parse(state) as RowState).values['academic_year_id']
    const isFull = (year: unknown) => years.filter((each) => each === year).length === 3
    return held.filter(({ table_name, state }) => table_name === 'term' && isFull(yearOf(state))).map(({ row_id }) => row_id)
  })

/** Ids of every row that somebody has, or holds. */
async function knownAnywhere(nodes: readonly WorldNode[], school: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const node of nodes) {
    await node.store.read(asSystem(), async (tx) => {
      const { sync_row, sync_held } = tx.t
      const own = await tx.connection.db.select({ id: sync_row.row_id }).from(sync_row)
      const held = await tx.connection.db.select({ id: sync_held.row_id }).from(sync_held).where(eq(sync_held.school_id, school))
      for (const { id } of [...own, ...held]) ids.add(id)
    })
  }
  return ids
}

async function refusedRows(nodes: readonly WorldNode[], school: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const node of nodes) {
    const rows = await node.store.read(asSystem(), (tx) =>
      tx.connection.db
        .select()
        .from(tx.t.sync_refused)
        .where(and(eq(tx.t.sync_refused.school_id, school), isNull(tx.t.sync_refused.peer_id))),
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
