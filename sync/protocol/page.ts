import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { z } from 'zod'
import type { RowState, Values } from '../merge/state.ts'
import type { Presence, Stamp } from '../versions.ts'

/**
 * Rows as they travel: by table, columns named once. A row is `[id, schema, vv, units, alive, extra, …values]`. A table or column that
 * the reader does not know is kept whole (SPEC, «Versions of the program»).
 */
const Counter = z.int().min(0)
const Vv = z.record(z.string(), Counter)
const Dot = z.union([
  z.tuple([z.string(), Counter, z.number(), z.string().nullable()]),
  z.tuple([z.string(), Counter, z.number(), z.string().nullable(), z.number()]),
])
const Row = z
  .tuple([
    z.uuid(),
    z.int().min(1),
    Vv,
    z.record(z.string(), Dot),
    z.array(z.tuple([z.string(), Counter])),
    z.record(z.string(), z.record(z.string(), z.unknown())).nullable(),
  ])
  .rest(z.unknown())
export const TableRows = z.object({ table: z.string().max(63), columns: z.array(z.string().max(63)).max(100), rows: z.array(Row) })
export type TableRows = z.infer<typeof TableRows>
export type Carried = { table: Replicated; state: RowState }

/** The columns of a table that travel: its identity and its units. */
export const travelling = (table: Replicated): string[] => {
  const { identity, units } = descriptions[table]
  return [...identity, ...Object.values(units).flat()]
}

/** In the order given within each table; tables in the order in which they first come. */
export function packRows(rows: readonly Carried[]): TableRows[] {
  const packed = new Map<Replicated, TableRows>()
  for (const { table, state } of rows) {
    const own = packed.get(table) ?? { table, columns: travelling(table), rows: [] }
    packed.set(table, own)
    const { id, schema, vv, units, alive, extra, values } = state
    const head = [id, schema, vv, units, alive, extra] as unknown as z.infer<typeof Row>
    own.rows.push([...head, ...own.columns.map((column) => values[column] ?? null)] as z.infer<typeof Row>)
  }
  return [...packed.values()]
}

/** `unknown`: rows of tables that this program does not know. */
export function unpackRows(tables: readonly TableRows[]): { rows: Carried[]; unknown: TableRows[] } {
  const rows: Carried[] = []
  const unknown: TableRows[] = []
  for (const each of tables) {
    if (Object.hasOwn(descriptions, each.table))
      for (const row of each.rows) rows.push(unpackRow(each.table as Replicated, each.columns, row))
    else unknown.push(each)
  }
  return { rows, unknown }
}

function unpackRow(
  table: Replicated,
  columns: readonly string[],
  [id, schema, vv, units, alive, extra, ...cells]: z.infer<typeof Row>,
): Carried {
  const known = new Set(travelling(table))
  const values: Record<string, unknown> = {}
  const beyond: Record<string, Record<string, unknown>> = { ...(extra as Record<string, Values> | null) }
  for (const [at, column] of columns.entries()) {
    if (known.has(column)) values[column] = cells[at] ?? null
    else beyond[column] = { ...beyond[column], [column]: cells[at] ?? null }
  }
  const state: RowState = {
    id,
    schema,
    vv,
    units: units as Record<string, Stamp>,
    alive: alive as Presence[],
    values: { ...values, id },
    extra: Object.keys(beyond).length > 0 ? beyond : null,
  }
  return { table, state }
}
