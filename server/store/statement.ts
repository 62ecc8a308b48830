import type { Row, Tables } from '@markbook/shared/tables/tables'
import { and, asc, desc, eq, isNull, type Placeholder, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { compiled } from './compiled.ts'
import type { Db } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { ReadTx } from './tx.ts'

type StatementInput<P> = { db: Db; t: Tables; p: { readonly [K in keyof P]-?: Placeholder<string, P[K]> }; dialect: Dialect }
type Prepared = { prepare(): unknown }

const placeholders = new Proxy({}, { get: (_target, name) => sql.placeholder(String(name)) })

/**
 * A query with a fixed text: built once for a process, prepared once for a connection, then run with parameters. Building a Drizzle query
 * costs several times the request (docs/design/store.md).
 *
 *     const termsOfYear = statement<{ school: string; year: string }>()(({ db, t, p }) => db.select().from(t.term).where(…))
 *     const rows = await termsOfYear(tx, { school, year })
 *
 * `lock` names the table whose rows stay locked until the commit when the query runs in a writing transaction.
 */
export const statement =
  <P extends Record<string, unknown>>(options: { lock?: string } = {}) =>
  <Q extends Prepared & PromiseLike<unknown>>(build: (given: StatementInput<P>) => Q) => {
    const key = { options }
    const recipes = new Map<string, object>()
    const recipeFor = ({ connection, dialect, t }: ReadTx) => {
      const variant = `${dialect.name} ${connection.writes}`
      const known = recipes.get(variant)
      if (known) return known
      const prepared = build({ db: connection.db, t, p: placeholders as StatementInput<P>['p'], dialect }).prepare() as object
      if (options.lock && connection.writes) appendToText(prepared, dialect.lockOf(options.lock))
      const recipe = compiled(prepared, { inlined: dialect.plansByValue })
      if (recipe) recipes.set(variant, recipe)
      return recipe ?? prepared
    }
    return async (tx: ReadTx, params: P): Promise<Awaited<Q>> => {
      const { connection } = tx
      let ready = connection.prepared.get(key)
      if (!ready) {
        ready = connection.ready(recipeFor(tx))
        connection.prepared.set(key, ready)
      }
      return (await connection.execute(ready, params)) as Awaited<Q>
    }
  }

type By<T extends keyof Tables> = Readonly<Record<string, keyof Row<T> | { in: keyof Row<T> }>>
type Values<T extends keyof Tables, B extends By<T>> = {
  [P in keyof B]: B[P] extends keyof Row<T> ? Exclude<Row<T>[B[P]], null> : string
}

type Options<T extends keyof Tables, C> = {
  lock?: boolean
  /** The selected columns; all by default. */
  columns?: readonly C[]
  /** Conditions with constant values. */
  where?: Partial<Row<T>>
  orderBy?: readonly ((keyof Row<T> & string) | { desc: keyof Row<T> & string })[]
  limit?: number
}

/**
 * A statement for the rows of a table whose columns equal its parameters. For a column under `in` the parameter is a JSON array of values.
 * `lock` as in `statement`.
 *
 *     const termsOfYear = rowsBy('term', { school: 'school_id', year: 'academic_year_id' }, { orderBy: ['sort_order'] })
 */
export const rowsBy = <T extends keyof Tables, const B extends By<T>, const C extends keyof Row<T> & string = keyof Row<T> & string>(
  table: T,
  by: B,
  { lock = false, columns: wanted, where = {}, orderBy = [], limit }: Options<T, C> = {},
) => {
  const isList = Object.values(by).some((column) => typeof column === 'object')
  const query = statement<Record<string, unknown>>(lock ? { lock: table } : {})(({ db, t, p, dialect }) => {
    const columns = t[table] as unknown as Record<PropertyKey, SQLiteColumn>
    const columnOf = (name: PropertyKey) => columns[name] as SQLiteColumn
    const conditions = Object.entries(by).map(([name, column]) => {
      const value = p[name] as Placeholder
      return typeof column === 'object' ? dialect.inList(columnOf(column.in), value) : eq(columnOf(column), value)
    })
    const fixed = Object.entries(where).map(([name, value]) => (value === null ? isNull(columnOf(name)) : eq(columnOf(name), value)))
    const sorted = (name: string) => (isList ? dialect.sorted(columnOf(name)) : asc(columnOf(name)))
    const found = (wanted ? db.select(Object.fromEntries(wanted.map((name) => [name, columnOf(name)]))) : db.select())
      .from(t[table] as SQLiteTable)
      .where(and(...conditions, ...fixed))
      .$dynamic()
    if (orderBy.length > 0) found.orderBy(...orderBy.map((name) => (typeof name === 'object' ? desc(columnOf(name.desc)) : sorted(name))))
    if (limit) found.limit(limit)
    return found
  })
  return (tx: ReadTx, values: Values<T, B>) => query(tx, values) as unknown as Promise<Pick<Row<T>, C>[]>
}

/** Drizzle's `for` exists on Postgres only and has no type in SQLite's builder; the clause is appended to the built text. */
const appendToText = (prepared: unknown, clause: string) => {
  if (clause) (prepared as { queryString: string }).queryString += clause
}
