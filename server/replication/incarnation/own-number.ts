import type { Store } from '../../store/store.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { NumberForgotten } from '../scope/forgotten.ts'
import { withSingleWriter } from './duplicate-number.ts'
import { leaveNumber, NumberGivenUp, NumberTaken } from './number.ts'

/**
 * Takes what a parent says, unless it says that a copy of this database writes under its number: then it takes another.
 * So it does before rows go that bear it: killed between the two, it still has them, under a number of nobody.
 */
export async function underOwnNumber(store: Store, take: (tx: WriteTx) => Promise<void>): Promise<void> {
  const taken = () => withSingleWriter(store, () => store.write(asSystem(), take))
  try {
    return await taken()
  } catch (error) {
    if (error instanceof NumberTaken) await leaveNumber(store)
    else if (error instanceof NumberForgotten) await store.renewNode().then(taken)
    else throw error
  }
  throw new NumberGivenUp()
}
