import { type Clock, toInstant } from '@markbook/shared/clock'
import type { IdSource } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { NodeRole } from '@markbook/shared/tables/node'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { and, type Column, eq, getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { ChangeTracker } from './change-tracker.ts'
import type { Connection } from './connection.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import { isOvertaken, isRetryable, toFailure } from './errors.ts'
import { laptopOwner } from './laptop.ts'
import { type BeforeMigration, demandCurrentPostgres, demandCurrentSqlite, migratePostgres, migrateSqlite } from './migrate.ts'
import { currentNode, renewNode } from './node.ts'
import { demandNode, NodeEnded, writeAlone } from './postgres.node.ts'
import { openPostgres, POOL, postgresConnection, READING, SERVICE_ROLE } from './postgres.ts'
import { closeConflicts } from './replica/close-conflicts.ts'
import { settleAfter } from './replica/settle-after.ts'
import { newTransactionCounts, type Semaphore, type SemaphoreLoad, semaphore, type TransactionCounts } from './semaphore.ts'
import { serialised } from './sqlite.transactions.ts'
import { openSqlite, openSqliteBeside, sqliteConnection } from './sqlite.ts'
import { statement } from './statement.ts'
import { asSystem, type Change, type Identity, type LocalDb, type NewRow, type ReadTx, type WriteTx } from './tx.ts'

/** The only access to the database. `fn` may run again after a deadlock, so it must only use `tx`. */
export type Store = {
  readonly dialect: Dialect
  readonly nodeId: string
  read<T>(identity: Identity, fn: (tx: ReadTx) => Promise<T>): Promise<T>
  /** One statement as the service, in its own snapshot, without a transaction. A second one throws. */
  readOnce<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T>
  write<T>(identity: Identity, fn: (tx: WriteTx) => Promise<T>): Promise<T>
  /** Begins a new incarnation of this database (sync/SPEC.md); returns its id. */
  renewNode(): Promise<string>
  /**
   * Replaces the incarnation `ended` by a new one, under `id` where one was agreed, and writes `along` in the same transaction, under the
   * new id. Does nothing where `ended` is over already. Returns whether it was replaced.
   */
  replaceNode(ended: string, along: (tx: WriteTx) => Promise<void>, id?: string): Promise<boolean>
  /** Calls the listener after every commit of this instance that advanced feeds. Returns how to stop. */
  onAdvance(listener: CommitListener): () => void
  /** Calls the listener soon after commits of other instances on the same database; some may be missed. */
  onElsewhere(listener: (schoolIds: ReadonlySet<string>) => void): void
  /** Database figures for the metrics: the limits of concurrent transactions, by name, and counts. */
  load(): StoreLoad
  /** Waits for running transactions, then closes. */
  close(): Promise<void>
}

/**
 * `schoolIds`: schools whose feeds advanced. `sources`: the peers whose changes were committed; includes null where some are not from a
 * peer.
 */
type CommitListener = (schoolIds: ReadonlySet<string>, sources: ReadonlySet<string | null>) => void
type Advanced = { schools: Set<string>; sources: Set<string | null> }
const nothingYet = (): Advanced => ({ schools: new Set(), sources: new Set() })

type StoreLoad = { places: Record<string, SemaphoreLoad>; reads: TransactionCounts; writes: TransactionCounts }

/** `beside`: for a short operation while the server of the database may be running; locks, creates and migrates nothing. */
export type StoreOptions = { clock: Clock; newId: IdSource; role: NodeRole; beforeMigration?: BeforeMigration; beside?: boolean }

/** Writes of people that share a commit of a school's database at most. */
const TOGETHER = 8

/** How often a write is retried after a deadlock or a similar conflict. */
const RETRIES = 8

/** Opens, and migrates, the school's own database in `folder`. Throws where another server has it, unless `beside`. */
export async function openSchoolStore(folder: string, options: StoreOptions): Promise<Store> {
  const connections = options.beside ? openSqliteBeside(folder) : openSqlite(folder)
  try {
    if (options.beside) demandCurrentSqlite(connections.writer)
    else await migrateSqlite(connections.writer, options.beforeMigration)
    const [reading, writing] = [sqliteConnection(connections.reader, false), sqliteConnection(connections.writer, true)]
    const reads = serialised(connections.reader, 'begin')
    const writes = serialised(connections.writer, 'begin immediate', TOGETHER)
    const noRoles = async () => {}
    const run = { dialect: sqliteDialect, options, setRole: noRoles }
    const news = newsOfCommits()
    let nodeId = await writes.run(() => currentNode(writing, sqliteDialect, options))
    const places = { reader: semaphore(1), writer: semaphore(TOGETHER) }
    return withLimits([places, places.reader, places.writer], newTransactionCounts(), newTransactionCounts(), {
      dialect: sqliteDialect,
      get nodeId() {
        return nodeId
      },
      renewNode: async () => {
        nodeId = await writes.run(() => renewNode(writing, sqliteDialect, options), { alone: true })
        return nodeId
      },
      replaceNode: async (ended, along, agreed) => {
        const advanced = nothingYet()
        // Transactions that wait for their turn read the new id after this commit.
        const done = writes.run(
          async () => {
            if (nodeId !== ended) return false
            nodeId = await renewNode(writing, sqliteDialect, options, agreed)
            await runAndFinish(writeTx({ ...run, nodeId, advanced }, writing, asSystem()), along)
            return true
          },
          { alone: true },
        )
        const isDone = await done.catch((error: unknown) => {
          nodeId = ended
          throw toFailure(error)
        })
        return notify(news, advanced, isDone)
      },
      read: (identity, fn) => reads.run(() => fn(readTx(run, reading, identity))).catch(throwAsFailure),
      readOnce: (fn) => reads.run(() => fn(readTx(run, forOneStatement(reading), asSystem()))).catch(throwAsFailure),
      write: (identity, fn) => {
        const advanced = nothingYet()
        return writes
          .run(() => runAndFinish(writeTx({ ...run, nodeId, advanced }, writing, identity), fn), {
            // A page of replication takes up to a second: no mark waits for its commit.
            alone: identity.as === 'system',
          })
          .then((result) => notify(news, advanced, result), throwAsFailure)
      },
      onAdvance: news.listen,
      onElsewhere: () => {},
      close: async () => {
        await Promise.all([reads.idle(), writes.idle()])
        connections.close()
      },
    })
  } catch (error) {
    connections.close()
    throw error
  }
}

/** Opens, and migrates, the central database at `url`. */
export async function openCentralStore(url: string, options: StoreOptions): Promise<Store> {
  await (options.beside ? demandCurrentPostgres(url) : migratePostgres(url, options.beforeMigration))
  return openCurrentCentralStore(url, options)
}

/** The same for a database that this program has already migrated. */
export async function openCurrentCentralStore(url: string, options: StoreOptions): Promise<Store> {
  const { statementTimeoutMs: usual, longStatementTimeoutMs } = limits.postgres
  const { transact, alone, notifications, close } = await openPostgres(url, { longest: options.beside ? longStatementTimeoutMs : usual })
  const run = { dialect: postgresDialect, options, setRole }
  const news = newsOfCommits()
  let nodeId = await transact('', (tx) => currentNode(postgresConnection(tx, true), postgresDialect, options))
  const [pool, reads, writes] = [semaphore(POOL), newTransactionCounts(), newTransactionCounts()]
  news.listen((schools) => notifications.publish(schools))
  return withLimits([{ pool }, pool, pool], reads, writes, {
    dialect: postgresDialect,
    get nodeId() {
      return nodeId
    },
    renewNode: async () => {
      nodeId = await transact('', async (tx) => {
        await writeAlone(postgresConnection(tx, true))
        return renewNode(postgresConnection(tx, true), postgresDialect, options)
      })
      return nodeId
    },
    replaceNode: async (ended, along, agreed) => {
      const advanced = nothingYet()
      const now = await transact('', async (sql) => {
        const connection = postgresConnection(sql, true)
        const current = await writeAlone(connection)
        if (current !== ended) return current
        const id = await renewNode(connection, postgresDialect, options, agreed)
        const tx = writeTx({ ...run, nodeId: id, advanced }, connection, asSystem())
        await runAndFinish(tx, along)
        return id
      }).catch(throwAsFailure)
      nodeId = now
      return notify(news, advanced, advanced.schools.size > 0)
    },
    read: (identity, fn) =>
      transact(READING, async (sql) => {
        const tx = readTx(run, postgresConnection(sql, false), identity)
        return pipelined(tx.actAs(identity), fn(tx))
      }).catch(throwAsFailure),
    readOnce: (fn) => alone((sql) => fn(readTx(run, forOneStatement(postgresConnection(sql, false)), asSystem()))).catch(throwAsFailure),
    write: (identity, fn) => {
      const advanced = nothingYet()
      const attempt = () =>
        transact('', async (sql) => {
          advanced.schools.clear()
          advanced.sources.clear()
          const connection = postgresConnection(sql, true)
          const tx = writeTx({ ...run, nodeId, advanced }, connection, identity)
          const begun = Promise.all([demandNode(connection, nodeId), tx.actAs(identity)])
          return pipelined(begun, runAndFinish(tx, fn))
        }).catch((error: unknown) => {
          if (error instanceof NodeEnded) nodeId = error.current
          throw error
        })
      return repeated(attempt, writes).then((result) => notify(news, advanced, result), throwAsFailure)
    },
    onAdvance: news.listen,
    onElsewhere: notifications.subscribe,
    close,
  })
}

/** Limits how many transactions run at once; the others wait in a queue outside the database. */
function withLimits(
  [places, reader, writer]: [places: Record<string, Semaphore>, reader: Semaphore, writer: Semaphore],
  reads: TransactionCounts,
  writes: TransactionCounts,
  store: Omit<Store, 'load'>,
): Store {
  const loads = () => Object.fromEntries(Object.entries(places).map(([name, place]) => [name, place.load()]))
  return {
    ...store,
    get nodeId() {
      return store.nodeId
    },
    read: (identity, fn) => reader.run(reads, () => store.read(identity, fn)),
    readOnce: (fn) => reader.run(reads, () => store.readOnce(fn)),
    write: (identity, fn) => writer.run(writes, () => store.write(identity, fn)),
    load: () => ({ places: loads(), reads, writes }),
    close: async () => {
      await Promise.all([reader.idle(), writer.idle()])
      await store.close()
    },
  }
}

/** A connection that runs a single statement. */
function forOneStatement(connection: Connection): Connection {
  let isUsed = false
  const execute: Connection['execute'] = async (ready, params) => {
    if (isUsed) throw new Error('two statements need a transaction')
    isUsed = true
    return connection.execute(ready, params)
  }
  return { ...connection, execute }
}

/**
 * Sends the first statement of `work` right behind the one that sets the acting person, without waiting for its answer: a connection
 * answers in order, and if the first is refused Postgres refuses the rest of the transaction.
 */
async function pipelined<T>(acting: Promise<unknown>, work: Promise<T>): Promise<T> {
  const [acted, worked] = await Promise.allSettled([acting, work])
  if (acted.status === 'rejected') throw acted.reason
  if (worked.status === 'rejected') throw worked.reason
  return worked.value
}

type Run = { dialect: Dialect; options: StoreOptions; setRole: (connection: Connection, identity: Identity) => Promise<void> }
type Closing = WriteTx & { finish(): Promise<void> }

const runAndFinish = async <T>(tx: Closing, fn: (tx: WriteTx) => Promise<T>): Promise<T> => {
  const result = await fn(tx)
  await tx.finish()
  return result
}

type News = ReturnType<typeof newsOfCommits>
function newsOfCommits() {
  const listeners = new Set<CommitListener>()
  const listen = (listener: CommitListener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return { listeners, listen }
}

const notify = <T>({ listeners }: News, { schools, sources }: Advanced, result: T): T => {
  if (schools.size > 0) for (const listener of listeners) listener(schools, sources)
  return result
}

const throwAsFailure = (error: unknown): never => {
  throw toFailure(error)
}

async function repeated<T>(attempt: () => Promise<T>, tally: TransactionCounts): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const most = isRetryable(error) || error instanceof NodeEnded ? RETRIES : isOvertaken(error) ? 2 : 1
      if (tries >= most) throw error
      tally.retried += 1
    }
  }
}

