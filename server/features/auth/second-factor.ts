import { signInFailures } from '@markbook/shared/contract/sign-in-methods'
import { matches } from '../../store/conditions.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { acceptedSecrets } from './accepted-secrets.ts'
import { passkeysOf } from './passkeys.queries.ts'
import { totpOfUser } from './sign-in-methods.queries.ts'

const byUser = rowsBy('second_factor', { user: 'user_id' })

/** Since when a person needs a second factor beside a mailed code at this node; null where they do not. */
export const askedForSecondSince = async (tx: ReadTx, userId: string): Promise<string | null> =>
  (await byUser(tx, { user: userId }))[0]?.since ?? null

export const isAskedForSecond = async (tx: ReadTx, userId: string): Promise<boolean> => (await askedForSecondSince(tx, userId)) !== null

/** The number of a person's lasting second factors; printed codes are used up and do not count. */
async function secondsOf(tx: ReadTx, userId: string): Promise<number> {
  const apps = await acceptedSecrets(tx, 'user_totp', userId, await totpOfUser(tx, { user: userId }))
  return apps.length + (await passkeysOf(tx, { user: userId })).length
}

/** From now on a mailed code alone does not sign this person in. Throws 409 where they have no other method. */
export async function askForSecond(tx: WriteTx, userId: string): Promise<void> {
  if ((await secondsOf(tx, userId)) === 0) throw signInFailures.nothingToAskFor()
  await tx.local.insert(tx.t.second_factor).values({ user_id: userId, since: tx.now }).onConflictDoNothing()
}

/** Returns whether the second factor was required until now. */
export async function askForNoSecond(tx: WriteTx, userId: string): Promise<boolean> {
  const wasAsked = await isAskedForSecond(tx, userId)
  await tx.local.delete(tx.t.second_factor).where(matches(tx.t.second_factor, { user_id: userId }))
  return wasAsked
}

/** Throws 409 before the last required second factor is removed, since its owner could not sign in by mail any more. */
export async function demandAnotherSecond(tx: ReadTx, userId: string): Promise<void> {
  if ((await isAskedForSecond(tx, userId)) && (await secondsOf(tx, userId)) <= 1) throw signInFailures.lastSecond()
}
