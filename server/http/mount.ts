import type { Endpoint, Resource } from '@markbook/shared/contract/endpoint'
import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { clientAddress, networkOf, trustOf } from '../network/client-address.ts'
import { deviceOf } from '../network/device.ts'
import { laptopOwner } from '../store/laptop.ts'
import { asSystem, asUser, type Identity, type ReadTx } from '../store/tx.ts'
import type { Caller } from './caller.ts'
import { type CookieSession, cookieName, earlierName, readSessionCookie, sessionCookies } from './cookies.ts'
import { eventsReply } from './events.ts'
import { demandFreshProof } from './fresh-proof.ts'
import type { EventsHandler, Exchange, Handler, HandlerContext, Handlers, OpenHandler, RequestInput, StagedHandler } from './handler.ts'
import { type Slot, slotOf } from './limiter.ts'
import { idsAt, nestedIdPaths } from './nested-ids.ts'
import { checkOrigin } from './origins.ts'
import { type HeaderList, jsonReply, jsonTextReply, ReadyText } from './replies.ts'
import { checkIds, pageOf, parseBy, type ReadBody, readJson, readMultipart } from './requests.ts'
import { type BinaryReply, sendFile } from './send-file.ts'
import type { Services } from './services.ts'
import { authenticate, callerAgain, type SessionClient } from './sessions.ts'
import { shapeOf } from './shapes.ts'
import { readAccessToken } from './tokens.ts'
import { transformerOf, versionOf } from './versions.ts'

export type AppEnv = {
  Bindings: { incoming?: { socket?: { remoteAddress?: string; localAddress?: string; destroyed?: boolean } } }
  /** For the log (request-log.ts): `input` is the query or body, `failure` what was thrown. */
  Variables: { requestId: string; actor: string | null; route: string; input: unknown; failure: unknown; replyHeaders: HeaderList }
}
type Ctx = Context<AppEnv>
// biome-ignore lint/suspicious/noExplicitAny: one loop serves all endpoints; each handler is typed where it is defined.
type AnyHandler = Handler<any, any> | StagedHandler<any> | EventsHandler<any> | OpenHandler<any>
type TransactionHandler = Extract<AnyHandler, { kind: 'transaction' }>
type Route = {
  name: string
  endpoint: Endpoint
  handler: AnyHandler
  needed: readonly string[]
  nestedIds: ReturnType<typeof nestedIdPaths>
}

/** Mounts a resource: each endpoint of its contract, with the handler of the same name. */
export function mount<R extends Resource>(
  app: Hono<AppEnv>,
  services: Services,
  resource: string,
  endpoints: R,
  handlers: Handlers<R>,
): void {
  for (const [key, endpoint] of Object.entries(endpoints)) {
    const route: Route = {
      name: `${resource}.${key}`,
      endpoint,
      handler: handlers[key] as AnyHandler,
      needed: neededTargets(endpoint),
      nestedIds: nestedIdPaths(endpoint.body),
    }
    app.on(endpoint.method, endpoint.path, (c) => answer(c, services, route))
  }
}

/** The order of checks of decisions §1: session, malformed ids, access, body, state. */
async function answer(c: Ctx, services: Services, route: Route): Promise<Response> {
  const { endpoint, handler } = route
  const request = c.req.raw
  c.set('route', endpoint.path)
  const headers = c.get('replyHeaders')
  // Before the version, so that a page of an allowed site can read that its own is not supported.
  headers.push(...checkOrigin(request, services.config))
  const version = versionOf(request.headers.get('x-api-version'))
  headers.push(['x-api-version', version])
  const signedIn = await signIn(c, services, headers)
  c.set('actor', signedIn.caller?.user_id ?? null)
  if (endpoint.guard !== 'none' && !signedIn.caller) throw common.unauthenticated()
  const params = c.req.param() as Record<string, string>
  const search = searchOf(request.url)
  checkIds(params)
  if (endpoint.targets.length > 0) checkIds(targetsOf(endpoint, Object.fromEntries(search)))
  c.set('input', search)
  const slot = slotOf(c.env?.incoming)
  const came = { caller: signedIn.caller, readAt: services.clock.now() }
  const body = endpoint.method === 'GET' ? NO_BODY : await slot.releasedDuring(() => readBody(endpoint, request))
  const call: Call = await asNow({ services, route, ...came, params, search, body })
  const { caller } = call
  if (body.ok && body.value !== undefined) c.set('input', body.value)
  if (body.ok) checkIds({ ...targetsOf(endpoint, body.value), ...idsAt(route.nestedIds, body.value) })
  guard(endpoint, caller)
  await demandOwnLaptop(services, route, caller)
  demandFreshProof(endpoint, caller, services.clock.now())
  if (!slot.isClientConnected()) throw hungUp()
  if (caller?.school_id) slot.countFor(caller.school_id)
  if (handler.kind === 'events') {
    const follow = await runEvents(call, handler)
    // A stream stays open for long with little work.
    slot.release()
    return eventsReply(follow, headers)
  }
  const reply =
    handler.kind === 'open'
      ? await handler.run(exchangeOf(c, services, { ...signedIn, caller }, headers), inputOf(call))
      : handler.kind === 'staged'
        ? await runStaged(call, handler, slot)
        : await runInTransaction(call, handler)
  if (endpoint.reply === 'binary')
    return sendFile({ files: services.files, request, status: endpoint.status ?? 200, headers }, reply as BinaryReply)
  return respond(route, reply, version, search, headers)
}

