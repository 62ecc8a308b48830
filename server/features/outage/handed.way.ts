import { endCode, isCodeOf, liveCode, type Way } from '../auth/codes.ts'
import { deskMembership, noteDesk } from './desk.ts'

type Allowed = (...asked: Parameters<Way>) => Promise<boolean>

/** A code that one person handed to another. What is wrong does not end it: a stranger must not be able to (docs/decisions/0222). */
const handed =
  (kind: 'desk' | 'console', allowed: Allowed): Way =>
  async (tx, attempt, keys) => {
    const place = { email: attempt.email, kind }
    const live = await liveCode(tx, place)
    if (!live || !isCodeOf(live, attempt, keys.otp)) return 'wrong'
    await endCode(tx, place)
    return (await allowed(tx, attempt, keys)) ? 'right' : 'wrong'
  }

/** Rights are read fresh: who became an administrator, or left, since the code was issued is not let in by it. */
export const deskCode = handed('desk', async (tx, { email, userId }) => {
  const membership = userId === null ? undefined : await deskMembership(tx, userId)
  if (membership) noteDesk(tx, membership.school_id, membership.user_id, 'update', { email, used_at: tx.now })
  return membership !== undefined
})

export const consoleCode = handed('console', async () => true)
