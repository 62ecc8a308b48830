import { toInstant } from '@markbook/shared/clock'
import { sessions } from '@markbook/shared/contract/sessions'
import { type Device, deviceName } from '@markbook/shared/domain/device'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { inArray } from 'drizzle-orm'
import type { Caller } from '../../http/caller.ts'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import { matches } from '../../store/conditions.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { memberOf } from '../schools/schools.policy.ts'
import { liveSessionsOf, noticesOf } from './sessions.queries.ts'

const ownSessions = (tx: ReadTx, { user_id }: Pick<Caller, 'user_id'>) =>
  liveSessionsOf(tx, { user: user_id, now: tx.now, idleSince: toInstant(tx.nowMs - limits.session.idleMs) })

/** The notices of an account, without those that this session caused. */
async function ownNotices(tx: ReadTx, { user_id, session_id }: Caller) {
  const notices = await noticesOf(tx, { user: user_id, since: toInstant(tx.nowMs - limits.notices.retentionMs) })
  return notices.filter((notice) => notice.session_id !== session_id)
}

const named = <T extends Device>(at: T) => ({ ...at, device: deviceName(at) })

/** Ends sessions, and deletes the notices of their sign-in, which their owner has seen. */
async function end(tx: WriteTx, ids: readonly string[]): Promise<void> {
  const { session, account_notice } = tx.t
  await tx.local.update(session).set({ revoked_at: tx.now }).where(inArray(session.id, ids))
  for (const session_id of ids) await tx.local.delete(account_notice).where(matches(account_notice, { session_id, kind: 'sign_in' }))
}

/** Only the service may read sessions. */
const as = 'system'

export const sessionHandlers: Handlers<typeof sessions> = {
  list: onGuard(
    sessions.list,
    async ({ tx, caller }) => {
      const own = (await ownSessions(tx, caller)).map((session) => ({ ...named(session), is_current: session.id === caller.session_id }))
      return own.sort((one, other) => Number(other.is_current) - Number(one.is_current))
    },
    as,
  ),

  end: on(sessions.end, {
    as,
    load: async ({ tx, caller }, { params }) => {
      const session = (await ownSessions(tx, caller)).find(({ id }) => id === params.id)
      if (!session) throw common.notFound()
      return session
    },
    run: async ({ tx }, _input, { id }) => {
      await end(tx, [id])
      return { message: 'That session has ended.' }
    },
  }),

  endOthers: on(sessions.endOthers, {
    as,
    load: async ({ tx, caller }) => (await ownSessions(tx, caller)).filter(({ id }) => id !== caller.session_id),
    run: async ({ tx }, _input, others) => {
      await end(
        tx,
        others.map(({ id }) => id),
      )
      return { message: 'You are signed out everywhere else.' }
    },
  }),

  endMembers: on(sessions.endMembers, {
    as,
    load: async ({ tx, caller }, { params }) => {
      const member = await memberOf(tx, caller.school_id, params.userId)
      const live = await ownSessions(tx, { user_id: member.id })
      return { member, others: live.filter(({ id }) => id !== caller.session_id) }
    },
    run: async ({ tx, caller }, _input, { member: { id, email }, others }) => {
      await end(
        tx,
        others.map((session) => session.id),
      )
      tx.note({ schoolId: caller.school_id, entity: 'sign_in_reset', id, action: 'delete', changes: { email } })
      return { message: 'This member is signed out everywhere.' }
    },
  }),

  notices: onGuard(sessions.notices, async ({ tx, caller }) => (await ownNotices(tx, caller)).map(named), as),

  dismiss: on(sessions.dismiss, {
    as,
    load: async ({ tx, caller }, { params }) => {
      const notice = (await ownNotices(tx, caller)).find(({ id }) => id === params.id)
      if (!notice) throw common.notFound()
      return notice
    },
    run: async ({ tx }, _input, { id }) => {
      await tx.local.delete(tx.t.account_notice).where(matches(tx.t.account_notice, { id }))
      return { message: 'The notice is gone.' }
    },
  }),
}
