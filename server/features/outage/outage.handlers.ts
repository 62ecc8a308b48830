import { outage, outageFailures } from '@markbook/shared/contract/outage'
import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { type Handlers, on, onGuard, onOpen } from '../../http/handler.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { take } from '../auth/attempts.ts'
import { keepCode, newCode } from '../auth/codes.ts'
import { allowMail } from '../auth/otp.ts'
import { ownRow, signedIn } from '../auth/profile.ts'
import { accountsFor } from '../demo/demo.routes.ts'
import { membershipOf } from '../schools/schools.queries.ts'
import { DESK, deskMembership, noteDesk } from './desk.ts'
import { beginEnrolment, confirmEnrolment, ownWaysOf, removeTotp } from './enrolment.ts'
import { deskEntriesOf } from './outage.queries.ts'
import { replaceRecoveryCodes } from './recovery.way.ts'

const DESK_LIMIT = { max: limits.desk.perHour, windowMs: 3_600_000 }

/** Somebody of the caller's school, active or not; 404 for anybody else. */
async function memberOf(tx: WriteTx, schoolId: string, userId: string | undefined) {
  const profile = userId === undefined ? undefined : await tx.find('user_profile', '', userId)
  const [membership] = profile ? await membershipOf(tx, { school: schoolId, user: profile.id }) : []
  if (!profile || !membership) throw common.notFound()
  return profile
}

/** People's secrets and everybody's counters are rows that only the service may touch. */
const as = 'system'

export const outageHandlers: Handlers<typeof outage> = {
  ways: onOpen(outage.ways, async (exchange) => {
    const { kind, lastFailure } = exchange.services.mailer.state()
    const mail = kind === 'console' ? 'console' : lastFailure?.kind === 'connection' ? 'failing' : 'ok'
    const demo = accountsFor(exchange)
    return { mail, totp: true, recovery: true, desk: true, ...(demo.length > 0 && { demo: [...demo] }) }
  }),

  ownWays: onGuard(outage.ownWays, ({ tx, caller }) => ownWaysOf(tx, caller.user_id), as),

  enrolTotp: on(outage.enrolTotp, {
    as,
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: ({ tx, services }, _asked, user) => beginEnrolment(tx, user, services.keys),
  }),

  confirmTotp: onOpen(outage.confirmTotp, async ({ services: { store, keys }, caller }, { body }) => {
    const owner = signedIn(caller)
    const confirmed = await store.write(asSystem(owner.user_id), async (tx) =>
      confirmEnrolment(tx, await ownRow(tx, owner), body.token, keys),
    )
    if (confirmed instanceof Failure) throw confirmed
    return confirmed
  }),

  removeTotp: on(outage.removeTotp, {
    as,
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: async ({ tx }, _asked, user) => {
      await removeTotp(tx, user)
      return { message: 'The app no longer signs you in.' }
    },
  }),

  newRecoveryCodes: on(outage.newRecoveryCodes, {
    as,
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: async ({ tx, services }, _asked, user) => ({ codes: await replaceRecoveryCodes(tx, user.id, services.keys) }),
  }),

  deskCodes: onGuard(
    outage.deskCodes,
    async ({ tx, caller }) => {
      const entries = await deskEntriesOf(tx, { school: caller.school_id, entity: DESK })
      return entries.map(({ id, at, action, actor_id, user_id, changes, first_name, last_name }) => ({
        id,
        at,
        action: action === 'create' ? ('create' as const) : ('update' as const),
        actor: actor_id === null ? null : { id: actor_id, first_name, last_name },
        user_id,
        email: String(changes['email']?.after),
      }))
    },
    as,
  ),

  issueDeskCode: on(outage.issueDeskCode, {
    as,
    load: async ({ tx, caller }, { targets }) => {
      const member = await memberOf(tx, caller.school_id, targets['userId'])
      if (!(await deskMembership(tx, member.id))) throw outageFailures.notAtTheDesk()
      return member
    },
    run: async ({ tx, caller, services }, _asked, { id, email }) => {
      const wait = await take(tx, `desk:${caller.school_id}`, DESK_LIMIT)
      if (wait > 0) throw outageFailures.deskLimit({ headers: { 'retry-after': String(Math.ceil(wait / 1_000)) } })
      const code = newCode()
      const expires_at = await keepCode(tx, { email, kind: 'desk' }, code, services.keys.otp)
      noteDesk(tx, caller.school_id, id, 'create', { email, expires_at })
      return { code, expires_at }
    },
  }),

  resetSignIn: on(outage.resetSignIn, {
    as,
    load: ({ tx, caller }, { params }) => memberOf(tx, caller.school_id, params.userId),
    run: async ({ tx, caller }, _asked, { id, email }) => {
      await allowMail(tx, id)
      tx.note({ schoolId: caller.school_id, entity: 'sign_in_reset', id, action: 'update', changes: { email } })
      return { message: 'Codes by mail work again for this member.' }
    },
  }),
}
