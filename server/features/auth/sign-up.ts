import { naturalId } from '@markbook/shared/ids'
import { asc } from 'drizzle-orm'
import type { Config } from '../../config.ts'
import type { MailLane } from '../../mail/mailer.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { openInvitations } from '../schools/invitations.policy.ts'
import { offersTo } from '../schools/offers.policy.ts'
import { newestPendingRequest, userByEmail } from './auth.queries.ts'
import { membershipsOf } from './sign-in-methods.queries.ts'

const oneSchool = statement()(({ db, t: { school } }) => db.select({ id: school.id }).from(school).orderBy(asc(school.id)).limit(1))

type SignUp = Pick<Config, 'dedicated' | 'openSignUp'>

/** Whether an address that nobody knows gets a code: everywhere but on a dedicated node whose school is there (decisions §8). */
export const isSignUpOpen = async (tx: ReadTx, { dedicated, openSignUp }: SignUp): Promise<boolean> =>
  !dedicated || openSignUp || (await oneSchool(tx, {})).length === 0

/**
 * By which lane a code for an address, in its normal form, leaves; null where none leaves. The members' lane is for who has a place in a
 * school, suspended or not, was given one, or was invited. An account alone is not enough, because whoever owns a domain makes any number
 * of accounts. No answer may tell the lane, so that every address is asked for alike, also one without an account.
 */
export async function laneOf(tx: ReadTx, config: SignUp, email: string): Promise<MailLane | null> {
  const [user] = await userByEmail(tx, { email })
  const id = user?.id ?? naturalId('user', email)
  const known = [await membershipsOf(tx, { user: id }), await offersTo(tx, id), await openInvitations(tx, email)]
  const pending = await newestPendingRequest(tx, { user: id })
  const isOpen = await isSignUpOpen(tx, config)
  if (known.some((found) => found.length > 0)) return 'members'
  return isOpen || pending.length > 0 ? 'strangers' : null
}
