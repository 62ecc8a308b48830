import { auth, authFailures } from '@markbook/shared/contract/auth'
import { byFoldedName } from '@markbook/shared/domain/fold'
import { common, Failure } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { type Exchange, type Handlers, on, onGuard, onOpen } from '../../http/handler.ts'
import { authenticate, callerAgain, endSession, isRefreshable, noteProof, sessionIdOf, startSession } from '../../http/sessions.ts'
import { normalEmail } from '../../mail/emails.ts'
import { signInCodeMessage } from '../../mail/messages.ts'
import { sweep } from '../../store/attempts.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { columnsOf } from '../columns.ts'
import { joinableSchool, requestToJoin } from '../schools/join-requests.policy.ts'
import { mailNews, noteSignIn } from '../sessions/notices.policy.ts'
import { activeMembership, newestPendingRequest, schoolsOf, userByEmail } from './auth.queries.ts'
import { newCode } from './codes.ts'
import { issueCode, refuseFlood, tryCode } from './otp.ts'
import { ownRow, profileOf, signedIn, toProfile } from './profile.policy.ts'
import { laneOf } from './sign-up.ts'

/** The person with an address; the first who signs in with it is created, without a school. */
async function userIdOf(tx: WriteTx, email: string, knownId: string | null): Promise<string> {
  if (knownId) return knownId
  const id = naturalId('user', email)
  await tx.insert('user_profile', { id, email, first_name: null, last_name: null, school_id: null })
  return id
}

/** Tries the code and, where it is right, starts a session in place of the one that this browser had. */
const signIn = ({ services: { store, keys }, address, caller, client }: Exchange, email: string, token: string) =>
  store.write(asSystem(), async (tx) => {
    const flood = await refuseFlood(tx, address)
    if (flood) return flood
    const userId = (await userByEmail(tx, { email }))[0]?.id ?? null
    const refusal = await tryCode(tx, { email, token, userId, address }, keys)
    if (refusal) return refusal
    const owner = await laptopOwner(tx)
    if (owner !== null && owner !== (userId ?? naturalId('user', email))) return common.othersLaptop()
    if (caller) await endSession(tx, caller.session_id)
    const id = await userIdOf(tx, email, userId)
    const session = await startSession(tx, id, keys, client())
    return { session, news: await noteSignIn(tx, { user_id: id, session_id: sessionIdOf(session, keys), email }, client()) }
  })

export const authHandlers: Handlers<typeof auth> = {
  sendOtp: onOpen(auth.sendOtp, async ({ services: { store, mailer, clock, config, keys }, address }, { body }) => {
    const email = normalEmail(body.email)
    const code = newCode()
    const expiresAt = clock.now() + limits.otp.lifetime
    const outcome = await store.write(asSystem(), async (tx) => {
      await sweep(tx)
      const flood = await refuseFlood(tx, address)
      if (flood) return flood
      const lane = await laneOf(tx, config, email)
      const issued = await issueCode(tx, { email, address }, code, keys.otp)
      return issued === 'issued' ? { lane } : issued
    })
    if (outcome instanceof Failure) throw outcome
    // Whom nobody here knows gets the same answer and no mail (decisions §8).
    if (outcome !== 'underWay' && outcome.lane !== null)
      mailer.send({ to: email, lane: outcome.lane, expiresAt, ...signInCodeMessage({ code, site: config.publicUrl }) })
    return { message: 'We have sent a code to that address.' }
  }),

  verifyOtp: onOpen(auth.verifyOtp, async (exchange, { body }) => {
    const { services } = exchange
    const signedIn = await signIn(exchange, normalEmail(body.email), body.token)
    if (signedIn instanceof Failure) throw signedIn
    const { session, news } = signedIn
    const known = await authenticate(services.store, session, services.clock.now(), services.keys, exchange.client)
    if (!known) throw common.unauthenticated()
    mailNews(services, news)
    exchange.setSession(session)
    return { session, user: await profileOf(services, known.caller) }
  }),

  me: onOpen(auth.me, async ({ services, caller }) => profileOf(services, signedIn(caller))),

  schools: onGuard(
    auth.schools,
    async ({ tx, caller }) => {
      const places = await schoolsOf(tx, { user: caller.user_id })
      return places.sort((a, b) => byFoldedName(a.school, b.school))
    },
    'system',
  ),

  refresh: onOpen(auth.refresh, async ({ services: { store, keys }, caller, session }) => {
    const { session_id } = signedIn(caller)
    if (!session || !(await store.read(asSystem(), (tx) => isRefreshable(tx, session_id, session, keys)))) throw common.unauthenticated()
    // It could not be renewed (`authenticate`).
    if (session.expires_in <= 0) throw common.storageFull()
    return session
  }),

  onboard: on(auth.onboard, {
    as: 'system',
    load: async ({ tx, caller }, { targets }) => {
      const user = await ownRow(tx, caller)
      const { school_id } = await callerAgain(tx, caller)
      const wanted = school_id === null ? targets['schoolId'] : undefined
      return { user, school: wanted === undefined ? null : await joinableSchool(tx, wanted) }
    },
    run: async ({ tx, caller, services }, { body }, { user, school }) => {
      await tx.update('user_profile', user, { first_name: body.firstName, last_name: body.lastName })
      const request = school && (await requestToJoin(tx, user.id, school, null))
      const joinRequest = request ? { id: request.id, school_id: request.school_id, status: request.status } : undefined
      const { id, first_name, last_name, school_id, school: own } = toProfile(await callerAgain(tx, caller), null, services)
      return { id, first_name, last_name, school_id, school: own, joinRequest }
    },
  }),

  updateProfile: on(auth.updateProfile, {
    as: 'system',
    load: async ({ tx, caller }, { targets }) => {
      const user = await ownRow(tx, caller)
      const school = targets['schoolId']
      if (school !== undefined && (await activeMembership(tx, { user: user.id, school })).length === 0) throw authFailures.notAMember()
      return user
    },
    run: async ({ tx, caller, services }, { body }, user) => {
      await tx.update('user_profile', user, columnsOf(body))
      const [pending] = await newestPendingRequest(tx, { user: user.id })
      return toProfile(await callerAgain(tx, caller), pending ?? null, services)
    },
  }),

  prove: onOpen(auth.prove, async ({ services: { store, keys }, caller, address }, { body: { token } }) => {
    const { user_id: userId, session_id, email } = signedIn(caller)
    const outcome = await store.write(asSystem(userId), async (tx) => {
      const refusal = (await refuseFlood(tx, address)) ?? (await tryCode(tx, { email, token, userId, address }, keys))
      return refusal ?? { fresh_until: await noteProof(tx, session_id) }
    })
    if (outcome instanceof Failure) throw outcome
    return outcome
  }),

  logout: onOpen(auth.logout, async ({ services: { store }, caller, setSession }) => {
    const { session_id } = signedIn(caller)
    await store.write(asSystem(), (tx) => endSession(tx, session_id))
    setSession(null)
    return { message: 'You are signed out.' }
  }),
}
