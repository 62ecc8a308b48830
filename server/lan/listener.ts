import { createServer as createPlainServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { getRequestListener, type ServerType } from '@hono/node-server'
import { limits } from '@markbook/shared/limits'
import type { App } from '../app/app.ts'
import type { Config } from '../config.ts'
import { slotOf } from '../http/limiter.ts'
import type { Listener, OverloadProtection } from '../http/overload.ts'
import type { Pair } from './certificate.ts'

/**
 * Listens with plain http, or with https where there is a certificate. Rejects where the port is taken. `protection` stands before the app;
 * without it every request is begun.
 */
export function listen(
  app: App,
  { host, port }: Pick<Config, 'host' | 'port'>,
  pair: Pair | null,
  protection?: OverloadProtection,
): Promise<Server> {
  const own = listenerOf(app)
  const listener = protection ? protection.listener(own) : own
  const server = pair ? secureServer(listener, pair, protection?.times) : createPlainServer(protection?.times ?? {}, listener)
  protection?.watch(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Connections beyond this backlog are delayed by the network for seconds.
    server.listen(port, host, limits.connection.atOnce, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

const OLDEST_TLS = 'TLSv1.2'

/** Releases the slot of a request once its reply is made, however long the client takes to read it. */
const listenerOf = (app: App): Listener => {
  const listener = getRequestListener(async (request, env) => {
    const reply = await app.fetch(request, env)
    slotOf((env as { incoming?: object }).incoming).release()
    return reply
  })
  return listener as Listener
}

function secureServer(listener: RequestListener, { key, cert }: Pair, times: OverloadProtection['times'] | undefined): SecureServer {
  const options = { ...times, key, cert, minVersion: OLDEST_TLS, handshakeTimeout: limits.firstByte } as const
  const server = createSecureServer(options, listener)
  sortByFirstByte(server)
  return server
}

/** For new connections; open ones keep the certificate before. */
export const showCertificate = (server: ServerType, { key, cert }: Pair): void =>
  (server as SecureServer).setSecureContext({ key, cert, minVersion: OLDEST_TLS })

/** Every TLS connection begins with this byte, and no request of plain http does. */
const HANDSHAKE = 0x16

/** People type an address without https:// in front: plain http on the same port is redirected. */
function sortByFirstByte(server: SecureServer): void {
  const secure = server.listeners('connection') as ((socket: Socket) => void)[]
  const plain = redirector(server)
  /** Connections without a TLS session yet, by both ends, because the secured socket hides the one it lies on. */
  const arriving = new Map<string, Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket)
    arriving.set(ends, socket)
    const abort = () => socket.destroy()
    socket.once('close', () => arriving.delete(ends))
    socket.on('error', abort)
    socket.setTimeout(limits.firstByte, abort)
    socket.once('readable', () => {
      socket.setTimeout(0)
      socket.off('timeout', abort)
      const first: Buffer | null = socket.read(1)
      if (!first) return abort()
      socket.unshift(first)
      if (first[0] !== HANDSHAKE) return void plain.emit('connection', socket)
      socket.off('error', abort)
      for (const listener of secure) listener.call(server, socket)
    })
  })
  server.on('secureConnection', (socket) => arriving.delete(endsOf(socket)))
  // `close` waits for every connection that the server knows, and not for these.
  const close = server.close.bind(server)
  server.close = (done) => {
    for (const socket of arriving.values()) socket.destroy()
    return close(done)
  }
}

const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket) =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`

const HINT = 'This server speaks https: begin the address with https://'
const REFUSAL = JSON.stringify({ statusCode: 400, error: 'Bad Request', code: 'https_needed', message: HINT })

/** Redirects pages, and refuses anything with a body, so that a program that sends secrets unencrypted is noticed. */
function redirector(server: SecureServer): Server {
  const plain = createPlainServer({ requestTimeout: limits.firstByte }, (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '/', headers } = request
    const mayFollow = (method === 'GET' || method === 'HEAD') && url.startsWith('/') && /^[\w.:[\]-]+$/.test(headers.host ?? '')
    response.setHeader('connection', 'close')
    response.setHeader('cache-control', 'no-store')
    if (mayFollow) response.writeHead(307, { location: `https://${headers.host}${url}`, 'content-type': 'text/plain' }).end(`${HINT}\n`)
    else response.writeHead(400, { 'content-type': 'application/json' }).end(REFUSAL)
  })
  plain.on('connection', (socket: Socket) => socket.setTimeout(limits.firstByte, () => socket.destroy()))
  server.on('close', () => plain.close())
  return plain
}
