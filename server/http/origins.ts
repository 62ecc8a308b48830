import { common } from '@markbook/shared/failures'
import type { HeaderList } from './replies.ts'

const originOf = (url: string) => {
  try {
    return new URL(url).origin
  } catch {
    return null
  }
}

/** True for an origin of ours: the public address, the address that was called, or one that the configuration allows. */
function isOurs(origin: string, host: string | null, own: readonly string[]): boolean {
  if (own.includes(origin)) return true
  return host !== null && (origin === `http://${host}` || origin === `https://${host}`)
}

/** Refuses a change that another site's page asks for (decisions §3); answers the headers for the pages that may. */
export function checkOrigin(
  request: Request,
  { publicUrl, allowedOrigins }: { publicUrl: string; allowedOrigins: readonly string[] },
): HeaderList {
  const origin = request.headers.get('origin')
  if (origin === null) return []
  const own = [originOf(publicUrl), ...allowedOrigins].filter((known): known is string => known !== null)
  if (!isOurs(origin, request.headers.get('host'), own)) {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw common.foreignOrigin()
    return [['vary', 'origin']]
  }
  return [
    ['vary', 'origin'],
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', 'true'],
    ['access-control-expose-headers', 'x-total-count, x-api-version, x-request-id, retry-after'],
  ]
}

/** The answer to a browser that asks before it sends from another origin. `headers` are those that it may send. */
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
