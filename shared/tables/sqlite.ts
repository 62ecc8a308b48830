import { sqliteColumns } from './columns.sqlite.ts'
import { defineTables } from './tables.ts'

export const sqliteTables = defineTables(sqliteColumns)
