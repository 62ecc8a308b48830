import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import type { Ledger } from './ledger.ts'
import { type Bulk, bodyOf, type Marking, nextBulk } from './marking.ts'

/** An answer of the server; `code` is that of a refusal, `cookies` a Cookie header of what it sets. */
export type Answer = { status: number; code: string | undefined; retryAfter: string | undefined; cookies: string; text: string }

type Ask = {
  port: number
  /** The authority of a server that speaks https. */
  ca?: string
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  cookie?: string
  body?: unknown
  agent?: Agent
  timeoutMs?: number
}

/** Resolves with the whole answer; `onStatus` hears of the status as soon as it is there. Rejects where the connection breaks. */
export function ask(
  { port, ca, method = 'GET', path, cookie, body, agent, timeoutMs = 60_000 }: Ask,
  onStatus = (_status: number) => {},
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...(cookie && { cookie }),
    ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  }
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers, agent: agent ?? false, timeout: timeoutMs }
    const take = (response: IncomingMessage) => {
      onStatus(response.statusCode ?? 0)
      read(response).then(resolve, reject)
    }
    const sent = ca === undefined ? request(options, take) : requestSecurely({ ...options, ca }, take)
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered within ${timeoutMs} ms`)))
    sent.on('error', reject)
    sent.end(text)
  })
}

const read = (response: IncomingMessage) =>
  new Promise<Answer>((resolve, reject) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (part) => (text += part))
    response.on('error', reject)
    response.on('aborted', () => reject(new Error('the answer was cut off')))
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        code: codeIn(text),
        retryAfter: response.headers['retry-after'],
        cookies: (response.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; '),
        text,
      }),
    )
  })

const codeIn = (text: string): string | undefined => {
  try {
    return JSON.parse(text).code
  } catch {
    return undefined
  }
}

/** Sends one bulk and enters it in the ledger: as acknowledged at the first sight of a 200. */
export function sendBulk(
  marking: Marking,
  ledger: Ledger,
  to: { port: number; agent?: Agent },
  bulk: Bulk = nextBulk(marking),
): Promise<Answer> {
  ledger.send(bulk)
  const asked: Ask = { ...to, method: 'POST', path: '/api/grades/bulk', cookie: marking.cookie, body: bodyOf(bulk) }
  return ask(asked, (status) => status === 200 && ledger.acknowledged.add(bulk.name))
}

/** Teachers who save one bulk after the other until `stop`; `answers` are all that they got. A broken connection is tried again. */
export function keepMarking(marking: Marking, ledger: Ledger, port: number, { teachers = 3, pauseMs = 0 } = {}) {
  const answers: Answer[] = []
  let going = true
  const mark = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (going) {
      const answer = await sendBulk(marking, ledger, { port, agent }).catch(() => null)
      if (answer) answers.push(answer)
      const wait = answer ? pauseMs : Math.max(pauseMs, 5)
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    }
    agent.destroy()
  }
  const ended = Promise.all(Array.from({ length: teachers }, mark))
  return {
    answers,
    stop: async () => {
      going = false
      await ended
    },
  }
}
