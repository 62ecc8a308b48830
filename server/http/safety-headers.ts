import type { ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { HeaderList } from './replies.ts'

/** For pages: everything is loaded from this server only. The grid sets styles on elements, which the policy counts as inline. */
export const PAGE_POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "style-src 'self' 'unsafe-inline'",
  "frame-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** For replies that are not pages: a browser that shows one nevertheless runs and loads nothing. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A year, in seconds. */
const STRICT = 'max-age=31536000'

/**
 * Headers of every reply (docs/design/http.md); a reply may set its own value. `strict-transport-security` only with a certificate that
 * every browser trusts, not with the school's own authority, which a device may not have.
 */
export function safetyHeaders({ tls, publicUrl }: Pick<Config, 'tls' | 'publicUrl'> = { tls: 'none', publicUrl: '' }): HeaderList {
  const isStrict = typeof tls === 'object' || (tls === 'none' && publicUrl.startsWith('https:'))
  return [
    ['content-security-policy', POLICY],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'no-referrer'],
    ...(isStrict ? [['strict-transport-security', STRICT] as [string, string]] : []),
  ]
}

export function setHeaders(outgoing: ServerResponse, headers: HeaderList): void {
  for (const [name, value] of headers) outgoing.setHeader(name, value)
}
