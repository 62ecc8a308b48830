import type { Readable, Writable } from 'node:stream'

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: { message: string } }
export type Heard = (method: string, params: unknown) => void

/** A talk with the browser over two pipes that nobody else can reach (`--remote-debugging-pipe`). */
export type Talk = { ask(method: string, params?: object): Promise<unknown> }

const END = 0

/** `patience`: ms until a question counts as unanswered; a school may have forbidden its browsers to talk. */
export function talkOver(incoming: Readable, outgoing: Writable, patience: number, heard: Heard): Talk {
  const open = new Map<number, (message: Message | null) => void>()
  let last = 0
  let rest = Buffer.alloc(0)
  incoming.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part])
    for (let end = rest.indexOf(END); end >= 0; end = rest.indexOf(END)) {
      const message = JSON.parse(rest.subarray(0, end).toString()) as Message
      rest = rest.subarray(end + 1)
      if (message.id !== undefined) open.get(message.id)?.(message)
      else if (message.method) heard(message.method, message.params)
    }
  })
  const giveUp = () => {
    for (const answer of open.values()) answer(null)
  }
  for (const stream of [incoming, outgoing]) stream.on('error', giveUp).on('close', giveUp)

  return {
    ask(method, params = {}) {
      last += 1
      const id = last
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => open.get(id)?.(null), patience)
        open.set(id, (message) => {
          open.delete(id)
          clearTimeout(timer)
          if (message && !message.error) resolve(message.result)
          else reject(new Error(message?.error?.message ?? `The browser did not answer to ${method}.`))
        })
        if (outgoing.writable) outgoing.write(`${JSON.stringify({ id, method, params })}\0`)
        else open.get(id)?.(null)
      })
    },
  }
}
