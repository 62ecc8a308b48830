import type { Endpoint, Resource } from '@markbook/shared/contract/endpoint'
import { common, Failure } from '@markbook/shared/failures'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { type BinaryReply, sendFile } from '../files/send.ts'
import { laptopOwner } from '../store/laptop.ts'
import { asSystem, asUser, type ReadTx } from '../store/tx.ts'
import { type Place, placeOf } from './admission.ts'
import type { Caller } from './caller.ts'
import { clientAddress, networkOf, trustOf } from './client-address.ts'
import { type CookieSession, cookieName, readSessionCookie, sessionCookies } from './cookies.ts'
import { eventsReply } from './events.ts'
import type { EventsHandler, Exchange, Handler, Handlers, OpenHandler, Scene, StagedHandler } from './handler.ts'
import { checkOrigin } from './origins.ts'
import { type HeaderList, jsonReply, jsonTextReply, ReadyText } from './replies.ts'
import { checkIds, pageOf, parseBy, type ReadBody, readJson, readMultipart } from './requests.ts'
import type { Services } from './services.ts'
import { authenticate } from './sessions.ts'
import { shapeOf } from './shapes.ts'
import { isShaped, shaped, versionOf } from './versions.ts'

export type AppEnv = {
  Bindings: { incoming?: { socket?: { remoteAddress?: string; destroyed?: boolean } } }
  /** `asked` is the query or body, `failure` what was thrown: for the log (see request-log.ts). */
  Variables: { requestId: string; actor: string | null; route: string; asked: unknown; failure: unknown; replyHeaders: HeaderList }
}
type Ctx = Context<AppEnv>
// biome-ignore lint/suspicious/noExplicitAny: one loop serves all endpoints; each handler was typed where it was written.
type AnyHandler = Handler<any, any> | StagedHandler<any> | EventsHandler<any> | OpenHandler<any>
type Route = { name: string; endpoint: Endpoint; handler: AnyHandler; needed: readonly string[] }

/** Mounts a resource: every endpoint of its contract, answered by the handler of the same name. */
export function mount<R extends Resource>(
  app: Hono<AppEnv>,
  services: Services,
  resource: string,
  endpoints: R,
  handlers: Handlers<R>,
): void {
  for (const [key, endpoint] of Object.entries(endpoints)) {
    const route: Route = { name: `${resource}.${key}`, endpoint, handler: handlers[key] as AnyHandler, needed: neededTargets(endpoint) }
    app.on(endpoint.method, endpoint.path, (c) => answer(c, services, route))
  }
}

/** The order of checks of decisions §1: session, malformed ids, access, body, state. */
async function answer(c: Ctx, services: Services, route: Route): Promise<Response> {
  const { endpoint, handler } = route
  const request = c.req.raw
  c.set('route', endpoint.path)
  const headers = c.get('replyHeaders')
  const version = versionOf(request.headers.get('x-api-version'))
  headers.push(['x-api-version', version], ...checkOrigin(request, services.config))
  const signedIn = await signIn(c, services, headers)
  c.set('actor', signedIn.caller?.user_id ?? null)
  if (endpoint.guard !== 'none' && !signedIn.caller) throw common.unauthenticated()
  const params = c.req.param() as Record<string, string>
  const search = searchOf(request.url)
  checkIds(params)
  checkIds(targetsOf(endpoint, Object.fromEntries(search)))
  c.set('asked', search)
  const place = placeOf(c.env?.incoming)
  const read = () => readBody(endpoint, request)
  const body = endpoint.method === 'GET' ? await read() : await place.aside(read)
  if (body.ok && body.value !== undefined) c.set('asked', body.value)
  if (body.ok) checkIds(targetsOf(endpoint, body.value))
  guard(endpoint, signedIn.caller)
  await demandOwnLaptop(services, route, signedIn.caller)
  if (!place.isWanted()) throw hungUp()
  const asking: Asking = { params, search, body }
  if (handler.kind === 'events') {
    const follow = await runEvents(services, route, signedIn.caller, asking)
    // A stream is open for long and does next to nothing.
    place.leave()
    return eventsReply(follow, headers)
  }
  const reply =
    handler.kind === 'open'
      ? await runOpen(c, services, route, signedIn, asking, headers)
      : handler.kind === 'staged'
        ? await runStaged(services, route, signedIn.caller, asking, place)
        : await runInTransaction(services, route, signedIn.caller, asking)
  if (endpoint.reply === 'binary')
    return sendFile({ files: services.files, request, status: endpoint.status ?? 200, headers }, reply as BinaryReply)
  return respond(route, reply, version, search, headers)
}

/** Nobody reads this: the client went while its request waited, and what it asked for need not be done. */
const hungUp = () => new Failure(499, 'client_gone', 'The client went before its request was begun.')

type Asking = { params: Record<string, string>; search: URLSearchParams; body: ReadBody }
type SignedIn = { caller: Caller | null; session: CookieSession | null }

