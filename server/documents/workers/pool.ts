import { common } from '@markbook/shared/failures'
import type { AnswerQuestion } from './messages.ts'
import { TaskQueue } from './task-queue.ts'
import { startThread, type Thread, type ThreadOptions } from './thread.ts'

/**
 * `size`: the most workers; they start when needed and end after `idleMs` without a task. `share`: how many of them one school may use at
 * a time. `waiting`: the most waiting tasks.
 */
export type PoolOptions = ThreadOptions & { size: number; share: number; queued: number; idleMs: number }

/**
 * `school`: the task's school. `answer` answers the questions of the running task. `signal` aborts it with its reason. `timeMs` and
 * `overdue` as in `Call`; by default the pool's time, after which it fails with 503 `busy`.
 */
export type RunOptions = {
  school: string
  answer?: AnswerQuestion
  signal?: AbortSignal
  limit?: { timeMs: number; overdue: () => Error }
}

/**
 * Runs named tasks in worker threads. Throws `Failure` 503 `busy` where too many wait or a task takes too long, 413 `too_large` where it
 * needs too much memory, the task's own errors, and a plain Error where the worker crashes. Other tasks are not affected.
 */
export type Pool = {
  run(name: string, input: unknown, options: RunOptions): Promise<unknown>
  state(): { workers: number; working: number; waiting: number }
  close(): Promise<void>
}

type Task = RunOptions & { name: string; input: unknown; resolve: (value: unknown) => void; reject: (error: unknown) => void }

const stopping = () => common.busy({ message: 'The server is stopping. Please try again in a moment.' })
const tooLong = () => common.busy({ message: 'This document took too long to make. Please try again when the server has less to do.' })

export function openPool(options: PoolOptions): Pool {
  const idle = new Map<Thread, NodeJS.Timeout>()
  const working = new Map<Thread, Task>()
  const queue = new TaskQueue<Task>(options)
  let isClosed = false

  function freeThread(): Thread {
    for (const [thread, timer] of idle) {
      clearTimeout(timer)
      idle.delete(thread)
      if (!thread.hasEnded()) return thread
    }
    return startThread(options)
  }

  function startTasks(): void {
    while (!isClosed && queue.size > 0) {
      if (working.size >= options.size) return
      const task = queue.takeNext(working.values())
      if (!task) return
      void work(freeThread(), task)
    }
  }

  async function work(thread: Thread, task: Task): Promise<void> {
    working.set(thread, task)
    const { timeMs, overdue } = task.limit ?? { timeMs: options.timeMs, overdue: tooLong }
    try {
      task.resolve(await thread.run({ name: task.name, input: task.input, answer: task.answer, timeMs, overdue }))
    } catch (error) {
      task.reject(error)
    }
    working.delete(thread)
    if (!thread.hasEnded()) keepIdle(thread)
    startTasks()
  }

  function keepIdle(thread: Thread): void {
    const endIdle = () => {
      idle.delete(thread)
      void thread.end(null)
    }
    idle.set(thread, setTimeout(endIdle, options.idleMs).unref())
  }

  function abort(task: Task): void {
    const reason: unknown = task.signal?.reason
    queue.remove(task)
    task.reject(reason)
    for (const [thread, running] of working) if (running === task) void thread.end(reason)
  }

  function add(name: string, input: unknown, more: RunOptions, resolve: Task['resolve'], reject: Task['reject']): void {
    const settled = <V>(settle: (value: V) => void) => {
      return (value: V) => {
        more.signal?.removeEventListener('abort', onAbort)
        settle(value)
      }
    }
    const task: Task = { ...more, name, input, resolve: settled(resolve), reject: settled(reject) }
    const onAbort = () => abort(task)
    more.signal?.addEventListener('abort', onAbort)
    queue.add(task)?.reject(common.busy())
    startTasks()
  }

  return {
    run: async (name, input, more) => {
      if (isClosed) throw stopping()
      more.signal?.throwIfAborted()
      return new Promise((resolve, reject) => add(name, input, more, resolve, reject))
    },
    state: () => ({ workers: idle.size + working.size, working: working.size, waiting: queue.size }),
    close: async () => {
      isClosed = true
      for (const task of queue.takeAll()) task.reject(stopping())
      for (const timer of idle.values()) clearTimeout(timer)
      await Promise.all([...idle.keys(), ...working.keys()].map((thread) => thread.end(stopping())))
      idle.clear()
    },
  }
}
