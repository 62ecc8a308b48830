import type { Store } from '../../store/store.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { NumberForgotten } from '../scope/forgotten.ts'
import { withSingleWriter } from './duplicate-number.ts'
import { leaveNumber, NumberGivenUp, NumberTaken } from './number.ts'

/**
 * Runs `take`, which takes what a parent sends. If that shows that a copy of this database writes under its number, the database takes
 * another number. It does so too before rows with writes under its number are forgotten: if it is killed between the two, it still has the
 * rows, under an ended number. Throws `NumberGivenUp` in both cases.
 */
export async function underOwnNumber(store: Store, take: (tx: WriteTx) => Promise<void>): Promise<void> {
  const attempt = () => withSingleWriter(store, () => store.write(asSystem(), take))
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof NumberTaken) await leaveNumber(store)
    else if (error instanceof NumberForgotten) await store.renewNode().then(attempt)
    else throw error
  }
  throw new NumberGivenUp()
}
