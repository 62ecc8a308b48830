import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { headersOf } from '@markbook/server/replication/line/headers'
import { PROTOCOL } from '@markbook/sync/protocol/messages'
import { serveCommands } from '../program.ts'
import { quantile } from '../statistics.ts'

/**
 * Requests without a valid signature. `packed`: 29 KB that unpack to 29 MB of JSON; `endless`: a body that never ends. `peer`: the
 * enrolment that they name, null for an unknown one.
 */
export type Body = 'packed' | 'endless'
type Unsigned = { port: number; kind: Body; peer: string | null; parent: string }
/** Sends them on `connections` connections, on each one after another. */
export type Flood = Unsigned & { seconds: number; connections: number }
/** `sent`: bytes of bodies that the server accepted; `p99`: the latency of `/healthz` in ms. */
export type Flooded = { requests: number; sent: number; p99: number; statuses: Record<string, number> }

const packed = gzipSync(`{"table":"${'x'.repeat(29_000_000)}","ids":[]}`, { level: 9 })
const piece = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`)

function headOf({ kind, peer, parent }: Unsigned): string {
  const form = kind === 'packed' ? `content-encoding: gzip\r\ncontent-length: ${packed.length}` : 'transfer-encoding: chunked'
  const lines = [
    'POST /sync/push HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    `${headersOf.protocol}: ${PROTOCOL}`,
    `${headersOf.peer}: ${peer ?? randomUUID()}`,
    `${headersOf.number}: 1`,
    `${headersOf.parent}: ${parent}`,
    `${headersOf.signature}: ${'A'.repeat(86)}`,
    form,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Sends one request, and as much of its body as the server accepts. The status is 0 where the server only closes the connection. */
function send(given: Unsigned): Promise<{ status: number; sent: number }> {
  return new Promise((resolve) => {
    const socket = connect({ port: given.port, host: '127.0.0.1', noDelay: true })
    let status = 0
    const end = () => {
      resolve({ status, sent: socket.bytesWritten })
      socket.destroy()
    }
    const sendOn = () => {
      while (!socket.destroyed && status === 0 && socket.write(piece));
    }
    socket.on('connect', () => {
      socket.write(headOf(given))
      if (given.kind === 'packed') socket.write(packed)
      else sendOn()
    })
    if (given.kind === 'endless') socket.on('drain', sendOn)
    socket.on('data', (part) => {
      status ||= Number(part.toString('latin1', 9, 12))
      end()
    })
    socket.on('error', end)
    socket.on('close', end)
  })
}

/** Asks for `/healthz` in a loop; returns the latency of each in ms. */
async function watch(port: number, isOver: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isOver()) {
    const began = performance.now()
    const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`)
    if (!ok) throw new Error('/healthz refused')
    times.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return times
}

async function flood({ seconds, connections, ...given }: Flood): Promise<Flooded> {
  const until = performance.now() + seconds * 1_000
  const isOver = () => performance.now() >= until
  const found: Flooded = { requests: 0, sent: 0, p99: 0, statuses: {} }
  const drive = async () => {
    while (!isOver()) {
      const { status, sent } = await send(given)
      found.requests += 1
      found.sent += sent
      found.statuses[status] = (found.statuses[status] ?? 0) + 1
    }
  }
  const [times] = await Promise.all([watch(given.port, isOver), ...Array.from({ length: connections }, drive)])
  return { ...found, p99: quantile(times, 0.99) }
}

serveCommands({ flood })
