import { common } from '@markbook/shared/failures'
import { COMMONS, naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { Keys } from '../../http/tokens.ts'
import { laptopOwner } from '../../store/laptop.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'
import { openInvitations } from '../schools/invitations.policy.ts'
import { userByEmail } from './auth.queries.ts'
import { type CodeVerifier, endCode, isCodeOf, keepCode, liveCode, newCode, noteWrongTry, type SignInAttempt } from './codes.ts'
import { demandSameSecret } from './secret-fingerprint.ts'
import { membershipsOf, newestDeskEntriesFor } from './sign-in-methods.queries.ts'

/**
 * Verifies a code that one person handed to another. A few wrong attempts do not end it, so that strangers cannot; `wrongPerDay` do, and
 * its issuer issues another (docs/design/sign-in.md).
 */
const issuedCodeVerifier =
  (kind: 'desk' | 'console', allowed: (tx: WriteTx, attempt: SignInAttempt, live: Row<'otp_code'>) => Promise<boolean>): CodeVerifier =>
  async (tx, attempt, keys) => {
    const key = { email: attempt.email, kind }
    const live = await liveCode(tx, key)
    if (!live) return false
    const isRight = isCodeOf(live, attempt, keys.otp)
    if (isRight || live.wrong_tries + 1 >= limits.otp.wrongPerDay) await endCode(tx, key)
    else await noteWrongTry(tx, key, live.wrong_tries + 1)
    return isRight && (await allowed(tx, attempt, live))
  }

/**
 * The code is refused where its owner has become an administrator or left since it was issued, or where its issuer is no administrator of
 * that school any more; both are read again (decisions §8).
 */
export const verifyDeskCode = issuedCodeVerifier('desk', async (tx, { email, userId }, { expires_at }) => {
  const membership = userId === null ? undefined : await deskMembership(tx, userId)
  if (!membership || !(await isStillIssued(tx, membership, expires_at))) return false
  recordDeskCode(tx, membership.school_id, membership.user_id, 'update', { email, used_at: tx.now })
  return true
})

/** Only the history records who issued a code. The expiry distinguishes its entry from others of the same person, also of other nodes. */
async function isStillIssued(tx: ReadTx, { school_id, user_id }: Row<'school_management'>, expiresAt: string): Promise<boolean> {
  const entries = await newestDeskEntriesFor(tx, { school: school_id, near: school_id, entity: DESK, user: user_id })
  const issued = entries.find(({ changes }) => changes['expires_at']?.after === expiresAt)
  if (!issued?.actor_id) return false
  const places = await membershipsOf(tx, { user: issued.actor_id })
  return places.some((place) => place.school_id === school_id && place.is_active && place.role === 'admin')
}

/**
 * The code of an invitation, valid until it is answered. Refused for a person who belongs to a school: the inviter must not be able to
 * sign in as them.
 */
export const verifyInvitationCode: CodeVerifier = async (tx, attempt, keys) => {
  const { email, userId } = attempt
  const open = await openInvitations(tx, email)
  const isRight = open.some(({ code_hash }) => code_hash !== null && isCodeOf({ code_hash }, attempt, keys.otp))
  return isRight && (userId === null || (await membershipsOf(tx, { user: userId })).length === 0)
}

export const verifyConsoleCode = issuedCodeVerifier('console', async () => true)

/** The entity name of desk codes in the history of a school. */
export const DESK = 'desk_code'

/**
 * The membership of a user who may receive a desk code: active, not an administrator, and a member of this school alone, because the code
 * signs in to the whole account. Undefined for anybody else.
 */
export async function deskMembership(tx: ReadTx, userId: string): Promise<Row<'school_management'> | undefined> {
  const [membership, ...others] = await membershipsOf(tx, { user: userId })
  return membership?.is_active && membership.role !== 'admin' && others.length === 0 ? membership : undefined
}

/** Records a desk code in the history: `create` when it is issued, `update` when it is used. */
export const recordDeskCode = (
  tx: WriteTx,
  schoolId: string,
  userId: string,
  action: 'create' | 'update',
  changes: Record<string, string>,
) => tx.note({ schoolId, entity: DESK, id: userId, action, changes })

/** A code of the command line; `isNew`: nobody has signed in with the address yet. */
export type ConsoleCode = { code: string; isNew: boolean }

/** Creates the one valid console code of an address (decisions §3), and records it in the history of the commons. */
export const issueConsoleCode = (store: Store, email: string, keys: Keys): Promise<ConsoleCode> => {
  const code = newCode()
  return store.write(asSystem(), async (tx) => {
    await demandSameSecret(tx, keys)
    const [user] = await userByEmail(tx, { email })
    const id = user?.id ?? naturalId('user', email)
    const owner = await laptopOwner(tx)
    if (owner !== null && owner !== id) throw common.othersLaptop()
    const expires_at = await keepCode(tx, { email, kind: 'console' }, code, keys.otp)
    tx.note({ schoolId: COMMONS, entity: 'console_code', id, action: 'create', changes: { email, expires_at } })
    return { code, isNew: user === undefined }
  })
}