/** The client disconnected while its request waited, so the work is not done; nobody reads this reply. */
const hungUp = () => new Failure(499, 'client_gone', 'The client went before its request was begun.')

/** One request to an endpoint, before its schemas are checked. `readAt`: when the caller was read from the database, ms. */
type Call = {
  services: Services
  route: Route
  caller: Caller | null
  readAt: number
  params: Record<string, string>
  search: URLSearchParams
  body: ReadBody
}
type SignedIn = { caller: Caller | null; session: CookieSession | null }

const settingsOf = ({ config }: Services) => ({ name: cookieName(config.cookiePrefix, config.projectRef), secure: config.secureCookies })
/** The cookie outlives any session: the server decides when a session ends. */
const COOKIE_SECONDS = 30 * 86_400

const cookieHeaders = (services: Services, session: CookieSession | null, sent: string | undefined): HeaderList =>
  sessionCookies(session, settingsOf(services), COOKIE_SECONDS, sent).map((value) => ['set-cookie', value])

/** The session in the cookies of a request, which may be over by now. `own`: the one in a cookie of the present name. */
export function sessionSent(c: Ctx, services: Services) {
  const sent = c.req.header('cookie')
  const { name } = settingsOf(services)
  const earlier = earlierName(name)
  const own = readSessionCookie(sent, name)
  return { sent, own, cookie: own ?? (earlier === null ? null : readSessionCookie(sent, earlier)) }
}

/** The session of a request; the cookies of a renewed one are added to `headers`. */
export async function signIn(c: Ctx, services: Services, headers: HeaderList): Promise<SignedIn> {
  const { sent, own, cookie } = sessionSent(c, services)
  if (!cookie) return { caller: null, session: null }
  const known = await authenticate(services.store, cookie, services.clock.now(), services.keys, () => clientOf(c, services))
  if (!known) return { caller: null, session: null }
  if (known.rotated || !own) headers.push(...cookieHeaders(services, known.session, sent))
  return known
}

/**
 * The request with the caller's present rights, read again where it waited long for its body or a worker. Otherwise a person who was
 * signed out, demoted or removed could still act by delaying a request.
 */
async function asNow(call: Call): Promise<Call> {
  const { services, route, caller, readAt } = call
  const now = services.clock.now()
  if (!caller || route.endpoint.guard === 'none' || Math.abs(now - readAt) < limits.session.rightsReuseMs) return call
  const again = await services.store.readOnce((tx) => callerAgain(tx, caller))
  guard(route.endpoint, again)
  return { ...call, caller: again, readAt: now }
}

function guard({ guard }: Endpoint, caller: Caller | null): void {
  if (guard === 'none' || guard === 'session' || !caller) return
  if (!caller.school_id || !caller.role) throw common.noSchool()
  if (!caller.is_active) throw common.inactive()
  if (guard === 'admin' && caller.role !== 'admin') throw common.adminOnly()
  if (guard === 'staff' && caller.role === 'member') throw common.forbidden()
}

/**
 * On a laptop, refuses a write by anybody but its owner at once, since the parent would refuse it later. People who were signed in before
 * the laptop joined may still sign out.
 */
