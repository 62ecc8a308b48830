import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { limits } from '@markbook/shared/limits'
import { clientAddress, fairnessKeyOf } from '../network/client-address.ts'
import type { Client, RequestSlot, Widened } from './limiter.ts'

export type Bounds = Widened<typeof limits.connection>
/** Why a connection was closed or refused. */
type Ending = 'too_many' | 'too_many_of_one' | 'made_room' | 'slow_sender' | 'slow_reader'

/** `slots`: the connection's requests without a complete reply, in order. */
type Connection = { socket: Socket; client: Client; slots: RequestSlot[] }

const endOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** Above this share of all connections, a new connection makes others close. */
const CROWDED = 0.95

/**
 * Protects the server from slow and greedy clients (docs/design/http.md): limits connections, in all and of one client, and closes those
 * on which requests or replies make no progress. Node's own timeouts measure the time of a request, not its progress.
 */
export class Connections {
  readonly #clients = new Map<string, Client>()
  /** By the remote address and port, since a TLS socket, which its requests have, hides the TCP socket below it. */
  readonly #open = new Map<string, Connection>()
  /** Bytes in memory for clients. */
  bytes = 0

  constructor(
    private readonly bounds: Bounds,
    private readonly isTrusted: (address: string) => boolean,
    private readonly onEnding: (ending: Ending) => void,
    /** Replies to a request whose body arrives too slowly. */
    private readonly tooSlow: (slot: RequestSlot) => void,
  ) {}

  watch(server: Server): void {
    server.maxConnections = this.bounds.total
    server.on('drop', () => this.onEnding('too_many'))
    server.on('connection', (socket: Socket) => this.#connected(server, socket))
  }

  /** The number of open connections. */
  get open(): number {
    return this.#open.size
  }

  /** The client of a connection; behind a trusted proxy, the one in the forwarded address. */
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

  /** Counts bytes in memory for a client until its reply is closed. */
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

  /** A trusted proxy has connections for many clients; every other address has a limit. */
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
    if (this.#open.size > this.bounds.total * CROWDED) this.#makeRoom(server, connection)
    if (client.connections <= this.bounds.perClient || this.isTrusted(clientAddress(socket.remoteAddress, undefined, this.isTrusted)))
      return
    this.onEnding('too_many_of_one')
    socket.destroy()
  }

  /**
   * Closes idle connections. Where that is not enough, closes the oldest connection without a complete request of the client with the most
   * connections, so that a client with hundreds of unfinished requests makes room for others.
   */
  #makeRoom(server: Server, newest: Connection) {
    server.closeIdleConnections()
    const open = [...this.#open.values()].filter(({ socket }) => !socket.destroyed)
    if (open.length <= this.bounds.total * CROWDED) return
    const unfinished = open.filter((connection) => connection !== newest && !isInWork(connection))
    const [oldest] = unfinished.sort((a, b) => b.client.connections - a.client.connections)
    if (!oldest) return
    this.onEnding('made_room')
    oldest.socket.destroy()
  }

  /** Must be called every `bounds.check` ms. Closes connections without progress, and deletes clients without connections or bytes. */
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
    const { graceMs, bytesPerSecond } = this.bounds
    const expected = ((now - slot.came - graceMs) / 1_000) * bytesPerSecond
    if (slot.incoming.socket.bytesRead - slot.readBefore >= expected) return
    this.onEnding('slow_sender')
    this.tooSlow(slot)
  }

  /** A stream must progress within `stall`; a reply with known content must be read at `bytesPerSecond`. */
  #checkReply(slot: RequestSlot, now: number) {
    const { graceMs, bytesPerSecond, stallTimeoutMs } = this.bounds
    const { writableLength: unread, bytesWritten: written } = slot.incoming.socket
    if (unread === 0 || slot.sent?.written !== written) slot.sent = { at: now, written, unread }
    const { at, unread: unreadThen } = slot.sent
    if (now - at <= (slot.outgoing.writableEnded ? graceMs + (unreadThen / bytesPerSecond) * 1_000 : stallTimeoutMs)) return
    this.onEnding('slow_reader')
    slot.incoming.socket.destroy()
  }
}

/** Requests of one connection are replied to in order. */
function dropEnded(slots: RequestSlot[]) {
  while (slots[0]?.outgoing.closed) slots.shift()
}

/** Whether a complete request of a connection is in work or its reply is being sent. */
const isInWork = ({ slots }: Connection): boolean =>
  slots.some(({ incoming, outgoing }) => !outgoing.closed && (incoming.complete || outgoing.headersSent))
