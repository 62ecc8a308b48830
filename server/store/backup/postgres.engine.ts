import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { toInstant } from '@markbook/shared/clock'
import { postgresTables } from '@markbook/shared/tables/postgres'
import type postgres from 'postgres'
import { postgresSchemaOf } from '../dialect.texts.ts'
import { postgresDialect } from '../dialect.ts'
import { appliedPostgres, migratePostgres } from '../migrate.ts'
import { isPooledAt, postgresConnection, withPostgres } from '../postgres.ts'
import { Waiting } from '../postgres.watch.ts'
import { cut } from './content/cut.ts'
import { type DatabaseOwner, schoolsInWords } from './database-owner.ts'
import type { DatabaseCopy, Engine, RestoreOptions, Snapshot } from './engine.ts'
import { beginIncarnation } from './incarnation.ts'
import { BackupError, type Counts, UnsoundError } from './manifest.ts'
import { countsInDump, databaseOf, listOf, outputOf, restoring, run, withDatabase } from './postgres.tools.ts'

const SCHEMAS = [...new Set(['drizzle', ...Object.values(postgresTables).map(postgresSchemaOf)])]
/** Says which policies a database has; a restored one gets them anew, so it must not say that it has any. */
const POLICY_VERSION = 'sync.policy_version'
const SERVICE = 'markbook_system'

/** A central database, through PostgreSQL's own pg_dump and pg_restore. */
export function postgresEngine(url: string): Engine {
  const name = databaseOf(url)
  return {
    name: 'postgres',
    file: 'markbook.dump',
    size: () => at(url, async (sql) => Number((await sql`select pg_database_size(current_database()) as size`)[0]?.['size'])),
    exists: () => at(url, async (sql) => (await appliedPostgres(sql)).length > 0),
    whose: () =>
      at(url, async (sql) => {
        if ((await appliedPostgres(sql)).length === 0) throw new UnsoundError(`${name} is no database of Markbook.`)
        return sql.begin('read only', async (tx) => {
          await tx`select set_config('role', ${SERVICE}, true)`
          return whoseIs(tx)
        }) as Promise<DatabaseOwner>
      }),
    copyTo: (path, progress) =>
      inSnapshot(url, async (snapshot, options, signal) => {
        progress('Copying')
        await run('pg_dump', [`--file=${path}`, ...options], { url, database: name, signal })
        return snapshot
      }),
    streams: true,
    inChunks: (_scratch, progress, work) =>
      inSnapshot(url, async (snapshot, options, signal) => {
        progress('Copying')
        return work(() => cut(outputOf('pg_dump', ['--compress=0', ...options], { url, database: name, signal })), snapshot)
      }),
    inspect: countsInDump,
    countsNow: () =>
      at(url, async (sql) => {
        if ((await appliedPostgres(sql)).length === 0) return null
        const role = await readAll(sql)
        return sql.begin(async (tx) => (await snapshotOf(tx, role)).counts) as Promise<Counts>
      }),
    hold: async () => {
      await refusePooler(url)
      await refuseWhileUsed(url)
      return async () => {}
    },
    setAside: async () => null,
    putBack: (dump, options) => putBack(url, dump, options),
    // A second database of this size is more than a trial may cost: pg_restore has read all of it by now (`inspect`), and names its parts.
    rehearse: async (dump) => {
      if ((await listOf(dump)).length === 0) throw new UnsoundError('The dump holds nothing that could be put back.')
      return null
    },
  }
}

const at = <T>(url: string, work: (sql: postgres.Sql, signal: AbortSignal) => Promise<T>): Promise<T> =>
  withPostgres(url, work, { connection: { application_name: 'markbook backup', TimeZone: 'UTC' } })

/**
 * Row-level security holds for the owner of the tables too, and would hide rows from a copy. A superuser is past it; anybody else
 * reads as the service, which sees every row, and may then read the few tables that are not the service's as well.
 */
