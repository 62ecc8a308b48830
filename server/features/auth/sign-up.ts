import { naturalId } from '@markbook/shared/ids'
import type { Config } from '../../config.ts'
import type { MailLane } from '../../mail/mailer.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { openInvitations } from '../schools/invitations.policy.ts'
import { offersTo } from '../schools/offers.policy.ts'
import { newestPendingRequest, userByEmail } from './auth.queries.ts'
import { membershipsOf } from './sign-in-methods.queries.ts'

const oneSchool = rowsBy('school', {}, { columns: ['id'], orderBy: ['id'], limit: 1 })

type SignUp = Pick<Config, 'dedicated' | 'openSignUp'>

/** Whether an unknown address gets a code: everywhere except on a dedicated node with its school (decisions §8). */
export const isSignUpOpen = async (tx: ReadTx, { dedicated, openSignUp }: SignUp): Promise<boolean> =>
  !dedicated || openSignUp || (await oneSchool(tx, {})).length === 0

/**
 * The mail lane for a code to a normalised address; null where no mail is sent. The members' lane is for people with a membership,
 * suspended or not, an offer, or an invitation. An account alone is not enough, because the owner of a domain can make any number of
 * accounts. No reply may reveal the lane, so the same queries run for every address, also for one without an account.
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
