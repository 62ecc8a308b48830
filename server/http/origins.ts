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
 * True for the public address, the address of the request, and the origins that the configuration allows. Where the server is asked by https,
 * a page of the same host without TLS is somebody else's: whoever is on the line can write it.
 */
function isAllowed(origin: string, { url, headers }: Request, own: readonly string[]): boolean {
  if (own.includes(origin)) return true
  const host = headers.get('host')
  if (host === null) return false
  const isSecure = url.startsWith('https:') || own.includes(`https://${host}`)
  return origin === `https://${host}` || (!isSecure && origin === `http://${host}`)
}

const isReading = ({ method }: Request) => method === 'GET' || method === 'HEAD'

/** What a browser says of a request by which another site's page, or one of another host of this site, asks. */
const ELSEWHERE = ['cross-site', 'same-site']
const isFromElsewhere = ({ headers }: Request) => ELSEWHERE.includes(headers.get('sec-fetch-site') ?? '')

/**
 * Refuses a write from another site's page (decisions §3); answers the CORS headers for allowed origins. Where there is no `Origin`, what the
 * browser says of the site counts: pages cannot write that header.
 */
export function checkOrigin(
  request: Request,
  { publicUrl, allowedOrigins }: { publicUrl: string; allowedOrigins: readonly string[] },
): HeaderList {
  const origin = request.headers.get('origin')
  if (origin === null) {
    if (!isReading(request) && isFromElsewhere(request)) throw common.foreignOrigin()
    return []
  }
  const own = [originOf(publicUrl), ...allowedOrigins].filter((known): known is string => known !== null)
  if (!isAllowed(origin, request, own)) {
    if (!isReading(request)) throw common.foreignOrigin()
    return [['vary', 'origin']]
  }
  return readableBy(origin, 'x-total-count, x-api-version, x-request-id, retry-after')
}

/** Headers with which a page of that origin may read a reply and the headers named in `exposed`. */
const readableBy = (origin: string, exposed: string): HeaderList => [
  ['vary', 'origin'],
  ['access-control-allow-origin', origin],
  ['access-control-allow-credentials', 'true'],
  ['access-control-expose-headers', exposed],
]

/** Headers of a request that is refused before it reaches the app, so that a page of an allowed site can read why. */
export const originHeaders = (origin: string | undefined, allowed: readonly string[]): HeaderList =>
  origin !== undefined && allowed.includes(origin) ? readableBy(origin, 'retry-after, x-request-id') : []

/** The reply to a CORS preflight. `headers` are those that a page may send. */
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
