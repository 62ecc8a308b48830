import { authFailures, otpFailures } from '@markbook/shared/contract/auth'
import { common, type Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Keys } from '../../http/tokens.ts'
import { count, take, waitFor } from '../../store/attempts.ts'
import type { WriteTx } from '../../store/tx.ts'
import { verifyTotp } from './authenticator-app.ts'
import {
  type CodeVerifier,
  endCode,
  isCodeOf,
  keepCode,
  liveCode,
  noteWrongTry,
  ownerOf,
  type SecondCheck,
  type SignInAttempt,
  waiting,
} from './codes.ts'
import { verifyConsoleCode, verifyDeskCode, verifyInvitationCode } from './issued-codes.ts'
import { isPrintedCode, verifyRecoveryCode } from './recovery-codes.ts'
import { isAskedForSecond } from './second-factor.ts'
import { boundedNetworks, type CodeKind, countWrong, forgiveClient, pauseOf, takeTurn, waitAt, ways } from './wrong-tries.ts'

const { otp } = limits
const HOUR = 3_600_000

const keys = {
  calls: (network: string) => `otp-calls:${network}`,
  resend: (email: string, network: string) => `otp-resend:${email} ${network}`,
  sends: (email: string, network: string) => `otp-sends:${email} ${network}`,
  sendsInAll: (email: string) => `otp-sends:${email}`,
}

/**
 * Counts sends and verifications of one client together; generous, because a whole school shares one address. Locks the counters of its
 * networks until the commit, so that requests of one client run one after the other.
 */
export async function refuseFlood(tx: WriteTx, address: string): Promise<Failure | null> {
  for (const { network, callsPerWindow } of boundedNetworks(address)) {
    const wait = await take(tx, keys.calls(network), { max: callsPerWindow, windowMs: otp.callsWindowMs })
    if (wait > 0) return waiting(common.tooManyRequests, wait)
  }
  return null
}

/** The mail address for which a code is requested, and the client. */
type CodeRequest = Pick<SignInAttempt, 'email' | 'address'>

/**
 * A refusal where this client requested a code a moment ago or too often, or has to wait after wrong codes. Other clients are not
 * affected.
 */
async function refuseSend(tx: WriteTx, request: CodeRequest): Promise<Failure | null> {
  const { email, address } = request
  const waits = [await pauseOf(tx, request)]
  for (const { network, resendsPerWindow, sendsPerHour } of boundedNetworks(address)) {
    waits.push(await waitFor(tx, keys.resend(email, network), { max: resendsPerWindow }))
    waits.push(await waitFor(tx, keys.sends(email, network), { max: sendsPerHour }))
  }
  const wait = Math.max(...waits)
  if (wait > 0) return waiting(otpFailures.otpTooSoon, wait)
  for (const { network } of boundedNetworks(address)) {
    await count(tx, keys.resend(email, network), otp.resendAfterMs)
    await count(tx, keys.sends(email, network), HOUR)
  }
  return null
}

/**
 * Stores `code` as the valid one of an address and returns `issued`. Returns `underWay` where the valid code was mailed a moment ago, or
 * is still valid after the most mails of this hour: it reaches the owner whoever requested it, and nobody can fill another person's
 * mailbox.
 */
export async function issueCode(tx: WriteTx, request: CodeRequest, code: string, key: Buffer): Promise<Failure | 'issued' | 'underWay'> {
  const { email } = request
  const refusal = await refuseSend(tx, request)
  if (refusal) return refusal
  const place = { email, kind: 'mail' } as const
  const { count: sends } = await count(tx, keys.sendsInAll(email), HOUR)
  const live = await liveCode(tx, place)
  const mailedAt = live ? Date.parse(live.sent_at) : Number.NEGATIVE_INFINITY
  if (tx.nowMs - mailedAt < (sends > otp.sendsPerHour ? otp.lifetimeMs : otp.resendAfterMs)) return 'underWay'
  await keepCode(tx, place, code, key)
  return 'issued'
}

const verifyMailedCode: CodeVerifier = async (tx, attempt, { otp: key }) => {
  const place = { email: attempt.email, kind: 'mail' } as const
  const live = await liveCode(tx, place)
  if (!live) return false
  if (isCodeOf(live, attempt, key)) return true
  if (live.wrong_tries + 1 >= otp.triesPerCode) await endCode(tx, place)
  else await noteWrongTry(tx, place, live.wrong_tries + 1)
  return false
}

