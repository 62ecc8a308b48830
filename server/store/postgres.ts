import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { limits } from '@markbook/shared/limits'
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import { PostgresJsSession } from 'drizzle-orm/postgres-js/session'
import postgres from 'postgres'
import { codeOf } from '../error-code.ts'
import type { Compiled } from './compiled.ts'
import type { Connection, Db, PreparedQuery } from './connection.ts'
import { isLost, isOfStatement } from './errors.ts'
import { type FeedNotifications, feedNotifications } from './postgres.notifications.ts'
import { type Times, UnknownOutcome, type Waiting, watchDatabase } from './postgres.watch.ts'

export type PostgresConnections = {
  /**
   * Runs `work` in a transaction. Where the connection is lost or the database does not answer, it rejects soon: with `UnknownOutcome`
   * where the commit was sent; otherwise the transaction was not committed.
   */
  transact<T>(mode: string, work: (on: Target) => Promise<T>): Promise<T>
  /** Runs one statement as the service, without a transaction unless a pooler requires one. */
  alone<T>(work: (on: Target) => Promise<T>): Promise<T>
  notifications: FeedNotifications
  close(): Promise<void>
}

/** Where to send statements, and the record of unanswered ones. */
type Target = { sql: postgres.ISql; waiting: Waiting }

/** Connections of one instance; the instances share the database's own limit (docs, operators' guide). */
export const POOL = 12

/** In seconds. A database that is down is tried again soon; meanwhile requests get an error at once. */
const CONNECTING = { connect_timeout: limits.postgres.connectTimeoutMs / 1_000, backoff: () => 0.2 }
const CLOSING = { timeout: 5 }
export const SERVICE_ROLE = 'markbook_system'
/** The settings of a connection: its role is the service, unless a transaction sets another. `statement`: longest statement, ms. */
const sessionOf = (statement: number) => ({
  lock_timeout: limits.lockTimeoutMs,
  statement_timeout: statement,
  idle_in_transaction_session_timeout: Math.max(limits.postgres.idleInTransactionTimeoutMs, statement),
  role: SERVICE_ROLE,
})
type Session = ReturnType<typeof sessionOf>

/** The limits for long operations. */
const LONG: Times & { totalTimeoutMs: number } = { ...limits.postgres, ...limits.postgres.long }

/**
 * Runs `work` on a connection of its own, with the role of the URL, and closes it. Through a pooler each statement may run on another
 * server connection. Rejects, and aborts the signal, where the database stops answering or `work` exceeds its time limit.
 */
export async function withPostgres<T>(
  url: string,
  work: (sql: postgres.Sql, signal: AbortSignal) => Promise<T>,
  options: postgres.Options<Record<string, never>> = {},
  times = LONG,
): Promise<T> {
  const sockets = ownSockets(url)
  const sql = postgres(url, { max: 1, onnotice: () => {}, prepare: false, ...sockets.option, ...socketHost(url), ...options })
  const isLost = new AbortController()
  const watch = watchDatabase(
    (signal) => ping(url, signal),
    () => {},
    times.totalTimeoutMs,
    times,
  )
  try {
    return await watch.during((waiting) => {
      waiting.asked()
      return work(sql, isLost.signal)
    })
  } catch (error) {
    isLost.abort()
    throw error
  } finally {
    watch.close()
    await sql.end({ timeout: isLost.signal.aborted ? 0 : 5 })
    if (isLost.signal.aborted) sockets.destroy()
  }
}

