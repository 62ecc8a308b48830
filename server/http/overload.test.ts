import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { Hono } from 'hono'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../app/app.ts'
import { makeAuthority, makeCertificate, type Pair } from '../lan/certificate.ts'
import { listen } from '../lan/listener.ts'
import { openSocket } from '../testing/load.ts'
import { slotOf } from './limiter.ts'
import { createMetrics } from './metrics.ts'
import { type OverloadOptions, overloadProtection } from './overload.ts'

type Env = { Bindings: { incoming: IncomingMessage } }
const { admission, connection } = limits
let pair: Pair
const open: { close(): void }[] = []
beforeAll(async () => {
  pair = await makeCertificate(await makeAuthority('box', Date.now()), { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now())
})
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

const until = async (isTrue: () => boolean) => {
  for (let tries = 0; tries < 1_000 && !isTrue(); tries += 1) await pause(5)
  expect(isTrue()).toBe(true)
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A server whose ordinary requests wait until the test releases them. */
async function serve({
  secure = false,
  trustProxy = [] as string[],
  ...options
}: OverloadOptions & { secure?: boolean; trustProxy?: string[] } = {}) {
  const held: (() => void)[] = []
  const begun: string[] = []
  const app = new Hono<Env>()
    .get('/api/hold/:name', async (c) => {
      begun.push(c.req.param('name'))
      await new Promise<void>((resolve) => held.push(resolve))
      return c.json({ held: c.req.param('name') })
    })
    .get('/api/schools/:school', async (c) => {
      try {
        slotOf(c.env.incoming).countFor(c.req.param('school'))
      } catch (error) {
        return c.json({}, (error as Failure).status as 503, (error as Failure).headers)
      }
      begun.push(c.req.param('school'))
      await new Promise<void>((resolve) => held.push(resolve))
      return c.json({})
    })
    .get('/api/hello', (c) => c.json({ hello: true }))
    .get('/api/large', (c) => c.body('x'.repeat(20_000_000), 200, { 'content-length': '20000000' }))
    .post('/api/echo', async (c) => c.json({ length: (await slotOf(c.env.incoming).releasedDuring(() => c.req.text())).length }))
    .post('/api/hold-body', async (c) => {
      begun.push(await slotOf(c.env.incoming).releasedDuring(() => c.req.text()))
      await new Promise<void>((resolve) => held.push(resolve))
      return c.json({})
    })
    .get('/api/stream', (c) => c.body(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1_000_000)) })))
    .get('/healthz', (c) => c.json({ status: 'ok' }))
    .post('/api/auth/otp/send', (c) => c.json({ message: 'sent' }))
  app.onError((_error, c) => c.text('aborted', 500))
  const lines: Record<string, unknown>[] = []
  const note = (line: object) => void lines.push(line as Record<string, unknown>)
  const metrics = createMetrics()
  const protection = overloadProtection(
    { config: { trustProxy, allowedOrigins: ['https://app.example'] }, log: { info: note, warn: note, error: note } as never, metrics },
    options,
  )
  const server = await listen(app as unknown as App, { host: '127.0.0.1', port: 0 }, secure ? pair : null, { protection })
  const { port } = server.address() as AddressInfo
  open.push({ close: () => server.close() && server.closeAllConnections() })
  const dial = (from = '127.0.0.1') => {
    const socket = openSocket({ port, secure, from })
    open.push({ close: () => socket.destroy() })
    return socket
  }
  const letGo = () => {
    for (const resolve of held.splice(0)) resolve()
  }
  return {
    server,
    protection,
    metrics,
    lines,
    begun,
    letGo,
    dial,
    ask: (text: string, from?: string) => tell(dial(from), text),
    get: (path: string, from?: string) => tell(dial(from), get(path)),
  }
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

type Answer = { status: number; headers: string; body: unknown }
/** Sends a text, and reads one reply or, with status 0, the end of the connection. */
const tell = (socket: Socket, text: string) =>
  new Promise<Answer>((resolve) => {
    let got = ''
    const hear = (part: Buffer) => {
      got += part.toString('latin1')
      const [headers = '', body = ''] = got.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? Number.NaN)
      if (!(body.length >= length)) return
      socket.off('data', hear)
      resolve({ status: Number(headers.slice(9, 12)), headers, body: JSON.parse(body) })
    }
    socket.on('data', hear)
    socket.once('close', () => resolve({ status: 0, headers: got, body: null }))
    socket.write(text)
  })

