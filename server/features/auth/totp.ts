import { createHmac } from 'node:crypto'
import { limits } from '@markbook/shared/limits'
import { isSameSecret } from '../../store/encryption.ts'

const { stepMs: STEP, driftSteps } = limits.totp
const DIGITS = limits.otp.length
const ISSUER = 'Markbook'

/** The RFC 6238 step of an instant. */
export const stepAt = (nowMs: number): number => Math.floor(nowMs / STEP)

/** The code of a step: RFC 4226 over SHA-1, with 8 digits. */
export function totpOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac[mac.length - 1] ?? 0) & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The steps near an instant that have this code, with at most one step of drift either way. */
export function stepsOf(secret: Buffer, code: string, nowMs: number): number[] {
  const steps = Array.from({ length: 2 * driftSteps + 1 }, (_, place) => stepAt(nowMs) - driftSteps + place)
  return steps.filter((step) => isSameSecret(Buffer.from(code), Buffer.from(totpOf(secret, step))))
}

/** The URI in the QR code of an enrolment. */
export const otpauthUri = (email: string, secret: string): string =>
  `otpauth://totp/${ISSUER}:${encodeURIComponent(email)}?secret=${secret}&issuer=${ISSUER}&algorithm=SHA1&digits=${DIGITS}&period=${STEP / 1_000}`
