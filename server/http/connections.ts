import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { limits } from '@markbook/shared/limits'
import { clientAddress, fairnessKeyOf } from '../network/client-address.ts'
import { Counts } from './counts.ts'
import type { RequestSlot, Widened } from './limiter.ts'

export type Bounds = Widened<typeof limits.connection>
/** Why a connection was closed or refused. */
type Ending = 'too_many' | 'too_many_of_one' | 'made_room' | 'slow_sender' | 'slow_reader'

/** `slots`: the connection's requests without a complete reply, in order. */
type Connection = { socket: Socket; client: string; slots: RequestSlot[] }

const endOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** Above this share of all connections, a new connection makes others close. */
const CROWDED = 0.95

/**
 * Protects the server from slow and greedy clients (docs/design/http.md): limits connections, in all and of one client, and closes those
 * on which requests or replies make no progress. Node's own timeouts measure the time of a request, not its progress.
 */
export class Connections {
  /** By client, an address or network (see `fairnessKeyOf`). */
  readonly #connections = new Counts()
  /** By the remote address and port, since a TLS socket, which its requests have, hides the TCP socket below it. */
  readonly #open = new Map<string, Connection>()
  /** Bytes in memory for clients: for each, for all. */
  readonly bytesOf = new Counts()
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
  clientOf(socket: Socket, forwarded?: string): string {
    const connection = forwarded === undefined && this.#open.get(endOf(socket))
    return connection ? connection.client : fairnessKeyOf(clientAddress(socket.remoteAddress, forwarded, this.isTrusted))
  }

  /** Watches a request and its reply from now on. */
  follow(slot: RequestSlot): void {
    const slots = this.#open.get(endOf(slot.incoming.socket))?.slots
    if (!slots) return
    dropEnded(slots)
    slots.push(slot)
  }

  /** Counts bytes in memory for a client until its reply is closed. */
  hold(client: string, bytes: number, outgoing: ServerResponse): void {
    const count = (by: number) => {
      this.bytes += by
      this.bytesOf.add(client, by)
    }
    count(bytes)
    outgoing.once('close', () => count(-bytes))
  }

  /** A trusted proxy has connections for many clients; every other address has a limit. */
  #connected(server: Server, socket: Socket) {
    const [end, client] = [endOf(socket), this.clientOf(socket)]
    const connection: Connection = { socket, client, slots: [] }
    this.#connections.add(client, 1)
    this.#open.set(end, connection)
    socket.once('close', () => {
      this.#connections.add(client, -1)
      this.#open.delete(end)
    })
    if (this.#open.size > this.bounds.total * CROWDED) this.#makeRoom(server, connection)
    if (this.#connections.of(client) <= this.bounds.perClient) return
    if (this.isTrusted(clientAddress(socket.remoteAddress, undefined, this.isTrusted))) return
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
    const [oldest] = unfinished.sort((a, b) => this.#connections.of(b.client) - this.#connections.of(a.client))
    if (!oldest) return
    this.onEnding('made_room')
    oldest.socket.destroy()
  }

  /** Must be called every `checkEveryMs`: closes connections without progress. */
  check(): void {
    const now = performance.now()
    for (const { slots } of this.#open.values()) {
      dropEnded(slots)
      for (const slot of slots) {
        if (slot.outgoing.headersSent) this.#checkReply(slot, now)
        else if (!slot.incoming.complete) this.#checkBody(slot, now)
      }
    }
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
