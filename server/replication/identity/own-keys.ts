import type { Services } from '../../http/services.ts'
import { incarnations } from '../../store/node.ts'
import type { Peer } from '../../store/peer-row.ts'
import { makeKeys, type NodeKeys, nodeKeys, sharedKey } from './keys.ts'

type Here = Pick<Services, 'store' | 'config'>

/** The keys of this node under its present number. */
export const keysHere = ({ store, config }: Here): NodeKeys => nodeKeys(config.sessionSecret, store.nodeId)

/** The keys that seal secrets: `own` here, `shared` between this node and a peer. `secret`: the signing keys are derived from it. */
export type SealKeys = { own: Buffer; shared: Buffer; secret: string }
export const sealKeys = (services: Here & Pick<Services, 'keys'>, peer: Pick<Peer, 'box_key'>): SealKeys => ({
  own: services.keys.seal,
  shared: sharedKey(keysHere(services), peer.box_key),
  secret: services.config.sessionSecret,
})

/**
 * The keys by which a child knows this node: of number `node`, with the public key `key`. Replies to it are signed with them. A node that
 * begins anew has other keys, and a child learns these from a reply that the former ones sign, which nobody on the line can make. Both
 * follow from the secret and the number, even where this database has lost the days of that number. The present keys where the child knows
 * none of this secret.
 */
export async function keysKnownAs(here: Here, { node, key }: { node: string; key: string }): Promise<NodeKeys> {
  const { store, config } = here
  const present = keysHere(here)
  const isKnown = ({ publicKey }: NodeKeys) => publicKey === key
  if (isKnown(present)) return present
  const former = (await store.readOnce(incarnations)).map((each) => nodeKeys(config.sessionSecret, each)).find(isKnown)
  // Not cached: a request may name any number.
  return former ?? [makeKeys(config.sessionSecret, node)].find(isKnown) ?? present
}
