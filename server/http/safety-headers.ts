import type { ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { HeaderList } from './replies.ts'

/** For pages: nothing comes from anywhere but this server. Styles are set on elements by the grid, which the policy counts as inline. */
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

/** For what is no page: a browser that shows it all the same runs and loads nothing of it. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A year. */
const STRICT = 'max-age=31536000'

/**
 * Of every reply, whoever makes it (docs/design/http.md); a reply that says another value for one of them has its own. With TLS that every
 * browser knows, `strict-transport-security` too: never with the school's own authority, which a device may not have been told.
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
