import { parentPort } from 'node:worker_threads'
import { type FromWorker, failureMessage, type ToWorker } from './messages.ts'

/** A task receives its input and may ask questions (see messages.ts); inputs and results are structured-cloneable. */
export type Tasks = Readonly<Record<string, (input: never, ask: never) => Promise<unknown>>>

/** Buffers that no other value shares; they are transferred instead of copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const parts: unknown[] = value !== null && typeof value === 'object' && !ArrayBuffer.isView(value) ? Object.values(value) : [value]
  return parts
    .filter((part): part is Uint8Array => part instanceof Uint8Array && part.byteLength === part.buffer.byteLength)
    .map(({ buffer }) => buffer as ArrayBuffer)
}

/** Runs tasks by name in this worker thread, one after the other. */
export function runTasks(tasks: Tasks): void {
  const port = parentPort
  if (!port) throw new Error('tasks run in a worker thread')
  const send = (message: FromWorker, value?: unknown) => port.postMessage(message, buffersOf(value))
  let answered: ((answer: unknown) => void) | undefined
  const ask = (question: unknown) =>
    new Promise<unknown>((resolve) => {
      answered = resolve
      send({ kind: 'question', question }, question)
    })
  const work = async (name: string, input: unknown) => {
    try {
      const task = tasks[name] as ((input: unknown, ask: (question: unknown) => Promise<unknown>) => Promise<unknown>) | undefined
      if (!task) throw new Error(`there is no task «${name}»`)
      const value = await task(input, ask)
      send({ kind: 'done', value }, value)
    } catch (error) {
      send(failureMessage(error))
    }
  }
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'task') void work(message.name, message.input)
    else answered?.(message.answer)
  })
  send({ kind: 'started' })
}
