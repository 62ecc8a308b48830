import type { Endpoint } from '@markbook/shared/contract/endpoint'
import type { history } from '@markbook/shared/contract/history'
import { historyFailures } from '@markbook/shared/contract/history'
import { common } from '@markbook/shared/failures'
import { demandFreshProof } from '../../http/fresh-proof.ts'
import type { Handler, HandlerContext } from '../../http/handler.ts'
import { issuesOf } from '../../http/requests.ts'
import { asSystem } from '../../store/tx.ts'

type Values = Readonly<Record<string, unknown>>
type Texts = Record<string, string>
type UndoContext = HandlerContext<typeof history.undo>
// biome-ignore lint/suspicious/noExplicitAny: `run` gets the result of the same handler's `load`.
type AnyHandler = Handler<any, any, any, any>

/** A call of an endpoint with its handler, by which an undo or a decision is written: with its guard, access and checks. */
export type WriteRequest = { endpoint: Endpoint; handler: AnyHandler; params: Values; body?: Values }

export const writeRequest = (endpoint: Endpoint, handler: unknown, params: Values, body?: Values): WriteRequest => ({
  endpoint,
  handler: handler as AnyHandler,
  params,
  ...(body && { body }),
})

export function demandGuard({ caller }: UndoContext, { guard }: Endpoint): void {
  if (guard === 'admin' && caller.role !== 'admin') throw common.adminOnly()
}

/** Decides access as the endpoint does, by its guard and the ids that the request names. Returns the `loaded` of `runRequest`. */
export async function loadRequest(context: UndoContext, { endpoint, handler, params, body = {} }: WriteRequest): Promise<unknown> {
  demandGuard(context, endpoint)
  const targets = Object.fromEntries(
    endpoint.targets.flatMap((field) => (field in body ? [[field, (body[field] ?? undefined) as string | undefined]] : [])),
  )
  // Some endpoints need more than row-level security shows the person.
  if (handler.as === 'system') await context.tx.actAs(asSystem(context.caller.user_id))
  return handler.load(context, { params: params as Texts, targets })
}

/**
 * Checks the body and the state as the endpoint does, and writes. 409 with the issues of an invalid body; `pathOf` names their fields.
 */
export async function runRequest(
  context: UndoContext,
  { endpoint, handler, params, body }: WriteRequest,
  loaded: unknown,
  pathOf = (field: string) => field,
): Promise<void> {
  const parsed = endpoint.body && endpoint.body !== 'multipart' ? endpoint.body.safeParse(body) : null
  if (parsed?.error)
    throw historyFailures.cannotUndo({ issues: issuesOf(parsed.error).map((issue) => ({ ...issue, path: pathOf(issue.path) })) })
  demandFreshProof(endpoint, context.caller, context.tx.nowMs)
  await handler.run(context, { params: params as Texts, query: {}, body: parsed?.data, upload: undefined, prepared: undefined }, loaded)
}
