import { postgresColumns } from './columns.postgres.ts'
import { defineTables } from './tables.ts'

export const postgresTables = defineTables(postgresColumns)
