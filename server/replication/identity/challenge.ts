import { createHmac, randomBytes } from 'node:crypto'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { isSameSecret } from '../../store/encryption.ts'

type Peer = Pick<Row<'sync_peer'>, 'id' | 'session_nonce'>
/** `node`: the number of this node; `key`: seals its challenges; `now` in ms. */
type Here = { node: string; key: Buffer; now: number }

const sealOf = (text: string, { id, session_nonce }: Peer, { node, key }: Here) =>
  createHmac('sha256', key)
    .update(['markbook:challenge', node, id, session_nonce ?? '', text].join('\n'))
    .digest()

/**
 * A challenge, over which a child signs its greeting: the time, 128 random bits and a seal. It is stored nowhere, and every instance can
 * check it. The seal covers the session that the greeting replaces, so a greeting counts once: after it the session is another one.
 */
export function newChallenge(peer: Peer, here: Here, random: (size: number) => Buffer = randomBytes): string {
  const text = `${here.now}.${random(16).toString('base64url')}`
  return `${text}.${sealOf(text, peer, here).toString('base64url')}`
}

/**
 * Whether this node made the challenge for the peer and its present session, at most `limits.sync.message.challengeAgeMs` ago. After this
 * node's clock was set back a child may need a new one.
 */
export function isChallengeFor(peer: Peer, challenge: string, here: Here): boolean {
  const [time = '', random = '', seal = '', ...rest] = challenge.split('.')
  if (rest.length > 0 || !/^\d{1,15}$/.test(time)) return false
  if (!isSameSecret(Buffer.from(seal, 'base64url'), sealOf(`${time}.${random}`, peer, here))) return false
  return Math.abs(here.now - Number(time)) <= limits.sync.message.challengeAgeMs
}
