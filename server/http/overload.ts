import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../config.ts'
import { trustOf } from '../network/client-address.ts'
import { type Bounds, Connections } from './connections.ts'
import { Limiter, type LimiterBounds, type Reason, RequestSlot, SAMPLE } from './limiter.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { originHeaders } from './origins.ts'
import { API_VERSION, announcedBytes, badRequest, LAST, refuse } from './refuse.ts'
import type { HeaderList } from './replies.ts'
import { recordTurnedAway } from './request-log.ts'
import { safetyHeaders, setHeaders } from './safety-headers.ts'

type OverloadServices = {
  config: Pick<Config, 'trustProxy' | 'allowedOrigins'>
  log: Log
  metrics: Metrics
}
export type OverloadOptions = { admission?: LimiterBounds; connection?: Bounds }
/** The listener of the app. Resolves when the reply is made. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<unknown>

export type OverloadProtection = ReturnType<typeof overloadProtection>

/** Protects a server from more requests and slower clients than it can serve (docs/design/http.md). */
export function overloadProtection(
  services: OverloadServices,
  { admission: bounds = limits.admission, connection = limits.connection }: OverloadOptions = {},
) {
  const { config, metrics } = services
  const { refuseBusy, warn } = busyReplies(services, bounds)
  const warnOfHttps = atMostEvery(bounds.warnEveryMs, () => services.log.warn({ scheme: 'https' }, HTTPS_ASKED))
  const limiter = new Limiter(bounds, refuseBusy)
  const connections = new Connections(
    connection,
    trustOf(config.trustProxy),
    (reason) => metrics.endings.inc({ reason }),
    ({ outgoing }) => void refuse(outgoing, tooSlow, [API_VERSION, LAST]),
  )
  metrics.watchLoad(limiter, connections)

  /** Where all clients together have too many bytes in transit, those that have any are refused. */
  const holdsTooMuch = (bytes: number) =>
    bytes > bounds.bytesInTransit.perClient || (bytes > 0 && connections.bytes > bounds.bytesInTransit.total)

  return {
    /** Timeouts of the server. */
    times: {
      headersTimeout: connection.headersTimeoutMs,
      requestTimeout: connection.requestTimeoutMs,
      keepAliveTimeout: connection.keepAliveTimeoutMs,
      connectionsCheckingInterval: connection.checkEveryMs,
    },
    lanes: limiter.lanes,
    /** The listener of a server, called before that of the app. */
    listener:
      (app: Listener): RequestListener =>
      (incoming, outgoing) => {
        const client = connections.clientOf(incoming.socket, incoming.headers['x-forwarded-for']?.toString())
        const slot = new RequestSlot(incoming, outgoing, client, limiter)
        const announced = announcedBytes(incoming)
        connections.follow(slot)
        if (slot.lane.name === 'ordinary' && holdsTooMuch(connections.bytesOf.of(client))) return refuseBusy(slot, 'bytes')
        if (announced > bounds.bytesInTransit.uncounted) connections.hold(client, announced, outgoing)
        limiter.enter(slot, async () => {
          await app(incoming, outgoing)
          const unread = outgoing.writableEnded ? incoming.socket.writableLength : 0
          if (unread > 0) connections.hold(client, unread, outgoing)
        })
      },
    /** Must be called once the server is created, before it listens. */
    watch(server: Server) {
      connections.watch(server)
      limiter.watch(server)
      server.on('clientError', (error: ClientError, socket: Duplex) => {
        if (error.rawPacket?.[0] === HANDSHAKE) warnOfHttps()
        replyClientError(error, socket)
      })
      const timers = [
        setInterval(() => limiter.sample(), SAMPLE),
        setInterval(() => connections.check(), connection.checkEveryMs),
        setInterval(warn, bounds.warnEveryMs),
      ]
      for (const timer of timers) timer.unref()
      server.on('close', () => timers.forEach(clearInterval))
    },
  }
}

/** Replies with 503 `busy`, and logs a warning. */
function busyReplies({ config, log, metrics }: OverloadServices, bounds: LimiterBounds) {
  let refused = 0
  let unreported = 0
  const reply = (slot: RequestSlot, reason: Reason) => {
    const { incoming, outgoing, lane } = slot
    if (!slot.isClientConnected()) return
    refused += 1
    unreported += 1
    // Spreads the retries of clients that are refused at the same moment.
    const retryAfter: HeaderList = [['retry-after', String(1 + (refused % 3))]]
    const last = announcedBytes(incoming) > bounds.bytesInTransit.uncounted ? [LAST] : []
    const headers = [API_VERSION, ...originHeaders(incoming.headers.origin, config.allowedOrigins), ...retryAfter, ...last]
    metrics.turnedAway.inc({ lane: lane.name, reason })
    recordTurnedAway(log, slot, { requestId: refuse(outgoing, common.busy(), headers), reason })
  }
  return {
    refuseBusy(slot: RequestSlot, reason: Reason) {
      if (reason === 'waited') reply(slot, reason)
      else setTimeout(reply, bounds.refusalDelayMs, slot, reason)
    },
    /** One warning for many refusals, so that a flood does not fill the disk with log lines. */
    warn() {
      if (unreported === 0) return
      log.warn({ turned_away: unreported, seconds: bounds.warnEveryMs / 1_000 }, 'the server is too busy: requests were turned away')
      unreported = 0
    },
  }
}

/** Calls `work`, but not again before `ms` have passed. */
function atMostEvery(ms: number, work: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - last < ms) return
    last = performance.now()
    work()
  }
}

/** Every TLS connection begins with this byte, and no request of plain http does. */
export const HANDSHAKE = 0x16

/** `rawPacket`: the bytes that could not be read. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Uint8Array }
/** Browsers go on asking by https where this server spoke it once, and show an error of their own. */
const HTTPS_ASKED =
  'a browser asked by https, and this server speaks http now: people must begin the address with http://, or start it with --lan again'

const tooSlow = new Failure(408, 'too_slow', 'What was sent came too slowly. Please try again.')

const UNREADABLE: Record<string, Failure> = {
  HPE_HEADER_OVERFLOW: new Failure(431, 'headers_too_large', 'The headers of this request are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
}

/** Replies to input that is not HTTP or is too late with an ordinary failure, where a reply is still possible. */
function replyClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const current = (socket as { _httpMessage?: ServerResponse })._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) return void socket.destroy()
  const outgoing = current ?? new ServerResponse(new IncomingMessage(socket as Socket))
  if (!current) {
    outgoing.assignSocket(socket as Socket)
    setHeaders(outgoing, safetyHeaders())
  }
  outgoing.sendDate = false
  outgoing.once('finish', () => socket.destroy())
  refuse(outgoing, UNREADABLE[error.code ?? ''] ?? badRequest(), [LAST])
}
