import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'

/** Drizzle as features see it: SQLite's types stand for both databases (shared/tables). */
export type Db = BaseSQLiteDatabase<'async', unknown, Record<string, never>>

/** A query that is run again and again; only the line that made it knows what it holds. */
export type PreparedQuery = { readonly ready: unknown }

/** The store's own access to one connection: SQL text and parameters, rows as objects. */
export type Connection = {
  readonly db: Db
  readonly writes: boolean
  rows<R>(text: string, params: readonly unknown[]): Promise<R[]>
  run(text: string, params: readonly unknown[]): Promise<void>
  /** The same statement for each of these parameters, in order; stops at the first that fails. Answers how many rows it wrote. */
  runEach(text: string, each: Iterable<readonly unknown[]>): Promise<number>
  /**
   * All of `work` or nothing of it, within a transaction that goes on either way; throws what `work` threw. Work inside it uses this same
   * line. A savepoint, which costs: only where a failure is expected and not the end.
   */
  attempt<T>(work: () => Promise<T>): Promise<T>
  /** Where the ready queries of this connection are kept. */
  readonly prepared: Map<unknown, PreparedQuery>
  /** Makes a query, compiled or as Drizzle prepared it, ready for any connection that shares `prepared`. */
  ready(query: object): PreparedQuery
  execute(ready: PreparedQuery, params: Record<string, unknown>): Promise<unknown[]>
}
