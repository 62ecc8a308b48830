import type { Endpoint, Resource } from '@markbook/shared/contract/endpoint'
import { common, Failure } from '@markbook/shared/failures'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { asSystem, asUser, type ReadTx } from '../store/tx.ts'
import type { Caller } from './caller.ts'
import { type CookieSession, cookieName, readSessionCookie, sessionCookies } from './cookies.ts'
import type { BinaryReply, Exchange, Handler, Handlers, OpenHandler, Scene } from './handler.ts'
import { checkOrigin } from './origins.ts'
import { fileReply, type HeaderList, jsonReply } from './replies.ts'
import { checkIds, pageOf, parseBy, type ReadBody, readJson, readMultipart } from './requests.ts'
import type { Services } from './services.ts'
import { authenticate } from './sessions.ts'
import { shaped, versionOf } from './versions.ts'

export type AppEnv = {
  Bindings: { incoming?: { socket?: { remoteAddress?: string } } }
  Variables: { requestId: string; actor: string | null; route: string; replyHeaders: HeaderList }
}
type Ctx = Context<AppEnv>
// biome-ignore lint/suspicious/noExplicitAny: one loop serves all endpoints; each handler was typed where it was written.
type AnyHandler = Handler<any, any> | OpenHandler<any>
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
  const search = new URL(request.url).searchParams
  checkIds(params)
  checkIds(targetsOf(endpoint, Object.fromEntries(search)))
  const body = await readBody(endpoint, request)
  if (body.ok) checkIds(targetsOf(endpoint, body.value))
  guard(endpoint, signedIn.caller)
  const asking: Asking = { params, search, body }
  const reply =
    handler.kind === 'open'
      ? await runOpen(c, services, route, signedIn, asking, headers)
      : await runInTransaction(services, route, signedIn.caller, asking)
  return respond(route, reply, version, search, headers)
}

type Asking = { params: Record<string, string>; search: URLSearchParams; body: ReadBody }
type SignedIn = { caller: Caller | null; session: CookieSession | null }

const settingsOf = ({ config }: Services) => ({ name: cookieName(config.cookiePrefix, config.projectRef), secure: config.secureCookies })
/** The cookie outlives any session: the server decides when it ends. */
const COOKIE_SECONDS = 30 * 86_400

async function signIn(c: Ctx, services: Services, headers: HeaderList): Promise<SignedIn> {
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

const targetsOf = ({ targets = [] }: Endpoint, value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    targets.filter((name) => Object.hasOwn(value, name)).map((name) => [name, (value as Record<string, unknown>)[name] ?? undefined]),
  )
}

const sentTargets = (endpoint: Endpoint, { search, body }: Asking) => ({
  ...targetsOf(endpoint, Object.fromEntries(search)),
  ...targetsOf(endpoint, body.ok ? body.value : undefined),
})

/** The targets that a request cannot leave out. */
function neededTargets({ targets = [], query, body }: Endpoint): string[] {
  const fields: Record<string, z.ZodType> = { ...(body instanceof z.ZodObject ? body.shape : {}), ...query?.shape }
  return targets.filter((name) => fields[name] && !fields[name].safeParse(undefined).success)
}

async function readBody(endpoint: Endpoint, request: Request): Promise<ReadBody> {
  if (endpoint.method === 'GET') return { ok: true, value: undefined }
  return endpoint.body === 'multipart' ? readMultipart(request) : readJson(request)
}

const Nothing = z.strictObject({}, { error: 'takes no fields' }).optional()

function parsedOf({ endpoint }: Route, { params, search, body }: Asking) {
  if (!body.ok) throw body.failure
  const query = endpoint.query ? parseBy(endpoint.query, Object.fromEntries(search)) : {}
  if (endpoint.body === 'multipart') return { params, query, body: undefined, upload: body.upload, prepared: body.prepared }
  return { params, query, body: parseBy(endpoint.body ?? Nothing, body.value), upload: undefined }
}