async function demandOwnLaptop({ store, config }: Services, { endpoint, name }: Route, caller: Caller | null): Promise<void> {
  if (endpoint.method === 'GET' || endpoint.guard === 'none' || !caller || config.role === 'centre' || name === 'auth.logout') return
  const owner = await store.readOnce(laptopOwner)
  if (owner !== null && owner !== caller.user_id) throw common.othersLaptop()
}

/** The search parameters of a URL, without parsing the rest of it again. */
export function searchOf(url: string): URLSearchParams {
  const [address = ''] = url.split('#', 1)
  const at = address.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : address.slice(at + 1))
}

const targetsOf = ({ targets }: Endpoint, value: unknown): Record<string, unknown> => {
  if (targets.length === 0 || typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    targets.filter((name) => Object.hasOwn(value, name)).map((name) => [name, (value as Record<string, unknown>)[name] ?? undefined]),
  )
}

/** The targets that a request must name. */
function neededTargets({ targets, query, body, form }: Endpoint): string[] {
  const fields: Record<string, z.ZodType> = { ...(body instanceof z.ZodObject ? body.shape : {}), ...form?.shape, ...query?.shape }
  return targets.filter((name) => fields[name] && !fields[name].safeParse(undefined).success)
}

const NO_BODY: ReadBody = { ok: true, value: undefined }
const readBody = (endpoint: Endpoint, request: Request): Promise<ReadBody> =>
  endpoint.body === 'multipart' ? readMultipart(request, endpoint) : readJson(request, bytesOfJson(endpoint))
const bytesOfJson = ({ guard }: Endpoint): number => (guard === 'none' ? limits.body.jsonWithoutSessionBytes : limits.body.jsonBytes)

const Nothing = z.strictObject({}, { error: 'takes no fields' }).optional()

type Input = RequestInput<Endpoint> & { prepared: unknown }

/** The handler's input. Its type is safe because the values were parsed by the schemas of the same endpoint. */
function inputOf({ route: { endpoint }, params, search, body }: Call): Input {
  if (!body.ok) throw body.failure
  const query = endpoint.query ? parseBy(endpoint.query, Object.fromEntries(search)) : {}
  if (endpoint.body === 'multipart') {
    const form = endpoint.form ? parseBy(endpoint.form, body.value) : undefined
    return { params, query, body: form, upload: body.upload, prepared: body.prepared } as unknown as Input
  }
  const parsed = body === NO_BODY && !endpoint.body ? undefined : parseBy(endpoint.body ?? Nothing, body.value)
  return { params, query, body: parsed, upload: undefined } as unknown as Input
}

/** Runs `prepare`. A fault of the upload is reported, like any fault of a body, after access was decided. */
async function prepared({ services, caller, body }: Call, { prepare }: TransactionHandler): Promise<ReadBody> {
  if (!prepare || !body.ok || !body.upload) return body
  try {
    return { ...body, prepared: await prepare(body.upload, services, caller) }
  } catch (error) {
    if (error instanceof Failure) return { ok: false, failure: error }
    throw error
  }
}

/** Runs `work` in one transaction, then what it scheduled for after the commit. */
async function transact<T>(
  { services, caller }: Call,
  method: 'read' | 'write',
  identity: Identity,
  work: (context: HandlerContext<Endpoint>) => Promise<T>,
): Promise<T> {
  const effects: (() => void | Promise<void>)[] = []
  const result = await services.store[method](identity, (tx: ReadTx) => {
    effects.length = 0
    const after = (effect: () => void | Promise<void>) => void effects.push(effect)
    return work({ tx, caller, services, after } as unknown as HandlerContext<Endpoint>)
  })
  for (const effect of effects) await effect()
  return result
}

async function runInTransaction(received: Call, handler: TransactionHandler): Promise<unknown> {
  const call = await asNow({ ...received, body: await prepared(received, handler) })
  const { services, route, caller } = call
  const identity = handler.as === 'system' ? asSystem(caller?.user_id ?? null) : personOf(call)
  const result = await transact(call, route.endpoint.method === 'GET' ? 'read' : 'write', identity, async (context) => {
    const loaded = await load(call, handler, context)
    return handler.run(context, inputOf(call), loaded)
  })
  return handler.finish ? handler.finish(result, services) : result
}

const personOf = ({ caller }: Call) => asUser(caller?.user_id ?? '')