/** `longest`: of one statement, ms. */
export async function openPostgres(url: string, { longest }: { longest: number }): Promise<PostgresConnections> {
  const session = sessionOf(longest)
  let pool = poolAt(url, session)
  const pooled = await isPooled(pool.sql)
  const open = () => poolAt(url, pooled ? null : session)
  const renew = () => {
    void pool.sql.end(CLOSING)
    pool = open()
  }
  if (pooled) renew()
  // Listening does not work through a pooler; waiting requests then read the feed regularly.
  const notifications = feedNotifications(() => pool.sql, randomUUID(), { listens: !pooled })
  const abandon = () => {
    pool.abandon()
    pool = open()
    notifications.renewed()
  }
  const watch = watchDatabase((signal) => ping(url, signal), abandon, longest)
  const onPool = async <T>(work: (sql: postgres.Sql, waiting: Waiting) => Promise<T>): Promise<T> => {
    const used = pool
    let isCommitting = () => false
    try {
      return await watch.during((waiting) => {
        isCommitting = () => waiting.isCommitting
        return work(used.sql, waiting)
      })
    } catch (error) {
      // The driver's connections keep the query that was running when they were lost, and report its error in the next transaction
      // (docs/design/store.md).
      if (isLost(error) && pool === used && !watch.isSilent()) {
        renew()
        notifications.renewed()
      }
      throw isLost(error) && isCommitting() ? new UnknownOutcome('no answer to a commit', { cause: error }) : error
    }
  }
  const settled = pooled ? withSettings(session) : (work: Work<never>) => work
  return {
    transact: (mode, work) => onPool((sql, waiting) => begin(sql, mode, waiting, settled(work as Work<never>))),
    alone: (work) =>
      onPool((sql, waiting) => (pooled ? begin(sql, READING, waiting, settled(work as Work<never>)) : work({ sql, waiting }))),
    notifications,
    close: async () => {
      watch.close()
      await notifications.close()
      await pool.sql.end(CLOSING)
    },
  }
}

/** Resolves once the database has answered on a new connection, even with an error. */
async function ping(url: string, signal: AbortSignal): Promise<void> {
  const pool = poolAt(url, null, 1)
  signal.addEventListener('abort', () => pool.abandon())
  try {
    await pool.sql.unsafe('select 1', [], { prepare: false })
  } finally {
    pool.abandon()
  }
}

/**
 * Whether a pooler assigns a server connection for one transaction only, as PgBouncer in transaction mode: it refuses or loses the
 * settings of a session. The connections of `sql` set a `Session`.
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

/** The same for a URL. In a new database the role does not exist; the error proves a direct connection. */
export const isPooledAt = (url: string): Promise<boolean> =>
  withPostgres(url, isPooled, { fetch_types: false, connection: sessionOf(limits.postgres.statementTimeoutMs) }).catch((error: unknown) => {
    if (codeOf(error) === UNKNOWN_ROLE) return false
    throw error
  })
const UNKNOWN_ROLE = '22023'

type Work<T> = (on: Target) => Promise<T>

/** Applies, in a transaction, the settings that a direct connection applies once. */
const withSettings = (session: Session) => {
  const texts = Object.entries(session).flatMap(([name, value]) => [name, String(value)])
  const settings = Object.keys(session).map((_, at) => `set_config($${at * 2 + 1}, $${at * 2 + 2}, true)`)
  return <T>(work: Work<T>): Work<T> =>
    async (on) => {
      await on.waiting.answerOf(on.sql.unsafe(`select ${settings}`, texts))
      return work(on)
    }
}

type Pool = {
  sql: postgres.Sql
  /** Closes its connections at once, whatever is running on them. */
  abandon(): void
}

/** `session`: the settings of its connections; null behind a pooler. */
function poolAt(url: string, session: Session | null, max = POOL): Pool {
  const connection = { application_name: 'markbook', TimeZone: 'UTC', ...session }
  const sockets = ownSockets(url)
  // There are no array columns; and a connection that is lost while the driver reads their types throws outside every promise.
  const sql = postgres(url, {
    max,
    onnotice: () => {},
    connection,
    fetch_types: false,
    // Behind a pooler, a statement prepared on one connection is unknown on the next.
    prepare: session !== null,
    ...CONNECTING,
    ...sockets.option,
    ...socketHost(url),
  })
  // Sets the driver's parsers so that dates arrive as text, as Drizzle's own sessions expect.
  drizzle(sql)
  const abandon = () => {
    sockets.destroy()
    void sql.end({ timeout: 0 })
  }
  return { sql, abandon }
}

const SOCKET_FOLDER = /^[a-z]+:\/\/(?:[^@/]*@)?(%2f[^:/?]*)/i

