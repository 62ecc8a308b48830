import { COMMONS } from '@markbook/shared/ids'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'

/** How often another instance's commits are looked for while somebody waits, ms. */
const LOOK = 1_000

type Waiter = { schools: ReadonlySet<string>; wake(): void }

/**
 * Whoever waits for news of a school is woken by the next commit that concerns it: at once where this instance made it, and soon where
 * another did, which tells; what it could not tell is found within a second (one question for all who wait).
 */
export function commitWaiters(store: Store) {
  const waiters = new Set<Waiter>()
  const seen = new Map<string, number>()
  let isLooking = false
  let isHearing = false

  const wake = (changed: (school: string) => boolean) => {
    for (const waiter of waiters) if ([...waiter.schools].some(changed)) waiter.wake()
  }
  const wakeFor = (schools: ReadonlySet<string>) => wake((school) => schools.has(school))
  store.onAdvance(wakeFor)

  const look = async () => {
    // Only where nobody has come back since the last time: whoever was just woken soon waits again, and what was seen still counts.
    if (waiters.size === 0) {
      isLooking = false
      return seen.clear()
    }
    const schools = [...new Set([...waiters].flatMap((waiter) => [...waiter.schools]))]
    const feeds = await store.read(asSystem(), (tx) => tx.dialect.feedsOf(tx.connection, schools)).catch(() => [])
    for (const { school_id, seq } of feeds) {
      const before = seen.get(school_id)
      seen.set(school_id, seq)
      // Of a school that is asked about for the first time nobody knows what came since: who waits reads once more.
      if (before !== seq) wake((school) => school === school_id)
    }
    setTimeout(look, LOOK).unref()
  }

  return {
    /** Settles with the next commit of one of the schools, or of people, or after `ms`, or when `over` aborts. */
    next(schools: readonly string[], ms: number, over?: AbortSignal): { promise: Promise<void>; forget(): void } {
      let forget = () => {}
      const promise = new Promise<void>((resolve) => {
        const waiter: Waiter = { schools: new Set([...schools, COMMONS]), wake: () => forget() }
        const timer = setTimeout(() => forget(), ms)
        waiters.add(waiter)
        forget = () => {
          clearTimeout(timer)
          waiters.delete(waiter)
          over?.removeEventListener('abort', waiter.wake)
          resolve()
        }
        if (over?.aborted) return forget()
        over?.addEventListener('abort', waiter.wake, { once: true })
      })
      if (!isHearing) {
        isHearing = true
        store.onElsewhere(wakeFor)
      }
      if (!isLooking) {
        isLooking = true
        setTimeout(look, LOOK).unref()
      }
      return { promise, forget: () => forget() }
    },
  }
}