type Loading = { load(context: HandlerContext<Endpoint>, ids: { params: object; targets: object }): Promise<unknown> }

/** Runs the handler's `load`, which decides access. */
async function load(call: Call, handler: Loading, context: HandlerContext<Endpoint>): Promise<unknown> {
  const { params, search, body } = call
  const { endpoint, needed } = call.route
  // An unreadable body names no targets, so access cannot be decided and the body's fault is reported.
  if (!body.ok && namesTargets(endpoint)) throw body.failure
  const targets = { ...targetsOf(endpoint, Object.fromEntries(search)), ...targetsOf(endpoint, body.ok ? body.value : undefined) }
  return handler.load(context, { params, targets }).catch((error) => {
    // Nothing was found because the request named nothing: report the request's fault instead.
    if (error instanceof Failure && error.status === 404 && needed.some((name) => targets[name] === undefined)) inputOf(call)
    throw error
  })
}

const namesTargets = ({ targets, body, form }: Endpoint) => targets.length > 0 && body && (body !== 'multipart' || form)

/** Runs the two transactions with `make` between them, which holds no connection or lock. */
async function runStaged(call: Call, handler: StagedHandler<Endpoint>, slot: Slot): Promise<unknown> {
  const gathered = await transact(call, 'read', personOf(call), async (context) => {
    const loaded = await load(call, handler, context)
    return handler.gather(context, inputOf(call), loaded)
  })
  const made = await slot.releasedDuring(() => handler.make(call.services, gathered))
  const later = await asNow(call)
  return transact(later, 'write', personOf(later), async (context) => handler.save(context, made, await load(later, handler, context)))
}

/** Access is decided before the first event. */
async function runEvents(call: Call, handler: EventsHandler<Endpoint>) {
  const loaded = await transact(call, 'read', personOf(call), async (context) => {
    const found = await load(call, handler, context)
    inputOf(call)
    return found
  })
  return (signal: AbortSignal) => handler.follow(call.services, loaded, signal)
}

/** A request as the sign-in handlers receive it; cookies that they set are added to `headers`. */
export const exchangeOf = (c: Ctx, services: Services, signedIn: SignedIn, headers: HeaderList): Exchange => ({
  services,
  address: networkOf(addressOf(c, services)),
  origin: c.req.header('origin') ?? new URL(c.req.url).origin,
  client: () => clientOf(c, services),
  ...signedIn,
  setSession: (session) => {
    // For the log: the person of the new session is the actor.
    if (session) c.set('actor', readAccessToken(session.access_token, services.keys.access)?.sub ?? null)
    const others = headers.filter(([name]) => name !== 'set-cookie')
    headers.splice(0, headers.length, ...others, ...cookieHeaders(services, session, c.req.header('cookie')))
  },
  header: (name, value) => void headers.push([name, value]),
  whileWaiting: async (wait) => slotOf(c.env?.incoming).releasedDuring(wait),
})

const clientOf = (c: Ctx, services: Services): SessionClient => ({
  ...deviceOf(c.req.header('user-agent')),
  address: networkOf(addressOf(c, services)),
})

/** The client's network address, behind a trusted proxy the forwarded one; 'local' without a network. */
export const addressOf = (c: Ctx, { config }: Services): string =>
  clientAddress(c.env?.incoming?.socket?.remoteAddress, c.req.header('x-forwarded-for'), trustOf(config.trustProxy))

/** Replies with the fields of the contract only. */
function respond({ name, endpoint }: Route, value: unknown, version: '1', search: URLSearchParams, headers: HeaderList): Response {
  const { status = 200, reply, list } = endpoint
  if (typeof reply === 'string') throw new Error(`${name} replies with ${reply}`)
  const transform = transformerOf(version, name)
  const send = (body: unknown) => jsonReply(status, transform ? transform(body) : body, headers)
  if (value instanceof ReadyText) return transform ? send(JSON.parse(value.json)) : jsonTextReply(status, value.json, headers)
  if (!list) return send(shapeOf(reply)(value))
  const rows = value as unknown[]
  const { limit, offset } = endpoint.method === 'GET' ? pageOf(search) : { limit: undefined, offset: 0 }
  headers.push(['x-total-count', String(rows.length)])
  return send(shapeOf(reply)(rows.slice(offset, limit === undefined ? undefined : offset + limit)))
}
