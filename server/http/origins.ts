import { common } from '@markbook/shared/failures'
import type { HeaderList } from './replies.ts'

const originOf = (url: string) => {
  try {
    return new URL(url).origin
  } catch {
    return null
  }
}

/**
 * Whether an origin is the public address, the address of the request, or allowed by the configuration. Over https a page of the same host
 * without TLS is not trusted, since anybody on the network can alter it.
 */
function isAllowed(origin: string, { url, headers }: Request, own: readonly string[]): boolean {
  if (own.includes(origin)) return true
  const host = headers.get('host')
  if (host === null) return false
  const isSecure = url.startsWith('https:') || own.includes(`https://${host}`)
  return origin === `https://${host}` || (!isSecure && origin === `http://${host}`)
}

const isReading = ({ method }: Request) => method === 'GET' || method === 'HEAD'

/** Values of `Sec-Fetch-Site` for a request from a page of another site, or of another host of this site. */
const FOREIGN_SITES = ['cross-site', 'same-site']
const isFromForeignSite = ({ headers }: Request) => FOREIGN_SITES.includes(headers.get('sec-fetch-site') ?? '')

/**
 * Refuses a write from another site's page (decisions §3); returns the CORS headers for allowed origins. Without `Origin`,
 * `Sec-Fetch-Site` decides, which pages cannot set.
 */
export function checkOrigin(
  request: Request,
  { publicUrl, allowedOrigins }: { publicUrl: string; allowedOrigins: readonly string[] },
): HeaderList {
  const origin = request.headers.get('origin')
  if (origin === null) {
    if (!isReading(request) && isFromForeignSite(request)) throw common.foreignOrigin()
    return []
  }
  const own = [originOf(publicUrl), ...allowedOrigins].filter((known): known is string => known !== null)
  if (!isAllowed(origin, request, own)) {
    if (!isReading(request)) throw common.foreignOrigin()
    return [['vary', 'origin']]
  }
  return readableBy(origin, 'x-total-count, x-api-version, x-request-id, retry-after')
}

/** Headers that let a page of that origin read a reply and the headers named in `exposed`. */
const readableBy = (origin: string, exposed: string): HeaderList => [
  ['vary', 'origin'],
  ['access-control-allow-origin', origin],
  ['access-control-allow-credentials', 'true'],
  ['access-control-expose-headers', exposed],
]

/** Headers for a request that is refused before it reaches the app, so that a page of an allowed site can read why. */
export const originHeaders = (origin: string | undefined, allowed: readonly string[]): HeaderList =>
  origin !== undefined && allowed.includes(origin) ? readableBy(origin, 'retry-after, x-request-id') : []

/** The reply to a CORS preflight. `headers`: those that the page may send. */
export const preflight = (allowed: HeaderList, headers = 'content-type, x-api-version'): Response =>
  new Response(null, {
    status: 204,
    headers: [
      ...allowed,
      ['access-control-allow-methods', 'GET, POST, PATCH, PUT, DELETE'],
      ['access-control-allow-headers', headers],
      ['access-control-max-age', '600'],
    ],
  })
