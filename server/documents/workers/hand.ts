import { Worker } from 'node:worker_threads'
import { common } from '@markbook/shared/failures'
import type { WorkerEntry } from './entry.ts'
import { errorOf, type FromWorker, type ToWorker } from './protocol.ts'

/**
 * `memoryMb` bounds the memory of a task, `timeMs` how long it may work without a sign of life: asking is one, and what the answer takes
 * is not counted.
 */
export type HandOptions = { entry: WorkerEntry; memoryMb: number; timeMs: number }
export type Hear = ((question: never) => unknown) | undefined

/** A worker thread. It does one task at a time, and keeps the program alive only while it does. */
export type Hand = {
  run(name: string, input: unknown, hear: Hear): Promise<unknown>
  isGone(): boolean
  /** Ends the worker at once; the task that it has fails with `error`. */
  dismiss(error: unknown): Promise<void>
}

type Job = { hear: Hear; resolve: (value: unknown) => void; reject: (error: unknown) => void }

const tooLong = () => common.busy({ message: 'This document took too long to make. Please try again when the server has less to do.' })
const tooMuch = () => common.tooLarge({ message: 'This document is too large to be made. Please make it in smaller parts.' })

const deathOf = (error: Error & { code?: string }) => (error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : error)

export function hire({ entry, memoryMb, timeMs }: HandOptions): Hand {
  const worker = new Worker(entry.start, { ...entry.options, resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let job: Job | null = null
  let overdue: NodeJS.Timeout | undefined
  let isGone = false

  const settle = (): Job | null => {
    const own = job
    clearTimeout(overdue)
    job = null
    worker.unref()
    return own
  }
  const dismiss = (error: unknown): Promise<void> => {
    if (isGone) return ended
    isGone = true
    const own = settle()
    void worker.terminate()
    own?.reject(error)
    return ended
  }
  const expect = (message: ToWorker) => {
    worker.postMessage(message)
    overdue = setTimeout(() => void dismiss(tooLong()), timeMs)
  }
  const answer = async (question: unknown) => {
    clearTimeout(overdue)
    try {
      const answered = await job?.hear?.(question as never)
      if (!isGone) expect({ kind: 'answer', answer: answered })
    } catch (error) {
      void dismiss(error)
    }
  }

  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'asked') return void answer(message.question)
    const own = settle()
    if (message.kind === 'done') own?.resolve(message.value)
    else own?.reject(errorOf(message))
  })
  worker.on('error', (error) => void dismiss(deathOf(error)))
  worker.on('exit', () => void dismiss(new Error('a worker that makes documents ended by itself')))
  return {
    run: (name, input, hear) =>
      new Promise((resolve, reject) => {
        job = { hear, resolve, reject }
        worker.ref()
        try {
          expect({ kind: 'task', name, input })
        } catch (error) {
          settle()
          reject(error)
        }
      }),
    isGone: () => isGone,
    dismiss,
  }
}
