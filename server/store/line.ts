import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'

/** Drizzle as features see it: SQLite's types stand for both databases (shared/tables). */
export type Db = BaseSQLiteDatabase<'async', unknown, Record<string, never>>

/** The store's own access to one connection: SQL text and parameters, rows as objects. */
export type Line = {
  readonly db: Db
  readonly writes: boolean
  rows<R>(text: string, params: readonly unknown[]): Promise<R[]>
  run(text: string, params: readonly unknown[]): Promise<void>
  /** Where prepared statements of this connection are kept. */
  readonly prepared: Map<unknown, unknown>
  /** Runs a prepared Drizzle query of this dialect on this connection. */
  execute(prepared: unknown, params: Record<string, unknown>): Promise<unknown[]>
}
