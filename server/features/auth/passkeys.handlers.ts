import type { Assertion } from '@markbook/shared/contract/credentials'
import { passkeyFailures, passkeys } from '@markbook/shared/contract/passkeys'
import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { type Exchange, type Handlers, on, onGuard, onOpen } from '../../http/handler.ts'
import { noteProof } from '../../http/sessions.ts'
import { matches } from '../../store/conditions.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { mailNews, noteFactor } from '../sessions/notices.policy.ts'
import { type Begun, beginSession, enter } from './begin-session.ts'
import { refuseFlood } from './otp.ts'
import { type ChallengeUse, newChallenge, useChallenge } from './passkey-challenges.ts'
import { checkedUse, knownChallenge, toUse, useUp } from './passkey-use.ts'
import { passkeyByCredential, passkeysOf } from './passkeys.queries.ts'
import { creationOptions, type Party, partyOf, requestOptions, verifiedCreation } from './passkeys.ts'
import { ownRow, signedIn } from './profile.policy.ts'
import { demandAnotherSecond } from './second-factor.ts'
import { writeInTurn } from './sign-in-turns.ts'

type Passkey = Row<'passkey'>

/** Only the service may read and write passkeys. */
const as = 'system'

const challengeFor = ({ services: { clock, keys } }: Exchange, use: ChallengeUse) => newChallenge(use, clock.now(), keys.passkey)
async function demandRoom(tx: WriteTx, userId: string): Promise<Passkey[]> {
  const own = await passkeysOf(tx, { user: userId })
  if (own.length >= limits.passkeys.perPerson) throw passkeyFailures.tooMany()
  return own
}

async function demandCalm(exchange: Exchange): Promise<void> {
  const flood = await writeInTurn(exchange, null, (tx) => refuseFlood(tx, exchange.address))
  if (flood) throw flood
}

/** Uses a passkey and runs `work` in one transaction. A refusal by `work` commits. */
async function using<T>(
  exchange: Exchange,
  assertion: Assertion,
  work: (tx: WriteTx, passkey: Passkey) => Promise<T | Failure>,
): Promise<T> {
  await demandCalm(exchange)
  const checked = await checkedUse(exchange, assertion)
  const outcome = await exchange.services.store.write(asSystem(), async (tx) => {
    const used = await useUp(tx, checked)
    return used instanceof Failure ? used : work(tx, used)
  })
  if (outcome instanceof Failure) throw outcome
  return outcome
}

/** The data to store of a new key, verified outside of any transaction. */
async function created(exchange: Exchange, party: Party, credential: Parameters<typeof verifiedCreation>[0], session: string) {
  const challenge = knownChallenge(exchange, credential.response, { use: 'add', host: party.host, session })
  const key = challenge === null ? null : await verifiedCreation(credential, party, challenge)
  if (challenge === null || key === null) throw passkeyFailures.refused()
  return { challenge, key }
}

export const passkeyHandlers: Handlers<typeof passkeys> = {
  list: onGuard(passkeys.list, ({ tx, caller }) => passkeysOf(tx, { user: caller.user_id }), as),

  begin: onOpen(passkeys.begin, async (exchange) => {
    const owner = signedIn(exchange.caller)
    const party = partyOf(exchange.origin)
    const { user, own } = await exchange.services.store.write(asSystem(owner.user_id), async (tx) => ({
      user: await ownRow(tx, owner),
      own: await demandRoom(tx, owner.user_id),
    }))
    const challenge = challengeFor(exchange, { use: 'add', host: party.host, session: owner.session_id })
    return creationOptions(party, user, own, challenge)
  }),

  add: onOpen(passkeys.add, async (exchange, { body }) => {
    const owner = signedIn(exchange.caller)
    const party = partyOf(exchange.origin)
    const { challenge, key } = await created(exchange, party, body.credential, owner.session_id)
    const { store } = exchange.services
    const { row, news } = await store.write(asSystem(owner.user_id), async (tx) => {
      const { id: user_id } = await ownRow(tx, owner)
      await demandRoom(tx, user_id)
      if (!(await useChallenge(tx, challenge))) throw passkeyFailures.refused()
      if ((await passkeyByCredential(tx, { credential: key.credential_id })).length > 0) throw passkeyFailures.known()
      const transports = body.credential.response.transports ?? []
      const made = {
        id: tx.newId(),
        user_id,
        host: party.host,
        ...key,
        transports,
        name: body.name,
        created_at: tx.now,
        last_used_at: null,
      }
      await tx.local.insert(tx.t.passkey).values(made)
      return { row: made, news: await noteFactor(tx, owner, 'passkey') }
    })
    mailNews(exchange.services, news)
    return row
  }),

  remove: on(passkeys.remove, {
    as,
    load: async ({ tx, caller }, { params }) => {
      const passkey = (await passkeysOf(tx, { user: caller.user_id })).find(({ id }) => id === params.id)
      if (!passkey) throw common.notFound()
      return passkey
    },
    run: async ({ tx, caller }, _input, { id }) => {
      await demandAnotherSecond(tx, caller.user_id)
      await tx.local.delete(tx.t.passkey).where(matches(tx.t.passkey, { id }))
      return { message: 'The passkey no longer signs you in.' }
    },
  }),

  ask: onOpen(passkeys.ask, async (exchange) => {
    const { caller, services } = exchange
    const party = partyOf(exchange.origin)
    await demandCalm(exchange)
    const own = caller && (await services.store.read(asSystem(), (tx) => passkeysOf(tx, { user: caller.user_id })))
    return requestOptions(party, challengeFor(exchange, toUse(exchange, party)), own ? own.filter(({ host }) => host === party.host) : null)
  }),

  signIn: onOpen(passkeys.signIn, async (exchange, { body }) => {
    const begun = await using<Begun>(exchange, body.credential, async (tx, { user_id }) => {
      const user = await tx.find('user_profile', '', user_id)
      return user ? beginSession(tx, exchange, user.email, user.id) : passkeyFailures.refused()
    })
    return enter(exchange, begun)
  }),

  prove: onOpen(passkeys.prove, async (exchange, { body }) => {
    const { user_id, session_id } = signedIn(exchange.caller)
    return using(exchange, body.credential, async (tx, passkey) => {
      if (passkey.user_id !== user_id) return passkeyFailures.refused()
      return { fresh_until: await noteProof(tx, session_id) }
    })
  }),
}
