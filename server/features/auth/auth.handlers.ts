import { auth, authFailures } from '@markbook/shared/contract/auth'
import type { Body } from '@markbook/shared/contract/endpoint'
import { byFoldedName } from '@markbook/shared/domain/fold'
import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { type Exchange, type Handlers, on, onGuard, onOpen } from '../../http/handler.ts'
import { callerAgain, endSession, isRefreshable, noteProof } from '../../http/sessions.ts'
import { normalEmail } from '../../mail/emails.ts'
import { signInCodeMessage } from '../../mail/messages.ts'
import { sweep } from '../../store/attempts.ts'
import { asSystem } from '../../store/tx.ts'
import { columnsOf } from '../columns.ts'
import { joinableSchool, requestToJoin } from '../schools/join-requests.policy.ts'
import { activeMembership, newestPendingRequest, schoolsOf, userByEmail } from './auth.queries.ts'
import { beginSession, enter } from './begin-session.ts'
import { newCode, type SecondCheck, type SignInAttempt } from './codes.ts'
import { issueCode, refuseFlood, tryCode, trySecondCode } from './otp.ts'
import { checkedUse, useUp } from './passkey-use.ts'
import { ownRow, profileOf, signedIn, toProfile } from './profile.policy.ts'
import { writeInTurn } from './sign-in-turns.ts'
import { laneOf } from './sign-up.ts'

type SignInBody = Body<typeof auth.verifyOtp>

/** Checks the second factor sent with a mailed code. A passkey's signature is verified before the transaction. */
async function secondOf(exchange: Exchange, { second }: SignInBody): Promise<(attempt: SignInAttempt) => SecondCheck> {
  const credential = second?.credential
  const passkey = credential && (await checkedUse(exchange, credential))
  return (attempt) => async (tx) => {
    const token = second?.token
    if (token !== undefined) return trySecondCode(tx, { ...attempt, token }, exchange.services.keys)
    if (!second) return authFailures.secondNeeded()
    const used = passkey ? await useUp(tx, passkey) : null
    return used && !(used instanceof Failure) && used.user_id === attempt.userId ? null : authFailures.secondInvalid()
  }
}

/** Tries the code and, where it is right, starts a session that replaces the one of this browser. */
async function signIn(exchange: Exchange, body: SignInBody) {
  const { services, address } = exchange
  const email = normalEmail(body.email)
  const second = await secondOf(exchange, body)
  return writeInTurn(exchange, email, async (tx) => {
    const flood = await refuseFlood(tx, address)
    if (flood) return flood
    const userId = (await userByEmail(tx, { email }))[0]?.id ?? null
    const attempt = { email, token: body.token, userId, address }
    return (await tryCode(tx, attempt, services.keys, second(attempt))) ?? beginSession(tx, exchange, email, userId)
  })
}

/** The refusal for a person who needs a second factor and sent only the mailed code. */
const mailIsNotEnough = async () => authFailures.mailIsNotEnough()

export const authHandlers: Handlers<typeof auth> = {
  sendOtp: onOpen(auth.sendOtp, async (exchange, { body }) => {
    const { services, address } = exchange
    const { mailer, clock, config, keys } = services
    const email = normalEmail(body.email)
    const code = newCode()
    const expiresAt = clock.now() + limits.otp.lifetimeMs
    const outcome = await writeInTurn(exchange, email, async (tx) => {
      await sweep(tx)
      const flood = await refuseFlood(tx, address)
      if (flood) return flood
      const lane = await laneOf(tx, config, email)
      const issued = await issueCode(tx, { email, address }, code, keys.otp)
      return issued === 'issued' ? { lane } : issued
    })
    if (outcome instanceof Failure) throw outcome
    // An unknown address gets the same reply and no mail (decisions §8).
    if (outcome !== 'underWay' && outcome.lane !== null)
      mailer.send({ to: email, lane: outcome.lane, expiresAt, ...signInCodeMessage({ code, site: config.publicUrl }) })
    return { message: 'We have sent a code to that address.' }
  }),

  verifyOtp: onOpen(auth.verifyOtp, async (exchange, { body }) => {
    const begun = await signIn(exchange, body)
    if (begun instanceof Failure) throw begun
    return enter(exchange, begun)
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
    // The session was not renewed because the disk is full (`authenticate`).
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

  prove: onOpen(auth.prove, async (exchange, { body: { token } }) => {
    const { services, caller, address } = exchange
    const { keys } = services
    const { user_id: userId, session_id, email } = signedIn(caller)
    const outcome = await writeInTurn(exchange, email, async (tx) => {
      const refusal = (await refuseFlood(tx, address)) ?? (await tryCode(tx, { email, token, userId, address }, keys, mailIsNotEnough))
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
