import { parentPort } from 'node:worker_threads'
import { type FromWorker, type ToWorker, toldOf } from './protocol.ts'

/** A task gets its input and may ask (see protocol.ts); what crosses between threads is plain. */
export type Tasks = Readonly<Record<string, (input: never, ask: never) => Promise<unknown>>>

/** Buffers that are nobody else's are handed over instead of copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const parts: unknown[] = value !== null && typeof value === 'object' && !ArrayBuffer.isView(value) ? Object.values(value) : [value]
  return parts
    .filter((part): part is Uint8Array => part instanceof Uint8Array && part.byteLength === part.buffer.byteLength)
    .map(({ buffer }) => buffer as ArrayBuffer)
}

/** Makes this thread a worker: one task after the other, each by its name. */
export function serveTasks(tasks: Tasks): void {
  const port = parentPort
  if (!port) throw new Error('tasks are served in a worker thread')
  const say = (message: FromWorker, value?: unknown) => port.postMessage(message, buffersOf(value))
  let answered: ((answer: unknown) => void) | undefined
  const ask = (question: unknown) =>
    new Promise<unknown>((resolve) => {
      answered = resolve
      say({ kind: 'asked', question }, question)
    })
  const work = async (name: string, input: unknown) => {
    try {
      const task = tasks[name]
      if (!task) throw new Error(`there is no task «${name}»`)
      const value = await task(input as never, ask as never)
      say({ kind: 'done', value }, value)
    } catch (error) {
      say(toldOf(error))
    }
  }
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'task') void work(message.name, message.input)
    else answered?.(message.answer)
  })
}
