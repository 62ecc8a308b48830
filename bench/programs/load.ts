import { connect, type Socket } from 'node:net'
import { replyLength } from '@markbook/server/testing/load'
import { serveCommands } from '../program.ts'
import { quantile } from '../statistics.ts'

/** `count` requests on `connections` kept open, each with one request at a time; `requests` as they go over the wire, in turns. */
export type Job = { port: number; connections: number; count: number; requests: readonly string[] }
export type Result = { ms: number; p50: number; p99: number; refused: string | null; sample: string }

/**
 * Asks and waits, until `next` has nothing more to ask. The next request goes out with the reply, without a promise between: a loader that
 * sends later makes both sides wake up more often for each request, which adds the same to both and hides their difference.
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
