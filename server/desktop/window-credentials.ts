import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@markbook/shared/clock'
import { parse } from 'hono/utils/cookie'
import { isSameSecret } from '../store/encryption.ts'

/** Proves that a request comes from the desktop app's window, not who is signed in. Sent to `/window` alone. */
export const WINDOW_COOKIE = 'markbook-window'

const digest = (secret: string) => createHmac('sha256', secret).update('markbook:window').digest()

/** Derived from the secret, so that it stays valid when the server restarts after a crash. */
export const windowCookie = (secret: string): string => digest(secret).toString('base64url')

/** Whether a Cookie header has the cookie of the window. */
export const isDesktopWindow = (cookies: string | undefined, secret: string): boolean =>
  isSameSecret(Buffer.from(parse(cookies ?? '', WINDOW_COOKIE)[WINDOW_COOKIE] ?? '', 'base64url'), digest(secret))

/** True for requests of the desktop shell, which started this server and alone knows the secret. */
export const isShell = (authorization: string | undefined, secret: string): boolean =>
  isSameSecret(Buffer.from(authorization?.replace(/^Bearer /, '') ?? ''), Buffer.from(secret))

const TICKET_MS = 30_000

/** Tickets stand in a URL, which others may see: each is valid once, for 30 s. */
export function ticketStore(clock: Clock) {
  const ends = new Map<string, number>()
  return {
    issue(): string {
      const now = clock.now()
      for (const [ticket, end] of ends) if (end <= now) ends.delete(ticket)
      const ticket = randomBytes(24).toString('base64url')
      ends.set(ticket, now + TICKET_MS)
      return ticket
    },
    take(ticket: string): boolean {
      const end = ends.get(ticket)
      ends.delete(ticket)
      return end !== undefined && end > clock.now()
    },
  }
}
