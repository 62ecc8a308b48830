import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context } from 'hono'
import { type AppEnv, sessionSent, signIn } from './mount.ts'
import type { HeaderList } from './replies.ts'
import { PAGE_POLICY } from './safety-headers.ts'
import type { Services } from './services.ts'

type Ctx = Context<AppEnv>

/** The built app: beside the bundle, or in `dist` where the sources run. */
const PLACES = ['./app', '../../dist/app'].map((place) => fileURLToPath(new URL(place, import.meta.url)))

const folder = PLACES.find((place) => existsSync(join(place, 'index.html')))
/** The languages of the sign-in pages that the build prerendered; empty where the app is not built. */
const languages = folder ? readdirSync(folder).flatMap((file) => /^sign-in\.([a-z]{2})\.html$/.exec(file)?.[1] ?? []) : []

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=UTF-8',
  '.webmanifest': 'application/manifest+json; charset=UTF-8',
  '.woff2': 'font/woff2',
}

const SAFETY = { 'content-security-policy': PAGE_POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

/** Paths that are not pages of the app. */
const NOT_PAGES = /^\/(api|v1|storage|docs|openapi\.json|healthz|readyz|metrics)(\/|$)/

/**
 * Serves the app's files by name, and a document for every page URL. Scripts have their content's hash in the name and are cached for
 * ever; the document is not cached, so that an updated server is used at the next load. Null where the path is not the app's, or the app
 * is not built. Called last, so that it costs requests of the contract nothing.
 */
export async function pageOf(c: Ctx, services: Services): Promise<Response | null> {
  const { path, method } = c.req
  if ((method !== 'GET' && method !== 'HEAD') || !folder || NOT_PAGES.test(path)) return null
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

/** Null where there is no such file. Sends the compressed form of the build to clients that accept it. */
async function fileOf(c: Ctx, folder: string, path: string): Promise<Response | null> {
  const whole = join(folder, normalize(path))
  const type = TYPES[extname(path)]
  if (!whole.startsWith(folder) || !type || !existsSync(whole)) return null
  const isCompressed = existsSync(`${whole}.gz`)
  const compressed = isCompressed && /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
  const body = await readFile(compressed ? `${whole}.gz` : whole)
  const headers = {
    ...SAFETY,
    'content-type': type,
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(isCompressed && { vary: 'accept-encoding' }),
    ...(compressed && { 'content-encoding': 'gzip' }),
  }
  return c.body(new Uint8Array(body), 200, headers)
}

/** Set by the app when a person chooses a language (`desktop/ui/words/stored-language.ts`). */
const LANGUAGE = /(?:^|;\s*)markbook-language=([a-z]{2})(?:;|$)/
const FIRST = 'en'

/**
 * The document for a page request (docs/design/app.md): the app for a session, else the prerendered sign-in page in the browser's
 * language. The window of the desktop app signs in without a form and always gets the app, as does everybody while the database does not
 * answer. Cookies of a renewed session are added to `headers`.
 */
export async function documentFor(c: Ctx, services: Services, languages: readonly string[], headers: HeaderList): Promise<string> {
  if (services.config.windowSecret || languages.length === 0) return '/index.html'
  const isOpen = await signIn(c, services, headers).then(
    ({ caller }) => caller !== null,
    () => true,
  )
  return isOpen ? '/index.html' : `/sign-in.${languageOf(c, languages)}${isReturn(c, services) ? '.back' : ''}.html`
}

function languageOf(c: Ctx, languages: readonly string[]): string {
  const chosen = LANGUAGE.exec(c.req.header('cookie') ?? '')?.[1]
  const accepted = (c.req.header('accept-language') ?? '').split(',').map((tag) => tag.trim().slice(0, 2).toLowerCase())
  return [chosen, ...accepted].find((code) => code !== undefined && languages.includes(code)) ?? FIRST
}

/**
 * Whether another page than the first was requested by a browser whose session is over: the sign-in page then says that the person returns
 * there. A browser without a cookie may be here for the first time.
 */
function isReturn(c: Ctx, services: Services): boolean {
  const next = c.req.path === '/sign-in' ? (c.req.query('next') ?? '/') : c.req.path
  return /^\/(?![/\\]|sign-in\b)./.test(next) && sessionSent(c, services).cookie !== null
}
