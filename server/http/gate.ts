import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../config.ts'
import { type Admission, type AdmissionBounds, admission, type Reason, type Turned } from './admission.ts'
import { clientAddress, trustOf, turnOf } from './client-address.ts'
import { type Bounds, connections, type Ending, serverTimes } from './connections.ts'
import { ledger } from './ledger.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { rawRefusal, refuse } from './refusal.ts'
import type { HeaderList } from './replies.ts'
import { recordTurnedAway } from './request-log.ts'

export type GateServices = {
  config: Pick<Config, 'trustProxy' | 'allowedOrigins'>
  log: Log
  metrics: Metrics
}
export type GateOptions = { admission?: AdmissionBounds; connection?: Bounds }

/** Resolves when the reply is made. */
export type AppListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<unknown>

/** What stands between the network and the app: who may connect, who is let in, who has to come again (decisions 235 and 236). */
export type Gate = {
  /** Options of the server: how long the parts of a request may take. */
  times: ReturnType<typeof serverTimes>
  /** The listener of a server, in front of the app's own. */
  listener(app: AppListener): RequestListener
  /** To be called once the server is made, before it listens. */
  watch(server: Server): void
  load: Admission['load']
}

export function openGate(
  { config, log, metrics }: GateServices,
  { admission: bounds = limits.admission as AdmissionBounds, connection }: GateOptions = {},
): Gate {
  const isTrusted = trustOf(config.trustProxy)
  const bytes = ledger(bounds.bytes)
  const warn = warner(log, bounds.warn)
  const failures = [1, 2, 3].map((seconds) => common.busy({ headers: { 'retry-after': String(seconds) } }))
  let refused = 0

  const answer = ({ incoming, outgoing, lane, reason, client, since }: Turned) => {
    if (incoming.socket.destroyed) return
    const requestId = randomUUID()
    // All who are turned away at one moment should not come back at one moment.
    const failure = failures[refused++ % failures.length] as Failure
    const ends = comingBytes(incoming) > bounds.bytes.small
    refuse(incoming, outgoing, failure, { requestId, ends, headers: originHeaders(incoming, config) })
    metrics.turnedAway.inc({ lane, reason })
    recordTurnedAway(log, { requestId, client, incoming, waitedMs: performance.now() - since, reason })
    warn()
  }
  const turnAway = (turned: Turned) => {
    if (turned.reason === 'waited') answer(turned)
    else setTimeout(answer, bounds.pause, turned)
  }
  const doors = admission({ bounds, turnAway })
  const lines = connections({
    ...(connection && { bounds: connection }),
    isTrusted,
    onEnding: (ending: Ending) => metrics.endings.inc({ reason: ending }),
    tooSlow: (incoming, outgoing) => refuse(incoming, outgoing, tooSlow(), { requestId: randomUUID(), ends: true }),
  })
  metrics.watchGate(doors.load, bytes.total)

  const enter = (app: AppListener, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const client = turnOf(clientAddress(incoming.socket.remoteAddress, forwardedFor(incoming), isTrusted))
    lines.follow(incoming, outgoing)
    if (isOrdinary(incoming) && bytes.isOver(client))
      return turnAway({ incoming, outgoing, lane: 'ordinary', reason: 'bytes' satisfies Reason, client, since: performance.now() })
    const coming = comingBytes(incoming)
    if (coming > bounds.bytes.small) outgoing.once('close', bytes.hold(client, coming))
    doors.enter(incoming, outgoing, client, async () => {
      await app(incoming, outgoing)
      const unread = outgoing.writableEnded ? incoming.socket.writableLength : 0
      if (unread > 0) outgoing.once('close', bytes.hold(client, unread))
    })
  }

  return {
    times: serverTimes(connection),
    load: doors.load,
    listener: (app) => (incoming, outgoing) => enter(app, incoming, outgoing),
    watch(server) {
      lines.watch(server)
      server.on('clientError', answerClientError)
      server.on('connection', doors.connected)
      metrics.watchConnections(server)
    },
  }
}

const tooSlow = () => new Failure(408, 'too_slow', 'What was sent came too slowly. Please try again.')

const isOrdinary = ({ url = '' }: IncomingMessage) => url.startsWith('/api/') && !url.startsWith('/api/auth/')

/** Several headers of that name count like one, in their order. */
const forwardedFor = ({ headers }: IncomingMessage): string | undefined => {
  const sent = headers['x-forwarded-for']
  return Array.isArray(sent) ? sent.join(',') : sent
}

/** Bytes of a body as its sender announces them; without a word of it, as many as may come. */
function comingBytes({ headers, complete }: IncomingMessage): number {
  if (complete) return 0
  if (headers['content-length'] !== undefined) return Math.min(Number(headers['content-length']) || 0, limits.body.import)
  return headers['transfer-encoding'] === undefined ? 0 : limits.body.import
}

/** So that a page of another site that may call us can read why it was turned away. */
const originHeaders = ({ headers: { origin } }: IncomingMessage, { allowedOrigins }: GateServices['config']): HeaderList =>
  origin !== undefined && allowedOrigins.includes(origin)
    ? [
        ['vary', 'origin'],
        ['access-control-allow-origin', origin],
        ['access-control-allow-credentials', 'true'],
        ['access-control-expose-headers', 'retry-after, x-request-id'],
      ]
    : []

/** One warning for many refusals, so that a flood does not fill the disk with lines of it. */
function warner(log: Log, every: number) {
  let count = 0
  let timer: NodeJS.Timeout | null = null
  const say = () => {
    if (count > 0) log.warn({ turned_away: count, seconds: every / 1_000 }, 'the server is too busy: requests were turned away')
    timer = count > 0 ? setTimeout(say, every).unref() : null
    count = 0
  }
  return () => {
    count += 1
    if (timer === null) timer = setTimeout(say, every).unref()
  }
}

const UNREADABLE: Record<string, () => [Failure, string]> = {
  HPE_HEADER_OVERFLOW: () => [
    new Failure(431, 'headers_too_large', 'The headers of this request are too large.'),
    'Request Header Fields Too Large',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: () => [tooSlow(), 'Request Timeout'],
}
const badRequest = (): [Failure, string] => [
  new Failure(400, 'bad_request', 'This is not a request that the server can read.'),
  'Bad Request',
]

/** What cannot be read as HTTP, or does not come in time, is answered like any failure, where an answer is still possible. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const current = (socket as { _httpMessage?: ServerResponse })._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) return void socket.destroy()
  const [failure, reason] = (UNREADABLE[error.code ?? ''] ?? badRequest)()
  socket.end(rawRefusal(failure, randomUUID(), reason), () => socket.destroy())
}
