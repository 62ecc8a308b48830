import { systemClock } from '@markbook/shared/clock'
import type { Row } from '@markbook/shared/tables/tables'
import type { Config } from '../config.ts'
import { demandSameSecret } from '../features/auth/secret-fingerprint.ts'
import { type Keys, keysOf } from '../http/tokens.ts'
import { parentsOf } from '../replication/identity/enrolment.ts'
import { type Node, openNode, openStore } from '../start.ts'
import type { Store } from '../store/store.ts'
import { asSystem, type ReadTx } from '../store/tx.ts'
import { configureExisting } from './settings/environment.ts'

/** The database of this machine, and what signs for it. */
export type Console = { store: Store; config: Config; keys: Keys; clock: typeof systemClock }
type Peer = Row<'sync_peer'>

/** Opens it for one thing while the server goes on working. Throws where the server works with another secret: it would sign as nobody. */
export async function atConsole<T>(work: (at: Console) => Promise<T>, config = configureExisting(), beside = true): Promise<T> {
  const store = await openStore(config, { beside })
  try {
    const keys = keysOf(config.sessionSecret)
    await store.read(asSystem(), (tx) => demandSameSecret(tx, keys))
    return await work({ store, config, keys, clock: systemClock })
  } finally {
    await store.close()
  }
}

/** The same for what needs all of the service, not the database alone. */
export async function withNode<T>(work: (node: Node) => Promise<T>, config = configureExisting(), beside = true): Promise<T> {
  const node = await openNode(config, { beside })
  try {
    return await work(node)
  } finally {
    await node.close()
  }
}

/** The other nodes, parents first, then by when they came. */
export async function peersHere(tx: ReadTx): Promise<Peer[]> {
  const { sync_peer } = tx.t
  const rows: Peer[] = await tx.db.select().from(sync_peer).orderBy(sync_peer.enrolled_at, sync_peer.id)
  return rows.sort((a, b) => Number(b.side === 'parent') - Number(a.side === 'parent'))
}

/** By its name or its id; throws where there is none, or several. */
export function peerNamed(peers: readonly Peer[], named: string): Peer {
  const folded = named.trim().toLowerCase()
  const found = peers.filter(({ id, name }) => id === folded || name.toLowerCase() === folded)
  const live = found.length > 1 ? found.filter(({ revoked_at }) => revoked_at === null) : found
  if (live.length === 1 && live[0]) return live[0]
  throw new Error(
    found.length === 0
      ? `There is no node called ${named}. markbook node list shows them.`
      : `Several nodes are called ${named}. Say which by its id; markbook node list shows them.`,
  )
}

/** The first parent; throws where this server has none, and says where what was typed is run. */
export async function parentHere({ store }: Console, typed: 'sync verify' | 'sync export'): Promise<Peer> {
  const [parent] = await store.read(asSystem(), parentsOf)
  if (parent) return parent
  const below = (await store.read(asSystem(), peersHere)).filter(({ side, revoked_at }) => side === 'child' && revoked_at === null)
  const [first] = below
  if (!first) throw new Error('This server works alone; it has joined nothing (markbook join).')
  const isOne = below.length === 1
  const who = isOne ? `${first.name} replicates` : `${below.length} servers and laptops replicate`
  throw new Error(
    `${who} with this server, which has joined nothing itself: markbook ${typed} is run ${isOne ? 'there' : 'at each of them'}.`,
  )
}
