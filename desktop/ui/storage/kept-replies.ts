import type { BrowserDatabase } from './browser-database.ts'
import { digestOf, forgetSealingKey, seal, sealingKey, unseal } from './sealing.ts'

/** The largest age (ms) and number of stored replies. */
const MAX_AGE = 30 * 86_400_000
const MAX_REPLIES = 2_000

export type ReplyOwner = { userId: string; schoolId: string }

/** Stores a reply, encrypted, instead of an earlier one. Does nothing where that fails. */
export async function keepReply(database: BrowserDatabase | null, owner: ReplyOwner, request: string, reply: unknown, now: number) {
  try {
    const key = await sealingKey()
    if (key) await database?.put('replies', { ...owner, request: await digestOf(request), sealed: await seal(key, reply), at: now })
  } catch {
    // A full disk, for example: the page has its reply anyway.
  }
}

/** The stored reply; undefined where there is none, or where it is too old. */
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

/** Removes all replies but those of the person `but`; null: all replies, and first their key. */
export async function forgetReplies(database: BrowserDatabase | null, but: string | null): Promise<void> {
  try {
    if (but === null) forgetSealingKey()
    const tx = database?.transaction('replies', 'readwrite')
    if (!tx) return
    for (const key of await tx.store.getAllKeys()) if (key[0] !== but) await tx.store.delete(key)
    await tx.done
  } catch {
    // Where the database cannot be opened nothing can be removed, and nothing can be read either.
  }
}

/** Removes replies that are too old, and the oldest beyond the largest number. */
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
    // The next start of the app tries again.
  }
}
