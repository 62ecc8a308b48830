import { COMMONS } from '@markbook/shared/ids'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'

/** How often the commits of other instances are looked for while a request waits, in ms. */
const LOOK = 1_000

type Waiter = { schools: ReadonlySet<string>; wake(): void }

/**
 * Wakes requests that wait for news of a school with the next commit that concerns it: at once where this instance commits, or another one
 * announces its commit; within a second where the announcement was lost, by one query for all that wait.
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
    // The loop ends only after a whole interval in which nobody waited: a request that was just woken soon waits again, and needs `seen`.
    if (waiters.size === 0) {
      isLooking = false
      return seen.clear()
    }
    const schools = [...new Set([...waiters].flatMap((waiter) => [...waiter.schools]))]
    const feeds = await store.read(asSystem(), (tx) => tx.dialect.feedsOf(tx.connection, schools)).catch(() => [])
    for (const { school_id, seq } of feeds) {
      const before = seen.get(school_id)
      seen.set(school_id, seq)
      // For a school that is looked at for the first time it is unknown whether something was committed: its requests read once more.
      if (before !== seq) wake((school) => school === school_id)
    }
    setTimeout(look, LOOK).unref()
  }

  return {
    /**
     * Settles with the next commit of one of the schools, or of the commons, or after `ms` milliseconds, or when `over` aborts. `forget`
     * settles it at once.
     */
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
