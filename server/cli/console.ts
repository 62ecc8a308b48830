import { systemClock } from '@markbook/shared/clock'
import type { Config } from '../config.ts'
import { demandSameSecret } from '../features/auth/secret-fingerprint.ts'
import { type Keys, keysOf } from '../http/tokens.ts'
import { parentsOf } from '../replication/identity/enrolment.ts'
import { type Node, openNode, openStore } from '../start.ts'
import type { Peer } from '../store/peer-row.ts'
import type { Store } from '../store/store.ts'
import { asSystem, type ReadTx } from '../store/tx.ts'
import { configureExisting } from './settings/environment.ts'

/** The database of this machine, with the keys that sign for it. */
export type Console = { store: Store; config: Config; keys: Keys; clock: typeof systemClock }
/**
 * Opens the database for some work; `beside`: while the server may be running. Throws where the running server has another secret: what
 * this process signed would not be valid there.
 */
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

/** The same for work that needs the whole service. */
export async function withNode<T>(work: (node: Node) => Promise<T>, config = configureExisting(), beside = true): Promise<T> {
  const node = await openNode(config, { beside })
  try {
    return await work(node)
  } finally {
    await node.close()
  }
}

/** The other nodes, parents first, then by the time they were enrolled. */
export async function peersHere(tx: ReadTx): Promise<Peer[]> {
  const { sync_peer } = tx.t
  const rows: Peer[] = await tx.db.select().from(sync_peer).orderBy(sync_peer.enrolled_at, sync_peer.id)
  return rows.sort((a, b) => Number(b.side === 'parent') - Number(a.side === 'parent'))
}

/** A node by its name or id; throws where there is none or several. */
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

/** The first parent. Throws where this server has none, with a sentence that says where `typed`, the command, can be run. */
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
