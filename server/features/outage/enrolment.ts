import { randomBytes } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import { otpFailures } from '@markbook/shared/contract/auth'
import { type OwnWays, outageFailures } from '@markbook/shared/contract/outage'
import type { Failure } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { eq } from 'drizzle-orm'
import type { Keys } from '../../http/tokens.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { count, waitFor } from '../auth/attempts.ts'
import { opening } from './belonging.ts'
import { enrolmentOf, recoveryCodesOf, totpOfUser } from './outage.queries.ts'
import { isUnused } from './recovery.way.ts'
import { seal, unseal } from './seal.ts'
import { otpauthUri, toBase32 } from './totp.ts'
import { takeStep } from './totp.way.ts'

type Owner = { id: string; email: string }
const WRONG = { max: limits.otp.wrongPerHour, windowMs: 3_600_000 }

export async function ownWaysOf(tx: ReadTx, userId: string): Promise<OwnWays> {
  const [totp] = await opening(tx, 'user_totp', userId, await totpOfUser(tx, { user: userId }))
  const codes = await opening(tx, 'recovery_code', userId, await recoveryCodesOf(tx, { user: userId }))
  return { confirmed_at: totp?.confirmed_at ?? null, recovery_codes: codes.filter(isUnused).length }
}

/** Makes a secret to be confirmed. An app that is in use goes on until then, so that nobody is locked out half way. */
export async function beginEnrolment(tx: WriteTx, { id, email }: Owner, { seal: key }: Keys) {
  const bytes = randomBytes(limits.totp.secretBytes)
  const { totp_enrolment } = tx.t
  const shown = { sealed_secret: seal(bytes, key, id), expires_at: toInstant(tx.nowMs + limits.totp.enrolment) }
  await tx.local
    .insert(totp_enrolment)
    .values({ user_id: id, ...shown })
    .onConflictDoUpdate({ target: totp_enrolment.user_id, set: shown })
  const secret = toBase32(bytes)
  return { otpauth_uri: otpauthUri(email, secret), secret }
}

/**
 * Turns the secret shown last into the one that signs in; a refusal where the code is not one of its codes now. The wrong tries are
 * counted, so the transaction has to commit. The caller has locked the owner's row.
 */
export async function confirmEnrolment(tx: WriteTx, { id }: Owner, token: string, { seal: key }: Keys): Promise<Failure | OwnWays> {
  const tries = `totp-confirm:${id}`
  const wait = await waitFor(tx, tries, WRONG)
  if (wait > 0) return otpFailures.otpLocked({ headers: { 'retry-after': String(Math.ceil(wait / 1_000)) } })
  const [shown] = await enrolmentOf(tx, { user: id })
  const secret = shown && shown.expires_at > tx.now ? unseal(shown.sealed_secret, key, id) : null
  if (!shown || !secret) return outageFailures.noEnrolment()
  if (!(await takeStep(tx, secret, token))) {
    await count(tx, tries, WRONG.windowMs)
    return otpFailures.otpInvalid()
  }
  const { totp_enrolment } = tx.t
  await tx.local.delete(totp_enrolment).where(eq(totp_enrolment.user_id, id))
  const patch = { sealed_secret: shown.sealed_secret, confirmed_at: tx.now }
  const [before] = await totpOfUser(tx, { user: id })
  if (before) await tx.update('user_totp', [{ before, patch }])
  else await tx.insert('user_totp', [{ id: naturalId('totp', id), user_id: id, ...patch }])
  return ownWaysOf(tx, id)
}

/** Ends the app of a person, and an enrolment that waits. */
export async function removeTotp(tx: WriteTx, { id }: Owner): Promise<void> {
  await tx.remove('user_totp', await totpOfUser(tx, { user: id }))
  const { totp_enrolment } = tx.t
  await tx.local.delete(totp_enrolment).where(eq(totp_enrolment.user_id, id))
}
