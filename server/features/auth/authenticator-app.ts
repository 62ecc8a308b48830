import { createHash, randomBytes } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import { otpFailures } from '@markbook/shared/contract/auth'
import { type OwnSignInMethods, signInFailures } from '@markbook/shared/contract/sign-in-methods'
import type { Failure } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { eq } from 'drizzle-orm'
import type { Keys } from '../../http/tokens.ts'
import { count, take, waitFor } from '../../store/attempts.ts'
import { decrypt, encrypt, toBase32 } from '../../store/encryption.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { acceptedSecrets } from './accepted-secrets.ts'
import { type CodeVerifier, ownerOf, waiting } from './codes.ts'
import { isUnused } from './recovery-codes.ts'
import { askedForSecondSince, demandAnotherSecond } from './second-factor.ts'
import { enrolmentOf, recoveryCodesOf, totpOfUser } from './sign-in-methods.queries.ts'
import { otpauthUri, stepsOf } from './totp.ts'

/** Each step is used once. The window is far longer than a step is accepted. */
const STEP_USE = { max: 1, windowMs: 3_600_000 }

/** Returns whether the code is that of a current step unused on this node; marks the step as used. */
async function consumeStep(tx: WriteTx, secret: Buffer, code: string): Promise<boolean> {
  const mark = createHash('sha256').update(secret).digest('hex').slice(0, 32)
  for (const step of stepsOf(secret, code, tx.nowMs)) {
    if ((await take(tx, `totp-step:${mark} ${step}`, STEP_USE)) === 0) return true
  }
  return false
}

export const verifyTotp: CodeVerifier = async (tx, attempt, keys) => {
  const userId = ownerOf(attempt)
  const [row] = await acceptedSecrets(tx, 'user_totp', userId, await totpOfUser(tx, { user: userId }))
  const secret = row && decrypt(row.sealed_secret, keys.seal, row.user_id)
  return secret ? consumeStep(tx, secret, attempt.token) : false
}

type Owner = { id: string; email: string }
const WRONG = { max: limits.totp.wrongPerHour, windowMs: 3_600_000 }

export async function ownMethodsOf(tx: ReadTx, userId: string): Promise<OwnSignInMethods> {
  const [totp] = await acceptedSecrets(tx, 'user_totp', userId, await totpOfUser(tx, { user: userId }))
  const codes = await acceptedSecrets(tx, 'recovery_code', userId, await recoveryCodesOf(tx, { user: userId }))
  return {
    confirmed_at: totp?.confirmed_at ?? null,
    recovery_codes: codes.filter(isUnused).length,
    second_since: await askedForSecondSince(tx, userId),
  }
}

/** Creates a secret to be confirmed. The confirmed one stays valid until then. */
export async function beginEnrolment(tx: WriteTx, { id, email }: Owner, { seal: key }: Keys) {
  const bytes = randomBytes(limits.totp.secretBytes)
  const { totp_enrolment } = tx.t
  const shown = { sealed_secret: encrypt(bytes, key, id), expires_at: toInstant(tx.nowMs + limits.totp.enrolmentMs) }
  await tx.local
    .insert(totp_enrolment)
    .values({ user_id: id, ...shown })
    .onConflictDoUpdate({ target: totp_enrolment.user_id, set: shown })
  const secret = toBase32(bytes)
  return { otpauth_uri: otpauthUri(email, secret), secret }
}

/**
 * Confirms the secret that was shown last. Returns a failure instead of throwing it, so that the transaction commits the count of wrong
 * codes. The caller has locked the owner's row.
 */
export async function confirmEnrolment(
  tx: WriteTx,
  { id }: Owner,
  token: string,
  { seal: key }: Keys,
): Promise<Failure | OwnSignInMethods> {
  const tries = `totp-confirm:${id}`
  const wait = await waitFor(tx, tries, WRONG)
  if (wait > 0) return waiting(otpFailures.otpLocked, wait)
  const [shown] = await enrolmentOf(tx, { user: id })
  const secret = shown && shown.expires_at > tx.now ? decrypt(shown.sealed_secret, key, id) : null
  if (!shown || !secret) return signInFailures.noEnrolment()
  if (!(await consumeStep(tx, secret, token))) {
    await count(tx, tries, WRONG.windowMs)
    return otpFailures.otpInvalid()
  }
  const { totp_enrolment } = tx.t
  await tx.local.delete(totp_enrolment).where(eq(totp_enrolment.user_id, id))
  const patch = { sealed_secret: shown.sealed_secret, confirmed_at: tx.now }
  const [before] = await totpOfUser(tx, { user: id })
  if (before) await tx.update('user_totp', before, patch)
  else await tx.insert('user_totp', { id: naturalId('totp', id), user_id: id, ...patch })
  return ownMethodsOf(tx, id)
}

/** Deletes a person's confirmed secret and any enrolment. */
export async function removeTotp(tx: WriteTx, { id }: Owner): Promise<void> {
  await demandAnotherSecond(tx, id)
  await tx.remove('user_totp', await totpOfUser(tx, { user: id }))
  const { totp_enrolment } = tx.t
  await tx.local.delete(totp_enrolment).where(eq(totp_enrolment.user_id, id))
}
