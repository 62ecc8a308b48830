import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { limits } from '@markbook/shared/limits'
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import { PostgresJsSession } from 'drizzle-orm/postgres-js/session'
import postgres from 'postgres'
import type { Compiled } from './compiled.ts'
import type { Connection, Db, PreparedQuery } from './connection.ts'
import { isLost, isOfStatement } from './errors.ts'
import { type FeedNotifications, feedNotifications } from './postgres.notifications.ts'

export type PostgresConnections = {
  /** A transaction of `work`. One whose connection is lost rejects at once; whether it was committed nobody knows then. */
  transact<T>(mode: string, work: (connection: postgres.TransactionSql) => Promise<T>): Promise<T>
  /** One statement as the service, without a transaction unless a pooler needs one. */
  alone<T>(work: (sql: postgres.ISql) => Promise<T>): Promise<T>
  notifications: FeedNotifications
  close(): Promise<void>
}

/** Connections of one instance; the database's own limit is shared by the instances (docs, operators' guide). */
export const POOL = 12

/** Seconds. A database that is away is tried again soon, and who asks meanwhile gets an error at once. */
const PATIENCE = { connect_timeout: 5, backoff: () => 0.2 }
const CLOSING = { timeout: 5 }
export const SERVICE_ROLE = 'markbook_system'
/** Whoever says nothing else is the service; a transaction says as whom it asks. */
const SESSION = { lock_timeout: limits.lockWait, role: SERVICE_ROLE }

/** Does `work` on a connection of its own, as whom the address says, and closes it. Through a pooler each statement may meet another connection. */
export async function withPostgres<T>(
  url: string,
  work: (sql: postgres.Sql) => Promise<T>,
  options: postgres.Options<Record<string, never>> = {},
): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, prepare: false, ...socketHost(url), ...options })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

export async function openPostgres(url: string): Promise<PostgresConnections> {
  let pool = poolAt(url, { pooled: false })
  const pooled = await isPooled(pool)
  const renew = () => {
    void pool.end(CLOSING)
    pool = poolAt(url, { pooled })
  }
  if (pooled) renew()
  // What listens through a pooler hears nothing: whoever waits looks by itself.
  const notifications = feedNotifications(() => pool, randomUUID(), { listens: !pooled })
  const onPool = async <T>(work: (sql: postgres.Sql) => Promise<T>) => {
    const used = pool
    try {
      return await work(used)
    } catch (error) {
      // The driver's connections keep what was under way when they were lost, and blame it on the next transaction (docs/design/store.md).
      if (isLost(error) && pool === used) {
        renew()
        notifications.renewed()
      }
      throw error
    }
  }
  const settled = pooled ? inSession : <T>(work: Work<T>) => work
  return {
    transact: (mode, work) => onPool((sql) => begin(sql, mode, settled(work))),
    alone: (work) => onPool((sql) => (pooled ? begin(sql, 'read only', settled(work)) : work(sql))),
    notifications,
    close: async () => {
      await notifications.close()
      await pool.end(CLOSING)
    },
  }
}

/**
 * True where something between gives a connection for one transaction only, as PgBouncer in transaction mode does: what a session
 * says of itself is refused there, or nobody's. `sql` has connections that say `SESSION`.
 */
async function isPooled(sql: postgres.Sql): Promise<boolean> {
  try {
    const [row] = await sql.unsafe("select current_setting('role') as role", [], { prepare: false })
    return row?.['role'] !== SERVICE_ROLE
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('unsupported startup parameter')) return true
    throw error
  }
}

/** The same for an address. A database that has yet to be filled does not know the role, and says so itself. */
export const isPooledAt = (url: string): Promise<boolean> =>
  withPostgres(url, isPooled, { fetch_types: false, connection: SESSION }).catch((error: unknown) => {
    if ((error as { code?: string }).code === UNKNOWN_ROLE) return false
    throw error
  })
const UNKNOWN_ROLE = '22023'

type Work<T> = (sql: postgres.TransactionSql) => Promise<T>

/** Says in a transaction what elsewhere the connection has said. */
const inSession =
  <T>(work: Work<T>): Work<T> =>
  async (sql) => {
    const texts = Object.entries(SESSION).flatMap(([name, value]) => [name, String(value)])
    await sql.unsafe('select set_config($1, $2, true), set_config($3, $4, true)', texts)
    return work(sql)
  }

