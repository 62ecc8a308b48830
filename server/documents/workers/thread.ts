import { Worker } from 'node:worker_threads'
import { common } from '@markbook/shared/failures'
import type { WorkerEntry } from './entry.ts'
import { type AnswerQuestion, errorOf, type FromWorker, type ToWorker } from './messages.ts'

/** `memoryMb`: the most heap memory of a worker. `timeMs`: the most time to start. */
export type ThreadOptions = { entry: WorkerEntry; memoryMb: number; timeMs: number }

/**
 * One call of a task. `timeMs`: the most time between two questions, from the worker's start; the time of an answer does not count. After
 * it the task fails with `overdue()`.
 */
type Call = { name: string; input: unknown; answer: AnswerQuestion | undefined; timeMs: number; overdue: () => Error }

/** A worker thread. It runs one task at a time, and only then keeps the process alive. */
export type Thread = {
  run(call: Call): Promise<unknown>
  hasEnded(): boolean
  /** Ends the worker at once; its running task fails with `error`. */
  end(error: unknown): Promise<void>
}

type Running = Call & { resolve: (value: unknown) => void; reject: (error: unknown) => void }

const tooMuch = () => common.tooLarge({ message: 'This document is too large to be made. Please make it in smaller parts.' })

const crashOf = (error: Error & { code?: string }) => (error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : error)

export function startThread({ entry, memoryMb, timeMs }: ThreadOptions): Thread {
  const worker = new Worker(entry.start, { ...entry.options, resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let running: Running | null = null
  let deadline: NodeJS.Timeout | undefined
  let hasStarted = false
  let hasEnded = false

  const settle = (): Running | null => {
    const settled = running
    clearTimeout(deadline)
    running = null
    worker.unref()
    return settled
  }
  const end = (error: unknown): Promise<void> => {
    if (hasEnded) return exited
    hasEnded = true
    const settled = settle()
    void worker.terminate()
    settled?.reject(error)
    return exited
  }
  const restartDeadline = ({ overdue, timeMs: taskMs }: Call) => {
    clearTimeout(deadline)
    deadline = setTimeout(() => void end(overdue()), hasStarted ? taskMs : timeMs)
  }
  const send = (call: Call, message: ToWorker) => {
    worker.postMessage(message)
    restartDeadline(call)
  }
  const answer = async (call: Call, question: unknown) => {
    clearTimeout(deadline)
    try {
      const answered = await (call.answer as ((question: unknown) => unknown) | undefined)?.(question)
      if (!hasEnded) send(call, { kind: 'answer', answer: answered })
    } catch (error) {
      void end(error)
    }
  }

  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'started') {
      hasStarted = true
      if (running) restartDeadline(running)
    } else if (message.kind === 'question') {
      if (running) void answer(running, message.question)
    } else {
      const settled = settle()
      if (message.kind === 'done') settled?.resolve(message.value)
      else settled?.reject(errorOf(message))
    }
  })
  worker.on('error', (error) => void end(crashOf(error)))
  worker.on('exit', () => void end(new Error('a worker that makes documents ended by itself')))
  return {
    run: (call) =>
      new Promise((resolve, reject) => {
        running = { ...call, resolve, reject }
        worker.ref()
        try {
          send(call, { kind: 'task', name: call.name, input: call.input })
        } catch (error) {
          settle()
          reject(error)
        }
      }),
    hasEnded: () => hasEnded,
    end,
  }
}