const few = { ...admission, ordinary: { ...admission.ordinary, concurrent: 2, queued: 2 } }

describe.each([
  ['http', false],
  ['https', true],
])('beyond what can be done, by %s', (_scheme, secure) => {
  test('requests are refused with 503, Retry-After and the id of the request; sign-in and health go on', async () => {
    const { get, ask, letGo, begun, lines, metrics } = await serve({ secure, admission: few })
    const [first, second] = [get('/api/hold/a'), get('/api/hold/b')]
    await until(() => begun.length === 2)
    const waiting = [get('/api/hello'), get('/api/hello')]
    await pause(50)
    const input = performance.now()
    const refused = await get('/api/hello')
    // Delayed, so that a client that retries at once causes little load.
    expect(performance.now() - input).toBeGreaterThan(admission.refusalDelayMs - 20)
    expect(refused).toMatchObject({ status: 503, body: { statusCode: 503, error: 'Service Unavailable', code: 'busy' } })
    expect(refused.headers).toMatch(/\r\nretry-after: [123]\r\n/)
    expect(refused.headers).toContain(`x-request-id: ${(refused.body as { request_id: string }).request_id}`)
    expect(lines[0]).toMatchObject({ status: 503, reason: 'busy', turned_away: 'full', route: '/api/hello', address: '127.0.0.1' })
    expect(await get('/healthz')).toMatchObject({ status: 200 })
    expect(await ask(post('/api/auth/otp/send', '{}'))).toMatchObject({ status: 200 })
    letGo()
    for (const answer of await Promise.all([first, second, ...waiting])) expect(answer.status).toBe(200)
    expect(await metrics.registry.metrics()).toContain('markbook_turned_away_total{lane="ordinary",reason="full"} 1')
  })

  test('a client that sends its body slowly uses no slot, and gets 408 when it is too slow', async () => {
    const { get, dial } = await serve({
      secure,
      admission: few,
      connection: { ...connection, graceMs: 400, bytesPerSecond: 1_000, checkEveryMs: 50 },
    })
    const slow = Array.from({ length: 6 }, () => tell(dial(), post('/api/echo', 'x'.repeat(900)).slice(0, -800)))
    await pause(100)
    expect((await Promise.all([get('/api/hello'), get('/api/hello'), get('/api/hello')])).map(({ status }) => status)).toEqual([
      200, 200, 200,
    ])
    for (const answer of await Promise.all(slow)) expect(answer).toMatchObject({ status: 408, body: { code: 'too_slow' } })
  })

  test('a body that arrives steadily is accepted, however long it takes', async () => {
    const { dial } = await serve({ secure, connection: { ...connection, graceMs: 200, bytesPerSecond: 500, checkEveryMs: 25 } })
    const text = post('/api/echo', 'x'.repeat(1_600))
    const socket = dial()
    const answer = tell(socket, text.slice(0, -1_600))
    for (let sent = 0; sent < 1_600; sent += 100) {
      await pause(50)
      socket.write('x'.repeat(100))
    }
    expect(await answer).toMatchObject({ status: 200, body: { length: 1_600 } })
  })

  test('a client that does not read its reply is disconnected, and delays nobody meanwhile', async () => {
    const { get, dial, metrics, protection } = await serve({
      secure,
      admission: few,
      connection: { ...connection, graceMs: 300, bytesPerSecond: 1e9, checkEveryMs: 50 },
    })
    const deaf = Array.from({ length: 4 }, () => dial().pause())
    for (const socket of deaf) socket.write(`${'GET /api/large HTTP/1.1\r\nhost: localhost\r\n\r\n'}`)
    await pause(150)
    expect(await get('/api/hello')).toMatchObject({ status: 200 })
    expect(protection.lanes.ordinary).toMatchObject({ active: 0, waiting: 0 })
    await until(() => deaf.length === 4)
    for (let tries = 0; tries < 100 && !(await metrics.registry.metrics()).includes('reason="slow_reader"} 4'); tries += 1) await pause(50)
    expect(await metrics.registry.metrics()).toContain('markbook_connections_ended_total{reason="slow_reader"} 4')
  })
})

