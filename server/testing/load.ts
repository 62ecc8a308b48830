import { connect as connectPlainly, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

/** One request. `status` 0: no reply. Times in ms; `at`: when it was due, since the start of the run. */
export type Shot = { at: number; ms: number; status: number; path: string }
export type Target = { port: number; secure?: boolean; from?: string }
/** A complete reply; status 0 where the connection was closed instead. */
type Reply = { status: number; bytes: Buffer }
type Line = { ask(request: string): Promise<Reply>; isOpen(): boolean; close(): void }

const ENDS = '\r\n\r\n'

/** The length of the first complete reply in these bytes, or -1 while it is incomplete. */
export function replyLength(bytes: Buffer): number {
  const headers = bytes.indexOf(ENDS)
  if (headers < 0) return -1
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, headers))?.[1]
  // In chunks: the last one is empty.
  if (length === undefined) return bytes.subarray(-5).toString('latin1') === '0\r\n\r\n' ? bytes.length : -1
  const end = headers + ENDS.length + Number(length)
  return bytes.length >= end ? end : -1
}

export function openSocket({ port, secure = false, from }: Target): Socket {
  const options = { port, host: '127.0.0.1', ...(from && { localAddress: from }) }
  const socket = secure ? connectSecurely({ ...options, rejectUnauthorized: false }) : connectPlainly({ ...options, noDelay: true })
  return socket.on('error', () => {})
}

let opened = 0
const spreadOver = ({ spread = [], ...target }: Round['target']): Target => {
  opened += 1
  const from = spread[opened % spread.length]
  return from === undefined ? target : { ...target, from }
}

/** A connection that sends one request at a time. */
function openLine(target: Target): Line {
  const socket = openSocket(target)
  const closed: Reply = { status: 0, bytes: Buffer.alloc(0) }
  let waiting: ((reply: Reply) => void) | null = null
  let parts: Buffer = Buffer.alloc(0)
  const settle = (reply: Reply) => {
    const answered = waiting
    waiting = null
    answered?.(reply)
  }
  socket.on('data', (part: Buffer) => {
    parts = parts.length === 0 ? part : Buffer.concat([parts, part])
    if (replyLength(parts) < 0) return
    const reply = { status: Number(parts.toString('latin1', 9, 12)), bytes: parts }
    if (/\r\nconnection: close\r\n/i.test(parts.toString('latin1', 0, 1_000))) socket.destroy()
    parts = Buffer.alloc(0)
    settle(reply)
  })
  socket.on('close', () => settle(closed))
  return {
    ask: (request) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(closed)
        waiting = resolve
        socket.write(request)
      }),
    isOpen: () => !socket.destroyed,
    close: () => socket.destroy(),
  }
}

const pathOf = (request: string) => request.split(' ', 2)[1] ?? ''
/** With several `from`, the connections are spread over these loopback addresses. */
export type Round = { target: Target & { spread?: readonly string[] }; connections: number; seconds: number; requests: readonly string[] }

/** This many connections, each sending one request after another: measures what the server can do. */
export async function saturate({ target, connections, seconds, requests }: Round): Promise<Shot[]> {
  const shots: Shot[] = []
  const began = performance.now()
  let next = 0
  const drive = async () => {
    let line = openLine(spreadOver(target))
    while (performance.now() - began < seconds * 1_000) {
      if (!line.isOpen()) line = openLine(spreadOver(target))
      const request = requests[next++ % requests.length] as string
      const at = performance.now() - began
      const { status } = await line.ask(request)
      shots.push({ at, ms: performance.now() - began - at, status, path: pathOf(request) })
    }
    line.close()
  }
  await Promise.all(Array.from({ length: connections }, drive))
  return shots
}

export type Flood = Round & { perSecond: number }

/**
 * Sends requests at a fixed rate, regardless of replies, on a bounded number of connections. A request without a free connection is
 * `missed`: it would wait in the client's own queue.
 */
export async function flood({ target, connections, seconds, requests, perSecond }: Flood): Promise<{ shots: Shot[]; missed: number }> {
  const shots: Shot[] = []
  const idle: Line[] = []
  const all = new Set<Line>()
  const began = performance.now()
  const underWay = new Set<Promise<void>>()
  let due = 0
  let missed = 0
  const fire = async (at: number, request: string) => {
    let line = idle.pop()
    while (line && !line.isOpen()) {
      all.delete(line)
      line = idle.pop()
    }
    if (!line) {
      if (all.size >= connections) {
        missed += 1
        return
      }
      line = openLine(spreadOver(target))
      all.add(line)
    }
    const { status } = await line.ask(request)
    shots.push({ at, ms: performance.now() - began - at, status, path: pathOf(request) })
    if (line.isOpen()) idle.push(line)
    else all.delete(line)
  }
  while (performance.now() - began < seconds * 1_000) {
    const elapsed = performance.now() - began
    for (; due < (elapsed / 1_000) * perSecond; due += 1) {
      const shot = fire((due / perSecond) * 1_000, requests[due % requests.length] as string)
      underWay.add(shot)
      void shot.finally(() => underWay.delete(shot))
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await Promise.all(underWay)
  for (const line of all) line.close()
  return { shots, missed }
}

export const served = (shots: readonly Shot[]) => shots.filter(({ status }) => status >= 200 && status < 300)
/** The time within which this share of the requests was answered. */
export function quantile(shots: readonly Shot[], share: number): number {
  const times = shots.map(({ ms }) => ms).sort((a, b) => a - b)
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
}
/** Successful requests per second between two moments of a run, in ms. */
export const goodput = (shots: readonly Shot[], from: number, to: number) =>
  served(shots).filter(({ at, ms }) => at + ms >= from && at + ms < to).length / ((to - from) / 1_000)
