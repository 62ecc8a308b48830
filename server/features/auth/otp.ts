import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import { otpFailures } from '@markbook/shared/contract/auth'
import { common, type Failure, type FailureFactory } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { eq } from 'drizzle-orm'
import type { Keys } from '../../http/tokens.ts'
import type { WriteTx } from '../../store/tx.ts'
import { count, countOf, forget, take, waitFor } from './attempts.ts'
import { codeOf } from './auth.queries.ts'

const { otp } = limits
const HOUR = 3_600_000
/** «In a row» ends with a success, not with time. */
const NEVER = 100 * 365 * 86_400_000

const CALLS = { max: otp.perAddressCalls, windowMs: otp.perAddressWindow }
const RESEND = { max: 1, windowMs: otp.resendAfter }
const SENDS = { max: otp.sendsPerHour, windowMs: HOUR }
const WRONG = { max: otp.wrongPerHour, windowMs: HOUR }

/** A code to be tried: for which address, from which client address. `userId` is null where nobody has that address yet. */
export type Try = { email: string; token: string; userId: string | null; address: string }

const keys = {
  calls: (address: string) => `otp-calls:${address}`,
  resend: (email: string) => `otp-resend:${email}`,
  sends: (email: string) => `otp-sends:${email}`,
  wrong: ({ email, address }: Try) => `otp-wrong:${email} ${address}`,
  inARow: (userId: string) => `otp-in-a-row:${userId}`,
}

const waiting = (failure: FailureFactory, ms: number): Failure => failure({ headers: { 'retry-after': String(Math.ceil(ms / 1_000)) } })

/** Sends and verifies of one client address, together; generous, because a whole school sits behind one. */
export async function refuseFlood(tx: WriteTx, address: string): Promise<Failure | null> {
  const wait = await take(tx, keys.calls(address), CALLS)
  return wait > 0 ? waiting(common.tooManyRequests, wait) : null
}

export const newCode = (): string => String(randomInt(10 ** otp.length)).padStart(otp.length, '0')

const hashOf = (email: string, code: string, key: Buffer) => createHmac('sha256', key).update(`${email}\n${code}`).digest('hex')

/** Makes `code` the live one of an address, in place of any before; a refusal where one was sent a moment ago or too many were. */
export async function issueCode(tx: WriteTx, email: string, code: string, key: Buffer): Promise<Failure | null> {
  const wait = (await waitFor(tx, keys.sends(email), SENDS)) || (await take(tx, keys.resend(email), RESEND))
  if (wait > 0) return waiting(otpFailures.otpTooSoon, wait)
  await count(tx, keys.sends(email), SENDS.windowMs)
  const live = { code_hash: hashOf(email, code, key), sent_at: tx.now, expires_at: toInstant(tx.nowMs + otp.lifetime), wrong_tries: 0 }
  await tx.local
    .insert(tx.t.otp_code)
    .values({ email, ...live })
    .onConflictDoUpdate({ target: tx.t.otp_code.email, set: live })
  return null
}

/** `none`: there was nothing to compare with, so nothing was guessed. `stopped`: this way is closed for the account. */
type Outcome = 'right' | 'wrong' | 'none' | 'stopped'
/** One way to sign in with the digits of the field `token`. A right code is used up at once. */
type Way = (tx: WriteTx, attempt: Try, keys: Keys) => Promise<Outcome>

const emailedCode: Way = async (tx, { email, token, userId }, { otp: key }) => {
  if (userId && (await countOf(tx, keys.inARow(userId))) >= otp.wrongInARow) return 'stopped'
  const [live] = await codeOf(tx, { email })
  if (!live || live.expires_at <= tx.now) return 'none'
  const { otp_code } = tx.t
  const isRight = timingSafeEqual(Buffer.from(live.code_hash, 'hex'), Buffer.from(hashOf(email, token, key), 'hex'))
  if (isRight || live.wrong_tries + 1 >= otp.triesPerCode) await tx.local.delete(otp_code).where(eq(otp_code.email, email))
  else
    await tx.local
      .update(otp_code)
      .set({ wrong_tries: live.wrong_tries + 1 })
      .where(eq(otp_code.email, email))
  if (isRight) return 'right'
  if (userId) await count(tx, keys.inARow(userId), NEVER)
  return 'wrong'
}

const ways: readonly Way[] = [emailedCode]

const STOPPED = 'There were too many wrong codes for this address. Please ask an administrator of your school.'

/** Tries a code in every way there is; null where one was right. What was wrong is counted, so the transaction has to commit. */
export async function tryCode(tx: WriteTx, attempt: Try, secrets: Keys): Promise<Failure | null> {
  const wait = await waitFor(tx, keys.wrong(attempt), WRONG)
  if (wait > 0) return waiting(otpFailures.otpLocked, wait)
  const outcomes = new Set<Outcome>()
  for (const way of ways) {
    const outcome = await way(tx, attempt, secrets)
    if (outcome === 'right') {
      if (attempt.userId) await forget(tx, keys.inARow(attempt.userId))
      return null
    }
    outcomes.add(outcome)
  }
  if (outcomes.has('wrong')) await count(tx, keys.wrong(attempt), WRONG.windowMs)
  return outcomes.has('stopped') ? otpFailures.otpLocked({ message: STOPPED }) : otpFailures.otpInvalid()
}
