import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { type history, historyFailures } from '@markbook/shared/contract/history'
import type { z } from 'zod'
import type { HandlerContext } from '../../http/handler.ts'
import { columnOf } from '../columns.ts'
import { isAsWritten } from './history.policy.ts'
import type { Entity, Entry } from './history.queries.ts'
import { loadRequest, runRequest, type WriteRequest, writeRequest } from './write-request.ts'

export type UndoContext = HandlerContext<typeof history.undo>
export type EntryOf = Entry & { entity: Entity }
/** How changes of one kind of row are undone: `load` decides access and locks, `write` checks the state and writes. */
export type Undoer<L = unknown> = {
  load(context: UndoContext, entry: EntryOf): Promise<L>
  write(context: UndoContext, entry: EntryOf, loaded: L): Promise<unknown>
}

type Values = Readonly<Record<string, unknown>>
/** The row, which `load` has locked; throws 409 where it was deleted, or its values differ from those of the change. */
export async function demandUnchanged({ tx, caller }: UndoContext, entry: EntryOf): Promise<Values> {
  const row = (await tx.find(entry.entity, caller.school_id, entry.row_id)) as Values | undefined
  if (!row || !isAsWritten(entry, row)) throw historyFailures.changedSince()
  return row
}

/** An endpoint that can write the earlier values, with its body's fields by column. */
export type Route = {
  endpoint: Endpoint
  handler: unknown
  fields: Readonly<Record<string, string>>
  /** The body contains every field, changed or not. */
  whole?: boolean
  /** Columns that change as a consequence of others, and are not written back. */
  following?: readonly string[]
}

/**
 * A route: an endpoint of the contract with its handler. It writes the fields of the endpoint's body, each to the column of the same name;
 * `columns` names the column of other fields.
 */
export function route(
  endpoint: Endpoint & { body: z.ZodObject },
  handler: unknown,
  { columns = {}, ...more }: { columns?: Readonly<Record<string, string>> } & Pick<Route, 'whole' | 'following'> = {},
): Route {
  const fields = Object.keys(endpoint.body.shape).map((field) => [columns[field] ?? columnOf(field), field])
  return { endpoint, handler, fields: Object.fromEntries(fields), ...more }
}

const paramsOf = ({ path }: Endpoint, id: string) =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name as string, id]))

/** The entry without consequential columns, unless nothing else was changed. */
function withoutFollowing({ following = [] }: Route, entry: EntryOf): EntryOf {
  const own = Object.entries(entry.changes).filter(([column]) => !following.includes(column))
  return own.length === 0 ? entry : { ...entry, changes: Object.fromEntries(own) }
}
const covers = (way: Route, entry: EntryOf) => Object.keys(withoutFollowing(way, entry).changes).every((column) => column in way.fields)

/** The column of a field; the field where it has none. */
const columnIn =
  ({ fields }: Route) =>
  (field: string) =>
    Object.keys(fields).find((column) => fields[column] === field) ?? field

/** The request that writes the values of columns to a row; columns without a field are left out. */
function requestOf({ endpoint, handler, fields }: Route, rowId: string, values: Values): WriteRequest {
  const named = Object.entries(fields).filter(([column]) => column in values)
  const body = Object.fromEntries(named.map(([column, field]) => [field, values[column]]))
  return writeRequest(endpoint, handler, paramsOf(endpoint, rowId), body)
}

/** The values before a change, by column. */
export const earlierValues = ({ changes }: EntryOf): Values =>
  Object.fromEntries(Object.entries(changes).map(([column, { before }]) => [column, before]))

/**
 * Undoes updates through the endpoint that a person would use, with its guard, access and checks. An entry with columns that no route
 * writes (calculated figures, a status) cannot be undone.
 */
export const throughRoutes = (first: Route, ...others: Route[]): Undoer => {
  const routeFor = (entry: EntryOf) => [first, ...others].find((candidate) => covers(candidate, entry))
  return {
    load: async (context, entry) => {
      if (entry.action !== 'update') return undefined
      return loadRequest(context, requestOf(routeFor(entry) ?? first, entry.row_id, earlierValues(entry)))
    },
    write: async (context, entry, loaded) => {
      const way = routeFor(entry)
      if (!way || entry.action !== 'update') throw historyFailures.cannotUndo()
      const own = withoutFollowing(way, entry)
      const row = await demandUnchanged(context, own)
      const values = way.whole ? { ...row, ...earlierValues(own) } : earlierValues(own)
      await runRequest(context, requestOf(way, entry.row_id, values), loaded, columnIn(way))
    },
  }
}
