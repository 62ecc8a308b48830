import type { BrowserDatabase } from './browser-database.ts'
import { digestOf, forgetSealingKey, seal, sealingKey, unseal } from './sealing.ts'

/** Bounds of what is kept: how long, ms, and how many replies. */
const MAX_AGE = 30 * 86_400_000
const MAX_REPLIES = 2_000

export type ReplyOwner = { userId: string; schoolId: string }

/** Keeps a reply in the browser's database, encrypted, in place of an earlier one. What cannot be kept is not there later. */
export async function keepReply(database: BrowserDatabase | null, owner: ReplyOwner, request: string, reply: unknown, now: number) {
  try {
    const key = await sealingKey()
    if (key) await database?.put('replies', { ...owner, request: await digestOf(request), sealed: await seal(key, reply), at: now })
  } catch {
    // A full disk, say. The page itself has its reply.
  }
}

/** The reply that was last seen; undefined where none is kept, or it is too old. */
export async function keptReply(
  database: BrowserDatabase | null,
  { userId, schoolId }: ReplyOwner,
  request: string,
  now: number,
): Promise<{ reply: unknown; at: number } | undefined> {
  try {
    const key = await sealingKey()
    const kept = key && (await database?.get('replies', [userId, schoolId, await digestOf(request)]))
    return kept && now - kept.at <= MAX_AGE ? { reply: await unseal(key, kept.sealed), at: kept.at } : undefined
  } catch {
    return undefined
  }
}

/** Removes what is of anybody else than this person; null: everything, and the key first. */
export async function forgetReplies(database: BrowserDatabase | null, but: string | null): Promise<void> {
  try {
    if (but === null) forgetSealingKey()
    const tx = database?.transaction('replies', 'readwrite')
    if (!tx) return
    for (const key of await tx.store.getAllKeys()) if (key[0] !== but) await tx.store.delete(key)
    await tx.done
  } catch {
    // Nothing can be removed where the database does not open; nothing is read there either.
  }
}

/** Removes what is too old, and the oldest of too many. */
export async function thinReplies(database: BrowserDatabase | null, now: number): Promise<void> {
  try {
    const tx = database?.transaction('replies', 'readwrite')
    if (!tx) return
    let surplus = (await tx.store.count()) - MAX_REPLIES
    for (let cursor = await tx.store.index('at').openCursor(); cursor; cursor = await cursor.continue()) {
      if (surplus <= 0 && now - cursor.value.at <= MAX_AGE) break
      await cursor.delete()
      surplus -= 1
    }
    await tx.done
  } catch {
    // The next start tries again.
  }
}
