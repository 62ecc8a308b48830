import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../app/app.ts'
import { readWithoutSecret } from '../config.ts'
import { makeAuthority, makeCertificate, type Pair } from '../lan/certificate.ts'
import { listen } from '../lan/listener.ts'
import { openSocket } from '../testing/load.ts'
import { checkHost } from './host-check.ts'
import { createMetrics } from './metrics.ts'
import { ownHosts } from './own-hosts.ts'

let pair: Pair
const open: (() => void)[] = []
beforeAll(async () => {
  pair = await makeCertificate(await makeAuthority('box', Date.now()), { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now())
})
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A server that replies with the host of the request, and reads the body. */
async function serve({ secure = false, env = {} }: { secure?: boolean; env?: Record<string, string> } = {}) {
  const received: string[] = []
  const app = new Hono()
    .all('/healthz', (c) => c.text('well'))
    .post('/api/echo', async (c) => {
      received.push(await c.req.text())
      return c.text('taken')
    })
    .all('*', (c) => c.text(c.req.url))
  const config = readWithoutSecret({ PUBLIC_URL: 'https://marks.school.example', TRUST_PROXY: 'local', ...env })
  const lines: Record<string, unknown>[] = []
  const note = (line: object) => void lines.push(line as Record<string, unknown>)
  const metrics = createMetrics()
  const log = { info: note, warn: note, error: note }
  const isOwn = ownHosts(config, () => [])
  const server = await listen(app as unknown as App, { host: '127.0.0.1', port: 0 }, secure ? pair : null, {
    onlyFor: (listener) => checkHost({ config, log, metrics }, isOwn, listener),
  })
  const { port } = server.address() as AddressInfo
  open.push(() => server.close() && server.closeAllConnections())
  /** Sends the bytes of a request, and returns all bytes until the server closes. */
  const tell = (text: string, { plain = !secure } = {}) =>
    new Promise<{ status: number; text: string; code: string | undefined }>((resolve) => {
      const socket = openSocket({ port, secure: !plain })
      let got = ''
      socket.on('data', (part: Buffer) => (got += part.toString('latin1')))
      socket.once('close', () => resolve({ status: Number(got.slice(9, 12)), text: got, code: /"code":"([\w.]+)"/.exec(got)?.[1] }))
      socket.write(text, 'latin1')
    })
  const ask = (headers: string, { line = 'GET /page HTTP/1.1', plain = !secure } = {}) =>
    tell(`${line}\r\n${headers}connection: close\r\n\r\n`, { plain })
  return { ask, tell, lines, metrics, received }
}

const MISDIRECTED = { status: 421, code: 'misdirected_request' }
const UNREADABLE = { status: 400, code: 'bad_request' }

describe.each([
  ['http', false],
  ['https', true],
])('by %s', (_scheme, secure) => {
  test.each(['localhost', 'LOCALHOST.:9', '127.0.0.1:1', '[::1]', 'app.localhost', 'marks.school.example'])(
    'serves a request for %s',
    async (host) => {
      const { ask } = await serve({ secure })
      expect((await ask(`host: ${host}\r\n`)).status).toBe(200)
    },
  )

  test('refuses a request for any other host, whatever a proxy header says', async () => {
    const { ask } = await serve({ secure })
    for (const host of ['evil.example', '203.0.113.9', 'localhost.evil.example', '[fd00::9]', '0.0.0.0', 'school.example'])
      for (const more of ['', 'x-forwarded-host: localhost\r\n', 'forwarded: host=localhost\r\n'])
        expect(await ask(`host: ${host}\r\n${more}`)).toMatchObject(MISDIRECTED)
  })

  test('the body of a refused request is not read', async () => {
    const { tell, received } = await serve({ secure })
    const post = (host: string) =>
      `POST /api/echo HTTP/1.1\r\nhost: ${host}\r\norigin: http://${host}\r\nconnection: close\r\ncontent-length: 5\r\n\r\nmarks`
    expect(await tell(post('evil.example'))).toMatchObject(MISDIRECTED)
    expect(received).toEqual([])
    expect(await tell(post('localhost'))).toMatchObject({ status: 200 })
    expect(received).toEqual(['marks'])
  })

  test('a large body ends the connection with the refusal', async () => {
    const { tell } = await serve({ secure })
    const reply = await tell('POST /api/echo HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 20000000\r\n\r\n')
    expect(reply).toMatchObject(MISDIRECTED)
    expect(reply.text).toContain('\r\nconnection: close\r\n')
  })
})

test('refuses a request without a host, with two, or with a malformed one', async () => {
  const { ask } = await serve()
  expect(await ask('', { line: 'GET /page HTTP/1.0' })).toMatchObject(MISDIRECTED)
  expect(await ask('host:\r\n')).toMatchObject(MISDIRECTED)
  expect(await ask('')).toMatchObject(UNREADABLE)
  expect(await ask('host: localhost\r\nhost: evil.example\r\n')).toMatchObject(UNREADABLE)
  expect(await ask('Host: localhost\r\nHOST: localhost\r\n')).toMatchObject(UNREADABLE)
  expect(await ask('host: evil.example@localhost\r\n')).toMatchObject(UNREADABLE)
  expect(await ask('host: \xe9\xff\r\n')).toMatchObject(MISDIRECTED)
})

test('a target in absolute form is checked as well as the header', async () => {
  const { ask } = await serve()
  const line = (url: string) => ({ line: `GET ${url} HTTP/1.1` })
  expect(await ask('host: localhost\r\n', line('http://localhost/page'))).toMatchObject({ status: 200 })
  expect(await ask('host: localhost\r\n', line('HTTP://evil.example/page'))).toMatchObject(MISDIRECTED)
  expect(await ask('host: localhost\r\n', line('http://evil.example/healthz'))).toMatchObject(MISDIRECTED)
  expect(await ask('host: evil.example\r\n', line('http://localhost/page'))).toMatchObject(MISDIRECTED)
  expect(await ask('host: localhost\r\n', line('http://localhost@evil.example/page'))).toMatchObject(UNREADABLE)
  expect(await ask('host: localhost\r\n', line('evil.example:443'))).toMatchObject({ status: 400 })
})

test('health is served for any host, and without one', async () => {
  const { ask } = await serve()
  expect(await ask('host: 203.0.113.9\r\n', { line: 'GET /healthz HTTP/1.1' })).toMatchObject({ status: 200 })
  expect(await ask('', { line: 'GET /healthz HTTP/1.0' })).toMatchObject({ status: 200 })
  expect(await ask('host: evil.example\r\n', { line: 'GET /healthz/../page HTTP/1.1' })).toMatchObject(MISDIRECTED)
  expect(await ask('host: evil.example\r\n', { line: 'GET /metrics HTTP/1.1' })).toMatchObject(MISDIRECTED)
})

test('plain http to a server with https is redirected only for the server’s own names', async () => {
  const { ask } = await serve({ secure: true })
  expect((await ask('host: localhost:3000\r\n', { plain: true })).text).toContain('\r\nlocation: https://localhost:3000/page\r\n')
  expect(await ask('host: evil.example\r\n', { plain: true })).toMatchObject(MISDIRECTED)
})

test('the refusal has the usual form, is counted, and logged once as a warning', async () => {
  const { ask, lines, metrics } = await serve()
  const { text } = await ask('host: Evil.Example:80\r\nx-forwarded-for: 203.0.113.7\r\n', { line: 'GET /marks/secret-Name HTTP/1.1' })
  await ask('host: other.example\r\n')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const id = /\r\nx-request-id: (\S+)/.exec(head)?.[1]
  expect(head).toMatch(/\r\nx-api-version: 1\r\n/)
  expect(JSON.parse(body)).toEqual({ ...expected, message: expect.stringContaining('ALLOWED_HOSTS') })
  expect(lines).toEqual([
    {
      request_id: id,
      actor: null,
      address: '203.0.113.7',
      method: 'GET',
      route: '/marks/…',
      status: 421,
      reason: 'misdirected_request',
      ms: 0,
    },
    { host: 'evil.example' },
    expect.objectContaining({ status: 421 }),
  ])
  expect(await metrics.registry.metrics()).toContain('markbook_refusals_total{code="misdirected_request"} 2')
})
const expected = { statusCode: 421, error: 'Misdirected Request', code: 'misdirected_request' }
