import { isNotNull, isNull } from 'drizzle-orm'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { asSystem } from '../../store/tx.ts'
import type { UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'

export async function settle(...links: readonly UnderParent[]): Promise<void> {
  for (let time = 0; time < 3; time += 1) for (const link of links) await link.round()
}

/** Both hold the same rows of the school. */
export async function same(a: School, b: School): Promise<[Record<string, string[]>, Record<string, string[]>]> {
  return [await contentsOf(a.services.store), await contentsOf(b.services.store)]
}

export const conflictsAt = (node: School) => node.rows('sync_conflict')
/** What a node's parent did not take of it. */
export const refusedAt = (node: School) =>
  node.services.store.read(asSystem(), (tx) => tx.connection.db.select().from(tx.t.sync_refused).where(isNull(tx.t.sync_refused.peer_id)))
/** What a node did not take of those below it. */
export const refusedBelow = (node: School) =>
  node.services.store.read(asSystem(), (tx) =>
    tx.connection.db.select().from(tx.t.sync_refused).where(isNotNull(tx.t.sync_refused.peer_id)),
  )
