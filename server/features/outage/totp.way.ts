import { createHash } from 'node:crypto'
import type { WriteTx } from '../../store/tx.ts'
import { take } from '../auth/attempts.ts'
import type { Way } from '../auth/codes.ts'
import { opening } from './belonging.ts'
import { totpOfUser } from './outage.queries.ts'
import { unseal } from './seal.ts'
import { stepsOf } from './totp.ts'

/** Far longer than any step is accepted; then its mark may go. */
const MARKED = { max: 1, windowMs: 3_600_000 }

/** True where the code is one of the secret's steps about now, and nobody has used that step on this node; then it is used up. */
export async function takeStep(tx: WriteTx, secret: Buffer, code: string): Promise<boolean> {
  const mark = createHash('sha256').update(secret).digest('hex').slice(0, 32)
  for (const step of stepsOf(secret, code, tx.nowMs)) {
    if ((await take(tx, `totp-step:${mark} ${step}`, MARKED)) === 0) return true
  }
  return false
}

export const totpCode: Way = async (tx, { token, userId }, keys) => {
  const [row] = userId === null ? [] : await opening(tx, 'user_totp', userId, await totpOfUser(tx, { user: userId }))
  const secret = row && unseal(row.sealed_secret, keys.seal, row.user_id)
  return secret && (await takeStep(tx, secret, token)) ? 'right' : 'wrong'
}
