import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../app/app.ts'
import { readWithoutSecret } from '../../config.ts'
import { checkHost } from '../../http/host-check.ts'
import { createMetrics } from '../../http/metrics.ts'
import { overloadProtection } from '../../http/overload.ts'
import { ownHosts } from '../../http/own-hosts.ts'
import { safetyHeaders } from '../../http/safety-headers.ts'
import { makeAuthority, makeCertificate } from '../../lan/certificate.ts'
import { listen } from '../../lan/listener.ts'
import { requestFor } from '../../testing/ask.ts'
import { openSocket } from '../../testing/load.ts'
import { endpoints, type Furnished, furnished } from '../matrix/furnished.ts'

let at: Furnished
/** A server in front of the app that takes everything back. */
let port: number
/** The same with https. */
let securePort: number
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  at = await furnished()
  const pair = await makeCertificate(await makeAuthority('box', Date.now()), { dns: ['localhost'], ips: [] }, Date.now())
  port = await serve(null)
  securePort = await serve(pair)
})
afterAll(async () => {
  for (const close of closing) await close()
  await at.st.close()
})

async function serve(pair: Parameters<typeof listen>[2]): Promise<number> {
  const services = { ...at.st.services, metrics: createMetrics() }
  const server = await listen(at.dry, { host: '127.0.0.1', port: 0 }, pair, {
    protection: overloadProtection(services),
    onlyFor: (listener) =>
      checkHost(
        services,
        ownHosts(services.config, () => []),
        listener,
      ),
  })
  closing.push(async () => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/** What is wrong with the headers of a reply. */
function faultsOf(headers: Headers): string[] {
  const wanted = { 'x-content-type-options': /^nosniff$/, 'x-frame-options': /^DENY$/, 'referrer-policy': /^(no-referrer|same-origin)$/ }
  const policy = headers.get('content-security-policy') ?? ''
  return [
    ...Object.entries(wanted).flatMap(([name, value]) => (value.test(headers.get(name) ?? '') ? [] : [`${name}: ${headers.get(name)}`])),
    ...["default-src '", "frame-ancestors 'none'"].filter((part) => !policy.includes(part)).map((part) => `no ${part} in ${policy}`),
    ...(headers.has('strict-transport-security') ? ['strict-transport-security'] : []),
  ]
}

async function asked(path: string, init: RequestInit = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init })
  await response.body?.cancel()
  return { status: response.status, faults: faultsOf(response.headers), policy: response.headers.get('content-security-policy') }
}

/** The head of a reply to bytes that no client would send. */
const toldTo = (text: string, { to = port, secure = false } = {}) =>
  new Promise<{ status: number; headers: Headers }>((resolve) => {
    const socket = openSocket({ port: to, secure })
    let got = ''
    socket.on('data', (part: Buffer) => (got += part.toString('latin1')))
    socket.once('close', () => {
      const [status = '', ...lines] = (got.split('\r\n\r\n')[0] ?? '').split('\r\n')
      resolve({
        status: Number(status.slice(9, 12)),
        headers: new Headers(lines.map((line) => line.split(/: (.*)/).slice(0, 2)) as [string, string][]),
      })
    })
    socket.write(text)
  })

