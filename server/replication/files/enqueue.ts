import { asSystem } from '../../store/tx.ts'
import { peerById } from '../identity/enrolment.ts'
import { enqueue, lookForNew } from './queue.ts'
import { type Carrying, eachOf, heldOf } from './store-file.ts'

/** How many objects are looked up at once: those of an S3 take their time. */
export const LOOKUPS_AT_ONCE = 8

/** Puts the files of rows that came or changed since the last look into the queue for a parent. Needs no line. */
export async function enqueueFiles({ store, files }: Pick<Carrying, 'store' | 'files'>, peerId: string): Promise<void> {
  for (let more = true; more; ) {
    const look = await store.read(asSystem(), async (tx) => {
      const peer = await peerById(tx, peerId)
      return peer ? lookForNew(tx, peer) : null
    })
    if (!look) return
    const rows = look.rows.map((row) => ({ ...row, isHere: false }))
    await eachOf(rows, LOOKUPS_AT_ONCE, async (row) => {
      row.isHere = row.file !== null && (await heldOf({ files }, row.file)) !== null
    })
    await store.write(asSystem(), (tx) => enqueue(tx, peerId, rows, look.place))
    more = look.more
  }
}
