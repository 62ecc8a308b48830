import { signInFailures, signInMethods } from '@markbook/shared/contract/sign-in-methods'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { type Handlers, on, onGuard, onOpen } from '../../http/handler.ts'
import { erasedHere } from '../../replication/upstream/erased.ts'
import { take } from '../../store/attempts.ts'
import { asSystem } from '../../store/tx.ts'
import { isFoundingOver, memberOf } from '../schools/schools.policy.ts'
import { mailNews, noteFactor } from '../sessions/notices.policy.ts'
import { beginEnrolment, confirmEnrolment, ownMethodsOf, removeTotp } from './authenticator-app.ts'
import { keepCode, newCode, waiting } from './codes.ts'
import { accountsFor } from './demo.routes.ts'
import { DESK, deskMembership, recordDeskCode } from './issued-codes.ts'
import { ownRow, signedIn } from './profile.policy.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { askForNoSecond, askForSecond } from './second-factor.ts'
import { deskEntriesOf } from './sign-in-methods.queries.ts'
import { isSignUpOpen } from './sign-up.ts'
import { openWays } from './wrong-tries.ts'

const DESK_LIMIT = { max: limits.desk.codesPerHour, windowMs: 3_600_000 }

/** Only the service may read and write secrets and counters. */
const as = 'system'

export const signInMethodHandlers: Handlers<typeof signInMethods> = {
  ways: onOpen(signInMethods.ways, async (exchange) => {
    const { kind, lastFailure } = exchange.services.mailer.state()
    const mail = kind === 'console' ? 'console' : lastFailure?.kind === 'connection' ? 'failing' : 'ok'
    const demo = accountsFor(exchange)
    const { services } = exchange
    const erased = await erasedHere(services)
    const [isOpen, isFull] = await services.store.read(asSystem(), async (tx) => [
      await isSignUpOpen(tx, services.config),
      await isFoundingOver(tx, services.config),
    ])
    return {
      mail,
      totp: true,
      recovery: true,
      desk: true,
      ...(demo.length > 0 && { demo: [...demo] }),
      ...(erased && { erased }),
      ...(!services.config.openFounding && { setup_code: true }),
      ...(!isOpen && { invited_only: true }),
      ...(isFull && { one_school: true }),
    }
  }),

  ownWays: onGuard(signInMethods.ownWays, ({ tx, caller }) => ownMethodsOf(tx, caller.user_id), as),

  enrolTotp: on(signInMethods.enrolTotp, {
    as,
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: ({ tx, services }, _input, user) => beginEnrolment(tx, user, services.keys),
  }),

  confirmTotp: onOpen(signInMethods.confirmTotp, async ({ services, caller }, { body }) => {
    const { store, keys } = services
    const owner = signedIn(caller)
    const { confirmed, news } = await store.write(asSystem(owner.user_id), async (tx) => {
      const outcome = await confirmEnrolment(tx, await ownRow(tx, owner), body.token, keys)
      return { confirmed: outcome, news: outcome instanceof Failure ? null : await noteFactor(tx, owner, 'totp') }
    })
    if (confirmed instanceof Failure) throw confirmed
    mailNews(services, news)
    return confirmed
  }),

  removeTotp: on(signInMethods.removeTotp, {
    as,
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: async ({ tx }, _input, user) => {
      await removeTotp(tx, user)
      return { message: 'The app no longer signs you in.' }
    },
  }),

  newRecoveryCodes: on(signInMethods.newRecoveryCodes, {
    as,
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: async ({ tx, caller, services, after }, _input, user) => {
      const codes = await replaceRecoveryCodes(tx, user.id, services.keys)
      const news = await noteFactor(tx, caller, 'recovery_codes')
      after(() => mailNews(services, news))
      return { codes }
    },
  }),

  askForSecond: on(signInMethods.askForSecond, {
    as,
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: async ({ tx }, _input, { id }) => {
      await askForSecond(tx, id)
      return ownMethodsOf(tx, id)
    },
  }),

  askForNoSecond: on(signInMethods.askForNoSecond, {
    as,
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: async ({ tx, caller, services, after }, _input, { id }) => {
      if (await askForNoSecond(tx, id)) {
        const news = await noteFactor(tx, caller, 'second_factor_off')
        after(() => mailNews(services, news))
      }
      return ownMethodsOf(tx, id)
    },
  }),

  deskCodes: onGuard(
    signInMethods.deskCodes,
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

  issueDeskCode: on(signInMethods.issueDeskCode, {
    as,
    load: async ({ tx, caller }, { targets }) => {
      const member = await memberOf(tx, caller.school_id, targets['userId'])
      if (!(await deskMembership(tx, member.id))) throw signInFailures.notAtTheDesk()
      return member
    },
    run: async ({ tx, caller, services }, _input, { id, email }) => {
      const wait = await take(tx, `desk:${caller.school_id}`, DESK_LIMIT)
      if (wait > 0) throw waiting(signInFailures.deskLimit, wait)
      const code = newCode()
      const expires_at = await keepCode(tx, { email, kind: 'desk' }, code, services.keys.otp)
      recordDeskCode(tx, caller.school_id, id, 'create', { email, expires_at })
      return { code, expires_at }
    },
  }),

  resetSignIn: on(signInMethods.resetSignIn, {
    as,
    load: ({ tx, caller }, { params }) => memberOf(tx, caller.school_id, params.userId),
    run: async ({ tx, caller, services, after }, _input, { id, email }) => {
      await openWays(tx, email)
      // Nobody may weaken an account that also belongs to another school, or an administrator's.
      if ((await deskMembership(tx, id)) && (await askForNoSecond(tx, id))) {
        const news = await noteFactor(tx, { user_id: id, session_id: caller.session_id, email }, 'second_factor_off')
        after(() => mailNews(services, news))
      }
      tx.note({ schoolId: caller.school_id, entity: 'sign_in_reset', id, action: 'update', changes: { email } })
      return { message: 'Codes by mail work again for this member.' }
    },
  }),
}
