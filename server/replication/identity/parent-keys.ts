import type { Row } from '@markbook/shared/tables/tables'
import type { Welcome } from '@markbook/sync/protocol/messages'
import type { Services } from '../../http/services.ts'
import { incarnations } from '../../store/node.ts'
import { isKey, makeKeys, type NodeKeys, nodeKeys } from './keys.ts'

type Here = Pick<Services, 'store' | 'config'>

/**
 * The keys by which a child knows this node: of number `node`, with the public key `key`. Replies to it are signed with them. A node that
 * begins anew has other keys, and a child learns these from a reply that the former ones sign, which nobody on the line can make. Both
 * follow from the secret and the number, even where this database has lost the days of that number. The present keys where the child knows
 * none of this secret.
 */
export async function keysKnownAs({ store, config }: Here, { node, key }: { node: string; key: string }): Promise<NodeKeys> {
  const present = nodeKeys(config.sessionSecret, store.nodeId)
  const isKnown = ({ publicKey }: NodeKeys) => publicKey === key
  if (isKnown(present)) return present
  const former = (await store.readOnce(incarnations)).map((each) => nodeKeys(config.sessionSecret, each)).find(isKnown)
  // Not cached: a request may name any number.
  return former ?? [makeKeys(config.sessionSecret, node)].find(isKnown) ?? present
}

/** The key columns of a parent, from its greeting; empty where these are no keys. */
export const heardKeys = ({ public_key, box_key }: Welcome['keys']): Partial<Pick<Row<'sync_peer'>, 'public_key' | 'box_key'>> =>
  isKey(public_key, 'ed25519') && isKey(box_key, 'x25519') ? { public_key, box_key } : {}
