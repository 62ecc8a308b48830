import { join } from 'node:path'
import Database from 'better-sqlite3'
import postgres from 'postgres'
import { postgresPlaceOf } from '../store/dialect.texts.ts'
import { DATABASE_FILE } from '../store/sqlite.ts'
import type { TestDatabase } from './database.ts'

/** Changes a database behind the program's back, with SQL of both databases; `at` gives the qualified name of a table. */
export async function tamper({ url, folder }: Pick<TestDatabase, 'url' | 'folder'>, text: (at: (table: string) => string) => string) {
  const statement = text((table) => (url ? postgresPlaceOf(table) : `"${table}"`))
  if (!url) {
    const connection = new Database(join(folder, DATABASE_FILE))
    connection.pragma('foreign_keys = OFF')
    for (const action of ['update', 'delete']) connection.exec(`drop trigger if exists history_no_${action}`)
    connection.exec(statement)
    return connection.close()
  }
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`set session_replication_role = replica; ${statement}`)
  await sql.end()
}
