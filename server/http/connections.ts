import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { limits } from '@markbook/shared/limits'
import { clientAddress, fairnessKeyOf } from '../network/client-address.ts'
import type { Client, RequestSlot, Widened } from './limiter.ts'

export type Bounds = Widened<typeof limits.connection>
/** Why a connection was closed or not taken. */
type Ending = 'too_many' | 'too_many_of_one' | 'made_room' | 'slow_sender' | 'slow_reader'

/** `slots` of the requests that came by it and are not replied to whole, in their order. */
type Connection = { socket: Socket; client: Client; slots: RequestSlot[] }

const endOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** From this share of all connections on, a newcomer closes others. */
const CROWDED = 0.95

/**
 * Keeps slow and greedy clients from hurting others (docs/design/http.md): how many connections there are, all and of one client, and
 * whether what is sent and replied moves. Node's own timeouts know when a request began, not whether it gets anywhere.
 */
export class Connections {
  readonly #clients = new Map<string, Client>()
  /** By the other end: the secured socket of a connection, which its requests have, hides the one it lies on. */
  readonly #open = new Map<string, Connection>()
  /** Held for clients. */
  bytes = 0

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

  /** How many are open. */
  get open(): number {
    return this.#open.size
  }

  /** Whom a request is from; behind a trusted proxy, whom that names. */
  clientOf(socket: Socket, forwarded?: string): Client {
    const connection = this.#open.get(endOf(socket))
    if (connection && forwarded === undefined) return connection.client
    return this.#clientAt(fairnessKeyOf(clientAddress(socket.remoteAddress, forwarded, this.isTrusted)))
  }

  /** Watches a request and its reply from now on. */
  follow(slot: RequestSlot): void {
    const slots = this.#open.get(endOf(slot.incoming.socket))?.slots
    if (!slots) return
    dropEnded(slots)
    slots.push(slot)
  }

  /** Counts bytes that are held for a client until its reply is closed. */
  hold(client: Client, bytes: number, outgoing: ServerResponse): void {
    this.bytes += bytes
    client.bytes += bytes
    outgoing.once('close', () => {
      this.bytes -= bytes
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
    const connection: Connection = { socket, client, slots: [] }
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
    server.closeIdleConnections()
    const open = [...this.#open.values()].filter(({ socket }) => !socket.destroyed)
    if (open.length <= this.bounds.atOnce * CROWDED) return
    const unfinished = open.filter((connection) => connection !== newest && !isInWork(connection))
    const [oldest] = unfinished.sort((a, b) => b.client.connections - a.client.connections)
    if (!oldest) return
    this.onEnding('made_room')
    oldest.socket.destroy()
  }

  /** To be called every `bounds.check` ms: ends what does not move, and forgets clients of which nothing is left. */
  check(): void {
    const now = performance.now()
    for (const { slots } of this.#open.values()) {
      dropEnded(slots)
      for (const slot of slots) {
        if (slot.outgoing.headersSent) this.#checkReply(slot, now)
        else if (!slot.incoming.complete) this.#checkBody(slot, now)
      }
    }
    for (const [name, { connections, bytes, inFlight }] of this.#clients)
      if (connections + bytes + inFlight.ordinary + inFlight.signIn + inFlight.health === 0) this.#clients.delete(name)
  }

  #checkBody(slot: RequestSlot, now: number) {
    const { grace, bytesPerSecond } = this.bounds
    const expected = ((now - slot.came - grace) / 1_000) * bytesPerSecond
    if (slot.incoming.socket.bytesRead - slot.readBefore >= expected) return
    this.onEnding('slow_sender')
    this.tooSlow(slot)
  }

  /** A stream must move within `stall`; a reply that was handed over whole must be read at `bytesPerSecond`. */
  #checkReply(slot: RequestSlot, now: number) {
    const { grace, bytesPerSecond, stall } = this.bounds
    const { writableLength: unread, bytesWritten: written } = slot.incoming.socket
    if (unread === 0 || slot.sent?.written !== written) slot.sent = { at: now, written, unread }
    const { at, unread: unreadThen } = slot.sent
    if (now - at <= (slot.outgoing.writableEnded ? grace + (unreadThen / bytesPerSecond) * 1_000 : stall)) return
    this.onEnding('slow_reader')
    slot.incoming.socket.destroy()
  }
}

/** Requests of one connection are replied to in their order. */
function dropEnded(slots: RequestSlot[]) {
  while (slots[0]?.outgoing.closed) slots.shift()
}

/** True while a whole request of a connection is being worked on or replied to. */
const isInWork = ({ slots }: Connection): boolean =>
  slots.some(({ incoming, outgoing }) => !outgoing.closed && (incoming.complete || outgoing.headersSent))
