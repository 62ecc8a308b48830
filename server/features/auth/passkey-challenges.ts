import { createHmac, randomBytes } from 'node:crypto'
import { limits } from '@markbook/shared/limits'
import { take } from '../../store/attempts.ts'
import { isSameSecret } from '../../store/encryption.ts'
import type { WriteTx } from '../../store/tx.ts'

const [NONCE, TIME, MARK] = [16, 8, 32]

/** The purpose of a challenge, its host, and its session; `session` is empty where nobody is signed in. */
export type ChallengeUse = { use: 'add' | 'sign'; host: string; session: string }

const markOf = ({ use, host, session }: ChallengeUse, body: Buffer, key: Buffer) =>
  createHmac('sha256', key).update(`${use}\n${host}\n${session}\n`).update(body).digest()

/**
 * A challenge that contains its expiry and a proof of its purpose, so that strangers who request many fill no table. 56 bytes: a nonce,
 * the time at which it expires, and an HMAC of both and its use.
 */
export function newChallenge(use: ChallengeUse, nowMs: number, key: Buffer): Buffer {
  const body = Buffer.alloc(NONCE + TIME)
  randomBytes(NONCE).copy(body)
  body.writeBigUInt64BE(BigInt(nowMs + limits.passkeys.challengeMs), NONCE)
  return Buffer.concat([body, markOf(use, body, key)])
}

/** Whether a challenge in base64url was made by this server for that use, and has not expired. */
export function isChallenge(text: string, use: ChallengeUse, nowMs: number, key: Buffer): boolean {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== NONCE + TIME + MARK || bytes.toString('base64url') !== text) return false
  const body = bytes.subarray(0, NONCE + TIME)
  if (!isSameSecret(bytes.subarray(NONCE + TIME), markOf(use, body, key))) return false
  const left = Number(body.readBigUInt64BE(NONCE)) - nowMs
  return left > 0 && left <= limits.passkeys.challengeMs
}

/** Marks a challenge as used; false where it was used before. Of concurrent requests only one gets true. */
export const useChallenge = async (tx: WriteTx, text: string): Promise<boolean> =>
  (await take(tx, `passkey-challenge:${text.slice(0, 22)}`, { max: 1, windowMs: 2 * limits.passkeys.challengeMs })) === 0