async function readAll(sql: postgres.Sql): Promise<string | null> {
  const [me] = await sql`select rolsuper or rolbypassrls as free from pg_roles where rolname = current_user`
  if (me?.['free']) return null
  await sql.begin(async (tx) => {
    for (const schema of SCHEMAS) {
      await tx.unsafe(`grant usage on schema ${schema} to ${SERVICE}`)
      await tx.unsafe(`grant select on all tables in schema ${schema} to ${SERVICE}`)
      await tx.unsafe(`grant select on all sequences in schema ${schema} to ${SERVICE}`)
    }
  })
  return SERVICE
}

/** Keeps one moment of the database for `work`, which may dump it as often as it likes by these options of pg_dump. */
async function inSnapshot<T>(url: string, work: (snapshot: Snapshot, options: string[], signal: AbortSignal) => Promise<T>): Promise<T> {
  await refusePooler(url)
  const role = await at(url, readAll)
  return at(url, (sql, signal) =>
    sql.begin('isolation level repeatable read read only', async (tx) => {
      const snapshot = await snapshotOf(tx, role)
      const [exported] = await tx`select pg_export_snapshot() as id`
      const scope = SCHEMAS.map((schema) => `--schema=${schema}`)
      const rights = role ? [`--role=${role}`, '--enable-row-security'] : []
      const options = ['--format=custom', `--snapshot=${exported?.['id']}`, `--exclude-table-data=${POLICY_VERSION}`, ...scope, ...rights]
      return work(snapshot, options, signal)
    }),
  ) as Promise<T>
}

async function snapshotOf(tx: postgres.TransactionSql, role: string | null): Promise<Snapshot> {
  if (role) await tx`select set_config('role', ${role}, true)`
  const tables = await tx`
    select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as place, n.nspname || '.' || c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ${tx(SCHEMAS)} order by 2`
  const counts: Counts = {}
  for (const { place, name } of tables) {
    if (name === POLICY_VERSION) continue
    counts[name] = Number((await tx.unsafe(`select count(*) as count from ${place}`))[0]?.['count'])
  }
  const [node] = await tx`select id from sync.node where ended_at is null`
  const { id, school } = await whoseIs(tx)
  return { counts, migrations: await appliedPostgres(tx), node_id: String(node?.['id']), database_id: id, school }
}

async function whoseIs(tx: postgres.TransactionSql): Promise<DatabaseOwner> {
  const [first] = await tx`select id from sync.node order by created_at, id limit 1`
  const schools = await tx`select name from public.school order by name collate "C"`
  return { id: String(first?.['id']), school: schoolsInWords(schools.map(({ name }) => String(name))) }
}

/** What pg_dump sets in its session would stay in the pooler's connection, and the next who gets it would not find a table. */
async function refusePooler(url: string): Promise<void> {
  if (await isPooledAt(url))
    throw new BackupError(
      'DATABASE_URL leads to a pooler, such as PgBouncer in transaction mode. A backup or a restore needs PostgreSQL itself: run it with that address in DATABASE_URL. Nothing was changed.',
    )
}

