import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context } from 'hono'
import type { AppEnv } from './mount.ts'
import type { HeaderList } from './replies.ts'
import type { Services } from './services.ts'
import { documentFor, paintedLanguages } from './sign-in-page.ts'

/** Beside the bundle, or in `dist` where the sources run. */
const PLACES = ['./app', '../../dist/app'].map((place) => fileURLToPath(new URL(place, import.meta.url)))

const folder = PLACES.find((place) => existsSync(join(place, 'index.html')))
const languages = paintedLanguages(folder)

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=UTF-8',
  '.woff2': 'font/woff2',
}

/** Nothing comes from anywhere but this server. Styles are set on elements by the grid, which the policy counts as inline. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "style-src 'self' 'unsafe-inline'",
  "frame-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const SAFETY = { 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

/** What is no page of the app, though a browser may ask for it. */
const NOT_OURS = /^\/(api|v1|storage|docs|openapi\.json|healthz|readyz|metrics)(\/|$)/

/**
 * What a browser finds where the contract has nothing: files of the app by name, a document for every address of a page. Scripts
 * bear their content's hash and are kept for ever; the document is asked for anew each time, so that an updated server is seen at the
 * next load. Null where the path is not the app's, or no app was built. Asked last: no request of the contract pays for it.
 */
export async function pageOf(c: Context<AppEnv>, services: Services): Promise<Response | null> {
  const { path, method } = c.req
  if ((method !== 'GET' && method !== 'HEAD') || !folder || NOT_OURS.test(path)) return null
  if (extname(path)) return fileOf(c, folder, path)
  const isPage = path === '/' || /text\/html/.test(c.req.header('accept') ?? '')
  if (!isPage) return null
  const headers: HeaderList = []
  const page = await fileOf(c, folder, await documentFor(c, services, languages, headers))
  page?.headers.set('cache-control', 'private, no-cache')
  page?.headers.set('vary', 'accept-encoding, accept-language, cookie')
  for (const [name, value] of headers) page?.headers.append(name, value)
  return page
}

/** Null where there is none. What was packed at the build goes out packed, to who takes it. */
async function fileOf(c: Context<AppEnv>, folder: string, path: string): Promise<Response | null> {
  const whole = join(folder, normalize(path))
  const type = TYPES[extname(path)]
  if (!whole.startsWith(folder) || !type || !existsSync(whole)) return null
  const isPacked = existsSync(`${whole}.gz`)
  const packed = isPacked && /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
  const body = await readFile(packed ? `${whole}.gz` : whole)
  const headers = {
    ...SAFETY,
    'content-type': type,
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(isPacked && { vary: 'accept-encoding' }),
    ...(packed && { 'content-encoding': 'gzip' }),
  }
  return c.body(new Uint8Array(body), 200, headers)
}
