import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { limits } from '@markbook/shared/limits'
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import { PostgresJsSession } from 'drizzle-orm/postgres-js/session'
import postgres from 'postgres'
import type { Compiled } from './compiled.ts'
import { isLost, isOfStatement } from './errors.ts'
import type { Db, Line, Ready } from './line.ts'
import { type NewsOfInstances, newsOfInstances } from './postgres.news.ts'

export type PostgresConnections = {
  /** A transaction of `work`. One whose connection is lost rejects at once; whether it was committed nobody knows then. */
  transact<T>(mode: string, work: (connection: postgres.TransactionSql) => Promise<T>): Promise<T>
  /** One statement without a transaction, as the service. */
  alone<T>(work: (pool: postgres.Sql) => Promise<T>): Promise<T>
  news: NewsOfInstances
  close(): Promise<void>
}

/** Connections of one instance; the database's own limit is shared by the instances (docs, operators' guide). */
export const POOL = 12

/** Seconds. A database that is away is asked again soon: whoever asks meanwhile is told at once, and it is back when it is back. */
const PATIENCE = { connect_timeout: 5, backoff: () => 0.2 }
const FAREWELL = { timeout: 5 }
export const SERVICE_ROLE = 'markbook_system'

export function openPostgres(url: string): PostgresConnections {
  let pool = poolAt(url)
  const news = newsOfInstances(() => pool, randomUUID())
  const onPool = async <T>(work: (asked: postgres.Sql) => Promise<T>) => {
    const asked = pool
    try {
      return await work(asked)
    } catch (error) {
      // The driver's connections keep what was under way when they were lost, and blame it on the next transaction (decision 232).
      if (isLost(error) && pool === asked) {
        pool = poolAt(url)
        void asked.end(FAREWELL)
        news.renewed()
      }
      throw error
    }
  }
  return {
    transact: (mode, work) => onPool((asked) => begin(asked, mode, work)),
    alone: onPool,
    news,
    close: async () => {
      await news.close()
      await pool.end(FAREWELL)
    },
  }
}

function poolAt(url: string): postgres.Sql {
  // Whoever says nothing else is the service; a transaction says as whom it asks.
  const connection = { application_name: 'markbook', TimeZone: 'UTC', lock_timeout: limits.lockWait, role: SERVICE_ROLE }
  // We have no columns of arrays; and a connection that is lost while it asks for their types throws where nobody can catch it.
  const sql = postgres(url, { max: POOL, onnotice: () => {}, connection, fetch_types: false, ...PATIENCE, ...promptSockets(url) })
  // Sets the driver's parsers so that dates arrive as text, as Drizzle's own sessions expect.
  drizzle(sql)
  return sql
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

const begin = <T>(sql: postgres.Sql, mode: string, work: (connection: postgres.TransactionSql) => Promise<T>): Promise<T> =>
  sql.begin(mode, (connection) =>
    work(connection).catch((error: unknown) => {
      // `begin` rejects by itself when the connection closes. Told of the error it would ask for a rollback, on a socket that is gone,
      // which throws where nobody can catch it.
      if (isLost(error) && isOfStatement(error)) return new Promise<T>(() => {})
      throw error
    }),
  ) as Promise<T>

const dialect = new PgDialect()
/** The prepared forms carry no connection of their own (see `execute`), so one collection serves the whole pool. */
const preparedForReading = new Map<unknown, Ready>()
const preparedForWriting = new Map<unknown, Ready>()

type Unsafe = postgres.ISql['unsafe']

export function postgresLine(sql: postgres.ISql, writes: boolean): Line {
  // The driver remembers a statement that failed and fails its transaction for it at the end, but for statements that were asked of the
  // savepoint's own `sql`: so whatever runs in an attempt is asked of that one.
  let asked = sql
  const client = { unsafe: ((...given: Parameters<Unsafe>) => asked.unsafe(...given)) as Unsafe, options: (sql as postgres.Sql).options }
  const session = new PostgresJsSession(client as never, dialect, undefined, {})
  const unsafe = <R>(text: string, params: readonly unknown[]) =>
    asked.unsafe<never[]>(text, params as never[], { prepare: true }) as unknown as Promise<R[]>
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
      for (const params of each) written += ((await unsafe(text, params)) as never as { count: number }).count
      return written
    },
    attempt: async <T>(work: () => Promise<T>) => {
      const outer = asked as postgres.TransactionSql
      try {
        return (await outer.savepoint((inner) => {
          asked = inner
          return work()
        })) as T
      } finally {
        asked = outer
      }
    },
    ready: (query) => ({ ready: query }),
    execute: async ({ ready }, params) => {
      if (!('bind' in (ready as object))) return onConnection(ready as object, client).execute(params)
      const { text, bind, rowOf } = ready as Compiled
      return (await asked.unsafe<never[]>(text, bind(params) as never[], { prepare: true }).values()).map(rowOf)
    },
  }
}

type Executable = { execute(params: Record<string, unknown>): Promise<unknown[]> }
const onConnection = (prepared: object, client: Pick<postgres.ISql, 'unsafe'>): Executable =>
  Object.assign(Object.create(Object.getPrototypeOf(prepared)), prepared, { client })
