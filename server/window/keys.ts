import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@markbook/shared/clock'

/** The cookie of the window. It says whose window asks, not who is signed in, and goes only to `/window`. */
export const WINDOW_COOKIE = 'markbook-window'

const digest = (secret: string, use: string) => createHmac('sha256', secret).update(`markbook:${use}`).digest()
const same = (given: string, expected: Buffer) => {
  const bytes = Buffer.from(given, 'base64url')
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

/** The same after a crash of the server, which its window outlives. */
export const cookieOf = (secret: string): string => digest(secret, 'window').toString('base64url')

export function isWindow(cookies: string | undefined, secret: string): boolean {
  const own = cookies
    ?.split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === WINDOW_COOKIE)
  return own?.[1] !== undefined && same(own[1], digest(secret, 'window'))
}

/** Whether the program that started this server asks: nobody else knows the secret. */
export const isProgram = (authorization: string | undefined, secret: string): boolean =>
  same(Buffer.from(authorization?.replace(/^Bearer /, '') ?? '').toString('base64url'), Buffer.from(secret))

const LIFE = 30_000

/** Tickets open the window once: they stand in an address, which others may see, so they end with their first use or after 30 s. */
export function ticketOffice(clock: Clock) {
  const ends = new Map<string, number>()
  return {
    issue(): string {
      const now = clock.now()
      for (const [ticket, end] of ends) if (end <= now) ends.delete(ticket)
      const ticket = randomBytes(24).toString('base64url')
      ends.set(ticket, now + LIFE)
      return ticket
    },
    take(ticket: string): boolean {
      const end = ends.get(ticket)
      ends.delete(ticket)
      return end !== undefined && end > clock.now()
    },
  }
}