test('a refusal keeps the connection for a retry, unless much of the body is still to come', async () => {
  const { get, dial, begun, letGo } = await serve({ admission: { ...few, ordinary: { ...admission.ordinary, concurrent: 1, queued: 0 } } })
  const first = get('/api/hold/first')
  await until(() => begun.length === 1)
  const small = dial()
  const refused = await tell(small, post('/api/echo', 'x'.repeat(1_000)))
  expect(refused).toMatchObject({ status: 503 })
  expect(refused.headers).not.toMatch(/connection: close/i)
  const large = dial()
  expect((await tell(large, post('/api/echo', 'x'.repeat(100_000)).slice(0, 1_000))).headers).toMatch(/connection: close/i)
  await until(() => large.destroyed)
  letGo()
  await first
  expect(await tell(small, post('/api/echo', 'again'))).toMatchObject({ status: 200, body: { length: 5 } })
})

describe('a waiting request', () => {
  test('is refused once it has waited too long, and never started', async () => {
    const { get, begun, letGo, lines } = await serve({
      admission: { ...few, ordinary: { ...admission.ordinary, concurrent: 1, queued: 10 }, queueTimeoutMs: 200 },
    })
    const first = get('/api/hold/first')
    await until(() => begun.length === 1)
    const began = performance.now()
    expect(await get('/api/hold/late')).toMatchObject({ status: 503, body: { code: 'busy' } })
    expect(performance.now() - began).toBeGreaterThan(190)
    expect(lines[0]).toMatchObject({ turned_away: 'waited' })
    letGo()
    await first
    expect(begun).toEqual(['first'])
  })

  test('may wait only for the short time once requests have waited without a pause', async () => {
    const { get, begun, letGo, lines } = await serve({
      admission: {
        ...few,
        ordinary: { ...admission.ordinary, concurrent: 1, queued: 10 },
        queueTimeoutMs: 30_000,
        overloadQueueTimeoutMs: 100,
        overloadAfterMs: 200,
      },
    })
    const first = get('/api/hold/first')
    await until(() => begun.length === 1)
    const sent = performance.now()
    expect(await get('/api/hold/late')).toMatchObject({ status: 503, body: { code: 'busy' } })
    expect(performance.now() - sent).toBeLessThan(15_000)
    expect(lines[0]).toMatchObject({ turned_away: 'waited' })
    letGo()
    await first
  })

  test('whose body was awaited takes a slot again only where one is free', async () => {
    const { dial, begun, letGo, protection } = await serve({ admission: few })
    const bodies = ['a', 'b', 'c', 'd'].map((name) => ({ name, socket: dial() }))
    const answers = bodies.map(({ name, socket }) => tell(socket, post('/api/hold-body', name).slice(0, -1)))
    await pause(100)
    for (const { name, socket } of bodies) socket.write(name)
    await until(() => begun.length === 2 && protection.lanes.ordinary.waiting === 2)
    expect(protection.lanes.ordinary).toMatchObject({ active: 2 })
    letGo()
    await until(() => begun.length === 4)
    letGo()
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200)
  })

  test('is removed when its client disconnects, and never started', async () => {
    const { get, dial, begun, letGo, protection } = await serve({
      admission: {
        ...few,
        ordinary: { ...admission.ordinary, concurrent: 1, queued: 10 },
        queueTimeoutMs: 60_000,
        overloadQueueTimeoutMs: 60_000,
      },
    })
    const first = get('/api/hold/first')
    await until(() => begun.length === 1)
    const gone = dial()
    gone.write('GET /api/hold/gone HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await until(() => protection.lanes.ordinary.waiting === 1)
    gone.destroy()
    await until(() => protection.lanes.ordinary.waiting === 0)
    letGo()
    await first
    expect(await get('/api/hello')).toMatchObject({ status: 200 })
    expect(begun).toEqual(['first'])
  })

  test('takes turns with those of other clients: a client with many requests delays only its own', async () => {
    const { get, begun, letGo, protection } = await serve({
      admission: { ...few, ordinary: { ...admission.ordinary, concurrent: 1, queued: 4 } },
    })
    const answers = [get('/api/hold/loud0', '127.0.0.2')]
    await until(() => begun.length === 1)
    for (const name of ['loud1', 'loud2', 'loud3', 'loud4']) answers.push(get(`/api/hold/${name}`, '127.0.0.2'))
    await until(() => protection.lanes.ordinary.waiting === 4)
    const quiet = get('/api/hold/quiet', '127.0.0.3')
    await until(() => protection.lanes.ordinary.waiting === 5)
    answers.push(get('/api/hold/loud5', '127.0.0.2'))
    await pause(50)
    const ended = Promise.all([...answers, quiet])
    const letting = setInterval(letGo, 5)
    const statuses = (await ended).map(({ status }) => status)
    clearInterval(letting)
    expect(statuses.at(-1)).toBe(200)
    expect(statuses.filter((status) => status === 503)).toHaveLength(1)
    expect(begun.indexOf('quiet')).toBeLessThan(3)
  })

  test('counts towards its client’s limit, started or waiting, whatever other clients do', async () => {
    const ordinary = { concurrent: 2, queued: 100, perClient: 3 }
    const { get, begun, letGo, protection } = await serve({ admission: { ...few, ordinary } })
    const answers = ['a', 'b', 'c'].map((name) => get(`/api/hold/${name}`, '127.0.0.2'))
    await until(() => begun.length === 2 && protection.lanes.ordinary.waiting === 1)
    const other = get('/api/hello', '127.0.0.3')
    expect(await get('/api/hello', '127.0.0.2')).toMatchObject({ status: 503, body: { code: 'busy' } })
    expect(protection.lanes.ordinary).toMatchObject({ active: 2, waiting: 2 })
    letGo()
    await until(() => begun.length === 3)
    letGo()
    for (const answer of await Promise.all([...answers, other])) expect(answer.status).toBe(200)
    expect(await get('/api/hello', '127.0.0.2')).toMatchObject({ status: 200 })
  })

  test('of one school leaves slots to the others: beyond its share it is refused while another school has requests in work', async () => {
    const { get, begun, letGo, protection } = await serve({ admission: { ...admission, perSchool: 2 } })
    const alone = [1, 2, 3].map(() => get('/api/schools/a'))
    await until(() => begun.length === 3)
    letGo()
    for (const answer of await Promise.all(alone)) expect(answer.status).toBe(200)
    const held = [get('/api/schools/b'), get('/api/schools/a'), get('/api/schools/a')]
    await until(() => begun.length === 6)
    const refused = await get('/api/schools/a')
    expect(refused).toMatchObject({ status: 503 })
    expect(refused.headers).toMatch(/\r\nretry-after: 1\r\n/)
    const other = get('/api/schools/b')
    await until(() => begun.length === 7)
    letGo()
    for (const answer of await Promise.all([...held, other])) expect(answer.status).toBe(200)
    expect(protection.lanes.ordinary).toMatchObject({ active: 0, waiting: 0 })
    const again = get('/api/schools/a')
    await until(() => begun.length === 8)
    letGo()
    expect(await again).toMatchObject({ status: 200 })
  })

  test('is refused where the event loop was blocked for too long; health is not', async () => {
    const { get, dial, lines } = await serve({ admission: { ...few, queueTimeoutMs: 200 } })
    await pause(150)
    const sockets = [dial(), dial()]
    for (const socket of sockets) await tell(socket, 'GET /api/hello HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const [late, health] = ['/api/hello', '/healthz'].map((path, at) =>
      tell(sockets[at] as Socket, `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`),
    )
    // Sent in another turn of the event loop, so that both are in the server's sockets when it reads them.
    const began = performance.now()
    while (performance.now() - began < 600) JSON.stringify(lines)
    expect(await late).toMatchObject({ status: 503, body: { code: 'busy' } })
    expect(await health).toMatchObject({ status: 200 })
    expect(lines[0]).toMatchObject({ turned_away: 'waited' })
    expect(await get('/api/hello')).toMatchObject({ status: 200 })
  })

  test('is counted for the client that a trusted proxy names', async () => {
    const { dial, begun, letGo, protection } = await serve({
      trustProxy: ['local'],
      admission: { ...few, ordinary: { ...admission.ordinary, concurrent: 1, queued: 4 } },
    })
    const by = (client: string, name: string) => tell(dial(), get(`/api/hold/${name}`, `x-forwarded-for: ${client}\r\n`))
    const all = [by('198.51.100.1', 'loud0')]
    await until(() => begun.length === 1)
    for (const name of ['loud1', 'loud2', 'loud3', 'loud4']) all.push(by('198.51.100.1', name))
    await until(() => protection.lanes.ordinary.waiting === 4)
    const quiet = by('198.51.100.2', 'quiet')
    const letting = setInterval(letGo, 5)
    expect(await quiet).toMatchObject({ status: 200 })
    await Promise.all(all)
    clearInterval(letting)
  })

  test('is refused with headers that let a page of an allowed site read the reply', async () => {
    const {
      get: ask,
      dial,
      begun,
      letGo,
    } = await serve({ admission: { ...few, ordinary: { ...admission.ordinary, concurrent: 1, queued: 0 } } })
    const first = ask('/api/hold/first')
    await until(() => begun.length === 1)
    expect((await tell(dial(), get('/api/hello', 'origin: https://app.example\r\n'))).headers).toContain(
      'access-control-allow-origin: https://app.example',
    )
    expect((await tell(dial(), get('/api/hello', 'origin: https://evil.example\r\n'))).headers).not.toContain('access-control')
    letGo()
    await first
  })
})

