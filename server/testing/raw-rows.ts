import { join } from 'node:path'
import Database from 'better-sqlite3'
import postgres from 'postgres'
import { DATABASE_FILE } from '../store/sqlite.ts'

export type RawRow = Readonly<Record<string, unknown>>

/** Every row of every table of a database of any version, except the tables of migrations. */
export async function rawRows(where: { folder: string } | { url: string }): Promise<Record<string, RawRow[]>> {
  if ('url' in where) return ofPostgres(where.url)
  const database = new Database(join(where.folder, DATABASE_FILE), { readonly: true })
  try {
    const all = database.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[]
    const tables = all.filter((name) => !/^(sqlite|__drizzle)_/.test(name))
    return Object.fromEntries(tables.map((name) => [name, database.prepare(`select * from "${name}"`).all() as RawRow[]]))
  } finally {
    database.close()
  }
}

async function ofPostgres(url: string): Promise<Record<string, RawRow[]>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const tables = await sql`select table_schema as folder, table_name as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema', 'drizzle') and table_name <> 'policy_version'`
    const rows: Record<string, RawRow[]> = {}
    for (const { folder, name } of tables) rows[name] = [...(await sql`select * from ${sql(folder)}.${sql(name)}`)]
    return rows
  } finally {
    await sql.end()
  }
}

/** The rows as unordered texts, each with only the columns that the same table of `like` has. */
export function sameColumns(rows: Record<string, RawRow[]>, like: Record<string, RawRow[]>): Record<string, string[]> {
  const of = (table: string): string[] => {
    const columns = Object.keys(like[table]?.[0] ?? {})
    return (rows[table] ?? []).map((row) => JSON.stringify(columns.map((column) => row[column]))).sort()
  }
  return Object.fromEntries(Object.keys(like).map((table) => [table, of(table)]))
}
