import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { count, countOf, waitFor } from '../store/attempts.ts'
import type { Store } from '../store/store.ts'
import { asSystem, type WriteTx } from '../store/tx.ts'

/** Counts `amount`, or throws where the window would exceed `max`. */
async function charge(tx: WriteTx, key: string, amount: number, max: number): Promise<void> {
  const used = await countOf(tx, key)
  if (used + amount > max) throw tooMuch(await waitFor(tx, key, { max: 1 }))
  const counted = await count(tx, key, limits.uploads.windowMs, amount)
  // Other instances may have counted since the check above.
  if (counted.count > max) throw tooMuch(Date.parse(counted.resets_at) - tx.nowMs)
}

const tooMuch = (ms: number) =>
  common.tooManyRequests({
    message: 'You have uploaded a great deal within the last hour. Please wait before you upload more.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(ms / 1_000))) },
  })

/**
 * Counts an upload of a person before anything is done with it. Throws 429 `too_many_requests` where the person has reached the files or
 * bytes of this hour (limits.uploads). The counters are in the database, so that all instances share them.
 */
export async function chargeUpload({ store }: { store: Store }, userId: string, kind: 'images' | 'files', bytes: number): Promise<void> {
  await store.write(asSystem(), async (tx) => {
    await charge(tx, `upload:${kind}:${userId}`, 1, limits.uploads[kind])
    await charge(tx, `upload:kilobytes:${userId}`, Math.ceil(bytes / 1_024), limits.uploads.kilobytes)
  })
}
