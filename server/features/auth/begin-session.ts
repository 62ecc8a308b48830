import { common, type Failure } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import type { CookieSession } from '../../http/cookies.ts'
import type { Exchange } from '../../http/handler.ts'
import { authenticate, endSession, sessionIdOf, startSession } from '../../http/sessions.ts'
import { laptopOwner } from '../../store/laptop.ts'
import type { WriteTx } from '../../store/tx.ts'
import { mailNews, noteSignIn } from '../sessions/notices.policy.ts'
import { profileOf } from './profile.policy.ts'

/** A new session, and the notice to its owner. */
export type Begun = { session: CookieSession; news: Awaited<ReturnType<typeof noteSignIn>> }

/** The id of the person with an address. The first sign-in with an address creates the person, without a school. */
async function userIdOf(tx: WriteTx, email: string, knownId: string | null): Promise<string> {
  if (knownId) return knownId
  const id = naturalId('user', email)
  await tx.insert('user_profile', { id, email, first_name: null, last_name: null, school_id: null })
  return id
}

/**
 * Starts a session for an authenticated person, replacing the one of this browser. Returns a failure on another person's laptop. `knownId`
 * is null for an address without an account.
 */
export async function beginSession(
  tx: WriteTx,
  { services: { keys }, caller, client }: Exchange,
  email: string,
  knownId: string | null,
): Promise<Begun | Failure> {
  const owner = await laptopOwner(tx)
  if (owner !== null && owner !== (knownId ?? naturalId('user', email))) return common.othersLaptop()
  if (caller) await endSession(tx, caller.session_id)
  const id = await userIdOf(tx, email, knownId)
  const session = await startSession(tx, id, keys, client())
  return { session, news: await noteSignIn(tx, { user_id: id, session_id: sessionIdOf(session, keys), email }, client()) }
}

/** Sets the cookies of a committed session, mails its notice, and returns the reply of a sign-in. */
export async function enter(exchange: Exchange, { session, news }: Begun) {
  const { services } = exchange
  const known = await authenticate(services.store, session, services.clock.now(), services.keys, exchange.client)
  if (!known) throw common.unauthenticated()
  mailNews(services, news)
  exchange.setSession(session)
  return { session, user: await profileOf(services, known.caller) }
}
