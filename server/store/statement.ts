import type { Tables } from '@markbook/shared/tables/tables'
import { type Placeholder, sql } from 'drizzle-orm'
import { compiled } from './compiled.ts'
import type { Dialect } from './dialect.ts'
import type { Db } from './line.ts'
import type { ReadTx } from './tx.ts'

type Given<P> = { db: Db; t: Tables; p: { readonly [K in keyof P]-?: Placeholder<string, P[K]> }; dialect: Dialect }
type Prepared = { prepare(): unknown }

const placeholders = new Proxy({}, { get: (_target, name) => sql.placeholder(String(name)) })

/**
 * A query whose text never changes, built once for a process, prepared once for a connection, and then only given its parameters:
 * building a Drizzle query costs several times the request (design/performance.md).
 *
 *     const termsOfYear = statement<{ school: string; year: string }>()(({ db, t, p }) => db.select().from(t.term).where(…))
 *     const rows = await termsOfYear(tx, { school, year })
 *
 * `lock` names the table whose rows stay locked until the commit when the query runs in a writing transaction.
 */
export const statement =
  <P extends Record<string, unknown>>(options: { lock?: string } = {}) =>
  <Q extends Prepared & PromiseLike<unknown>>(build: (given: Given<P>) => Q) => {
    const key = { options }
    const recipes = new Map<string, object>()
    const recipeFor = ({ line, dialect, t }: ReadTx) => {
      const variant = `${dialect.name} ${line.writes}`
      const known = recipes.get(variant)
      if (known) return known
      const prepared = build({ db: line.db, t, p: placeholders as Given<P>['p'], dialect }).prepare() as object
      if (options.lock && line.writes) appendToText(prepared, dialect.lockOf(options.lock))
      const recipe = compiled(prepared, { inlined: dialect.plansByValue })
      if (recipe) recipes.set(variant, recipe)
      return recipe ?? prepared
    }
    return async (tx: ReadTx, params: P): Promise<Awaited<Q>> => {
      const { line } = tx
      let ready = line.prepared.get(key)
      if (!ready) {
        ready = line.ready(recipeFor(tx))
        line.prepared.set(key, ready)
      }
      return (await line.execute(ready, params)) as Awaited<Q>
    }
  }

/** Drizzle's `for` exists on Postgres only and cannot be typed through SQLite's builder; the clause is added to the built text. */
const appendToText = (prepared: unknown, clause: string) => {
  if (clause) (prepared as { queryString: string }).queryString += clause
}
