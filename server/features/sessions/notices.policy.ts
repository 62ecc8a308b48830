import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { Caller } from '../../http/caller.ts'
import type { Services } from '../../http/services.ts'
import type { SessionClient } from '../../http/sessions.ts'
import type { MailLane } from '../../mail/mailer.ts'
import { accountNewsMessage } from '../../mail/messages.ts'
import { count, countOf, forget, take } from '../../store/attempts.ts'
import { matches } from '../../store/conditions.ts'
import type { WriteTx } from '../../store/tx.ts'
import { sessionById } from './sessions.queries.ts'

const { knownDeviceMs, mailsPerHour } = limits.notices
const MAILS = { max: mailsPerHour, windowMs: 3_600_000 }
/** The record that an account was used never expires. */
const NEVER = 100 * 365 * 86_400_000
const DAY = 86_400_000

/** The account, and the session that acted. */
type Actor = Pick<Caller, 'user_id' | 'session_id' | 'email'>
type Kind = Row<'account_notice'>['kind']
/**
 * A notice, and its mail address; `to` is null where too many mails were sent. An account without a school uses the strangers' lane
 * (docs/design/sign-in.md).
 */
type News = { notice: Row<'account_notice'>; to: string | null; lane: MailLane }

/**
 * Records a sign-in. Returns a notice where this account did not sign in from that device and network within ninety days; null where it
 * did, and for its very first sign-in.
 */
export async function noteSignIn(tx: WriteTx, actor: Actor, { program, system, address }: SessionClient): Promise<News | null> {
  const [account, device] = [`signed-in:${actor.user_id}`, `device:${actor.user_id} ${program} ${system} ${address}`]
  const isFirst = (await countOf(tx, account)) === 0
  const isKnown = (await countOf(tx, device)) > 0
  if (isFirst) await count(tx, account, NEVER)
  await forget(tx, device)
  await count(tx, device, knownDeviceMs)
  return isFirst || isKnown ? null : note(tx, actor, 'sign_in')
}

/** Records that a sign-in method was set up, or recovery codes were made. */
export const noteFactor = (tx: WriteTx, actor: Actor, kind: Exclude<Kind, 'sign_in'>): Promise<News> => note(tx, actor, kind)

async function note(tx: WriteTx, { user_id, session_id, email }: Actor, kind: Kind): Promise<News> {
  const { account_notice } = tx.t
  const [place] = await sessionById(tx, { id: session_id })
  const { program = null, system = null, address = null } = place ?? {}
  const notice = { id: tx.newId(), user_id, session_id, kind, at: tx.now, program, system, address }
  await tx.local.delete(account_notice).where(matches(account_notice, { user_id, session_id, kind }))
  await tx.local.insert(account_notice).values(notice)
  const isTooMuch = (await take(tx, `notice-mail:${user_id}`, MAILS)) > 0
  const owner = await tx.find('user_profile', '', user_id)
  return { notice, to: isTooMuch ? null : email, lane: owner?.school_id ? 'members' : 'strangers' }
}

/** Mails a committed notice; does nothing where this server sends no mail. */
export function mailNews({ mailer, config, log }: Pick<Services, 'mailer' | 'config' | 'log'>, news: News | null): void {
  if (news === null || news.to === null || mailer.state().kind !== 'smtp') return
  const { notice, to, lane } = news
  try {
    mailer.send({ to, lane, expiresAt: Date.parse(notice.at) + DAY, ...accountNewsMessage(notice, config.publicUrl) })
  } catch (error) {
    // The notice is stored, and its event is committed.
    log.warn({ err: error }, 'a notice about an account could not be mailed')
  }
}
