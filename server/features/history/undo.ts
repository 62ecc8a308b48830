import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { type history, historyFailures } from '@markbook/shared/contract/history'
import { common, type Issue } from '@markbook/shared/failures'
import type { z } from 'zod'
import { demandFreshProof } from '../../http/fresh-proof.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { issuesOf } from '../../http/requests.ts'
import { columnOf } from '../columns.ts'
import { isAsWritten } from './history.policy.ts'
import type { Entity, Entry } from './history.queries.ts'

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

type RouteInput = { params: Record<string, string>; query: object; body: unknown; upload: undefined; prepared: undefined }
/** A handler of any endpoint; its `run` takes the result of its `load`. */
type RouteHandler = {
  load(context: UndoContext, ids: { params: Record<string, string>; targets: Record<string, string | undefined> }): Promise<unknown>
  run(context: UndoContext, input: RouteInput, loaded: unknown): Promise<unknown>
}

/** An endpoint that can write the earlier values, with its body's fields by column. */
export type Route = {
  endpoint: Endpoint
  handler: RouteHandler
  fields: Readonly<Record<string, string>>
  /** The body contains every field, changed or not. */
  whole?: boolean
  /** Columns that change as a consequence of others, and are not written back. */
  following?: readonly string[]
}

/** For issues of the endpoint: names columns instead of fields. */
const byColumn = ({ fields }: Route, issues: readonly Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: Object.keys(fields).find((column) => fields[column] === issue.path) ?? issue.path }))

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
  return { endpoint, handler: handler as RouteHandler, fields: Object.fromEntries(fields), ...more }
}

const paramsOf = ({ path }: Endpoint, id: string) =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name as string, id]))

/** The entry without consequential columns, unless nothing else was changed. */
function withoutFollowing({ following = [] }: Route, entry: EntryOf): EntryOf {
  const own = Object.entries(entry.changes).filter(([column]) => !following.includes(column))
  return own.length === 0 ? entry : { ...entry, changes: Object.fromEntries(own) }
}
const covers = (way: Route, entry: EntryOf) => Object.keys(withoutFollowing(way, entry).changes).every((column) => column in way.fields)

/**
 * Undoes updates through the endpoint that a person would use, with its guard, access and checks. An entry with columns that no route
 * writes (calculated figures, a status) cannot be undone.
 */
export const throughRoutes = (first: Route, ...others: Route[]): Undoer => {
  const routeFor = (entry: EntryOf) => [first, ...others].find((candidate) => covers(candidate, entry))
  return {
    load: async (context, entry) => {
      const { endpoint, handler, fields } = routeFor(entry) ?? first
      if (entry.action !== 'update') return undefined
      if (endpoint.guard === 'admin' && context.caller.role !== 'admin') throw common.adminOnly()
      const targeted = Object.entries(entry.changes).filter(([column]) => endpoint.targets.includes(fields[column] ?? ''))
      const targets = Object.fromEntries(targeted.map(([column, { before }]) => [fields[column], (before as string | null) ?? undefined]))
      return handler.load(context, { params: paramsOf(endpoint, entry.row_id), targets })
    },
    write: async (context, entry, loaded) => {
      const way = routeFor(entry)
      if (!way || entry.action !== 'update') throw historyFailures.cannotUndo()
      const own = withoutFollowing(way, entry)
      const row = await demandUnchanged(context, own)
      const earlier = Object.fromEntries(Object.entries(own.changes).map(([column, { before }]) => [column, before]))
      const values = way.whole ? { ...row, ...earlier } : earlier
      const said = Object.entries(way.fields).filter(([column]) => column in values)
      const body = Object.fromEntries(said.map(([column, field]) => [field, values[column]]))
      const { endpoint, handler } = way
      const parsed = endpoint.body === 'multipart' ? undefined : endpoint.body?.safeParse(body)
      if (!parsed?.success) throw historyFailures.cannotUndo(parsed && { issues: byColumn(way, issuesOf(parsed.error)) })
      demandFreshProof(endpoint, context.caller, context.tx.nowMs)
      const input = { params: paramsOf(endpoint, entry.row_id), query: {}, body: parsed.data, upload: undefined, prepared: undefined }
      await handler.run(context, input, loaded)
    },
  }
}
