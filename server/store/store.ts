import type { Clock } from '@markbook/shared/clock'
import { toInstant } from '@markbook/shared/clock'
import type { IdSource } from '@markbook/shared/ids'
import { behind, once } from './asking.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import { Door } from './door.ts'
import { isOvertaken, isRetryable, toFailure } from './errors.ts'
import { finders } from './finders.ts'
import { laptopOwner } from './laptop.ts'
import type { Line } from './line.ts'
import { type BeforeMigration, demandCurrentPostgres, demandCurrentSqlite, migratePostgres, migrateSqlite } from './migrate.ts'
import { currentNode, type NodeKind, renewNode } from './node.ts'
import { demandNode, NodeEnded, writeAlone } from './postgres.node.ts'
import { openPostgres, POOL, postgresLine, SERVICE_ROLE } from './postgres.ts'
import { settleAfter } from './replica/settle-after.ts'
import { openSqlite, openSqliteBeside, serialised, sqliteLine } from './sqlite.ts'
import { newTally, type Tally, type Turnstile, type TurnstileLoad, turnstile } from './turnstile.ts'
import { asSystem, type Identity, type LocalDb, type ReadTx, type WriteTx } from './tx.ts'

/** The only doors to the database (architecture, decision 5). `fn` may run again after a deadlock: it only reads and writes `tx`. */
export type Store = {
  readonly dialect: Dialect
  readonly nodeId: string
  read<T>(identity: Identity, fn: (tx: ReadTx) => Promise<T>): Promise<T>
  /** One statement, asked as the service: a moment of its own, for which no transaction is begun. A second one throws. */
  glance<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T>
  write<T>(identity: Identity, fn: (tx: WriteTx) => Promise<T>): Promise<T>
  /** Begins a new incarnation of this database (sync/SPEC.md), under `id` where one was agreed; answers its id. */
  renewNode(id?: string): Promise<string>
  /**
   * Begins another incarnation in the place of `ended`, and writes `along` with it, under its id. Nothing where that has ended already.
   * Answers whether it was done.
   */
  replaceNode(ended: string, along: (tx: WriteTx) => Promise<void>): Promise<boolean>
  /** Tells of every commit on this instance that moved feeds on. Answers how to stop. */
  onAdvance(listener: Listener): () => void
  /** Tells of commits of other instances on the same database, soon after them; of some perhaps not at all. */
  onElsewhere(listener: (schoolIds: ReadonlySet<string>) => void): void
  /** What the metrics say of the database: the places that transactions take, by name, and what was done in them. */
  load(): StoreLoad
  /** Waits for what is in flight, then closes. */
  close(): Promise<void>
}

/** `schoolIds`: whose feeds. `sources`: the peers that sent what was committed; null among them where some of it is not of a peer. */
export type Listener = (schoolIds: ReadonlySet<string>, sources: ReadonlySet<string | null>) => void
type Advanced = { schools: Set<string>; sources: Set<string | null> }
const nothingYet = (): Advanced => ({ schools: new Set(), sources: new Set() })

