import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'

/** The type of Drizzle in features: SQLite's types stand for both databases (shared/tables). */
export type Db = BaseSQLiteDatabase<'async', unknown, Record<string, never>>

/** A prepared query; only the connection that made it can read its content. */
export type PreparedQuery = { readonly ready: unknown }

/** The store's access to one database connection: SQL text with parameters in, rows as objects out. */
export type Connection = {
  readonly db: Db
  readonly writes: boolean
  rows<R>(text: string, params: readonly unknown[]): Promise<R[]>
  run(text: string, params: readonly unknown[]): Promise<void>
  /** Runs one statement for each array of parameters, in order, and stops at the first failure. Returns the number of rows written. */
  runEach(text: string, each: Iterable<readonly unknown[]>): Promise<number>
  /**
   * Runs `work` in a savepoint: where it throws, its writes are undone, the error is rethrown, and the transaction can continue. `work`
   * uses this same connection. Savepoints are expensive: only for failures that are expected and not final.
   */
  attempt<T>(work: () => Promise<T>): Promise<T>
  /** The prepared queries of this connection. */
  readonly prepared: Map<unknown, PreparedQuery>
  /** Prepares a query, compiled or of Drizzle, for all connections that share `prepared`. */
  ready(query: object): PreparedQuery
  execute(ready: PreparedQuery, params: Record<string, unknown>): Promise<unknown[]>
}
