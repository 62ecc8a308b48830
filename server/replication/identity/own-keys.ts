import type { Row } from '@markbook/shared/tables/tables'
import type { Services } from '../../http/services.ts'
import { nodeKeys, sharedKey } from './keys.ts'

/** The keys of this node under its present number. */
export const keysHere = ({ store, config }: Pick<Services, 'store' | 'config'>) => nodeKeys(config.sessionSecret, store.nodeId)
/** The keys that seal secrets: `own` here, `shared` between this node and a peer. `secret`: the signing keys are derived from it. */
export const sealKeys = (services: Pick<Services, 'store' | 'config' | 'keys'>, peer: Pick<Row<'sync_peer'>, 'box_key'>) => ({
  own: services.keys.seal,
  shared: sharedKey(keysHere(services), peer.box_key),
  secret: services.config.sessionSecret,
})