const setRole = (connection: Connection, identity: Identity) =>
  connection.run("select set_config('role', $1, true), set_config('app.user_id', $2, true)", [
    identity.as === 'user' ? 'markbook_app' : SERVICE_ROLE,
    identity.userId ?? '',
  ])

function readTx({ dialect, options, setRole }: Run, connection: Connection, _identity: Identity): ReadTx {
  const nowMs = options.clock.now()
  const tx: ReadTx = {
    db: connection.db,
    t: dialect.tables,
    dialect,
    now: toInstant(nowMs),
    nowMs,
    connection: connection,
    actAs: (identity) => setRole(connection, identity),
    find: async (table, schoolId, id) => (await finders[table](tx, { school: schoolId, id }))[0] as Row<typeof table> | undefined,
  }
  return tx
}

const isList = <One, Each>(value: One | readonly Each[]): value is readonly Each[] => Array.isArray(value)

function writeTx(run: Run & { nodeId: string; advanced: Advanced }, connection: Connection, identity: Identity): Closing {
  const tx = readTx(run, connection, identity)
  const { newId } = run.options
  // A laptop never uses the central database.
  const isLaptop = async () => run.dialect.writesAlone && (await laptopOwner(tx)) !== null
  const tracker = new ChangeTracker(connection, run.dialect, {
    node: run.nodeId,
    actor: identity.userId,
    now: tx.now,
    nowMs: tx.nowMs,
    newId,
    isLaptop,
  })
  const closing: Closing = Object.assign(tx, {
    actor: identity.userId,
    newId,
    insert: (async <T extends Replicated>(table: T, rows: NewRow<T> | readonly NewRow<T>[]) =>
      isList(rows) ? tracker.insert(table, rows) : (await tracker.insert(table, [rows]))[0]) as WriteTx['insert'],
    update: (async <T extends Replicated>(table: T, before: Row<T> | readonly Change<T>[], patch: Partial<Row<T>> = {}) =>
      isList(before) ? tracker.update(table, before) : (await tracker.update(table, [{ before, patch }]))[0]) as WriteTx['update'],
    remove: tracker.remove.bind(tracker),
    entryOf: tracker.entryOf.bind(tracker),
    note: tracker.note.bind(tracker),
    replica: tracker,
    finish: async () => {
      const touched = tracker.touched()
      if (await tracker.readVersions()) await closeConflicts(closing, touched)
      await tracker.close()
      if (await settleAfter(closing, touched, tracker.overruled)) await tracker.close()
      for (const schoolId of tracker.advanced) run.advanced.schools.add(schoolId)
      for (const source of tracker.sources) run.advanced.sources.add(source)
    },
    local: connection.db as LocalDb,
  })
  return closing
}

const findIn = (table: Replicated) =>
  statement<{ school: string; id: string }>({ lock: table })(({ db, t, p }) => {
    const definition = t[table]
    const columns = getTableColumns(definition) as Record<string, Column>
    const byId = eq(columns['id'] as Column, p.id)
    const scoped = descriptions[table].scope === 'school' ? and(eq(columns['school_id'] as Column, p.school), byId) : byId
    return db
      .select()
      .from(definition as SQLiteTable)
      .where(scoped)
  })

/** For each table, the statement that finds a row of a school by its id. */
const finders = Object.fromEntries(Object.keys(descriptions).map((table) => [table, findIn(table as Replicated)])) as Record<
  Replicated,
  ReturnType<typeof findIn>
>
