import type { Services } from '../../http/services.ts'
import { asSystem } from '../../store/tx.ts'

/** The server that had this laptop erased, and when, as long as nobody has begun on it anew; undefined elsewhere. */
export async function erasedHere({ store, wiped }: Pick<Services, 'store' | 'wiped'>): Promise<{ by: string; at: string } | undefined> {
  if (!wiped) return undefined
  const people = await store.read(asSystem(), (tx) => tx.db.$count(tx.t.user_profile))
  return people === 0 ? { by: wiped.by, at: wiped.at } : undefined
}
