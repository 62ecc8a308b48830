import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { migrate as applySqlite } from 'drizzle-orm/better-sqlite3/migrator'
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js'
import { migrate as applyPostgres } from 'drizzle-orm/postgres-js/migrator'
import type postgres from 'postgres'
import { isFull } from './errors.ts'
import { policyStatements } from './policies.ts'
import { withPostgres } from './postgres.ts'

/** The migrations are beside this file in the source, and beside the bundle in a build. */
function migrationsOf(dialect: 'sqlite' | 'postgres'): string {
  const found = [
    join(import.meta.dirname, 'migrations', dialect),
    join(import.meta.dirname, '..', 'server', 'store', 'migrations', dialect),
  ].find((folder) => existsSync(folder))
  if (!found) throw new Error(`the ${dialect} migrations are missing beside the program`)
  return found
}

/** The timestamps that identify this program's migrations, oldest first. */
export function knownMigrations(dialect: 'sqlite' | 'postgres'): number[] {
  const journal = JSON.parse(readFileSync(join(migrationsOf(dialect), 'meta', '_journal.json'), 'utf8')) as { entries: { when: number }[] }
  return journal.entries.map(({ when }) => when)
}

/** The migrations of a database compared with this program's. */
export type Standing = 'empty' | 'current' | 'older' | 'newer'

export function standingOf(applied: readonly number[], dialect: 'sqlite' | 'postgres'): Standing {
  const known = knownMigrations(dialect)
  if (applied.length === 0) return 'empty'
  if (Math.max(...applied) > Math.max(...known)) return 'newer'
  return applied.join() === known.join() ? 'current' : 'older'
}

/** An older program cannot read what a newer one stores, so it must not start (docs/design/store.md). */
function demandNotNewer(applied: readonly number[], dialect: 'sqlite' | 'postgres'): void {
  if (standingOf(applied, dialect) !== 'newer') return
  throw new Error(
    'The database is of a newer Markbook than this program. Install that version again, or restore a backup of this one. Nothing was changed.',
  )
}

/** Whether the database exists and the next start would migrate it. */
const isBehind = (applied: readonly number[], dialect: 'sqlite' | 'postgres') =>
  applied.length > 0 && knownMigrations(dialect).some((when) => when > Math.max(...applied))

/** The timestamps of the migrations that a database has; empty for a new one. */
export function appliedSqlite(connection: Database.Database): number[] {
  const exists = connection.prepare("select 1 from sqlite_master where name = '__drizzle_migrations'").get()
  if (!exists) return []
  return connection.prepare('select created_at from __drizzle_migrations order by created_at').pluck().all().map(Number)
}

export async function appliedPostgres(sql: postgres.Sql | postgres.TransactionSql): Promise<number[]> {
  const [found] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`
  if (!found?.['exists']) return []
  const rows = await sql`select created_at from drizzle.__drizzle_migrations order by created_at`
  return rows.map((row) => Number(row['created_at']))
}

/** For programs that must not migrate: throws unless the database has exactly this program's migrations. */
const demandCurrent = (applied: readonly number[], dialect: 'sqlite' | 'postgres') => {
  if (applied.length === 0)
    throw new Error(
      'There is nothing of Markbook in the database yet. Start the server once; where there should be something: markbook doctor',
    )
  if (applied.join() !== knownMigrations(dialect).join())
    throw new Error(
      'The database is of another version than this program. Start the server of this version first, or use the program that it runs.',
    )
}

export const demandCurrentSqlite = (connection: Database.Database) => demandCurrent(appliedSqlite(connection), 'sqlite')

export const demandCurrentPostgres = (url: string): Promise<void> =>
  withPostgres(url, async (sql) => demandCurrent(await appliedPostgres(sql), 'postgres'))

/** Runs `migrate`. Throws an error for a person where the tables of the first migration exist without it; one transaction undoes all. */
async function demandKnownBeginning(
  applied: readonly number[],
  dialect: 'sqlite' | 'postgres',
  migrate: () => Promise<void>,
): Promise<void> {
  const [first = 0] = knownMigrations(dialect)
  try {
    await migrate()
  } catch (error) {
    const { message, cause } = error as { message: string; cause?: { message?: string } }
    if (applied.includes(first) || !/already exists/.test(`${message} ${cause?.message}`)) throw error
    throw new Error(
      'The database was made by another program, or by a Markbook from before its first release, and cannot be brought to this version. Nothing was changed. To take its marks along, export the school with the program that made it (markbook export), and import that into a new folder (markbook import).',
    )
  }
}

/** Called before a non-empty database is migrated; where it throws, nothing is changed. */
export type BeforeMigration = () => Promise<void>

/** History is append-only: triggers refuse to change or delete an entry. */
const SQLITE_GUARDS = ['update', 'delete'].map(
  (action) =>
    `create trigger if not exists history_no_${action} before ${action} on history begin select raise(abort, 'history is append-only'); end`,
)

export async function migrateSqlite(connection: Database.Database, before?: BeforeMigration): Promise<void> {
  const applied = appliedSqlite(connection)
  demandNotNewer(applied, 'sqlite')
  if (isBehind(applied, 'sqlite')) await before?.()
  const known = knownMigrations('sqlite')
  // The check of all foreign keys takes half a second in a school of one year, so it runs only where it has not run for this version.
  if (standingOf(applied, 'sqlite') !== 'current' || connection.pragma('user_version', { simple: true }) !== known.length) {
    // Rebuilding a table breaks references to it for a moment; the check runs afterwards.
    connection.pragma('foreign_keys = OFF')
    await demandKnownBeginning(applied, 'sqlite', async () => applyHere(connection))
    const broken = connection.pragma('foreign_key_check') as unknown[]
    if (broken.length > 0) throw new Error(`a migration left ${broken.length} rows without their parents; the database was not opened`)
    connection.pragma(`user_version = ${known.length}`)
  }
  connection.pragma('foreign_keys = ON')
  for (const guard of SQLITE_GUARDS) connection.exec(guard)
}

/** SQLite undoes a transaction by itself where the disk takes no more, so that undoing it again fails and hides why. */
function applyHere(connection: Database.Database): void {
  try {
    applySqlite(drizzleSqlite(connection), { migrationsFolder: migrationsOf('sqlite') })
  } catch (error) {
    if (!isFull(error) && !(/ROLLBACK/.test((error as Error).message) && !connection.inTransaction)) throw error
    throw new Error(
      'Markbook has not started: the database could not be brought to this version, since its disk is full or does not take what is written. The database is as it was, and nothing is lost. Make room on that disk, and start again.',
    )
  }
}

/** Two instances that start at once migrate one after the other. */
const MIGRATION_LOCK = 727_401

export const migratePostgres = (url: string, before?: BeforeMigration): Promise<void> =>
  inTurn(url, () =>
    withPostgres(url, async (sql) => {
      const applied = await appliedPostgres(sql)
      demandNotNewer(applied, 'postgres')
      if (isBehind(applied, 'postgres')) await before?.()
      if (standingOf(applied, 'postgres') !== 'current')
        await demandKnownBeginning(applied, 'postgres', () =>
          applyPostgres(drizzlePostgres(sql), { migrationsFolder: migrationsOf('postgres') }),
        )
      await applyPolicies(sql)
    }),
  )

/** The lock belongs to a transaction: a session's lock would stay with a pooler's connection after its owner has gone. */
const inTurn = (url: string, work: () => Promise<void>): Promise<void> =>
  withPostgres(url, (sql) =>
    sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
      await work()
    }),
  )

/** Policies are generated from the list of tables, and renewed when that list or the rules change. */
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
