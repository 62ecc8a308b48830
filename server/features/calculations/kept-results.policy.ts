import { ClassSummary, ClassTerm, ClassYear } from '@markbook/shared/contract/calculations'
import { limits } from '@markbook/shared/limits'
import { z } from 'zod'
import type { SchoolCaller } from '../../http/caller.ts'
import { ReadyText } from '../../http/replies.ts'
import type { Services } from '../../http/services.ts'
import { shapeOf } from '../../http/shapes.ts'
import { positionOfFeed } from '../../store/feed-position.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'

/** Must be raised when the same marks give other results than before, so that a shared cache returns nothing of an older program. */
const RULES = 3

/** Of each class of a year, how many of its unsent report books are older than their marks. */
const OutdatedBooks = z.array(z.object({ student_group_id: z.string(), outdated: z.int() }))
export type OutdatedBooks = z.infer<typeof OutdatedBooks>

/** The cached kinds, each in the form of its reply, so that the cached text is sent unchanged. */
const KINDS = { 'class-term': ClassTerm, 'class-year': ClassYear, 'class-summary': ClassSummary, 'outdated-books': OutdatedBooks }

/**
 * A question about a class or a year, answered after the transaction, inside which only the database is awaited. The answer is cached under
 * `name` and `ids` until something in the school changes (and at most an hour). `pick` selects the part for this caller; without it the
 * whole is returned.
 *
 * It is computed as the service, not as the caller: a cached result must not depend on what row-level security shows one person, least of
 * all one who is losing their rights at this moment.
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
    await cache.setText(key, json, limits.cache.resultsMs, fresh.stamp)
    return answer(json)
  }
}
