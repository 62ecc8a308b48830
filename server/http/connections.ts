import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '@markbook/shared/limits'
import { plain, turnOf } from './client-address.ts'

export type Bounds = { readonly [K in keyof typeof limits.connection]: number }
/** Why a connection was closed or not taken. */
export type Ending = 'too_many' | 'too_many_of_one' | 'slow_sender' | 'slow_reader'

export type ConnectionOptions = {
  bounds?: Bounds
  isTrusted: (address: string) => boolean
  onEnding: (ending: Ending) => void
  /** Answers a request whose body comes too slowly. */
  tooSlow: (incoming: IncomingMessage, outgoing: ServerResponse) => void
}

/** Options of `createServer`: how long the parts of a request may take. */
export const serverTimes = ({ headers, request, keepAlive, check }: Bounds = limits.connection) => ({
  headersTimeout: headers,
  requestTimeout: request,
  keepAliveTimeout: keepAlive,
  connectionsCheckingInterval: check,
})

type Exchange = {
  incoming: IncomingMessage
  outgoing: ServerResponse
  began: number
  readBefore: number
  /** When its reply, as it was, was handed over. */
  sending: { since: number; bytes: number } | null
  /** When the stream of its reply last moved. */
  moved: { at: number; bytes: number } | null
}

export type Connections = { watch(server: Server): void; follow(incoming: IncomingMessage, outgoing: ServerResponse): void }

/**
 * Keeps slow and greedy clients from hurting others (decision 236): how many connections there are, all and of one client, and whether
 * what is sent and answered moves. Node's own timeouts know when a request began, not whether it gets anywhere.
 */
export function connections({ bounds = limits.connection, isTrusted, onEnding, tooSlow }: ConnectionOptions): Connections {
  const exchanges = new Set<Exchange>()

  const isSlow = (bytes: number, elapsed: number) =>
    elapsed > bounds.grace && bytes < ((elapsed - bounds.grace) * bounds.bytesPerSecond) / 1_000

  const end = ({ incoming }: Exchange) => {
    onEnding('slow_reader')
    incoming.socket.destroy()
  }

  const checkReceiving = (exchange: Exchange, now: number) => {
    const { incoming, outgoing, began, readBefore } = exchange
    if (!isSlow(incoming.socket.bytesRead - readBefore, now - began)) return
    exchanges.delete(exchange)
    onEnding('slow_sender')
    tooSlow(incoming, outgoing)
  }

  const checkSending = (exchange: Exchange, now: number) => {
    const { incoming, outgoing } = exchange
    const { writableLength, bytesWritten } = incoming.socket
    if (outgoing.writableEnded) {
      exchange.sending ??= { since: now, bytes: writableLength }
      const { since, bytes } = exchange.sending
      if (now - since > bounds.grace + (bytes / bounds.bytesPerSecond) * 1_000) end(exchange)
    } else if (writableLength === 0 || exchange.moved?.bytes !== bytesWritten) exchange.moved = { at: now, bytes: bytesWritten }
    else if (now - exchange.moved.at > bounds.stall) end(exchange)
  }

  const check = () => {
    const now = performance.now()
    for (const exchange of exchanges) {
      if (exchange.outgoing.headersSent) checkSending(exchange, now)
      else if (!exchange.incoming.complete) checkReceiving(exchange, now)
    }
  }

  return {
    watch(server) {
      server.maxConnections = bounds.atOnce
      server.on('drop', () => onEnding('too_many'))
      server.on('connection', countConnections(server, bounds, isTrusted, onEnding))
      const timer = setInterval(check, bounds.check).unref()
      server.on('close', () => clearInterval(timer))
    },
    follow(incoming, outgoing) {
      const exchange: Exchange = {
        incoming,
        outgoing,
        began: performance.now(),
        readBefore: incoming.socket.bytesRead,
        sending: null,
        moved: null,
      }
      exchanges.add(exchange)
      outgoing.once('close', () => exchanges.delete(exchange))
    },
  }
}

/**
 * From here on connections that are kept open for nothing are closed, at most once a second, so that there is room for whoever comes.
 * A client that asks on one at that moment has to ask again.
 */
const CROWDED = 0.95
const ONCE_IN = 1_000

/** A proxy that is trusted brings many clients; every other address has so many connections at most. */
function countConnections(server: Server, bounds: Bounds, isTrusted: (address: string) => boolean, onEnding: (ending: Ending) => void) {
  const countByClient = new Map<string, number>()
  let open = 0
  let cleared = Number.NEGATIVE_INFINITY
  return (socket: Socket) => {
    const address = plain(socket.remoteAddress ?? '') ?? ''
    const client = turnOf(address)
    const count = (countByClient.get(client) ?? 0) + 1
    open += 1
    countByClient.set(client, count)
    socket.once('close', () => {
      open -= 1
      const left = (countByClient.get(client) ?? 1) - 1
      if (left > 0) countByClient.set(client, left)
      else countByClient.delete(client)
    })
    if (open > bounds.atOnce * CROWDED && performance.now() - cleared > ONCE_IN) {
      cleared = performance.now()
      server.closeIdleConnections()
    }
    if (count <= bounds.perClient || isTrusted(address)) return
    onEnding('too_many_of_one')
    socket.destroy()
  }
}
