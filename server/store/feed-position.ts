import { rowsBy } from './statement.ts'
import type { ReadTx } from './tx.ts'

/** Every change of a row of the school advances it in the same transaction. */
const feedPosition = rowsBy('sync_feed', { school: 'school_id' })

/**
 * The position of the school's feed as one text. It includes the head of the chain, since after a restore the same numbers are used again.
 */
export async function positionOfFeed(tx: ReadTx, school: string): Promise<string> {
  const [feed] = await feedPosition(tx, { school })
  return feed ? `${feed.seq}:${feed.head}` : ''
}

const TRIES = 3

/**
 * In a writing transaction on Postgres every statement has its own snapshot. `compute` is repeated where a row of the school was committed
 * meanwhile, so that no report book mixes two states; in a busy school at most 3 times.
 */
export async function atOneMoment<T>(tx: ReadTx, school: string, compute: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const before = await positionOfFeed(tx, school)
    const value = await compute()
    if (tries === TRIES || (await positionOfFeed(tx, school)) === before) return value
  }
}
