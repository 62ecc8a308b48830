import { limits } from '@markbook/shared/limits'

/** What the session cookies hold (specification, «Authentication»): the tokens and when the access token ends, in seconds since 1970. */
export type CookieSession = { access_token: string; refresh_token: string; expires_in: number; expires_at: number; token_type: 'bearer' }

export type CookieSettings = { name: string; secure: boolean }

export const cookieName = (prefix: string, projectRef: string) => `${prefix}-${projectRef}-auth-token`

const PREFIX = 'base64-'
/** More chunks than any session of ours has; what a browser sends beyond them is not ours. */
const MOST_CHUNKS = 5

function parseCookies(header: string): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at > 0) cookies.set(part.slice(0, at).trim(), part.slice(at + 1).trim())
  }
  return cookies
}

/** The session in a Cookie header, or null for none, junk or more than a session can be. Never throws. */
export function readSessionCookie(header: string | undefined, name: string): CookieSession | null {
  if (!header || header.length > limits.session.cookieBytes) return null
  const cookies = parseCookies(header)
  const value = cookies.get(name) || chunksOf(cookies, name)
  if (!value.startsWith(PREFIX)) return null
  try {
    const session = JSON.parse(Buffer.from(value.slice(PREFIX.length), 'base64url').toString()) as CookieSession | null
    const sound = typeof session?.access_token === 'string' && typeof session.refresh_token === 'string'
    return sound ? session : null
  } catch {
    return null
  }
}

const chunksOf = (cookies: Map<string, string>, name: string) => {
  let value = ''
  for (let at = 0; at < MOST_CHUNKS && cookies.has(`${name}.${at}`); at += 1) value += cookies.get(`${name}.${at}`)
  return value
}

/** Set-Cookie headers for a session, or, for null, that end it; whatever an earlier one left behind is cleared. */
export function sessionCookies(
  session: CookieSession | null,
  { name, secure }: CookieSettings,
  maxAgeSeconds: number,
  sent: string | undefined,
): string[] {
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  const value = session ? PREFIX + Buffer.from(JSON.stringify(session)).toString('base64url') : ''
  const size = limits.session.cookieChunk
  const written =
    value.length <= size
      ? new Map(value ? [[name, value]] : [])
      : new Map(
          Array.from({ length: Math.ceil(value.length / size) }, (_, at) => [`${name}.${at}`, value.slice(at * size, (at + 1) * size)]),
        )
  const stale = [...parseCookies(sent ?? '').keys()].filter((key) => isOurs(key, name) && !written.has(key))
  const ended = session ? stale : [...new Set([name, ...stale])]
  return [
    ...[...written].map(([key, part]) => `${key}=${part}; Max-Age=${maxAgeSeconds}${attributes}`),
    ...ended.map((key) => `${key}=; Max-Age=0${attributes}`),
  ]
}

const isOurs = (key: string, name: string) => key === name || (key.startsWith(`${name}.`) && /^\d{1,2}$/.test(key.slice(name.length + 1)))
