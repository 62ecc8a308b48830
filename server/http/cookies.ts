import { limits } from '@markbook/shared/limits'
import { parse } from 'hono/utils/cookie'
import { LRUCache } from 'lru-cache'

/** What the session cookies hold (specification, «Authentication»): the tokens and when the access token ends, in seconds since 1970. */
export type CookieSession = { access_token: string; refresh_token: string; expires_in: number; expires_at: number; token_type: 'bearer' }

export const cookieName = (prefix: string, projectRef: string) => `${prefix}-${projectRef}-auth-token`

/** The name of the same cookie before it had the prefix `__Host-`; null for a name without it. */
export const earlierName = (name: string): string | null => (name.startsWith('__Host-') ? name.slice('__Host-'.length) : null)

const PREFIX = 'base64-'
/** More chunks than any session needs. */
const MOST_CHUNKS = 5

/**
 * Sessions by Cookie header, since a browser sends the same header for an hour. Only headers up to `LONGEST_CACHED`, to bound the memory.
 */
const cache = new LRUCache<string, Readonly<CookieSession>>({ max: 1_000 })
const LONGEST_CACHED = 2_048

/** The session in a Cookie header; null where there is none, it is malformed or too large. Never throws. */
export function readSessionCookie(header: string | undefined, name: string): Readonly<CookieSession> | null {
  if (!header || header.length > limits.session.cookieHeaderBytes) return null
  if (header.length > LONGEST_CACHED) return parseSessionCookie(header, name)
  const key = `${name} ${header}`
  const cached = cache.get(key)
  if (cached) return cached
  const session = parseSessionCookie(header, name)
  if (session) cache.set(key, session)
  return session
}

function parseSessionCookie(header: string, name: string): CookieSession | null {
  const cookies = parse(header)
  const value = cookies[name] || chunksOf(cookies, name)
  if (!value.startsWith(PREFIX)) return null
  try {
    const session = JSON.parse(Buffer.from(value.slice(PREFIX.length), 'base64url').toString()) as CookieSession | null
    const isValid = typeof session?.access_token === 'string' && typeof session.refresh_token === 'string'
    return isValid ? session : null
  } catch {
    return null
  }
}

const chunksOf = (cookies: Record<string, string>, name: string) => {
  let value = ''
  for (let at = 0; at < MOST_CHUNKS && `${name}.${at}` in cookies; at += 1) value += cookies[`${name}.${at}`]
  return value
}

/** Set-Cookie headers for a session, or, for null, that end it. Clears chunks of an earlier session, and cookies with the earlier name. */
export function sessionCookies(
  session: CookieSession | null,
  { name, secure }: { name: string; secure: boolean },
  maxAgeSeconds: number,
  sent: string | undefined,
): string[] {
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  const value = session ? PREFIX + Buffer.from(JSON.stringify(session)).toString('base64url') : ''
  const size = limits.session.cookieChunkBytes
  const written =
    value.length <= size
      ? new Map(value ? [[name, value]] : [])
      : new Map(
          Array.from({ length: Math.ceil(value.length / size) }, (_, at) => [`${name}.${at}`, value.slice(at * size, (at + 1) * size)]),
        )
  const stale = Object.keys(parse(sent ?? '')).filter(
    (key) => [name, earlierName(name)].some((each) => each !== null && isOurs(key, each)) && !written.has(key),
  )
  const ended = session ? stale : [...new Set([name, ...stale])]
  return [
    ...[...written].map(([key, part]) => `${key}=${part}; Max-Age=${maxAgeSeconds}${attributes}`),
    ...ended.map((key) => `${key}=; Max-Age=0${attributes}`),
  ]
}

const isOurs = (key: string, name: string) => key === name || (key.startsWith(`${name}.`) && /^\d{1,2}$/.test(key.slice(name.length + 1)))