async function refuseWhileUsed(url: string): Promise<void> {
  const others = await at(
    url,
    (sql) => sql`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  )
  const count = Number(others[0]?.['count'])
  if (count > 0)
    throw new BackupError(
      `${count} connections to the database ${databaseOf(url)} are open. Stop every server first, then run this again. Nothing was changed.`,
    )
}

/**
 * Into a new database, which takes the name when it is whole, so that one that was interrupted is never served (docs/design/backup.md).
 * Into an empty one directly where no other can be made.
 */
async function putBack(url: string, dump: DatabaseCopy, options: RestoreOptions) {
  const name = databaseOf(url)
  const wasEmpty = await isEmpty(url)
  const stamp = toInstant(options.now).slice(0, 19).replace(/[-:T]/g, '')
  const [next, before] = [unfinishedName(name, stamp), shortened(`${name}_before_${stamp}`)]
  const isMade = await makeDatabase(url, name, next).then(
    () => true,
    (error) => (wasEmpty ? false : Promise.reject(error)),
  )
  if (!isMade) return { nodeId: await fill(url, dump, options), before: null }
  await dropUnfinished(url, next)
  try {
    const nodeId = await fill(withDatabase(url, next), dump, options)
    await refuseWhileUsed(url)
    // A server may have begun a school in it meanwhile.
    const isKept = !wasEmpty || !(await isEmpty(url))
    await elsewhere(url, async (sql) => {
      await sql.begin(async (tx) => {
        await tx`alter database ${tx(name)} rename to ${tx(before)}`
        await tx`alter database ${tx(next)} rename to ${tx(name)}`
      })
      if (!isKept) await sql`drop database ${sql(before)}`.catch(() => {})
    })
    return { nodeId, before: isKept ? before : null }
  } catch (error) {
    await elsewhere(url, (sql) => sql`drop database if exists ${sql(next)}`)
    throw error
  }
}

const isEmpty = (url: string): Promise<boolean> =>
  at(url, async (sql) => {
    const [found] = await sql`select count(*)::int as count from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`
    return found?.['count'] === 0
  })

/** What an interrupted restore of this database left, which has the size of a whole one; `but` is the one that is being filled. */
async function dropUnfinished(url: string, but: string): Promise<void> {
  const name = databaseOf(url)
  await elsewhere(url, async (sql) => {
    for (const { datname } of await sql`select datname from pg_database`) {
      const stamp = /\d{14}$/.exec(datname)?.[0]
      if (!stamp || datname === but || datname !== unfinishedName(name, stamp)) continue
      // It may be in use, or another role's: it stays, and the restore goes on.
      await sql`drop database ${sql(datname)}`.catch(() => {})
    }
  })
}

const unfinishedName = (name: string, stamp: string) => shortened(`${name}_restoring_${stamp}`)

/** PostgreSQL cuts names off at 63 bytes; the end says when, and must stay. */
const shortened = (name: string) => (name.length > 63 ? name.slice(0, 20) + name.slice(name.length - 43) : name)

/** Names of databases change from outside of them. */
async function elsewhere<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const other = databaseOf(url) === 'postgres' ? 'template1' : 'postgres'
  return at(withDatabase(url, other), work)
}

async function makeDatabase(url: string, like: string, name: string): Promise<void> {
  try {
    await elsewhere(url, async (sql) => {
      const [origin] =
        await sql`select pg_encoding_to_char(encoding) as encoding, datcollate, datctype from pg_database where datname = ${like}`
      const literal = (text: unknown) => `'${String(text).replaceAll("'", "''")}'`
      await sql.unsafe(
        `create database "${name}" template template0 encoding ${literal(origin?.['encoding'])} lc_collate ${literal(origin?.['datcollate'])} lc_ctype ${literal(origin?.['datctype'])}`,
      )
    })
  } catch (error) {
    throw new BackupError(
      `The database ${like} is not empty, and no new one can be made beside it: ${(error as Error).message}. Name an empty database in DATABASE_URL, or a user that may create one. Nothing was changed.`,
    )
  }
}

async function fill(url: string, dump: DatabaseCopy, { newId, now, takenAt, progress }: RestoreOptions): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'markbook-restore-'))
  try {
    const list = join(folder, 'list')
    writeFileSync(list, (await listOf(dump)).join('\n'))
    progress('Putting the rows back')
    const args = ['--single-transaction', '--no-owner', '--no-privileges', `--use-list=${list}`, `--dbname=${databaseOf(url)}`]
    await at(url, (_, signal) => restoring(args, dump, { url, database: databaseOf(url), signal }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  progress('Bringing it to this version')
  await sameRows(url, dump)
  await migratePostgres(url)
  return at(url, (sql) =>
    sql.begin(async (tx) => {
      await tx`select set_config('role', ${SERVICE}, true)`
      return beginIncarnation(postgresConnection({ sql: tx, waiting: new Waiting() }, true), postgresDialect, { newId, now, takenAt })
    }),
  ) as Promise<string>
}

async function sameRows(url: string, dump: DatabaseCopy): Promise<void> {
  const { counts } = (await at(url, (sql) => sql.begin((tx) => snapshotOf(tx, null)))) as Snapshot
  if (!isDeepStrictEqual(counts, await countsInDump(dump)))
    throw new BackupError('The restored database does not hold the rows of the backup. Nothing was changed.')
}