describe('every reply bears the headers that keep a browser from harm', () => {
  test.each(endpoints)('$name, as it should be asked, and without a session', async (named) => {
    for (const cookie of [at.ownCookie(named), '']) {
      const request = requestFor(named.endpoint, at.ownAsk(named), { cookie })
      const { pathname, search } = new URL(request.url)
      const body = request.body ? await request.arrayBuffer() : null
      const reply = await asked(pathname + search, { method: request.method, headers: request.headers, body })
      expect([named.name, ...reply.faults]).toEqual([named.name])
      if (cookie) expect([401, 403, 404, 415, 421, 500, 503]).not.toContain(reply.status)
    }
  })

  test('every other route that is mounted, whatever it answers', async () => {
    const mounted = (app: App) => [...new Set(app.routes.map(({ method, path }) => `${method === 'ALL' ? 'GET' : method} ${path}`))]
    const routes = mounted(at.st.app)
    expect(routes.length).toBeGreaterThan(endpoints.length + 20)
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ')
      const real = path.replace(/:[a-zA-Z]+(\{[^}]*\})?/g, '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b').replaceAll('*', 'x')
      expect([route, ...(await asked(real, { method })).faults]).toEqual([route])
    }
  })

  test.each([
    ['GET', '/', 'text/html'],
    ['HEAD', '/', 'text/html'],
    ['GET', '/subjects', 'text/html'],
    ['GET', '/assets/none.js', '*/*'],
    ['GET', '/nothing', '*/*'],
    ['DELETE', '/api/auth/me', '*/*'],
    ['GET', '/api/students?limit=0', '*/*'],
    ['GET', '/%', '*/*'],
  ])('%s %s', async (method, path, accept) => {
    expect((await asked(path, { method, headers: { accept } })).faults).toEqual([])
  })

  test('what is refused before the app: another host, no HTTP, TRACE, headers beyond the bound, plain http where there is https', async () => {
    const close = 'connection: close\r\n\r\n'
    const replies = [
      await toldTo(`GET / HTTP/1.1\r\nhost: evil.example\r\n${close}`),
      await toldTo(`GET / HTTP/1.1\r\n${close}`),
      await toldTo('no HTTP\r\n\r\n'),
      await toldTo(`GET /nothing HTTP/1.1\r\nhost: localhost\r\nexpect: wonders\r\n${close}`),
      await toldTo(`GET /nothing HTTP/1.1\r\nhost: evil.example\r\nexpect: wonders\r\n${close}`),
      await toldTo(`TRACE /api/auth/me HTTP/1.1\r\nhost: localhost\r\n${close}`),
      await toldTo(`TRACE / HTTP/1.1\r\nhost: localhost\r\n${close}`),
      await toldTo(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n${close}`),
      await toldTo(`GET / HTTP/1.1\r\nhost: localhost\r\n${close}`, { to: securePort }),
      await toldTo(`POST / HTTP/1.1\r\nhost: localhost\r\n${close}`, { to: securePort }),
      await toldTo(`GET /healthz HTTP/1.1\r\nhost: localhost\r\n${close}`, { to: securePort, secure: true }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([421, 400, 400, 404, 421, 405, 404, 431, 307, 400, 200])
    for (const { headers } of replies) expect(faultsOf(headers)).toEqual([])
  })

  test('the pages of the interface run their own scripts, and what is no page none', async () => {
    expect((await asked('/docs')).policy).toContain("default-src 'self'")
    for (const path of ['/healthz', '/api/auth/me', '/nothing', '/openapi.json'])
      expect((await asked(path)).policy).toContain("default-src 'none'")
  })
})

describe('strict-transport-security', () => {
  const told = (settings: Record<string, string>) =>
    safetyHeaders(readWithoutSecret(settings)).some(([name]) => name === 'strict-transport-security')

  test('is said where every browser knows the certificate: one of the operator’s, or that of a proxy', () => {
    expect(told({ LAN: 'true', TLS_CERT_FILE: '/c.pem', TLS_KEY_FILE: '/k.pem' })).toBe(true)
    expect(told({ PUBLIC_URL: 'https://marks.school.example' })).toBe(true)
  })

  test('is not said with the school’s own authority, nor without TLS', () => {
    expect(told({ LAN: 'true', PUBLIC_URL: 'https://marks.school.example' })).toBe(false)
    expect(told({ PUBLIC_URL: 'http://marks.school.example' })).toBe(false)
    expect(told({ INSECURE_LAN: 'true' })).toBe(false)
    expect(told({})).toBe(false)
  })

  test('goes out with every reply', async () => {
    const server = await listen(at.dry, { host: '127.0.0.1', port: 0 }, null, {
      headers: safetyHeaders(readWithoutSecret({ PUBLIC_URL: 'https://marks.school.example' })),
    })
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/nothing`)
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