const settingsOf = ({ config }: Services) => ({ name: cookieName(config.cookiePrefix, config.projectRef), secure: config.secureCookies })
/** The cookie outlives any session: the server decides when it ends. */
const COOKIE_SECONDS = 30 * 86_400

/** Whose session a request bears; a renewed one is added to `headers`. */
export async function signIn(c: Ctx, services: Services, headers: HeaderList): Promise<SignedIn> {
  const sent = c.req.header('cookie')
  const settings = settingsOf(services)
  const cookie = readSessionCookie(sent, settings.name)
  if (!cookie) return { caller: null, session: null }
  const known = await authenticate(services.store, cookie, services.clock.now(), services.keys)
  if (!known) return { caller: null, session: null }
  if (known.rotated)
    headers.push(...sessionCookies(known.session, settings, COOKIE_SECONDS, sent).map((value): [string, string] => ['set-cookie', value]))
  return known
}

function guard({ guard }: Endpoint, caller: Caller | null): void {
  if (guard === 'none' || guard === 'session' || !caller) return
  if (!caller.school_id || !caller.role) throw common.noSchool()
  if (!caller.is_active) throw common.inactive()
  if (guard === 'admin' && caller.role !== 'admin') throw common.adminOnly()
  if (guard === 'staff' && caller.role === 'member') throw common.forbidden()
}

/**
 * A laptop's parent takes nothing from it that anybody but its one user wrote: better to say so at once than to acknowledge it. Whoever
 * was signed in before it joined may sign out.
 */
async function demandOwnLaptop({ store, config }: Services, { endpoint, name }: Route, caller: Caller | null): Promise<void> {
  if (endpoint.method === 'GET' || endpoint.guard === 'none' || !caller || config.databaseUrl || name === 'auth.logout') return
  const owner = await store.glance(laptopOwner)
  if (owner !== null && owner !== caller.user_id) throw common.othersLaptop()
}

/** What `new URL` answers, without reading the rest of the address once more. */
export function searchOf(url: string): URLSearchParams {
  const [address = ''] = url.split('#', 1)
  const at = address.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : address.slice(at + 1))
}

const targetsOf = ({ targets = [] }: Endpoint, value: unknown): Record<string, unknown> => {
  if (targets.length === 0 || typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    targets.filter((name) => Object.hasOwn(value, name)).map((name) => [name, (value as Record<string, unknown>)[name] ?? undefined]),
  )
}

const sentTargets = (endpoint: Endpoint, { search, body }: Asking) => ({
  ...targetsOf(endpoint, Object.fromEntries(search)),
  ...targetsOf(endpoint, body.ok ? body.value : undefined),
})

/** The targets that a request cannot leave out. */
function neededTargets({ targets = [], query, body, form }: Endpoint): string[] {
  const fields: Record<string, z.ZodType> = { ...(body instanceof z.ZodObject ? body.shape : {}), ...form?.shape, ...query?.shape }
  return targets.filter((name) => fields[name] && !fields[name].safeParse(undefined).success)
}

async function readBody(endpoint: Endpoint, request: Request): Promise<ReadBody> {
  if (endpoint.method === 'GET') return { ok: true, value: undefined }
  return endpoint.body === 'multipart' ? readMultipart(request, endpoint) : readJson(request)
}

const Nothing = z.strictObject({}, { error: 'takes no fields' }).optional()

function parsedOf({ endpoint }: Route, { params, search, body }: Asking) {
  if (!body.ok) throw body.failure
  const query = endpoint.query ? parseBy(endpoint.query, Object.fromEntries(search)) : {}
  if (endpoint.body === 'multipart') {
    const form = endpoint.form ? parseBy(endpoint.form, body.value) : undefined
    return { params, query, body: form, upload: body.upload, prepared: body.prepared }
  }
  return { params, query, body: parseBy(endpoint.body ?? Nothing, body.value), upload: undefined }
}

/** What is wrong with an upload waits, like any fault of a body, until access was decided. */
async function prepared({ prepare }: Handler<Endpoint>, body: ReadBody, services: Services): Promise<ReadBody> {
  if (!prepare || !body.ok || !body.upload) return body
  try {
    return { ...body, prepared: await prepare(body.upload as never, services) }
  } catch (error) {
    if (error instanceof Failure) return { ok: false, failure: error }
    throw error
  }
}

async function runInTransaction(services: Services, route: Route, caller: Caller | null, sent: Asking): Promise<unknown> {
  const handler = route.handler as Handler<Endpoint>
  const asking = { ...sent, body: await prepared(handler, sent.body, services) }
  const effects: (() => void | Promise<void>)[] = []
  const work = async (tx: ReadTx) => {
    effects.length = 0
    const scene = {
      tx,
      caller,
      services,
      after: (effect: () => void | Promise<void>) => void effects.push(effect),
    } as unknown as Scene<Endpoint>
    const loaded = await load(route, handler, scene, asking)
    return handler.run(scene, parsedOf(route, asking) as never, loaded)
  }
  const identity = handler.as === 'system' ? asSystem(caller?.user_id ?? null) : asUser(caller?.user_id ?? '')
  const result = route.endpoint.method === 'GET' ? await services.store.read(identity, work) : await services.store.write(identity, work)
  for (const effect of effects) await effect()
  return handler.finish ? handler.finish(result, services) : result
}

