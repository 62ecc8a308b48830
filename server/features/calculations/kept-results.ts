import { ClassSummary, ClassTerm, ClassYear } from '@markbook/shared/contract/calculations'
import { limits } from '@markbook/shared/limits'
import type { SchoolCaller } from '../../http/caller.ts'
import { ReadyText } from '../../http/replies.ts'
import type { Services } from '../../http/services.ts'
import { shapeOf } from '../../http/shapes.ts'
import { positionOfFeed } from '../../store/feed-position.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'

/** Raised when the same marks give other results than before, so that a shared cache holds nothing from an older program. */
const RULES = 3

/** What is kept, each in the shape of its reply, so that it can go out as the text that it is. */
const KINDS = { 'class-term': ClassTerm, 'class-year': ClassYear, 'class-summary': ClassSummary }

/**
 * A question about a class, to be asked once the transaction has ended, inside which only the database is awaited. The answer is
 * kept under `name` and `ids` for as long as nothing of the school changes (and at most an hour). `pick` takes out of it what this
 * caller asked for; without it the whole is answered.
 *
 * It is computed as the service, not as the caller: what is kept must not depend on what the database lets one person see, least
 * of all somebody whose rights end at this moment.
 */
export async function questionOf<T, A>(
  { tx, caller, services: { cache, store } }: { tx: ReadTx; caller: SchoolCaller; services: Pick<Services, 'cache' | 'store'> },
  name: keyof typeof KINDS,
  ids: readonly string[],
  compute: (tx: ReadTx) => Promise<T>,
  pick?: (result: T) => A,
): Promise<() => Promise<A | ReadyText>> {
  const school = caller.school_id
  const key = ['results', RULES, school, name, ...ids].join(':')
  const stamp = await positionOfFeed(tx, school)
  return async () => {
    const answer = (json: string) => (pick ? pick(JSON.parse(json) as T) : new ReadyText(json))
    const kept = await cache.getText(key, stamp)
    if (kept !== undefined) return answer(kept)
    const fresh = await store.read(asSystem(), async (tx) => ({ stamp: await positionOfFeed(tx, school), result: await compute(tx) }))
    const json = JSON.stringify(shapeOf(KINDS[name])(fresh.result))
    await cache.setText(key, json, limits.cache.results, fresh.stamp)
    return answer(json)
  }
}