function poolAt(url: string, { pooled }: { pooled: boolean }): postgres.Sql {
  const connection = { application_name: 'markbook', TimeZone: 'UTC', ...(!pooled && SESSION) }
  // We have no columns of arrays; and a connection that is lost while it asks for their types throws where nobody can catch it.
  const sql = postgres(url, {
    max: POOL,
    onnotice: () => {},
    connection,
    fetch_types: false,
    // A statement that one connection has prepared is unknown to the next.
    prepare: !pooled,
    ...PATIENCE,
    ...promptSockets(url),
    ...socketHost(url),
  })
  // Sets the driver's parsers so that dates arrive as text, as Drizzle's own sessions expect.
  drizzle(sql)
  return sql
}

const SOCKET_FOLDER = /^[a-z]+:\/\/(?:[^@/]*@)?(%2f[^:/?]*)/i

/** The folder of the socket in an address of a server on this machine, percent-encoded in the place of its host, as libpq takes it; the driver would look it up as a name. */
export function socketFolder(url: string): string | null {
  const [, folder] = SOCKET_FOLDER.exec(url) ?? []
  return folder ? decodeURIComponent(folder) : null
}
const socketHost = (url: string): { host?: string } => {
  const host = socketFolder(url)
  return host ? { host } : {}
}

type Address = { host: readonly string[]; port: readonly number[]; path?: string }

/**
 * The driver sends what is long at once and its end a moment later. An end that is held back until the rest was acknowledged (Nagle),
 * by a database that acknowledges late because it waits for that end, costs 40 ms a statement. An address of several hosts keeps the
 * driver's own sockets, which go from one to the next.
 */
function promptSockets(url: string): object {
  if (url.includes(',')) return {}
  const socket = ({ host: [host = 'localhost'], port: [port = 5432], path }: Address) =>
    // The driver reads the name of the host there, for its certificate.
    Object.assign(path ? connect({ path }) : connect({ host, port, noDelay: true }), { host, port })
  return { socket }
}

const begin = <T>(sql: postgres.Sql, mode: string, work: Work<T>): Promise<T> =>
  sql.begin(mode, (connection) => untilLost(work(connection))) as Promise<T>

/**
 * `begin` rejects by itself when the connection closes. Told of the error the driver would ask for a rollback, of the transaction or to its
 * savepoint, on a socket that is gone, which throws where nobody can catch it.
 */
const untilLost = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (isLost(error) && isOfStatement(error)) return new Promise<T>(() => {})
    throw error
  })

const dialect = new PgDialect()
/** The prepared forms carry no connection of their own (see `execute`), so one collection serves the whole pool. */
const preparedForReading = new Map<unknown, PreparedQuery>()
const preparedForWriting = new Map<unknown, PreparedQuery>()

type Unsafe = postgres.ISql['unsafe']

export function postgresConnection(sql: postgres.ISql, writes: boolean): Connection {
  // The driver remembers a statement that failed and fails its transaction for it at the end, but for statements that run on the
  // savepoint's own `sql`: so whatever runs in an attempt runs on that one.
  let active = sql
  const client = { unsafe: ((...params: Parameters<Unsafe>) => active.unsafe(...params)) as Unsafe, options: (sql as postgres.Sql).options }
  const session = new PostgresJsSession(client as unknown as postgres.Sql, dialect, undefined, {})
  const unsafe = <R>(text: string, params: readonly unknown[]) =>
    active.unsafe<never[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true }) as unknown as Promise<R[]>
  return {
    db: new PgDatabase(dialect, session, undefined) as unknown as Db,
    writes,
    prepared: writes ? preparedForWriting : preparedForReading,
    rows: async <R>(text: string, params: readonly unknown[]) => [...(await unsafe<R>(text, params))],
    run: async (text, params) => {
      await unsafe(text, params)
    },
    runEach: async (text, each) => {
      let written = 0
      for (const params of each) written += ((await unsafe(text, params)) as unknown as { count: number }).count
      return written
    },
    attempt: async <T>(work: () => Promise<T>) => {
      const outer = active as postgres.TransactionSql
      try {
        return (await outer.savepoint((inner) => {
          active = inner
          return untilLost(work())
        })) as T
      } finally {
        active = outer
      }
    },
    ready: (query) => ({ ready: query }),
    execute: async ({ ready }, params) => {
      if (!('bind' in (ready as object))) return onConnection(ready as object, client).execute(params)
      const { text, bind, rowOf } = ready as Compiled
      return (await active.unsafe<never[]>(text, bind(params) as postgres.ParameterOrJSON<never>[], { prepare: true }).values()).map(rowOf)
    },
  }
}

type Executable = { execute(params: Record<string, unknown>): Promise<unknown[]> }
const onConnection = (prepared: object, client: Pick<postgres.ISql, 'unsafe'>): Executable =>
  Object.assign(Object.create(Object.getPrototypeOf(prepared)), prepared, { client })
