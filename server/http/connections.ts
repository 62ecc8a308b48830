import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { limits } from '@markbook/shared/limits'
import { clientAddress, fairnessKeyOf } from '../network/client-address.ts'
import type { Client, RequestSlot } from './limiter.ts'

export type Bounds = { readonly [K in keyof typeof limits.connection]: number }
/** Why a connection was closed or not taken. */
type Ending = 'too_many' | 'too_many_of_one' | 'made_room' | 'slow_sender' | 'slow_reader'

/** A request and its reply. `sent`: what the client still had to read when its reply last moved. */
type Exchange = {
  slot: RequestSlot
  since: number
  readBefore: number
  isRefused: boolean
  sent: { at: number; written: number; unread: number } | null
}
type Connection = { socket: Socket; client: Client; exchanges: Exchange[] }

const endOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** From this share of all connections on, a newcomer closes others; all idle ones at most once in `IDLE_EVERY` ms. */
const CROWDED = 0.95
const IDLE_EVERY = 1_000

/**
 * Keeps slow and greedy clients from hurting others (docs/design/http.md): how many connections there are, all and of one client, and
 * whether what is sent and replied moves. Node's own timeouts know when a request began, not whether it gets anywhere.
 */
export class Connections {
  readonly #clients = new Map<string, Client>()
  /** By the other end: the secured socket of a connection, which its requests have, hides the one it lies on. */
  readonly #open = new Map<string, Connection>()
  #bytes = 0
  #idleClosedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly bounds: Bounds,
    private readonly isTrusted: (address: string) => boolean,
    private readonly onEnding: (ending: Ending) => void,
    /** Replies to a request whose body comes too slowly. */
    private readonly tooSlow: (slot: RequestSlot) => void,
  ) {}

  watch(server: Server): void {
    server.maxConnections = this.bounds.atOnce
    server.on('drop', () => this.onEnding('too_many'))
    server.on('connection', (socket: Socket) => this.#connected(server, socket))
  }

  load(): { connections: number; bytes: number } {
    return { connections: this.#open.size, bytes: this.#bytes }
  }

  /** Whom a request is from; behind a trusted proxy, whom that names. */
  clientOf(socket: Socket, forwarded?: string): Client {
    const connection = this.#open.get(endOf(socket))
    if (connection && forwarded === undefined) return connection.client
    return this.#clientAt(fairnessKeyOf(clientAddress(socket.remoteAddress, forwarded, this.isTrusted)))
  }

  /** Watches a request and its reply from now on. */
  follow(slot: RequestSlot, hasBody: boolean): void {
    const { socket } = slot.incoming
    const exchanges = this.#open.get(endOf(socket))?.exchanges
    if (!exchanges) return
    dropEnded(exchanges)
    exchanges.push({ slot, since: slot.since, readBefore: hasBody ? socket.bytesRead : 0, isRefused: false, sent: null })
  }

  /** Counts bytes that are held for a client until its reply is closed. */
  hold(client: Client, bytes: number, outgoing: ServerResponse): void {
    this.#bytes += bytes
    client.bytes += bytes
    outgoing.once('close', () => {
      this.#bytes -= bytes
      client.bytes -= bytes
    })
  }

  #clientAt(name: string): Client {
    const known = this.#clients.get(name)
    if (known) return known
    const client: Client = { name, connections: 0, bytes: 0, inFlight: { ordinary: 0, signIn: 0, health: 0 } }
    this.#clients.set(name, client)
    return client
  }

  /** A trusted proxy brings many clients; every other address has so many connections at most. */
  #connected(server: Server, socket: Socket) {
    const end = endOf(socket)
    const client = this.clientOf(socket)
    const connection: Connection = { socket, client, exchanges: [] }
    client.connections += 1
    this.#open.set(end, connection)
    socket.once('close', () => {
      client.connections -= 1
      this.#open.delete(end)
    })
    if (this.#open.size > this.bounds.atOnce * CROWDED) this.#makeRoom(server, connection)
    if (client.connections <= this.bounds.perClient || this.isTrusted(clientAddress(socket.remoteAddress, undefined, this.isTrusted)))
      return
    this.onEnding('too_many_of_one')
    socket.destroy()
  }

  /**
   * Closes what is idle, and where that is not enough, the oldest connection of the client with most on which no request is whole: a
   * client that holds hundreds of unfinished requests makes room for the others.
   */
  #makeRoom(server: Server, newest: Connection) {
    if (performance.now() - this.#idleClosedAt > IDLE_EVERY) {
      this.#idleClosedAt = performance.now()
      server.closeIdleConnections()
    }
    const open = [...this.#open.values()].filter(({ socket }) => !socket.destroyed)
    if (open.length <= this.bounds.atOnce * CROWDED) return
    let chosen: Connection | undefined
    for (const connection of open) {
      if (connection === newest || isInWork(connection)) continue
      if (!chosen || connection.client.connections > chosen.client.connections) chosen = connection
    }
    if (!chosen) return
    this.onEnding('made_room')
    chosen.socket.destroy()
  }

  /** To be called every `bounds.check` ms: ends what does not move, and forgets clients of which nothing is left. */
  check(): void {
    const now = performance.now()
    for (const { exchanges } of this.#open.values()) {
      dropEnded(exchanges)
      for (const exchange of exchanges) {
        if (exchange.slot.outgoing.headersSent) this.#checkReply(exchange, now)
        else if (!exchange.slot.incoming.complete && !exchange.isRefused) this.#checkBody(exchange, now)
      }
    }
    for (const [name, { connections, bytes, inFlight }] of this.#clients)
      if (connections + bytes + inFlight.ordinary + inFlight.signIn + inFlight.health === 0) this.#clients.delete(name)
  }

  #checkBody(exchange: Exchange, now: number) {
    const { slot, since, readBefore } = exchange
    const { grace, bytesPerSecond } = this.bounds
    const expected = ((now - since - grace) / 1_000) * bytesPerSecond
    if (slot.incoming.socket.bytesRead - readBefore >= expected) return
    exchange.isRefused = true
    this.onEnding('slow_sender')
    this.tooSlow(slot)
  }

  /** A stream must move within `stall`; a reply that was handed over whole must be read at `bytesPerSecond`. */
  #checkReply(exchange: Exchange, now: number) {
    const { grace, bytesPerSecond, stall } = this.bounds
    const { incoming, outgoing } = exchange.slot
    const { writableLength: unread, bytesWritten: written } = incoming.socket
    if (unread === 0 || exchange.sent?.written !== written) exchange.sent = { at: now, written, unread }
    const { at, unread: unreadThen } = exchange.sent
    if (now - at <= (outgoing.writableEnded ? grace + (unreadThen / bytesPerSecond) * 1_000 : stall)) return
    this.onEnding('slow_reader')
    incoming.socket.destroy()
  }
}

/** Requests of one connection are replied to in their order. */
function dropEnded(exchanges: Exchange[]) {
  while (exchanges[0]?.slot.outgoing.closed) exchanges.shift()
}

/** True while a whole request of a connection is being worked on or replied to. */
const isInWork = ({ exchanges }: Connection): boolean =>
  exchanges.some(({ slot: { incoming, outgoing } }) => !outgoing.closed && (incoming.complete || outgoing.headersSent))
