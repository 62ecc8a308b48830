import type { Row } from '@markbook/shared/tables/tables'
import type { Welcome } from '@markbook/sync/protocol/messages'
import type { Services } from '../../http/services.ts'
import { incarnations } from '../../store/node.ts'
import { isKey, makeKeys, type NodeKeys, nodeKeys } from './keys.ts'

type Here = Pick<Services, 'store' | 'config'>

/**
 * The keys by which a child knows this node, which signs its replies with them. A node that begins anew has other keys, which a child learns
 * from a reply that the former ones sign: who sits on the line cannot make it. Both follow from the secret here and the number, also where
 * this database has lost the days in which it had that number. The present ones where the child knows none of this secret.
 */
export async function keysKnownAs({ store, config }: Here, { node, key }: { node: string; key: string }): Promise<NodeKeys> {
  const present = nodeKeys(config.sessionSecret, store.nodeId)
  const isKnown = ({ publicKey }: NodeKeys) => publicKey === key
  if (isKnown(present)) return present
  const former = (await store.readOnce(incarnations)).map((each) => nodeKeys(config.sessionSecret, each)).find(isKnown)
  // Not remembered: whoever asks may name any number.
  return former ?? [makeKeys(config.sessionSecret, node)].find(isKnown) ?? present
}

/** The columns of a parent by which it is known from now on; none where it says what are no keys. */
export const heardKeys = ({ public_key, box_key }: Welcome['keys']): Partial<Pick<Row<'sync_peer'>, 'public_key' | 'box_key'>> =>
  isKey(public_key, 'ed25519') && isKey(box_key, 'x25519') ? { public_key, box_key } : {}
