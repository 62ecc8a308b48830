import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { migrate as applySqlite } from 'drizzle-orm/better-sqlite3/migrator'
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js'
import { migrate as applyPostgres } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { policyStatements } from './policies.ts'

/** The migrations lie beside this file in the source, and beside the bundle in a build. */
function migrationsOf(dialect: 'sqlite' | 'postgres'): string {
  const found = [
    join(import.meta.dirname, 'migrations', dialect),
    join(import.meta.dirname, '..', 'server', 'store', 'migrations', dialect),
  ].find((folder) => existsSync(folder))
  if (!found) throw new Error(`the ${dialect} migrations are missing beside the program`)
  return found
}

/** History is append-only; the database itself refuses to change or drop an entry. */
const SQLITE_GUARDS = ['update', 'delete'].map(
  (action) =>
    `create trigger if not exists history_no_${action} before ${action} on history begin select raise(abort, 'history is append-only'); end`,
)

export function migrateSqlite(connection: Database.Database): void {
  // A table that a migration rebuilds is referenced by others for a moment; the check runs when it is done.
  connection.pragma('foreign_keys = OFF')
  applySqlite(drizzleSqlite(connection), { migrationsFolder: migrationsOf('sqlite') })
  const broken = connection.pragma('foreign_key_check') as unknown[]
  if (broken.length > 0) throw new Error(`a migration left ${broken.length} rows without their parents; the database was not opened`)
  connection.pragma('foreign_keys = ON')
  for (const guard of SQLITE_GUARDS) connection.exec(guard)
}

/** Two instances that start at once take turns. */
const MIGRATION_LOCK = 727_401

export async function migratePostgres(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
    await applyPostgres(drizzlePostgres(sql), { migrationsFolder: migrationsOf('postgres') })
    await applyPolicies(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Policies are made from the list of tables, anew whenever that list or the rules changed. */
async function applyPolicies(sql: postgres.Sql) {
  const statements = policyStatements()
  const digest = createHash('sha256').update(statements.join(';')).digest('hex')
  await sql.begin(async (tx) => {
    await tx`create table if not exists sync.policy_version (digest text not null)`
    const [known] = await tx`select digest from sync.policy_version`
    if (known?.['digest'] === digest) return
    for (const text of statements) await tx.unsafe(text)
    await tx`delete from sync.policy_version`
    await tx`insert into sync.policy_version values (${digest})`
  })
}
