import type { Row } from '@markbook/shared/tables/tables'
import type { Services } from '../../http/services.ts'
import { nodeKeys, sharedKey } from './keys.ts'

/** The keys of this node under its present number. */
export const keysHere = ({ store, config }: Pick<Services, 'store' | 'config'>) => nodeKeys(config.sessionSecret, store.nodeId)
/** What secrets are sealed with: here, and between this node and a peer. */
export const sealKeys = (services: Pick<Services, 'store' | 'config' | 'keys'>, peer: Pick<Row<'sync_peer'>, 'box_key'>) => ({
  own: services.keys.seal,
  shared: sharedKey(keysHere(services), peer.box_key),
  secret: services.config.sessionSecret,
})
