import type { Clock } from '@markbook/shared/clock'
import { toInstant } from '@markbook/shared/clock'
import type { IdSource } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { and, type Column, eq, getTableColumns } from 'drizzle-orm'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import { Door } from './door.ts'
import { isOvertaken, isRetryable, toFailure } from './errors.ts'
import type { Line } from './line.ts'
import { type BeforeMigration, demandCurrentPostgres, demandCurrentSqlite, migratePostgres, migrateSqlite } from './migrate.ts'
import { currentNode, type NodeKind } from './node.ts'
import { openPostgres, postgresLine } from './postgres.ts'
import { openSqlite, openSqliteBeside, serialised, sqliteLine } from './sqlite.ts'
import { statement } from './statement.ts'
import type { Identity, LocalDb, ReadTx, WriteTx } from './tx.ts'

/** The only doors to the database (architecture, decision 5). `fn` may run again after a deadlock: it only reads and writes `tx`. */
export type Store = {
  readonly dialect: Dialect
  readonly nodeId: string
  read<T>(identity: Identity, fn: (tx: ReadTx) => Promise<T>): Promise<T>
  write<T>(identity: Identity, fn: (tx: WriteTx) => Promise<T>): Promise<T>
  /** Waits for what is in flight, then closes. */
  close(): Promise<void>
}

/** `beside`: for one small thing while the server of the database may be running; nothing is locked, made or migrated. */
export type StoreOptions = { clock: Clock; newId: IdSource; kind: NodeKind; beforeMigration?: BeforeMigration; beside?: boolean }

/** How often a write is tried again after it and another stood in each other's way. */
const RETRIES = 8

/** Opens, and migrates, the school's own database in `folder`. Throws where another server holds it, unless `beside` that. */
export async function openSchoolStore(folder: string, options: StoreOptions): Promise<Store> {
  const connections = options.beside ? openSqliteBeside(folder) : openSqlite(folder)
  try {
    if (options.beside) demandCurrentSqlite(connections.writer)
    else await migrateSqlite(connections.writer, options.beforeMigration)
    const [reading, writing] = [sqliteLine(connections.reader, false), sqliteLine(connections.writer, true)]
    const reads = serialised(connections.reader, 'begin')
    const writes = serialised(connections.writer, 'begin immediate')
    const noRoles = async () => {}
    const run = { dialect: sqliteDialect, options, become: noRoles }
    const nodeId = await writes.run(() => currentNode(writing, sqliteDialect, options))
    return {
      dialect: sqliteDialect,
      nodeId,
      read: (identity, fn) => reads.run(() => fn(readTx(run, reading, identity))),
      write: (identity, fn) => writes.run(() => through(writeTx({ ...run, nodeId }, writing, identity), fn)).catch(rethrow),
      close: async () => {
        await Promise.all([reads.idle(), writes.idle()])
        connections.close()
      },
    }
  } catch (error) {
    connections.close()
    throw error
  }
}

/** Opens, and migrates, the central database at `url`. */
export async function openCentralStore(url: string, options: StoreOptions): Promise<Store> {
  await (options.beside ? demandCurrentPostgres(url) : migratePostgres(url, options.beforeMigration))
  const { sql, close } = openPostgres(url)
  const run = { dialect: postgresDialect, options, become }
  const nodeId = await sql.begin((tx) => currentNode(postgresLine(tx, true), postgresDialect, options))
  const reading = 'isolation level repeatable read read only'
  return {
    dialect: postgresDialect,
    nodeId,
    read: <T>(identity: Identity, fn: (tx: ReadTx) => Promise<T>) =>
      (
        sql.begin(reading, async (connection) => {
          const tx = readTx(run, postgresLine(connection, false), identity)
          await tx.actAs(identity)
          return fn(tx)
        }) as Promise<T>
      ).catch(rethrow),
    write: <T>(identity: Identity, fn: (tx: WriteTx) => Promise<T>) =>
      repeated(
        () =>
          sql.begin(async (connection) => {
            const tx = writeTx({ ...run, nodeId }, postgresLine(connection, true), identity)
            await tx.actAs(identity)
            return through(tx, fn)
          }) as Promise<T>,
      ).catch(rethrow),
    close,
  }
}

type Run = { dialect: Dialect; options: StoreOptions; become: (line: Line, identity: Identity) => Promise<void> }
type Closing = WriteTx & { finish(): Promise<void> }

const through = async <T>(tx: Closing, fn: (tx: WriteTx) => Promise<T>): Promise<T> => {
  const result = await fn(tx)
  await tx.finish()
  return result
}

const rethrow = (error: unknown): never => {
  throw toFailure(error)
}

async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const most = isRetryable(error) ? RETRIES : isOvertaken(error) ? 2 : 1
      if (tries >= most) throw error
    }
  }
}

const become = (line: Line, identity: Identity) =>
  line.run("select set_config('role', $1, true), set_config('app.user_id', $2, true)", [
    identity.as === 'user' ? 'markbook_app' : 'markbook_system',
    identity.userId ?? '',
  ])

function readTx({ dialect, options, become }: Run, line: Line, _identity: Identity): ReadTx {
  const nowMs = options.clock.now()
  const tx: ReadTx = {
    db: line.db,
    t: dialect.tables,
    dialect,
    now: toInstant(nowMs),
    nowMs,
    line,
    actAs: (identity) => become(line, identity),
    find: async (table, schoolId, id) => (await finders[table](tx, { school: schoolId, id }))[0] as never,
  }
  return tx
}

function writeTx(run: Run & { nodeId: string }, line: Line, identity: Identity): Closing {
  const tx = readTx(run, line, identity)
  const { newId } = run.options
  const door = new Door(line, run.dialect, { node: run.nodeId, actor: identity.userId, now: tx.now, nowMs: tx.nowMs, newId })
  return Object.assign(tx, {
    actor: identity.userId,
    newId,
    insert: door.insert.bind(door),
    update: door.update.bind(door),
    remove: door.remove.bind(door),
    entryOf: door.entryOf.bind(door),
    note: door.note.bind(door),
    finish: () => door.close(),
    local: line.db as LocalDb,
  }) as Closing
}

const findIn = (table: Replicated) =>
  statement<{ school: string; id: string }>({ lock: table })(({ db, t, p }) => {
    const definition = t[table]
    const columns = getTableColumns(definition) as Record<string, Column>
    const byId = eq(columns['id'] as Column, p.id)
    const scoped = descriptions[table].scope === 'school' ? and(eq(columns['school_id'] as Column, p.school), byId) : byId
    return db
      .select()
      .from(definition as never)
      .where(scoped) as never as PromiseLike<unknown[]> & { prepare(): unknown }
  })

const finders = Object.fromEntries(Object.keys(descriptions).map((table) => [table, findIn(table as Replicated)])) as Record<
  Replicated,
  ReturnType<typeof findIn>
>