/** Uses up a right mailed code, unless the owner's second factor is missing or wrong: the code is then sent again with it. */
async function finishMailed(tx: WriteTx, attempt: SignInAttempt, second: SecondCheck): Promise<Failure | null> {
  const refusal = (await isAskedForSecond(tx, ownerOf(attempt))) ? await second(tx) : null
  if (!refusal) await endCode(tx, { email: attempt.email, kind: 'mail' })
  return refusal
}

/** Codes that a person handed over count their own wrong attempts, and are tried whatever was tried before. */
const issuedCodes = [verifyDeskCode, verifyConsoleCode]
const verifiersOf: Record<CodeKind, readonly CodeVerifier[]> = {
  mail: [verifyMailedCode],
  app: [verifyTotp, verifyRecoveryCode],
  printed: [verifyRecoveryCode, verifyInvitationCode],
}

/**
 * The methods to which a code may belong. The last is the one at which a wrong attempt is counted; only the mailed code is invalidated by
 * wrong attempts.
 */
async function waysOf(tx: WriteTx, { token, email }: SignInAttempt): Promise<CodeKind[]> {
  if (isPrintedCode(token)) return ['printed']
  return (await liveCode(tx, { email, kind: 'mail' })) ? ['app', 'mail'] : ['app']
}

/**
 * Tries a code at every method open to this client; null where one accepts it. A wrong code is counted at one method, in the same way with
 * or without an account, so that the counts reveal nothing; the transaction has to commit. `refuseFlood` must be called before.
 */
export async function tryCode(tx: WriteTx, attempt: SignInAttempt, secrets: Keys, second: SecondCheck): Promise<Failure | null> {
  await takeTurn(tx, attempt.email)
  const open: CodeKind[] = []
  let wait = 0
  for (const way of await waysOf(tx, attempt)) {
    wait = await waitAt(tx, way, attempt)
    if (wait === 0) open.push(way)
  }
  for (const verify of [...(isPrintedCode(attempt.token) ? [] : issuedCodes), ...open.flatMap((way) => verifiersOf[way])]) {
    if (!(await verify(tx, attempt, secrets))) continue
    const refusal = verify === verifyMailedCode ? await finishMailed(tx, attempt, second) : null
    if (refusal) return refusal
    await forgiveClient(tx, attempt)
    return null
  }
  const counted = open.at(-1)
  if (counted) await countWrong(tx, counted, attempt)
  return wait === 0 ? otpFailures.otpInvalid() : lockedFailure(tx, attempt, wait)
}

/** Tries the code that accompanies a right mailed code. A wrong one is counted at its own method; the transaction has to commit. */
export async function trySecondCode(tx: WriteTx, attempt: SignInAttempt, secrets: Keys): Promise<Failure | null> {
  const way: CodeKind = isPrintedCode(attempt.token) ? 'printed' : 'app'
  const wait = await waitAt(tx, way, attempt)
  if (wait > 0) return lockedFailure(tx, attempt, wait)
  for (const verify of [verifyTotp, verifyRecoveryCode]) if (await verify(tx, attempt, secrets)) return null
  await countWrong(tx, way, attempt)
  return authFailures.secondInvalid()
}

const WORDS: Record<CodeKind, string> = {
  mail: 'a code by mail',
  app: 'a code of your authenticator app',
  printed: 'one of your printed codes',
}

/** The refusal names the methods still open to this client, whether or not the address has an account that uses them. */
async function lockedFailure(tx: WriteTx, attempt: SignInAttempt, wait: number): Promise<Failure> {
  const left: string[] = []
  for (const way of ways) if ((await waitAt(tx, way, attempt)) === 0) left.push(WORDS[way])
  const others = [...left, 'a new code from the desk of your school'].join(', or ')
  if (wait === Number.POSITIVE_INFINITY)
    return otpFailures.otpLocked({
      message: `There were too many wrong codes for this address today. Please sign in with ${others}; or ask an administrator of your school.`,
    })
  const message = `There were too many wrong codes. Please wait before you try again, or sign in with ${others}.`
  return waiting(otpFailures.otpLocked, wait, message)
}
