import type { Replicated } from '@markbook/shared/tables/tables'
import type { NewRow, WriteTx } from './tx.ts'

/** New rows of several tables, parents before children. */
export type RowsByTable = { readonly [T in Replicated]?: readonly NewRow<T>[] }

/** Inserts the rows table by table, in the order of the keys. */
export async function insertByTable(tx: WriteTx, rows: RowsByTable): Promise<void> {
  for (const table of Object.keys(rows) as Replicated[]) await insertInto(tx, table, rows)
}

const insertInto = <T extends Replicated>(tx: WriteTx, table: T, rows: RowsByTable) => tx.insert(table, rows[table] ?? [])
