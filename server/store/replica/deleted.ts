import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { Values } from '@markbook/sync/merge/state'
import type { NewRow, ReadTx, WriteTx } from '../tx.ts'
import { type AnyRow, idsByTable, keyOf, type Link, linksFrom, parentIdOf, type RowName, tableOrder } from './links.ts'
import { idsThere, type KnownRow, knownByKey } from './states.ts'
import { rowMaker } from './write.ts'

/** A deleted row, with what it said then as far as the history tells it. */
export type LastValues = RowName<Replicated> & { told: Values }
/** The same, with what is known of it now. `values`: its last values or, where it exists again, those of the history. */
export type DeletedRow = RowName<Replicated> & { known: KnownRow; values: Values }

/** The rows of a school that a row names by its foreign keys; people and the school itself always exist. */
function parentsOf({ table, values }: Pick<DeletedRow, 'table' | 'values'>): RowName<Replicated>[] {
  const inSchool = ({ parent }: Link) => descriptions[parent].scope === 'school'
  return linksFrom(table)
    .filter(inSchool)
    .flatMap((link) => {
      const id = parentIdOf(link, values as AnyRow)
      return id === null ? [] : [{ table: link.parent, id }]
    })
}

/** Of rows that were deleted together: the root, the rows that name it, those that name these, and so on; parent rows first. */
export async function deletedWith(
  tx: ReadTx,
  schoolId: string,
  root: RowName<Replicated>,
  gone: readonly LastValues[],
): Promise<DeletedRow[]> {
  const found = new Set([keyOf(root)])
  const rows: DeletedRow[] = []
  const told = new Map(gone.map((each) => [keyOf(each), each.told]))
  for (const [key, known] of await knownByKey(tx, schoolId, gone)) {
    const { table, state, row: there } = known
    const row = { table, id: state.id, known, values: there === null ? state.values : (told.get(key) as Values) }
    if (!found.has(key) && !parentsOf(row).some((parent) => found.has(keyOf(parent)))) continue
    found.add(key)
    rows.push(row)
  }
  return rows
}

/** By row, the rows that it names and that neither exist nor are among these. */
export async function missingFor(
  tx: ReadTx,
  schoolId: string,
  rows: readonly DeletedRow[],
): Promise<Map<DeletedRow, RowName<Replicated>[]>> {
  const present = new Set(rows.map(keyOf))
  for (const [table, ids] of idsByTable(rows.flatMap(parentsOf)))
    for (const id of await idsThere(tx, table, schoolId, ids)) present.add(keyOf({ table, id }))
  const missing = rows.map((row) => [row, parentsOf(row).filter((parent) => !present.has(keyOf(parent)))] as const)
  return new Map(missing.flatMap(([row, parents]) => (parents.length > 0 ? [[row, parents]] : [])))
}

/** The first rows, and those of `rows` that name one of them, directly or through others. */
export function hangingOn(first: Iterable<DeletedRow>, rows: readonly DeletedRow[]): Set<DeletedRow> {
  const hanging = new Set(first)
  const names = new Set([...hanging].map(keyOf))
  for (const row of rows) {
    if (!hanging.has(row) && !parentsOf(row).some((parent) => names.has(keyOf(parent)))) continue
    hanging.add(row)
    names.add(keyOf(row))
  }
  return hanging
}

/**
 * Writes deleted rows again under their ids, as a new write of this transaction's person that has seen the deletion. They get their last
 * values, what is derived from these, and the time and author of their creation; time and author of the last change are those of this
 * write.
 */
export async function writeAgain(tx: WriteTx, schoolId: string, rows: readonly DeletedRow[]): Promise<void> {
  for (const table of tableOrder) {
    const standings = rows.filter((row) => row.table === table).map(({ known: { state } }) => ({ state, settled: [] }))
    if (standings.length === 0) continue
    const rowOf = await rowMaker(tx, table, schoolId, standings)
    const audit = descriptions[table].audit ?? []
    const made = standings.map((each) => Object.fromEntries(Object.entries(rowOf(each)).filter(([name]) => !audit.includes(name))))
    await tx.insert<Replicated>(table, made as NewRow<Replicated>[])
  }
}
