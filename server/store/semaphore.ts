import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'

/** Transactions: permitted at once, running, waiting. */
export type SemaphoreLoad = { places: number; inside: number; waiting: number }
/** Totals of one kind of transaction since the start; times in ms. */
export type TransactionCounts = { count: number; ms: number; waitedMs: number; refused: number; retried: number }
export type Semaphore = {
  /** Runs `work` when its turn comes. Throws 503 `busy` where too many wait, or this one has waited too long. */
  run<T>(tally: TransactionCounts, work: () => Promise<T>): Promise<T>
  load(): SemaphoreLoad
  /** Resolves once nothing runs or waits. */
  idle(): Promise<void>
}

export const newTransactionCounts = (): TransactionCounts => ({ count: 0, ms: 0, waitedMs: 0, refused: 0, retried: 0 })

type Waiting = { since: number; begin: () => void; refuse: () => void }

/** First come, first served. The time in the queue is what limits it (docs/design/http.md); its length is bounded only to save memory. */
export function semaphore(
  places: number,
  { most = limits.queuedTransactions, patience = limits.transactionQueueTimeoutMs }: { most?: number; patience?: number } = {},
): Semaphore {
  const line: Waiting[] = []
  const idlers: (() => void)[] = []
  let inside = 0
  let timer: NodeJS.Timeout | null = null

  const refuseLate = () => {
    timer = null
    const since = performance.now() - patience
    while (line[0] && line[0].since <= since) line.shift()?.refuse()
    watch()
  }
  const watch = () => {
    const first = line[0]
    if (first && timer === null) timer = setTimeout(refuseLate, Math.max(1, first.since + patience - performance.now())).unref()
  }
  const leave = () => {
    inside -= 1
    if (line.length > 0 && inside < places) line.shift()?.begin()
    else if (inside === 0) for (const resolve of idlers.splice(0)) resolve()
  }
  const turn = (tally: TransactionCounts) =>
    new Promise<void>((resolve, reject) => {
      const since = performance.now()
      const refuse = () => {
        tally.refused += 1
        reject(common.busy({ headers: { 'retry-after': '2' } }))
      }
      if (line.length >= most) return refuse()
      const begin = () => {
        inside += 1
        tally.waitedMs += performance.now() - since
        resolve()
      }
      line.push({ since, begin, refuse })
      watch()
    })

  return {
    async run(tally, work) {
      if (inside < places && line.length === 0) inside += 1
      else await turn(tally)
      const began = performance.now()
      try {
        return await work()
      } finally {
        tally.count += 1
        tally.ms += performance.now() - began
        leave()
      }
    },
    load: () => ({ places, inside, waiting: line.length }),
    idle: () => (inside === 0 && line.length === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}
