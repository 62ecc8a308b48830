import { setImmediate } from 'node:timers/promises'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type Database from 'better-sqlite3'
import { orNull } from '../or-null.ts'
import { isFull } from './errors.ts'

type Waiting = { work: () => Promise<unknown>; resolve: (result: unknown) => void; reject: (error: unknown) => void; alone: boolean }

/** Turns of the event loop in which a request whose bytes have arrived reaches the database: its body and the concurrency limiter. */
const TURNS = 3

/** A checkpoint needs no new space and lets the WAL be reused. Commits run it, but on a full disk there are none. */
const checkpoint = (connection: Database.Database) => orNull(() => connection.pragma('wal_checkpoint(PASSIVE)'))

/**
 * Runs works one after the other, each as if it had a transaction of its own: what it wrote is rolled back where it throws, and its
 * promise settles when that is known to be on the disk. Otherwise two works on one connection could share a BEGIN while one awaits.
 *
 * Group commit: up to `together` works share one BEGIN … COMMIT. Where the commit fails, or an error ends the whole transaction (a full
 * disk, for example), all of them fail with that error, and nothing of them is stored. A work that is `alone` shares with no other, and
 * none joins a transaction that has lasted `limits.groupCommitMs`. At most `limits.queuedTransactions` wait. `now`: a clock in ms.
 */
export function serialised(connection: Database.Database, begin: string, together = 1, now: () => number = () => performance.now()) {
  const [beginning, commit, rollback] = [connection.prepare(begin), connection.prepare('commit'), connection.prepare('rollback')]
  const savepoint = connection.prepare('savepoint work')
  const [rollbackToSavepoint, release] = [connection.prepare('rollback to savepoint work'), connection.prepare('release savepoint work')]
  const queue: Waiting[] = []
  let running: Promise<void> | undefined

  /** The next work that may join the open transaction, of the requests that have arrived. */
  const nextToJoin = async (): Promise<Waiting | undefined> => {
    for (let turn = 0; queue.length === 0 && turn < TURNS; turn += 1) await setImmediate()
    return queue[0]?.alone ? undefined : queue.shift()
  }

  /** Runs a work in the open transaction. Returns how to settle it after the commit; throws where the whole transaction has ended. */
  const join = async ({ work, resolve, reject }: Waiting): Promise<() => void> => {
    savepoint.run()
    try {
      const result = await work()
      release.run()
      return () => resolve(result)
    } catch (error) {
      if (!connection.inTransaction) throw error
      rollbackToSavepoint.run()
      release.run()
      return () => reject(error)
    }
  }

  const transact = async (first: Waiting): Promise<void> => {
    const members = [first]
    const settle: (() => void)[] = []
    const until = now() + limits.groupCommitMs
    try {
      beginning.run()
      // Without a savepoint, which costs a copy of each page: where the first throws there is nothing else to keep.
      const result = await first.work()
      settle.push(() => first.resolve(result))
      while (members.length < together && !first.alone && now() < until) {
        const next = await nextToJoin()
        if (!next) break
        members.push(next)
        settle.push(await join(next))
      }
      commit.run()
    } catch (error) {
      if (connection.inTransaction) rollback.run()
      if (isFull(error)) checkpoint(connection)
      for (const { reject } of members) reject(error)
      return
    }
    for (const each of settle) each()
  }

  const runAll = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await transact(next)
    running = undefined
  }

  return {
    run<T>(work: () => Promise<T>, { alone = false } = {}): Promise<T> {
      if (queue.length >= limits.queuedTransactions) return Promise.reject(common.busy({ headers: { 'retry-after': '1' } }))
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as Waiting['resolve'], reject, alone })
        running ??= runAll()
      })
    },
    /** Resolves once nothing runs or waits. */
    idle: async () => running,
  }
}
