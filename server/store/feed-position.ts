import { rowsBy } from './statement.ts'
import type { ReadTx } from './tx.ts'

/** Every change of a row of the school moves it, in the same transaction. */
const feedPosition = rowsBy('sync_feed', { school: 'school_id' })

/** The position of the school's feed as one text. After a restore the same number comes again, but not the same chain. */
export async function positionOfFeed(tx: ReadTx, school: string): Promise<string> {
  const [feed] = await feedPosition(tx, { school })
  return feed ? `${feed.seq}:${feed.head}` : ''
}

const TRIES = 3

/**
 * In a writing transaction on Postgres every statement sees its own moment. What is computed from several is computed again where
 * something of the school was saved in between, so that no report book mixes two moments; in the busiest school, at most 3 times.
 */
export async function atOneMoment<T>(tx: ReadTx, school: string, compute: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const before = await positionOfFeed(tx, school)
    const value = await compute()
    if (tries === TRIES || (await positionOfFeed(tx, school)) === before) return value
  }
}
