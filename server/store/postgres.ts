import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import { PostgresJsSession } from 'drizzle-orm/postgres-js/session'
import postgres from 'postgres'
import type { Db, Line } from './line.ts'

export type PostgresConnections = { sql: postgres.Sql; close(): Promise<void> }

/** Connections of one instance; the database's own limit is shared by the instances (docs, operators' guide). */
const POOL = 12

export function openPostgres(url: string): PostgresConnections {
  const sql = postgres(url, { max: POOL, onnotice: () => {}, connection: { application_name: 'markbook', TimeZone: 'UTC' } })
  // Sets the driver's parsers so that dates arrive as text, as Drizzle's own sessions expect.
  drizzle(sql)
  return { sql, close: () => sql.end({ timeout: 5 }) }
}

const dialect = new PgDialect()
/** The prepared forms carry no connection of their own (see `execute`), so one collection serves the whole pool. */
const preparedForReading = new Map<unknown, unknown>()
const preparedForWriting = new Map<unknown, unknown>()

export function postgresLine(sql: postgres.TransactionSql, writes: boolean): Line {
  const session = new PostgresJsSession(sql as never, dialect, undefined, {})
  const unsafe = <R>(text: string, params: readonly unknown[]) =>
    sql.unsafe<never[]>(text, params as never[], { prepare: true }) as unknown as Promise<R[]>
  return {
    db: new PgDatabase(dialect, session, undefined) as unknown as Db,
    writes,
    prepared: writes ? preparedForWriting : preparedForReading,
    rows: async <R>(text: string, params: readonly unknown[]) => [...(await unsafe<R>(text, params))],
    run: async (text, params) => {
      await unsafe(text, params)
    },
    execute: (prepared, params) => onConnection(prepared as object, sql).execute(params),
  }
}

type Executable = { execute(params: Record<string, unknown>): Promise<unknown[]> }
const onConnection = (prepared: object, client: postgres.TransactionSql): Executable =>
  Object.assign(Object.create(Object.getPrototypeOf(prepared)), prepared, { client })
