import { connect, type Socket } from 'node:net'
import { replyLength } from '@markbook/server/testing/load'
import { serveCommands } from '../program.ts'
import { quantile } from '../statistics.ts'

/** `count` requests on `connections` open connections, one at a time on each; `requests` are raw HTTP texts, sent by turns. */
export type Job = { port: number; connections: number; count: number; requests: readonly string[] }
export type Result = { ms: number; p50: number; p99: number; refused: string | null; sample: string }

/**
 * Sends requests on one connection until `next` returns undefined. The next request is sent in the handler of the reply, without a promise:
 * a later one would make both programs wake up more often, which adds the same cost to both sides and hides their difference.
 */
function drive(port: number, next: () => string | undefined, answered: (ms: number, reply: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let parts: Buffer[] = []
    let askedAt = 0
    const ask = () => {
      const request = next()
      if (request === undefined) {
        socket.end()
        return resolve()
      }
      askedAt = performance.now()
      socket.write(request)
    }
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (part) => {
      parts.push(part)
      const bytes = parts.length === 1 ? part : Buffer.concat(parts)
      if (replyLength(bytes) < 0) {
        parts = [bytes]
        return
      }
      parts = []
      answered(performance.now() - askedAt, bytes)
      ask()
    })
  })
}

async function run({ port, connections, count, requests }: Job): Promise<Result> {
  const times: number[] = []
  let sent = 0
  let refused: string | null = null
  let sample = ''
  const next = () => (sent < count ? requests[sent++ % requests.length] : undefined)
  const answered = (ms: number, reply: Buffer) => {
    times.push(ms)
    if (times.length === 1) sample = reply.toString('utf8')
    if (reply.toString('latin1', 9, 10) !== '2') refused ??= reply.toString('utf8', 0, 600)
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, () => drive(port, next, answered)))
  const ms = performance.now() - started
  return { ms, p50: quantile(times, 0.5), p99: quantile(times, 0.99), refused, sample }
}

serveCommands({ load: run })
