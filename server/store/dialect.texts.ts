import { postgresTables } from '@markbook/shared/tables/postgres'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/pg-core'

export const quoted = (name: string) => `"${name}"`
export const columnNames = (table: Table) => Object.keys(getTableColumns(table))
export const keyOf = (table: Table) => (descriptions[getTableName(table) as Replicated].scope === 'school' ? ['school_id', 'id'] : ['id'])

/** The Postgres schema of a table, whose TypeScript type is that of SQLite. */
export const postgresSchemaOf = (table: Table): string => getTableConfig(table as never).schema ?? 'public'

const places = new Map(Object.entries(postgresTables).map(([name, table]) => [name, `${quoted(postgresSchemaOf(table))}.${quoted(name)}`]))
/** The name of a Postgres table with its schema, for a statement. */
export const postgresPlaceOf = (name: string): string => places.get(name) ?? name

/** Caches the text for each table and variant. */
export const memo = <A extends object>(make: (key: A, variant: string) => string) => {
  const known = new WeakMap<A, Map<string, string>>()
  return (key: A, variant: string) => {
    const variants = known.get(key) ?? new Map<string, string>()
    known.set(key, variants)
    const text = variants.get(variant) ?? make(key, variant)
    variants.set(variant, text)
    return text
  }
}

/** The end of an insert. `how`: 'insert', 'ignore', 'replace', or the columns, separated by commas, that are updated in an existing row. */
export function endingOf(table: Table, how: string): string {
  if (how === 'insert') return ''
  if (how === 'ignore') return ' on conflict do nothing'
  const key = keyOf(table)
  const written = how === 'replace' ? columnNames(table).filter((name) => !key.includes(name)) : how.split(',')
  return ` on conflict (${key.map(quoted)}) do update set ${written.map((name) => `${quoted(name)} = excluded.${quoted(name)}`)}`
}

export const SYNC_ROW_UPDATE =
  'on conflict (school_id, table_name, row_id) do update set seq = excluded.seq, vv = excluded.vv, units = excluded.units, deleted = excluded.deleted, schema = excluded.schema, extra = excluded.extra, source_id = excluded.source_id, settled = excluded.settled'
