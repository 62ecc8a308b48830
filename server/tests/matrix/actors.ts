import { type PersonName, people } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { cookieName, sessionCookies } from '../../http/cookies.ts'
import { endSession, startSession } from '../../http/sessions.ts'
import { asSystem } from '../../store/tx.ts'
import type { School } from '../../testing/school.ts'

/**
 * Who asks. `expired` and `revoked` hold the administrator's cookies of a session that has ended. Of the people: no school, waiting
 * to join, a suspended administrator; then member, subject teacher, class teacher of 3B, class teacher of 3A, administrator, and
 * the administrator of Hilltop.
 */
export const actors = [
  'anonymous',
  'expired',
  'revoked',
  'nobody',
  'tomas',
  'doyle',
  'niamh',
  'ada',
  'byrne',
  'quinn',
  'okafor',
  'marker',
] as const satisfies readonly (PersonName | 'anonymous' | 'expired' | 'revoked')[]
export type Actor = (typeof actors)[number]
export const isPerson = (actor: Actor): boolean => !['anonymous', 'expired', 'revoked'].includes(actor)

async function endedSession({ services }: School, how: 'expired' | 'revoked'): Promise<string> {
  const { store, keys, config } = services
  const session = await store.write(asSystem(), async (tx) => {
    const started = await startSession(tx, people.okafor.id, keys)
    const [, claims = ''] = started.access_token.split('.')
    const { sid } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sid: string }
    if (how === 'revoked') await endSession(tx, sid)
    else await tx.local.update(tx.t.session).set({ expires_at: tx.now }).where(eq(tx.t.session.id, sid))
    return started
  })
  const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
  return sessionCookies(session, settings, 60, undefined)
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

export async function cookiesOf(st: School): Promise<Record<Actor, string>> {
  const ended = { anonymous: '', expired: await endedSession(st, 'expired'), revoked: await endedSession(st, 'revoked') }
  const live = Object.fromEntries(Object.keys(people).map((name) => [name, st.cookieOf(name as PersonName)]))
  return { ...ended, ...live } as Record<Actor, string>
}
