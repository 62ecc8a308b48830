import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { contract } from '@markbook/shared/contract/contract'
import { openapiOf } from '@markbook/shared/contract/openapi'
import { common } from '@markbook/shared/failures'
import type { Hono } from 'hono'
import { asSystem } from '../store/tx.ts'
import { mayReadMetrics } from './metrics-access.ts'
import type { AppEnv } from './mount.ts'
import { PAGE_POLICY } from './safety-headers.ts'
import type { Services } from './services.ts'

const DOCS_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Markbook: the interface</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="docs"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`
/** Collapsed at first: expanding some 200 endpoints takes a slow computer half a minute. */
const DOCS_START =
  "window.SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'none', filter: true, tryItOutEnabled: true })"
const ASSETS = { 'swagger-ui.css': 'text/css; charset=UTF-8', 'swagger-ui-bundle.js': 'text/javascript; charset=UTF-8' } as const

/** The paths besides the contract (decisions §7): health, metrics, the OpenAPI document and its pages. */
export function serveSystem(app: Hono<AppEnv>, { store, metrics, mailer, config }: Services): void {
  // Browsers request it by themselves; there is none, and the log should have no 404 for it.
  app.get('/favicon.ico', (c) => c.body(null, 204, { 'cache-control': 'max-age=86400' }))
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const ready = await store
      .read(asSystem(), (tx) => tx.db.select({ id: tx.t.node.id }).from(tx.t.node).limit(1))
      .then(
        (rows) => rows.length === 1,
        () => false,
      )
    return c.json({ status: ready ? 'ready' : 'not ready' }, ready ? 200 : 503)
  })
  app.get('/metrics', async (c) => {
    if (!mayReadMetrics(c, config.metricsToken)) throw common.metricsClosed()
    const { queued, lastFailure } = mailer.state()
    metrics.mailQueue.set(queued)
    metrics.mailFailing.set(lastFailure?.kind === 'connection' ? 1 : 0)
    return c.body(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType })
  })
  let description: Buffer<ArrayBuffer> | undefined
  app.get('/openapi.json', (c) => {
    // Built at the first request, so that the start does not wait for it.
    description ??= Buffer.from(JSON.stringify(openapiOf(contract)))
    return c.body(description, 200, { 'content-type': 'application/json; charset=UTF-8' })
  })
  app.get('/docs', (c) => c.html(DOCS_PAGE, 200, { 'content-security-policy': PAGE_POLICY }))
  app.get('/docs/start.js', (c) => c.body(DOCS_START, 200, { 'content-type': 'text/javascript; charset=UTF-8' }))
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  for (const [file, contentType] of Object.entries(ASSETS)) {
    let bytes: Buffer<ArrayBuffer> | undefined
    app.get(`/docs/${file}`, (c) => {
      // Read once: the request needs no session, and reading a megabyte synchronously blocks all others.
      bytes ??= readFileSync(join(folder, file))
      return c.body(bytes, 200, { 'content-type': contentType, 'cache-control': 'max-age=86400' })
    })
  }
}