type Loading = { load(scene: Scene<Endpoint>, aim: { params: never; targets: never }): Promise<unknown> }

/** What a handler loads, which decides access. */
async function load(route: Route, handler: Loading, scene: Scene<Endpoint>, asking: Asking): Promise<unknown> {
  const targets = sentTargets(route.endpoint, asking)
  // A body that cannot be read names no targets: nothing can be decided from it, so its own fault is the answer.
  if (!asking.body.ok && namesTargets(route.endpoint)) throw asking.body.failure
  return handler.load(scene, { params: asking.params as never, targets: targets as never }).catch((error) => {
    // Nothing was found because nothing was named: the request's own fault is the answer.
    if (error instanceof Failure && error.status === 404 && route.needed.some((name) => targets[name] === undefined))
      parsedOf(route, asking)
    throw error
  })
}

const namesTargets = ({ targets, body, form }: Endpoint) => Boolean(targets?.length && body && (body !== 'multipart' || form))

/** Two transactions with the work between them, while nothing of the database is held. */
async function runStaged(services: Services, route: Route, caller: Caller | null, asking: Asking, place: Place): Promise<unknown> {
  const handler = route.handler as StagedHandler<Endpoint>
  const identity = asUser(caller?.user_id ?? '')
  const gathered = await services.store.read(identity, async (tx) => {
    const scene = { tx, caller, services } as unknown as Scene<Endpoint>
    const loaded = await load(route, handler, scene, asking)
    return handler.gather(scene, parsedOf(route, asking) as never, loaded)
  })
  const made = await place.aside(() => handler.make(services, gathered))
  const effects: (() => void | Promise<void>)[] = []
  const saved = await services.store.write(identity, async (tx) => {
    effects.length = 0
    const after = (effect: () => void | Promise<void>) => void effects.push(effect)
    const scene = { tx, caller, services, after } as unknown as Scene<Endpoint>
    return handler.save(scene, made, await load(route, handler, scene, asking))
  })
  for (const effect of effects) await effect()
  return saved
}

/** Who may listen is decided before the first event. */
async function runEvents(services: Services, route: Route, caller: Caller | null, asking: Asking) {
  const handler = route.handler as EventsHandler<Endpoint>
  const loaded = await services.store.read(asUser(caller?.user_id ?? ''), async (tx) => {
    const heard = await load(route, handler, { tx, caller, services } as unknown as Scene<Endpoint>, asking)
    parsedOf(route, asking)
    return heard
  })
  return (signal: AbortSignal) => handler.follow(services, loaded, signal)
}

async function runOpen(
  c: Ctx,
  services: Services,
  route: Route,
  signedIn: SignedIn,
  asking: Asking,
  headers: HeaderList,
): Promise<unknown> {
  const exchange = exchangeOf(c, services, signedIn, headers)
  return (route.handler as OpenHandler<Endpoint>).run(exchange, parsedOf(route, asking) as never)
}

/** A request as sign-in sees it; what it sets is added to `headers`. */
export const exchangeOf = (c: Ctx, services: Services, signedIn: SignedIn, headers: HeaderList): Exchange => ({
  services,
  address: networkOf(addressOf(c, services)),
  ...signedIn,
  setSession: (session) => {
    const kept = headers.filter(([name]) => name !== 'set-cookie')
    headers.splice(0, headers.length, ...kept)
    headers.push(
      ...sessionCookies(session, settingsOf(services), COOKIE_SECONDS, c.req.header('cookie')).map((value): [string, string] => [
        'set-cookie',
        value,
      ]),
    )
  },
  header: (name, value) => void headers.push([name, value]),
})

/** The other end, or behind a proxy that is trusted whom that names; 'local' where there is no network. */
export const addressOf = (c: Ctx, { config }: Services): string =>
  clientAddress(c.env?.incoming?.socket?.remoteAddress, c.req.header('x-forwarded-for'), trustOf(config.trustProxy))

/** No column leaves that the contract does not name. */
function respond({ name, endpoint }: Route, value: unknown, version: '1', search: URLSearchParams, headers: HeaderList): Response {
  const { status = 200, reply, list } = endpoint
  if (typeof reply === 'string') throw new Error(`${name} replies with ${reply}`)
  if (value instanceof ReadyText) {
    if (!isShaped(version, name)) return jsonTextReply(status, value.json, headers)
    return jsonReply(status, shaped(version, name, JSON.parse(value.json)), headers)
  }
  if (!list) return jsonReply(status, shaped(version, name, shapeOf(reply)(value)), headers)
  const rows = value as unknown[]
  const { limit, offset } = endpoint.method === 'GET' ? pageOf(search) : { limit: undefined, offset: 0 }
  headers.push(['x-total-count', String(rows.length)])
  const page = rows.slice(offset, limit === undefined ? undefined : offset + limit)
  return jsonReply(status, shaped(version, name, shapeOf(reply)(page)), headers)
}
