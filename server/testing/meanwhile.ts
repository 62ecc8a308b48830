import { setTimeout } from 'node:timers/promises'
import { asSystem, type WriteTx } from '../store/tx.ts'
import type { School } from './school.ts'

/** How long the other transaction stays open, ms: longer than a call takes to reach its lock on a busy machine. */
const WINDOW = 800

/** Makes a call while another transaction has written and not yet committed; the reply comes after its commit. */
export async function meanwhile<R>(st: School, write: (tx: WriteTx) => Promise<unknown>, call: () => Promise<R>): Promise<R> {
  let wrote = () => {}
  const written = new Promise<void>((resolve) => {
    wrote = resolve
  })
  const other = st.services.store.write(asSystem(), async (tx) => {
    await write(tx)
    wrote()
    await setTimeout(WINDOW)
  })
  await Promise.race([written, other])
  const reply = call()
  await other
  return reply
}
