import { randomUUID } from 'node:crypto'
import { contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { common, Failure } from '@markbook/shared/failures'
import { type Context, Hono } from 'hono'
import { serveDesktop } from '../desktop/desktop.routes.ts'
import { serveDemo } from '../features/auth/demo.routes.ts'
import { handlers } from '../features/handlers.ts'
import { serveShapes } from '../features/shapes/shapes.routes.ts'
import { serveStorage } from '../features/storage/storage.routes.ts'
import type { Handlers } from '../http/handler.ts'
import { slotOf } from '../http/limiter.ts'
import { type AppEnv, addressOf, mount } from '../http/mount.ts'
import { checkOrigin, originHeaders, preflight } from '../http/origins.ts'
import { pageOf } from '../http/pages.ts'
import { failureReply, type HeaderList } from '../http/replies.ts'
import { recordRequest } from '../http/request-log.ts'
import type { Services } from '../http/services.ts'
import { serveSystem } from '../http/system.ts'
import { serveChildren } from '../replication/downstream/routes.ts'

export type App = Hono<AppEnv>

/** The whole service as one `fetch`: the contract under /api, and the endpoints for operators. */
export function createApp(services: Services): App {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    const started = performance.now()
    c.set('requestId', randomUUID())
    c.set('actor', null)
    c.set('route', 'none')
    c.set('input', undefined)
    c.set('failure', undefined)
    c.set('replyHeaders', [['x-request-id', c.get('requestId')]])
    await next()
    record(services, c, performance.now() - started)
  })
  app.options('/api/*', (c) => preflight(checkOrigin(c.req.raw, services.config)))
  for (const resource of Object.keys(contract) as (keyof typeof contract)[])
    mount(app, services, resource, contract[resource], handlers[resource] as Handlers<Record<string, Endpoint>>)
  serveDemo(app, services)
  serveDesktop(app, services)
  serveSystem(app, services)
  serveChildren(app, services)
  serveStorage(app, services)
  serveShapes(app, services)
  app.notFound(async (c) => {
    const page = await pageOf(c, services)
    if (page) {
      c.set('route', 'page')
      return page
    }
    const allowed = methodsOf(c.req.path)
    const headers: HeaderList = [
      ...c.get('replyHeaders'),
      ['x-api-version', '1'],
      ...originHeaders(c.req.header('origin'), services.config.allowedOrigins),
      ...(allowed ? [['allow', allowed] as [string, string]] : []),
    ]
    c.set('failure', allowed ? common.methodNotAllowed() : common.noSuchPath())
    return failureReply(c.get('failure'), c.get('requestId'), headers)
  })
  app.onError((error, c) => {
    c.set('failure', error)
    return failureReply(error, c.get('requestId'), c.get('replyHeaders') ?? ([] as HeaderList))
  })
  return app
}

const routes = Object.values(contract)
  .flatMap((resource): Endpoint[] => Object.values(resource))
  .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/:[a-zA-Z]+/g, '[^/]+')}$`) }))
/** The methods of a path, for the Allow header; empty for an unknown path. */
const methodsOf = (path: string) =>
  [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].sort().join(', ')

/** Counts a request and logs it, whatever its outcome. */
function record(services: Services, c: Context<AppEnv>, ms: number) {
  const { log, metrics } = services
  const { status } = c.res
  const failure = c.get('failure')
  const route = c.get('route')
  metrics.requests.observe({ route, method: c.req.method, status }, ms / 1_000)
  if (failure instanceof Failure) metrics.refusals.inc({ code: failure.code })
  recordRequest(log, {
    requestId: c.get('requestId'),
    actor: c.get('actor'),
    address: () => addressOf(c, services),
    method: c.req.method,
    route,
    path: c.req.path,
    input: c.get('input'),
    status,
    ms,
    failure,
    isGone: !slotOf(c.env?.incoming).isClientConnected(),
  })
}
