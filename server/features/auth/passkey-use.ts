import type { Assertion } from '@markbook/shared/contract/credentials'
import { passkeyFailures } from '@markbook/shared/contract/passkeys'
import type { Failure } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { Exchange } from '../../http/handler.ts'
import { matches } from '../../store/conditions.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { type ChallengeUse, isChallenge, useChallenge } from './passkey-challenges.ts'
import { passkeyByCredential, passkeyToUse } from './passkeys.queries.ts'
import { challengeIn, isCountedOn, type Party, partyOf, verifiedUse } from './passkeys.ts'

/** The challenge's purpose for using a passkey, in this session where somebody is signed in. */
export const toUse = ({ caller }: Exchange, { host }: Party): ChallengeUse => ({ use: 'sign', host, session: caller?.session_id ?? '' })

/** The challenge that a browser had signed; null where this server did not make it for that use, or it has expired. */
export function knownChallenge(
  { services: { clock, keys } }: Exchange,
  response: { clientDataJSON: string },
  use: ChallengeUse,
): string | null {
  const challenge = challengeIn(response)
  return challenge !== null && isChallenge(challenge, use, clock.now(), keys.passkey) ? challenge : null
}

/** An assertion with a right signature, which a transaction is to use up. */
type CheckedUse = { credential: string; challenge: string; counter: number }

/** Verifies an assertion, outside of any transaction. Throws 400 where it is wrong. */
export async function checkedUse(exchange: Exchange, assertion: Assertion): Promise<CheckedUse> {
  const party = partyOf(exchange.origin)
  const credential = assertion.id
  const challenge = knownChallenge(exchange, assertion.response, toUse(exchange, party))
  const [known] = await exchange.services.store.read(asSystem(), (tx) => passkeyByCredential(tx, { credential }))
  const counter = known && challenge !== null ? await verifiedUse(assertion, known, party, challenge) : null
  if (challenge === null || counter === null) throw passkeyFailures.refused()
  return { credential, challenge, counter }
}

/** Uses up the challenge, and records the use. Returns the passkey, or why it is refused, which has to commit. */
export async function useUp(tx: WriteTx, { credential, challenge, counter }: CheckedUse): Promise<Row<'passkey'> | Failure> {
  const [passkey] = await passkeyToUse(tx, { credential })
  if (!passkey || !(await useChallenge(tx, challenge))) return passkeyFailures.refused()
  if (!isCountedOn(passkey.counter, counter)) return passkeyFailures.usedElsewhere()
  await tx.local
    .update(tx.t.passkey)
    .set({ counter, last_used_at: tx.now })
    .where(matches(tx.t.passkey, { id: passkey.id }))
  return passkey
}