/** The socket folder in a URL of a local server, percent-encoded as its host, as in libpq; the driver would resolve it as a host name. */
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
 * Sockets with Nagle's algorithm off, and with an abrupt close. The driver sends a long message at once and its end a moment later. Nagle
 * holds the end back until the rest is acknowledged, while the database delays that acknowledgement: 40 ms for each statement. The driver
 * also cannot close a connection without a message to the server. A URL of several hosts keeps the driver's own sockets, which support
 * failover.
 */
function ownSockets(url: string): { option: object; destroy(): void } {
  if (url.includes(',')) return { option: {}, destroy: () => {} }
  const open = new Set<Socket>()
  let isOver = false
  const socket = ({ host: [host = 'localhost'], port: [port = 5432], path }: Address) => {
    if (isOver) throw Object.assign(new Error('these connections were taken away'), { code: 'CONNECTION_DESTROYED' })
    const made = path ? connect({ path }) : connect({ host, port, noDelay: true })
    open.add(made)
    made.once('close', () => open.delete(made))
    // The driver reads the host name from the socket, to check the certificate.
    return Object.assign(made, { host, port })
  }
  const destroy = () => {
    isOver = true
    for (const one of open) one.destroy()
  }
  return { option: { socket }, destroy }
}

const begin = <T>(sql: postgres.Sql, mode: string, waiting: Waiting, work: Work<T>): Promise<T> => {
  waiting.asked()
  const transaction = (connection: postgres.TransactionSql) => {
    waiting.answered()
    const done = work({ sql: connection, waiting }).then((result) => {
      if (waiting.lost) throw waiting.lost
      waiting.isCommitting = mode !== READING
      return result
    })
    // From here on the driver's own commit or rollback waits for its answer.
    return pendingWhenLost(done.finally(() => waiting.asked()))
  }
  return sql.begin(mode, transaction) as Promise<T>
}
export const READING = 'isolation level repeatable read read only'

/**
 * Never settles where the connection was lost, since `begin` rejects by itself when the connection closes. Given the error, the driver
 * would send a rollback on a closed socket, which throws outside every promise.
 */
const pendingWhenLost = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (isLost(error) && isOfStatement(error)) return new Promise<T>(() => {})
    throw error
  })

const dialect = new PgDialect()
/** The prepared forms hold no connection (see `execute`), so one map serves the whole pool. */
const preparedForReading = new Map<unknown, PreparedQuery>()
const preparedForWriting = new Map<unknown, PreparedQuery>()

type Unsafe = postgres.ISql['unsafe']

export function postgresConnection({ sql, waiting }: Target, writes: boolean): Connection {
  // After a failed statement the driver fails the transaction at its end, unless the statement ran on the savepoint's own `sql`; so the
  // statements of an attempt use that one.
  let active = sql
  const send = ((...params: Parameters<Unsafe>) => waiting.answerOf(active.unsafe(...params))) as Unsafe
  const client = { unsafe: send, options: (sql as postgres.Sql).options }
  const session = new PostgresJsSession(client as unknown as postgres.Sql, dialect, undefined, {})
  const unsafe = <R>(text: string, params: readonly unknown[]) =>
    send<never[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true }) as unknown as Promise<R[]>
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
      waiting.asked()
      try {
        return (await outer.savepoint((inner) => {
          waiting.answered()
          active = inner
          return pendingWhenLost(work().finally(() => waiting.asked()))
        })) as T
      } finally {
        waiting.answered()
        active = outer
      }
    },
    ready: (query) => ({ ready: query }),
    execute: async ({ ready }, params) => {
      if (!('bind' in (ready as object))) return onConnection(ready as object, client).execute(params)
      const { text, bind, rowOf } = ready as Compiled
      return (await send<never[]>(text, bind(params) as postgres.ParameterOrJSON<never>[], { prepare: true }).values()).map(rowOf)
    },
  }
}

type Executable = { execute(params: Record<string, unknown>): Promise<unknown[]> }
const onConnection = (prepared: object, client: Pick<postgres.ISql, 'unsafe'>): Executable =>
  Object.assign(Object.create(Object.getPrototypeOf(prepared)), prepared, { client })
