import { limits } from '@markbook/shared/limits'
import type { SchoolCaller } from '../../http/caller.ts'
import type { Services } from '../../http/services.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { positionOfFeed } from './feed.ts'

/** Raised when the same marks give other results than before, so that a shared cache holds nothing from an older program. */
const RULES = 1

type Scene = { tx: ReadTx; caller: SchoolCaller; services: Pick<Services, 'cache' | 'store'> }
type Name = 'class-term' | 'class-year' | 'class-summary'

/**
 * A question about a class, to be asked once the transaction has ended, inside which only the database is awaited. The answer is
 * kept under `name` and `ids` for as long as nothing of the school changes (and at most an hour); `pick` takes out of it what
 * this caller asked for.
 *
 * It is computed as the service, not as the caller: what is kept must not depend on what the database lets one person see, least
 * of all somebody whose rights end at this moment.
 */
export async function questionOf<T, A>(
  { tx, caller, services: { cache, store } }: Scene,
  name: Name,
  ids: readonly string[],
  compute: (tx: ReadTx) => Promise<T>,
  pick: (result: T) => A,
): Promise<() => Promise<A>> {
  const school = caller.school_id
  const key = ['results', RULES, school, name, ...ids].join(':')
  const stamp = await positionOfFeed(tx, school)
  return async () => {
    const kept = await cache.get<T>(key, stamp)
    if (kept !== undefined) return pick(kept)
    const fresh = await store.read(asSystem(), async (tx) => ({ stamp: await positionOfFeed(tx, school), result: await compute(tx) }))
    await cache.set(key, fresh.result, limits.cache.results, fresh.stamp)
    return pick(fresh.result)
  }
}
