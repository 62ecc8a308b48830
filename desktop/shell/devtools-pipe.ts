import type { Readable, Writable } from 'node:stream'

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: { message: string } }
export type EventHandler = (method: string, params: unknown) => void

/** A DevTools connection to the browser over two private pipes (`--remote-debugging-pipe`). */
export type DevToolsConnection = { send(method: string, params?: object): Promise<unknown> }

const END = 0

/** Requests fail after `timeoutMs`: a school's policy may forbid debugging. */
export function connectDevTools(incoming: Readable, outgoing: Writable, timeoutMs: number, onEvent: EventHandler): DevToolsConnection {
  const pending = new Map<number, (message: Message | null) => void>()
  let lastId = 0
  let unread = Buffer.alloc(0)
  incoming.on('data', (part: Buffer) => {
    unread = Buffer.concat([unread, part])
    for (let end = unread.indexOf(END); end >= 0; end = unread.indexOf(END)) {
      const message = JSON.parse(unread.subarray(0, end).toString()) as Message
      unread = unread.subarray(end + 1)
      if (message.id !== undefined) pending.get(message.id)?.(message)
      else if (message.method) onEvent(message.method, message.params)
    }
  })
  const failPending = () => {
    for (const settle of pending.values()) settle(null)
  }
  for (const stream of [incoming, outgoing]) stream.on('error', failPending).on('close', failPending)

  return {
    send(method, params = {}) {
      lastId += 1
      const id = lastId
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => pending.get(id)?.(null), timeoutMs)
        pending.set(id, (message) => {
          pending.delete(id)
          clearTimeout(timer)
          if (message && !message.error) resolve(message.result)
          else reject(new Error(message?.error?.message ?? `The browser did not answer to ${method}.`))
        })
        if (outgoing.writable) outgoing.write(`${JSON.stringify({ id, method, params })}\0`)
        else pending.get(id)?.(null)
      })
    },
  }
}
