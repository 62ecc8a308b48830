import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { migrate as applySqlite } from 'drizzle-orm/better-sqlite3/migrator'
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js'
import { migrate as applyPostgres } from 'drizzle-orm/postgres-js/migrator'
import type postgres from 'postgres'
import { policyStatements } from './policies.ts'
import { withPostgres } from './postgres.ts'

/** The migrations lie beside this file in the source, and beside the bundle in a build. */
function migrationsOf(dialect: 'sqlite' | 'postgres'): string {
  const found = [
    join(import.meta.dirname, 'migrations', dialect),
    join(import.meta.dirname, '..', 'server', 'store', 'migrations', dialect),
  ].find((folder) => existsSync(folder))
  if (!found) throw new Error(`the ${dialect} migrations are missing beside the program`)
  return found
}

/** The times that name this program's migrations, oldest first. */
export function knownMigrations(dialect: 'sqlite' | 'postgres'): number[] {
  const journal = JSON.parse(readFileSync(join(migrationsOf(dialect), 'meta', '_journal.json'), 'utf8')) as { entries: { when: number }[] }
  return journal.entries.map(({ when }) => when)
}

/** How a database stands to this program, by the migrations that it has. */
export type Standing = 'empty' | 'current' | 'older' | 'newer'

export function standingOf(applied: readonly number[], dialect: 'sqlite' | 'postgres'): Standing {
  const known = knownMigrations(dialect)
  if (applied.length === 0) return 'empty'
  if (Math.max(...applied) > Math.max(...known)) return 'newer'
  return applied.join() === known.join() ? 'current' : 'older'
}

/** An older program does not know what the newer one keeps, so it must not begin (docs/design/store.md). */
function demandNotNewer(applied: readonly number[], dialect: 'sqlite' | 'postgres'): void {
  if (standingOf(applied, dialect) !== 'newer') return
  throw new Error(
    'The database is of a newer Markbook than this program. Install that version again, or restore a backup of this one. Nothing was changed.',
  )
}

/** True for a database that exists and that the next start would change. */
const isBehind = (applied: readonly number[], dialect: 'sqlite' | 'postgres') =>
  applied.length > 0 && knownMigrations(dialect).some((when) => when > Math.max(...applied))

/** The migrations that a database has, by their times; none where it is new. */
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

/** For whoever must not migrate: throws unless the database has exactly this program's migrations. */
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

/** The first migration makes tables that a database has already which did not begin with it; the migrations are one transaction. */
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

/** Called before a database that holds something is changed; where it throws, nothing is changed. */
export type BeforeMigration = () => Promise<void>

/** History is append-only; the database itself refuses to change or drop an entry. */
const SQLITE_GUARDS = ['update', 'delete'].map(
  (action) =>
    `create trigger if not exists history_no_${action} before ${action} on history begin select raise(abort, 'history is append-only'); end`,
)

export async function migrateSqlite(connection: Database.Database, before?: BeforeMigration): Promise<void> {
  const applied = appliedSqlite(connection)
  demandNotNewer(applied, 'sqlite')
  if (isBehind(applied, 'sqlite')) await before?.()
  const known = knownMigrations('sqlite')
  // Reading every row for its parents takes half a second in a school of one year, so it is done where it was not done already.
  if (standingOf(applied, 'sqlite') !== 'current' || connection.pragma('user_version', { simple: true }) !== known.length) {
    // A table that a migration rebuilds is referenced by others for a moment; the check runs when it is done.
    connection.pragma('foreign_keys = OFF')
    await demandKnownBeginning(applied, 'sqlite', async () =>
      applySqlite(drizzleSqlite(connection), { migrationsFolder: migrationsOf('sqlite') }),
    )
    const broken = connection.pragma('foreign_key_check') as unknown[]
    if (broken.length > 0) throw new Error(`a migration left ${broken.length} rows without their parents; the database was not opened`)
    connection.pragma(`user_version = ${known.length}`)
  }
  connection.pragma('foreign_keys = ON')
  for (const guard of SQLITE_GUARDS) connection.exec(guard)
}

/** Two instances that start at once take turns. */
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

/** Held by a transaction of its own: the lock of a session would stay with a pooler's connection after its holder has gone. */
const inTurn = (url: string, work: () => Promise<void>): Promise<void> =>
  withPostgres(url, (sql) =>
    sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
      await work()
    }),
  )

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