/** What is wrong with an upload waits, like any fault of a body, until access was decided. */
async function prepared({ prepare }: Handler<Endpoint>, body: ReadBody): Promise<ReadBody> {
  if (!prepare || !body.ok || !body.upload) return body
  try {
    return { ...body, prepared: await prepare(body.upload as never) }
  } catch (error) {
    if (error instanceof Failure) return { ok: false, failure: error }
    throw error
  }
}

async function runInTransaction(services: Services, route: Route, caller: Caller | null, sent: Asking): Promise<unknown> {
  const handler = route.handler as Handler<Endpoint>
  const asking = { ...sent, body: await prepared(handler, sent.body) }
  const effects: (() => void | Promise<void>)[] = []
  const work = async (tx: ReadTx) => {
    effects.length = 0
    const scene = {
      tx,
      caller,
      services,
      after: (effect: () => void | Promise<void>) => void effects.push(effect),
    } as unknown as Scene<Endpoint>
    const targets = sentTargets(route.endpoint, asking)
    // A body that cannot be read names no targets: nothing can be decided from it, so its own fault is the answer.
    if (!asking.body.ok && namesTargets(route.endpoint)) throw asking.body.failure
    const loaded = await handler.load(scene, { params: asking.params as never, targets: targets as never }).catch((error) => {
      // Nothing was found because nothing was named: the request's own fault is the answer.
      if (error instanceof Failure && error.status === 404 && route.needed.some((name) => targets[name] === undefined))
        parsedOf(route, asking)
      throw error
    })
    return handler.run(scene, parsedOf(route, asking) as never, loaded)
  }
  const identity = handler.as === 'system' ? asSystem(caller?.user_id ?? null) : asUser(caller?.user_id ?? '')
  const result = route.endpoint.method === 'GET' ? await services.store.read(identity, work) : await services.store.write(identity, work)
  for (const effect of effects) await effect()
  return handler.finish ? handler.finish(result) : result
}

const namesTargets = ({ targets, body }: Endpoint) => Boolean(targets?.length && body && body !== 'multipart')

async function runOpen(
  c: Ctx,
  services: Services,
  route: Route,
  signedIn: SignedIn,
  asking: Asking,
  headers: HeaderList,
): Promise<unknown> {
  const exchange: Exchange = {
    services,
    address: addressOf(c, services),
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
  }
  return (route.handler as OpenHandler<Endpoint>).run(exchange, parsedOf(route, asking) as never)
}

/** The other end; behind a proxy that the configuration trusts, whom that proxy names last. */
export function addressOf(c: Ctx, { config }: Services): string {
  // A socket that serves both families names an IPv4 client as ::ffff:192.0.2.1.
  const direct = (c.env?.incoming?.socket?.remoteAddress ?? 'local').replace(/^::ffff:(?=\d+\.)/, '')
  if (!config.trustProxy.includes(direct)) return direct
  const named = (c.req.header('x-forwarded-for') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  return named.reverse().find((address) => !config.trustProxy.includes(address)) ?? direct
}

/** The reply is read through its schema on the way out, so that no column leaves that the contract does not name. */
function respond({ name, endpoint }: Route, reply: unknown, version: '1', search: URLSearchParams, headers: HeaderList): Response {
  const status = endpoint.status ?? 200
  if (endpoint.reply === 'binary') return fileReply(status, reply as BinaryReply, headers)
  if (!endpoint.list) return jsonReply(status, shaped(version, name, endpoint.reply.parse(reply)), headers)
  const rows = reply as unknown[]
  const { limit, offset } = endpoint.method === 'GET' ? pageOf(search) : { limit: undefined, offset: 0 }
  headers.push(['x-total-count', String(rows.length)])
  const page = rows.slice(offset, limit === undefined ? undefined : offset + limit)
  return jsonReply(status, shaped(version, name, endpoint.reply.parse(page)), headers)
}
