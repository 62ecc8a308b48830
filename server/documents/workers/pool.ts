import { common } from '@markbook/shared/failures'
import { type Hand, type HandOptions, type Hear, hire } from './hand.ts'

/** `size`: workers at most, started when there is something to do and ended after `idleMs` without any. `waiting`: tasks that may wait for one. */
export type PoolOptions = HandOptions & { size: number; waiting: number; idleMs: number }

/** `hear` answers what the task asks while it works. `signal` ends it with its reason. */
export type RunOptions = { hear?: Hear; signal?: AbortSignal }

/**
 * Runs named tasks in worker threads. Throws `Failure` 503 `busy` where too many wait or a task takes too long, 413 `too_large` where it
 * needs too much memory, what the task itself throws, and a plain Error where it crashes. Whatever happens concerns that task alone.
 */
export type Pool = {
  run(name: string, input: unknown, options?: RunOptions): Promise<unknown>
  state(): { workers: number; working: number; waiting: number }
  close(): Promise<void>
}

type Task = RunOptions & { name: string; input: unknown; resolve: (value: unknown) => void; reject: (error: unknown) => void }

const stopping = () => common.busy({ message: 'The server is stopping. Please try again in a moment.' })

export function openPool(options: PoolOptions): Pool {
  const resting = new Map<Hand, NodeJS.Timeout>()
  const working = new Map<Hand, Task>()
  const queue: Task[] = []
  let isClosed = false

  function handFor(): Hand | null {
    for (const [hand, idle] of resting) {
      clearTimeout(idle)
      resting.delete(hand)
      if (!hand.isGone()) return hand
    }
    return working.size < options.size ? hire(options) : null
  }

  function next(): void {
    while (queue.length > 0 && !isClosed) {
      const hand = handFor()
      if (!hand) return
      void work(hand, queue.shift() as Task)
    }
  }

  async function work(hand: Hand, task: Task): Promise<void> {
    working.set(hand, task)
    try {
      task.resolve(await hand.run(task.name, task.input, task.hear))
    } catch (error) {
      task.reject(error)
    }
    working.delete(hand)
    if (!hand.isGone()) rest(hand)
    next()
  }

  function rest(hand: Hand): void {
    const leave = () => {
      resting.delete(hand)
      void hand.dismiss(null)
    }
    resting.set(hand, setTimeout(leave, options.idleMs).unref())
  }

  function abandon(task: Task): void {
    const reason: unknown = task.signal?.reason
    const at = queue.indexOf(task)
    if (at >= 0) queue.splice(at, 1)
    task.reject(reason)
    for (const [hand, own] of working) if (own === task) void hand.dismiss(reason)
  }

  function add(name: string, input: unknown, more: RunOptions, resolve: Task['resolve'], reject: Task['reject']): void {
    const settled = <V>(settle: (value: V) => void) => {
      return (value: V) => {
        more.signal?.removeEventListener('abort', leave)
        settle(value)
      }
    }
    const task: Task = { ...more, name, input, resolve: settled(resolve), reject: settled(reject) }
    const leave = () => abandon(task)
    more.signal?.addEventListener('abort', leave)
    queue.push(task)
    next()
  }

  return {
    run: async (name, input, more = {}) => {
      if (isClosed) throw stopping()
      more.signal?.throwIfAborted()
      if (queue.length >= options.waiting) throw common.busy()
      return new Promise((resolve, reject) => add(name, input, more, resolve, reject))
    },
    state: () => ({ workers: resting.size + working.size, working: working.size, waiting: queue.length }),
    close: async () => {
      isClosed = true
      for (const task of queue.splice(0)) task.reject(stopping())
      for (const idle of resting.values()) clearTimeout(idle)
      await Promise.all([...resting.keys(), ...working.keys()].map((hand) => hand.dismiss(stopping())))
      resting.clear()
    },
  }
}
