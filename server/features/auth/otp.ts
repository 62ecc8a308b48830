import { otpFailures } from '@markbook/shared/contract/auth'
import { common, type Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Keys } from '../../http/tokens.ts'
import { count, countOf, forget, take, waitFor } from '../../store/attempts.ts'
import type { WriteTx } from '../../store/tx.ts'
import { verifyTotp } from './authenticator-app.ts'
import { type CodeVerifier, endCode, isCodeOf, keepCode, liveCode, noteWrongTry, type SignInAttempt, waiting } from './codes.ts'
import { verifyConsoleCode, verifyDeskCode } from './issued-codes.ts'
import { verifyRecoveryCode } from './recovery-codes.ts'

const { otp } = limits
const HOUR = 3_600_000
/** «In a row» ends with a success, not with time. */
const NEVER = 100 * 365 * 86_400_000

const CALLS = { max: otp.perAddressCalls, windowMs: otp.perAddressWindow }
const RESEND = { max: 1, windowMs: otp.resendAfter }
const SENDS = { max: otp.sendsPerHour, windowMs: HOUR }
const WRONG = { max: otp.wrongPerHour, windowMs: HOUR }

const keys = {
  calls: (address: string) => `otp-calls:${address}`,
  resend: (email: string) => `otp-resend:${email}`,
  sends: (email: string) => `otp-sends:${email}`,
  wrong: ({ email, address }: Pick<SignInAttempt, 'email' | 'address'>) => `otp-wrong:${email} ${address}`,
  inARow: (userId: string) => `otp-in-a-row:${userId}`,
}

/** Sends and verifies of one client address, together; generous, because a whole school sits behind one. */
export async function refuseFlood(tx: WriteTx, address: string): Promise<Failure | null> {
  const wait = await take(tx, keys.calls(address), CALLS)
  return wait > 0 ? waiting(common.tooManyRequests, wait) : null
}

/** Makes `code` the live one of an address, in place of any before; a refusal where one was sent a moment ago or too many were. */
export async function issueCode(tx: WriteTx, email: string, code: string, key: Buffer): Promise<Failure | null> {
  const wait = (await waitFor(tx, keys.sends(email), SENDS)) || (await take(tx, keys.resend(email), RESEND))
  if (wait > 0) return waiting(otpFailures.otpTooSoon, wait)
  await count(tx, keys.sends(email), SENDS.windowMs)
  await keepCode(tx, { email, kind: 'mail' }, code, key)
  return null
}

const verifyMailedCode: CodeVerifier = async (tx, attempt, { otp: key }) => {
  const { email, userId } = attempt
  const place = { email, kind: 'mail' } as const
  const live = await liveCode(tx, place)
  if (userId && (await countOf(tx, keys.inARow(userId))) >= otp.wrongInARow) return 'stopped'
  if (!live) return 'wrong'
  const isRight = isCodeOf(live, attempt, key)
  if (isRight || live.wrong_tries + 1 >= otp.triesPerCode) await endCode(tx, place)
  else await noteWrongTry(tx, place, live.wrong_tries + 1)
  if (isRight) return 'right'
  if (userId) await count(tx, keys.inARow(userId), NEVER)
  return 'wrong'
}

/** The mailed code is the last, because it alone is used up by what is wrong for it. */
const verifiers: readonly CodeVerifier[] = [verifyDeskCode, verifyConsoleCode, verifyTotp, verifyRecoveryCode, verifyMailedCode]

const STOPPED = 'There were too many wrong codes for this address. Please sign in another way, or ask an administrator of your school.'

/**
 * Tries a code in every way there is; null where one was right. What was wrong is counted once, whatever ways the account has and
 * whether it exists, so that the count tells nothing; the transaction has to commit. `refuseFlood` came before and holds the counter
 * of the client address until the commit: tries from one address come one after the other.
 */
export async function tryCode(tx: WriteTx, attempt: SignInAttempt, secrets: Keys): Promise<Failure | null> {
  const wait = await waitFor(tx, keys.wrong(attempt), WRONG)
  if (wait > 0) return waiting(otpFailures.otpLocked, wait)
  let isStopped = false
  for (const way of verifiers) {
    const outcome = await way(tx, attempt, secrets)
    if (outcome === 'right') {
      if (attempt.userId) await allowMail(tx, attempt.userId)
      return null
    }
    isStopped ||= outcome === 'stopped'
  }
  await count(tx, keys.wrong(attempt), WRONG.windowMs)
  return isStopped ? otpFailures.otpLocked({ message: STOPPED }) : otpFailures.otpInvalid()
}

/** Opens the mailed way of an account again, after a success or by an administrator. */
export const allowMail = (tx: WriteTx, userId: string) => forget(tx, keys.inARow(userId))
