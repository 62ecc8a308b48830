import { randomUUID } from 'node:crypto'
import { contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { common, Failure } from '@markbook/shared/failures'
import { Hono } from 'hono'
import { handlers } from '../features/handlers.ts'
import { type AppEnv, mount } from './mount.ts'
import { checkOrigin, preflight } from './origins.ts'
import { failureReply, type HeaderList } from './replies.ts'
import type { Services } from './services.ts'
import { serveSystem } from './system.ts'

export type App = Hono<AppEnv>

/** The whole service as one `fetch`: the contract under /api, and what operators read beside it. */
export function createApp(services: Services): App {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    const started = performance.now()
    c.set('requestId', randomUUID())
    c.set('actor', null)
    c.set('route', 'none')
    c.set('replyHeaders', [['x-request-id', c.get('requestId')]])
    await next()
    record(services, c, performance.now() - started)
  })
  app.options('/api/*', (c) => preflight(checkOrigin(c.req.raw, services.config)))
  for (const resource of Object.keys(contract) as (keyof typeof contract)[]) {
    if (resource in handlers) mount(app, services, resource, contract[resource], handlers[resource as keyof typeof handlers] as never)
  }
  serveSystem(app, services)
  app.notFound((c) => {
    const allowed = methodsOf(c.req.path)
    const headers: HeaderList = [
      ...c.get('replyHeaders'),
      ['x-api-version', '1'],
      ...(allowed ? [['allow', allowed] as [string, string]] : []),
    ]
    return failureReply(allowed ? common.methodNotAllowed() : common.noSuchPath(), c.get('requestId'), headers)
  })
  app.onError((error, c) => {
    report(services, error, c.get('requestId'))
    return failureReply(error, c.get('requestId'), c.get('replyHeaders') ?? ([] as HeaderList))
  })
  return app
}

const routes = Object.values(contract)
  .flatMap((resource): Endpoint[] => Object.values(resource))
  .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/:[a-zA-Z]+/g, '[^/]+')}$`) }))
/** The methods that a path takes, for the header Allow; empty for a path that there is not. */
const methodsOf = (path: string) =>
  [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].sort().join(', ')

function report({ log, metrics }: Services, error: Error, requestId: string) {
  if (error instanceof Failure) metrics.refusals.inc({ code: error.code })
  else log.error({ request_id: requestId, err: error }, 'request failed')
}

type Finished = {
  req: { method: string; path: string }
  res: Response
  get(name: 'requestId' | 'route'): string
  get(name: 'actor'): string | null
}

function record({ log, metrics }: Services, c: Finished, ms: number) {
  const { status } = c.res
  metrics.requests.observe({ route: c.get('route'), method: c.req.method, status }, ms / 1_000)
  const line = {
    request_id: c.get('requestId'),
    actor: c.get('actor'),
    method: c.req.method,
    path: c.req.path,
    status,
    ms: Math.round(ms * 10) / 10,
  }
  log.info(line, 'request')
}