export type StoreLoad = { places: Record<string, TurnstileLoad>; reads: Tally; writes: Tally }

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
    const news = newsOfCommits()
    let nodeId = await writes.run(() => currentNode(writing, sqliteDialect, options))
    const places = { reader: turnstile(1), writer: turnstile(1) }
    return inTurn([places, places.reader, places.writer], newTally(), newTally(), {
      dialect: sqliteDialect,
      get nodeId() {
        return nodeId
      },
      renewNode: async (id) => {
        nodeId = await writes.run(() => renewNode(writing, sqliteDialect, options, id))
        return nodeId
      },
      replaceNode: async (ended, along) => {
        const advanced = nothingYet()
        // What waits its turn to write reads the id as soon as this is committed.
        const done = writes.run(async () => {
          if (nodeId !== ended) return false
          nodeId = await renewNode(writing, sqliteDialect, options)
          await through(writeTx({ ...run, nodeId, advanced }, writing, asSystem()), along)
          return true
        })
        const isDone = await done.catch((error: unknown) => {
          nodeId = ended
          throw toFailure(error)
        })
        return told(news, advanced, isDone)
      },
      read: (identity, fn) => reads.run(() => fn(readTx(run, reading, identity))).catch(rethrow),
      glance: (fn) => reads.run(() => fn(readTx(run, once(reading), asSystem()))).catch(rethrow),
      write: (identity, fn) => {
        const advanced = nothingYet()
        return writes
          .run(() => through(writeTx({ ...run, nodeId, advanced }, writing, identity), fn))
          .then((result) => told(news, advanced, result), rethrow)
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
  const { transact, alone, news: instances, close } = openPostgres(url)
  const run = { dialect: postgresDialect, options, become }
  const news = newsOfCommits()
  let nodeId = await transact('', (tx) => currentNode(postgresLine(tx, true), postgresDialect, options))
  const reading = 'isolation level repeatable read read only'
  const [pool, reads, writes] = [turnstile(POOL), newTally(), newTally()]
  news.listen((schools) => instances.tell(schools))
  return inTurn([{ pool }, pool, pool], reads, writes, {
    dialect: postgresDialect,
    get nodeId() {
      return nodeId
    },
    renewNode: async (id) => {
      nodeId = await transact('', async (tx) => {
        await writeAlone(postgresLine(tx, true))
        return renewNode(postgresLine(tx, true), postgresDialect, options, id)
      })
      return nodeId
    },
    replaceNode: async (ended, along) => {
      const advanced = nothingYet()
      const now = await transact('', async (connection) => {
        const line = postgresLine(connection, true)
        const current = await writeAlone(line)
        if (current !== ended) return current
        const id = await renewNode(line, postgresDialect, options)
        const tx = writeTx({ ...run, nodeId: id, advanced }, line, asSystem())
        await through(tx, along)
        return id
      }).catch(rethrow)
      nodeId = now
      return told(news, advanced, advanced.schools.size > 0)
    },
    read: (identity, fn) =>
      transact(reading, async (connection) => {
        const tx = readTx(run, postgresLine(connection, false), identity)
        return behind(tx.actAs(identity), fn(tx))
      }).catch(rethrow),
    glance: (fn) => alone((pool) => fn(readTx(run, once(postgresLine(pool, false)), asSystem()))).catch(rethrow),
    write: (identity, fn) => {
      const advanced = nothingYet()
      const attempt = () =>
        transact('', async (connection) => {
          advanced.schools.clear()
          advanced.sources.clear()
          const line = postgresLine(connection, true)
          const tx = writeTx({ ...run, nodeId, advanced }, line, identity)
          const begun = Promise.all([demandNode(line, nodeId), tx.actAs(identity)])
          return behind(begun, through(tx, fn))
        }).catch((error: unknown) => {
          if (error instanceof NodeEnded) nodeId = error.current
          throw error
        })
      return repeated(attempt, writes).then((result) => told(news, advanced, result), rethrow)
    },
    onAdvance: news.listen,
    onElsewhere: instances.hear,
    close,
  })
}

/** Lets transactions in as far as there is room for them: neither database has to know who waits, or for how long. */
function inTurn(
  [places, reader, writer]: [places: Record<string, Turnstile>, reader: Turnstile, writer: Turnstile],
  reads: Tally,
  writes: Tally,
  store: Omit<Store, 'load'>,
): Store {
  const loads = () => Object.fromEntries(Object.entries(places).map(([name, place]) => [name, place.load()]))
  return {
    ...store,
    get nodeId() {
      return store.nodeId
    },
    read: (identity, fn) => reader.run(reads, () => store.read(identity, fn)),
    glance: (fn) => reader.run(reads, () => store.glance(fn)),
    write: (identity, fn) => writer.run(writes, () => store.write(identity, fn)),
    load: () => ({ places: loads(), reads, writes }),
    close: async () => {
      await Promise.all([reader.idle(), writer.idle()])
      await store.close()
    },
  }
}

type Run = { dialect: Dialect; options: StoreOptions; become: (line: Line, identity: Identity) => Promise<void> }
type Closing = WriteTx & { finish(): Promise<void> }

const through = async <T>(tx: Closing, fn: (tx: WriteTx) => Promise<T>): Promise<T> => {
  const result = await fn(tx)
  await tx.finish()
  return result
}

type News = ReturnType<typeof newsOfCommits>
function newsOfCommits() {
  const listeners = new Set<Listener>()
  const listen = (listener: Listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return { listeners, listen }
}

const told = <T>({ listeners }: News, { schools, sources }: Advanced, result: T): T => {
  if (schools.size > 0) for (const listener of listeners) listener(schools, sources)
  return result
}

const rethrow = (error: unknown): never => {
  throw toFailure(error)
}

async function repeated<T>(attempt: () => Promise<T>, tally: Tally): Promise<T> {
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

const become = (line: Line, identity: Identity) =>
  line.run("select set_config('role', $1, true), set_config('app.user_id', $2, true)", [
    identity.as === 'user' ? 'markbook_app' : SERVICE_ROLE,
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

function writeTx(run: Run & { nodeId: string; advanced: Advanced }, line: Line, identity: Identity): Closing {
  const tx = readTx(run, line, identity)
  const { newId } = run.options
  // No laptop has the central database.
  const isLaptop = async () => run.dialect.writesAlone && (await laptopOwner(tx)) !== null
  const door = new Door(line, run.dialect, { node: run.nodeId, actor: identity.userId, now: tx.now, nowMs: tx.nowMs, newId, isLaptop })
  const closing: Closing = Object.assign(tx, {
    actor: identity.userId,
    newId,
    insert: door.insert.bind(door),
    update: door.update.bind(door),
    remove: door.remove.bind(door),
    entryOf: door.entryOf.bind(door),
    note: door.note.bind(door),
    replica: door,
    finish: async () => {
      const touched = door.touched()
      await door.close()
      if (await settleAfter(closing, touched, door.overruled)) await door.close()
      for (const schoolId of door.advanced) run.advanced.schools.add(schoolId)
      for (const source of door.sources) run.advanced.sources.add(source)
    },
    local: line.db as LocalDb,
  })
  return closing
}
