import { createServer as createPlainServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { getRequestListener, type ServerType } from '@hono/node-server'
import { limits } from '@markbook/shared/limits'
import type { App } from '../app/app.ts'
import type { Config } from '../config.ts'
import { slotOf } from '../http/limiter.ts'
import { HANDSHAKE, type Listener, type OverloadProtection } from '../http/overload.ts'
import type { HeaderList } from '../http/replies.ts'
import { safetyHeaders, setHeaders } from '../http/safety-headers.ts'
import type { Pair } from './certificate.ts'

/**
 * What stands before the app. `protection`: without it every request is begun. `onlyFor`: refuses what is not for this server
 * (host-check.ts); without it every host is this server's. `headers`: of every reply.
 */
export type Front = {
  protection?: OverloadProtection
  onlyFor?: (listener: RequestListener) => RequestListener
  headers?: HeaderList
}

/** Listens with plain http, or with https where there is a certificate. Rejects where the port is taken. */
export function listen(
  app: App,
  { host, port }: Pick<Config, 'host' | 'port'>,
  pair: Pair | null,
  { protection, onlyFor = (listener) => listener, headers = safetyHeaders() }: Front = {},
): Promise<Server> {
  const own = listenerOf(app)
  const listener = withHeaders(headers, onlyFor(protection ? protection.listener(own) : own))
  const options = { ...protection?.times, requireHostHeader: false }
  const server = pair
    ? secureServer(listener, pair, options, withHeaders(safetyHeaders(), onlyFor(redirect)))
    : createPlainServer(options, listener)
  // Node would refuse what a request expects and it does not know, without our headers; such a request is served as any other.
  server.on('checkExpectation', listener)
  protection?.watch(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Connections beyond this backlog are delayed by the network for seconds.
    server.listen(port, host, limits.connection.total, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

const withHeaders =
  (headers: HeaderList, listener: RequestListener): RequestListener =>
  (incoming, outgoing) => {
    setHeaders(outgoing, headers)
    listener(incoming, outgoing)
  }

const OLDEST_TLS = 'TLSv1.2'
/** Authenticated encryption with forward secrecy alone, strongest first: the «intermediate» profile that Mozilla recommends, without DHE. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')
const SECURE = { minVersion: OLDEST_TLS, ciphers: CIPHERS, honorCipherOrder: true } as const
/** HTTP/1.0 may come without a host, and the app's addresses need one. */
const WITHOUT_HOST = { hostname: 'localhost' }

/** Releases the slot of a request once its reply is made, however long the client takes to read it. */
const listenerOf = (app: App): Listener => {
  const listener = getRequestListener(async (request, env) => {
    const reply = await app.fetch(request, env)
    slotOf((env as { incoming?: object }).incoming).release()
    return reply
  }, WITHOUT_HOST)
  return listener as Listener
}

function secureServer(listener: RequestListener, { key, cert }: Pair, options: ServerOptions, redirect: RequestListener): SecureServer {
  const secured = { ...options, ...SECURE, key, cert, handshakeTimeout: limits.connection.firstByteTimeoutMs } as const
  const server = createSecureServer(secured, listener)
  sortByFirstByte(server, redirect)
  return server
}

/** For new connections; open ones keep the certificate before. */
export const showCertificate = (server: ServerType, { key, cert }: Pair): void =>
  (server as SecureServer).setSecureContext({ ...SECURE, key, cert })

/** People type an address without https:// in front: plain http on the same port is redirected. */
function sortByFirstByte(server: SecureServer, redirect: RequestListener): void {
  const secure = server.listeners('connection') as ((socket: Socket) => void)[]
  const plain = redirector(server, redirect)
  /** Connections without a TLS session yet, by both ends, because the secured socket hides the one it lies on. */
  const arriving = new Map<string, Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket)
    arriving.set(ends, socket)
    const abort = () => socket.destroy()
    socket.once('close', () => arriving.delete(ends))
    socket.on('error', abort)
    socket.setTimeout(limits.connection.firstByteTimeoutMs, abort)
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

/** What programs ask and no person types. */
const FOR_PROGRAMS = /^\/(?:api|sync|storage|metrics)(?:[/?]|$)/i

/**
 * Redirects pages. Refuses whatever has a body or is asked by programs: one that sent its session unencrypted
 * would never be noticed if the redirect mended it each time (OWASP ASVS 5.0, 4.1.2).
 */
const redirect: RequestListener = ({ method, url = '/', headers }, response) => {
  const isPage = (method === 'GET' || method === 'HEAD') && url.startsWith('/') && !FOR_PROGRAMS.test(url)
  const mayFollow = isPage && /^[\w.:[\]-]+$/.test(headers.host ?? '')
  response.setHeader('connection', 'close')
  response.setHeader('cache-control', 'no-store')
  if (mayFollow) response.writeHead(307, { location: `https://${headers.host}${url}`, 'content-type': 'text/plain' }).end(`${HINT}\n`)
  else response.writeHead(400, { 'content-type': 'application/json' }).end(REFUSAL)
}

/** Answers what comes to the secured server in plain http. */
function redirector(server: SecureServer, listener: RequestListener): Server {
  const plain = createPlainServer({ requestTimeout: limits.connection.firstByteTimeoutMs, requireHostHeader: false }, listener)
  plain.on('checkExpectation', listener)
  plain.on('connection', (socket: Socket) => socket.setTimeout(limits.connection.firstByteTimeoutMs, () => socket.destroy()))
  server.on('close', () => plain.close())
  return plain
}
