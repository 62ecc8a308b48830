import { createServer as createPlainServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { getRequestListener, type ServerType } from '@hono/node-server'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../config.ts'
import { placeOf } from '../http/admission.ts'
import type { App } from '../http/app.ts'
import type { AppListener, Gate } from '../http/gate.ts'
import type { Pair } from './certificate.ts'

/**
 * Listens with plain http, or with https where there is a certificate. Rejects where the port is taken. `gate` stands before the app;
 * without one everybody is let in.
 */
export function listen(app: App, { host, port }: Pick<Config, 'host' | 'port'>, pair: Pair | null, gate?: Gate): Promise<Server> {
  const own = listenerOf(app)
  const listener = gate ? gate.listener(own) : own
  const server = pair ? secureServer(listener, pair, gate?.times) : createPlainServer(gate?.times ?? {}, listener)
  gate?.watch(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Who connects in a rush waits for a moment here; beyond it the network itself makes them wait for seconds.
    server.listen(port, host, limits.connection.atOnce, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

const OLDEST_TLS = 'TLSv1.2'

/** The place of a request is free again once its reply is made; how long that takes to be read holds up nobody. */
const listenerOf = (app: App): AppListener => {
  const listener = getRequestListener(async (request, env) => {
    const reply = await app.fetch(request, env)
    placeOf((env as { incoming?: object }).incoming).leave()
    return reply
  })
  return listener as AppListener
}

function secureServer(listener: RequestListener, { key, cert }: Pair, times: Gate['times'] | undefined): SecureServer {
  const options = { ...times, key, cert, minVersion: OLDEST_TLS, handshakeTimeout: limits.firstByte } as const
  const server = createSecureServer(options, listener)
  sortByFirstByte(server)
  return server
}

/** New connections get the new certificate; those that are open go on. */
export const showCertificate = (server: ServerType, { key, cert }: Pair): void =>
  (server as SecureServer).setSecureContext({ key, cert, minVersion: OLDEST_TLS })

/** Every TLS connection begins with this byte, and no request of plain http does. */
const HANDSHAKE = 0x16

/** People type an address without https:// in front: plain http on the same port is told where to go. */
function sortByFirstByte(server: SecureServer): void {
  const secure = server.listeners('connection') as ((socket: Socket) => void)[]
  const plain = redirector(server)
  /** Not yet known to the server above: by both ends, because the secured socket hides the one it lies on. */
  const arriving = new Map<string, Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket)
    arriving.set(ends, socket)
    const giveUp = () => socket.destroy()
    socket.once('close', () => arriving.delete(ends))
    socket.on('error', giveUp)
    socket.setTimeout(limits.firstByte, giveUp)
    socket.once('readable', () => {
      socket.setTimeout(0)
      socket.off('timeout', giveUp)
      const first: Buffer | null = socket.read(1)
      if (!first) return giveUp()
      socket.unshift(first)
      if (first[0] !== HANDSHAKE) return void plain.emit('connection', socket)
      socket.off('error', giveUp)
      for (const listener of secure) listener.call(server, socket)
    })
  })
  server.on('secureConnection', (socket) => arriving.delete(endsOf(socket)))
  // A server that closes waits for every connection, and these have not asked for anything.
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

/** A page is sent on; anything that carries something is not, so that a program that sends secrets in the clear is noticed. */
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
