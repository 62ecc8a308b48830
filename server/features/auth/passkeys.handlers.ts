import { type Assertion, passkeyFailures, passkeys } from '@markbook/shared/contract/passkeys'
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
import { type ChallengeUse, isChallenge, newChallenge, useChallenge } from './passkey-challenges.ts'
import { passkeyByCredential, passkeysOf, passkeyToUse } from './passkeys.queries.ts'
import {
  challengeIn,
  creationOptions,
  isCountedOn,
  type Party,
  partyOf,
  requestOptions,
  verifiedCreation,
  verifiedUse,
} from './passkeys.ts'
import { ownRow, signedIn } from './profile.policy.ts'

type Passkey = Row<'passkey'>

/** Passkeys are rows that only the service may touch. */
const as = 'system'

const challengeFor = ({ services: { clock, keys } }: Exchange, use: ChallengeUse) => newChallenge(use, clock.now(), keys.passkey)
/** The challenge that a browser had signed; null where it is none of this server's for that use, or too old. */
function knownChallenge({ services: { clock, keys } }: Exchange, response: { clientDataJSON: string }, use: ChallengeUse): string | null {
  const challenge = challengeIn(response)
  return challenge !== null && isChallenge(challenge, use, clock.now(), keys.passkey) ? challenge : null
}

async function demandRoom(tx: WriteTx, userId: string): Promise<Passkey[]> {
  const own = await passkeysOf(tx, { user: userId })
  if (own.length >= limits.passkeys.perPerson) throw passkeyFailures.tooMany()
  return own
}

async function demandCalm({ services: { store }, address }: Exchange): Promise<void> {
  const flood = await store.write(asSystem(), (tx) => refuseFlood(tx, address))
  if (flood) throw flood
}

/** To use a passkey, in this session where somebody is signed in. */
const toUse = ({ caller }: Exchange, { host }: Party): ChallengeUse => ({ use: 'sign', host, session: caller?.session_id ?? '' })

/** Uses a passkey, in the transaction in which `work` does what it is used for. A refusal of `work` commits. */
async function using<T>(
  exchange: Exchange,
  assertion: Assertion,
  work: (tx: WriteTx, passkey: Passkey) => Promise<T | Failure>,
): Promise<T> {
  const party = partyOf(exchange.origin)
  await demandCalm(exchange)
  const { store } = exchange.services
  const challenge = knownChallenge(exchange, assertion.response, toUse(exchange, party))
  const [known] = await store.read(asSystem(), (tx) => passkeyByCredential(tx, { credential: assertion.id }))
  const counter = known && challenge !== null ? await verifiedUse(assertion, known, party, challenge) : null
  if (challenge === null || counter === null) throw passkeyFailures.refused()
  const outcome = await store.write(asSystem(), async (tx) => {
    const [passkey] = await passkeyToUse(tx, { credential: assertion.id })
    if (!passkey || !(await useChallenge(tx, challenge))) return passkeyFailures.refused()
    if (!isCountedOn(passkey.counter, counter)) return passkeyFailures.usedElsewhere()
    await tx.local
      .update(tx.t.passkey)
      .set({ counter, last_used_at: tx.now })
      .where(matches(tx.t.passkey, { id: passkey.id }))
    return work(tx, passkey)
  })
  if (outcome instanceof Failure) throw outcome
  return outcome
}

/** What is to be kept of a new key, checked outside of any transaction. */
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
    run: async ({ tx }, _input, { id }) => {
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