describe('connections', () => {
  test('of one client are limited; others still connect', async () => {
    const { dial, get, metrics } = await serve({ connection: { ...connection, perClient: 5 } })
    const many = Array.from({ length: 8 }, () => dial('127.0.0.2'))
    await until(() => many.filter((socket) => socket.destroyed).length === 3)
    expect(await get('/api/hello', '127.0.0.3')).toMatchObject({ status: 200 })
    expect(await metrics.registry.metrics()).toContain('markbook_connections_ended_total{reason="too_many_of_one"} 3')
  })

  test('of a trusted proxy have only the limit of all', async () => {
    const { dial, get } = await serve({ trustProxy: ['local'], connection: { ...connection, perClient: 3 } })
    const many = Array.from({ length: 8 }, () => dial())
    expect(await get('/api/hello')).toMatchObject({ status: 200 })
    expect(many.filter((socket) => socket.destroyed)).toEqual([])
  })

  test('close for a newcomer only where they have no request in work, first those of the client with most', async () => {
    const { dial, get, begun, letGo } = await serve({ connection: { ...connection, total: 10 } })
    const working = get('/api/hold/working', '127.0.0.2')
    await until(() => begun.length === 1)
    const half = (from: string) => {
      const socket = dial(from)
      socket.write('GET /api/hello HT')
      return socket
    }
    const single = half('127.0.0.3')
    await pause(50)
    const many = Array.from({ length: 7 }, () => half('127.0.0.2'))
    await pause(50)
    for (let turn = 0; turn < 3; turn += 1) {
      dial('127.0.0.4').write('GET /api/hello HT')
      await pause(50)
    }
    expect(single.destroyed).toBe(false)
    expect(many.filter((socket) => socket.destroyed).length).toBeGreaterThan(0)
    letGo()
    expect(await working).toMatchObject({ status: 200 })
  })

  test('with a slow body are refused, whatever they sent before', async () => {
    const { dial } = await serve({ connection: { ...connection, graceMs: 200, bytesPerSecond: 1_000, checkEveryMs: 25 } })
    const socket = dial()
    expect(await tell(socket, post('/api/echo', 'x'.repeat(30_000)))).toMatchObject({ status: 200 })
    const sent = performance.now()
    expect(await tell(socket, post('/api/echo', 'x'.repeat(900)).slice(0, -800))).toMatchObject({ status: 408 })
    expect(performance.now() - sent).toBeLessThan(15_000)
  })

  test('with a stream that is not read any more are closed', async () => {
    const { dial, metrics } = await serve({ connection: { ...connection, stallTimeoutMs: 200, checkEveryMs: 25 } })
    dial().pause().write(get('/api/stream'))
    const ended = async () => (await metrics.registry.metrics()).includes('reason="slow_reader"} 1')
    for (let tries = 0; tries < 100 && !(await ended()); tries += 1) await pause(50)
    expect(await ended()).toBe(true)
  })

  test('that are idle are closed when there are many', async () => {
    const { dial, get } = await serve({ connection: { ...connection, total: 10 } })
    const idle = Array.from({ length: 9 }, () => dial())
    for (const socket of idle) await tell(socket, 'GET /api/hello HTTP/1.1\r\nhost: localhost\r\n\r\n')
    expect(await get('/api/hello')).toMatchObject({ status: 200 })
    await until(() => idle.every((socket) => socket.destroyed))
  })

  test('with unfinished requests, up to the server’s limit, from four addresses, are closed for others', async () => {
    const { dial, get, metrics } = await serve()
    const half = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'].flatMap((from) =>
      Array.from({ length: connection.perClient }, (_, at) => {
        const socket = dial(from)
        socket.write(at % 2 === 0 ? 'GET /api/hello HT' : 'POST /api/echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n')
        return socket
      }),
    )
    expect(half).toHaveLength(connection.total)
    const opened = async () => Number(/^markbook_connections (\d+)$/m.exec(await metrics.registry.metrics())?.[1])
    for (let tries = 0; tries < 400 && (await opened()) < connection.total * 0.95; tries += 1) await pause(25)
    const began = performance.now()
    for (let turn = 0; turn < 10; turn += 1) expect(await get('/api/hello', '127.0.0.9')).toMatchObject({ status: 200 })
    expect(await get('/healthz', '127.0.0.9')).toMatchObject({ status: 200 })
    expect(performance.now() - began).toBeLessThan(connection.headersTimeoutMs / 3)
    expect(half.filter((socket) => !socket.destroyed).length).toBeGreaterThan(connection.total * 0.9)
    expect(await metrics.registry.metrics()).toContain('markbook_connections_ended_total{reason="made_room"}')
  })

  test('that send slow headers, nothing, or nothing more, are closed', async () => {
    const { dial } = await serve({ connection: { ...connection, headersTimeoutMs: 200, keepAliveTimeoutMs: 200, checkEveryMs: 50 } })
    const dribbling = tell(dial(), 'GET /api/hello HT')
    const silent = dial().resume()
    const kept = dial()
    expect(await tell(kept, 'GET /api/hello HTTP/1.1\r\nhost: localhost\r\n\r\n')).toMatchObject({ status: 200 })
    expect(await dribbling).toMatchObject({ status: 408, body: { code: 'too_slow' } })
    await until(() => kept.destroyed && silent.destroyed)
  })

  test('that send no HTTP request get a failure as JSON', async () => {
    const { ask } = await serve()
    expect(await ask('HELO\r\n\r\n')).toMatchObject({ status: 400, body: { code: 'bad_request', statusCode: 400 } })
    expect(await ask(`GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatchObject({
      status: 431,
      body: { code: 'headers_too_large' },
    })
  })

  test('that speak TLS to a server of plain http are logged: the browser shows an error of its own', async () => {
    const { ask, lines } = await serve()
    const hello = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'
    await ask('HELO\r\n\r\n')
    expect(lines).toEqual([])
    await ask(hello)
    await ask(hello)
    expect(lines).toEqual([{ scheme: 'https' }])
  })
})

test('with too many bytes in transit for one client refuse its further requests until those are read; others are served', async () => {
  const { dial, get, protection } = await serve({
    admission: { ...admission, bytesInTransit: { uncounted: 100, perClient: 1_000, total: 5_000 } },
  })
  const text = post('/api/echo', 'x'.repeat(1_500))
  const uploading = dial('127.0.0.2')
  const upload = tell(uploading, text.slice(0, -1_000))
  await pause(50)
  expect(await get('/api/hello', '127.0.0.2')).toMatchObject({ status: 503, body: { code: 'busy' } })
  expect(await get('/healthz', '127.0.0.2')).toMatchObject({ status: 200 })
  expect(await get('/api/hello', '127.0.0.3')).toMatchObject({ status: 200 })
  uploading.write('x'.repeat(1_000))
  expect(await upload).toMatchObject({ status: 200 })
  await pause(20)
  expect(await get('/api/hello', '127.0.0.2')).toMatchObject({ status: 200 })
  expect(protection.lanes.ordinary).toMatchObject({ active: 0, waiting: 0 })
})

test('with too many bytes in transit for all, those clients that have some are refused', async () => {
  const { dial, get } = await serve({
    admission: { ...admission, bytesInTransit: { uncounted: 100, perClient: 1_000, total: 1_500 } },
  })
  for (const from of ['127.0.0.2', '127.0.0.3']) dial(from).write(post('/api/echo', 'x'.repeat(900)).slice(0, -100))
  await pause(50)
  expect(await get('/api/hello', '127.0.0.2')).toMatchObject({ status: 503, body: { code: 'busy' } })
  expect(await get('/api/hello', '127.0.0.4')).toMatchObject({ status: 200 })
})

test('a reply that its client has not read counts as bytes in transit', async () => {
  const { dial, get: ask } = await serve({
    admission: { ...admission, bytesInTransit: { ...admission.bytesInTransit, perClient: 1_000 } },
  })
  dial('127.0.0.2').pause().write(get('/api/large'))
  await pause(150)
  expect(await ask('/api/hello', '127.0.0.2')).toMatchObject({ status: 503, body: { code: 'busy' } })
  expect(await ask('/api/hello', '127.0.0.3')).toMatchObject({ status: 200 })
})
