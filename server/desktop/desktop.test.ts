import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { keepCertificates } from '../lan/authority.ts'
import { type Pair, summaryOf } from '../lan/certificate.ts'
import { listen } from '../lan/listener.ts'
import { invite, parentsOf } from '../replication/identity/enrolment.ts'
import { startReplication } from '../replication/replication.ts'
import { asSystem } from '../store/tx.ts'
import { type School, school } from '../testing/school.ts'
import { accountOf, kernelAddress } from './same-account.ts'

const SECRET = 'what the program and its server alone know'
const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serving(node: School, pair: Pair | null = null): Promise<string> {
  const server: Server = await listen(node.app, { host: '127.0.0.1', port: 0 }, pair)
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `${pair ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An empty laptop whose server the desktop app has started. */
async function laptop() {
  const dataDir = mkdtempSync(join(tmpdir(), 'markbook-window-'))
  const env = { WINDOW_SECRET: SECRET, DATA_DIR: dataDir, NODE_NAME: 'A laptop' }
  const node = await school({ database: 'sqlite', story: false, seed: 'laptop', env })
  closing.push(
    () => node.close(),
    () => rmSync(dataDir, { recursive: true, force: true }),
  )
  return { node, url: await serving(node) }
}

const ticketOf = async (url: string, secret = SECRET) => {
  const reply = await fetch(`${url}/window/ticket`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } })
  return { status: reply.status, ticket: ((await reply.json()) as { ticket: string }).ticket }
}
const jarOf = (reply: Response, before = '') => {
  const jar = new Map(before ? before.split('; ').map((pair) => pair.split('=') as [string, string]) : [])
  for (const set of reply.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    jar.set(name, value)
  }
  return [...jar].map((pair) => pair.join('=')).join('; ')
}
/** Opens the window as the desktop app does: the address it is redirected to, and its cookies. */
async function opened(url: string, cookie = '') {
  const { ticket } = await ticketOf(url)
  const reply = await fetch(`${url}/window?ticket=${ticket}`, { redirect: 'manual', headers: { cookie } })
  return { status: reply.status, goesTo: reply.headers.get('location'), cookie: jarOf(reply, cookie) }
}
const ask = async (url: string, cookie: string, method: string, path: string, body?: object) => {
  const headers = { cookie, ...(body && { 'content-type': 'application/json' }) }
  const reply = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: reply.status, body: (await reply.json()) as never as Record<string, never>, cookie: jarOf(reply, cookie) }
}

const invitation = (st: School, userId: string = people.ada.id) =>
  st.services.store.write(asSystem(), (tx) => invite(tx, { kind: 'laptop', schoolId: stBrigids, userId, by: null }))

describe('the window', () => {
  test('opens only on a server that the desktop app started', async () => {
    const st = await school({ database: 'sqlite', story: false })
    closing.push(() => st.close())
    const url = await serving(st)
    expect([(await ticketOf(url)).status, (await fetch(`${url}/window/here`)).status, (await fetch(`${url}/pair`)).status]).toEqual([
      404, 404, 404,
    ])
  })

  test("opens with the app's secret and a ticket, which is valid once and for half a minute", async () => {
    const { node, url } = await laptop()
    expect((await ticketOf(url, 'x'.repeat(40))).status).toBe(403)
    const { ticket } = await ticketOf(url)
    const open = async (shown: string) => (await fetch(`${url}/window?ticket=${shown}`, { redirect: 'manual' })).status
    expect([await open(''), await open('x'), await open(ticket), await open(ticket)]).toEqual([403, 403, 303, 403])
    const { ticket: old } = await ticketOf(url)
    node.clock.advance(30_001)
    expect(await open(old)).toBe(403)
  })

  test.each([
    ['GET', '/window/here', undefined],
    ['POST', '/window/join', { address: 'http://127.0.0.1:1', code: 'x' }],
    ['POST', '/window/alone', { email: 'a@b.example' }],
    ['POST', '/window/enter', undefined],
  ])('refuses requests without its cookie: %s %s', async (method, path, body) => {
    const { node, url } = await laptop()
    const before = await node.digest()
    for (const cookie of ['', 'markbook-window=', `markbook-window=${'A'.repeat(43)}`])
      expect(await ask(url, cookie, method, path, body)).toMatchObject({ status: 403, body: { code: 'window.not_here' } })
    expect(await node.digest()).toBe(before)
  })

  test('shows the pairing page on a computer without an owner', async () => {
    const { url } = await laptop()
    const { goesTo, cookie } = await opened(url)
    expect(goesTo).toBe('/pair')
    expect((await ask(url, cookie, 'GET', '/window/here')).body).toEqual({ state: 'empty', can_join: true, parent: null, person: null })
  })
})

describe('a ticket is taken only from the account that the server runs as', () => {
  const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0
   1: 0100007F:D431 0100007F:0BB8 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0`
  const to = kernelAddress('127.0.0.1', 3000)

  test("as in the kernel's table of connections", () => {
    expect(to).toBe('0100007F:0BB8')
    expect(accountOf(TABLE, { from: kernelAddress('::ffff:127.0.0.1', 54_321), to })).toBe(1001)
    expect(accountOf(TABLE, { from: kernelAddress('127.0.0.1', 54_322), to })).toBeNull()
  })
})

describe('a teacher without a school', () => {
  test('begins with an address and is signed in at each start; a second address is refused', async () => {
    const { url } = await laptop()
    const { cookie } = await opened(url)
    const begun = await ask(url, cookie, 'POST', '/window/alone', { email: 'Ada@School.example' })
    expect(begun).toMatchObject({ status: 200, body: { state: 'alone', can_join: true, person: { email: 'ada@school.example' } } })
    expect((await ask(url, begun.cookie, 'GET', '/api/auth/me')).body).toMatchObject({ email: 'ada@school.example' })
    expect(await ask(url, cookie, 'POST', '/window/alone', { email: 'eve@b.example' })).toMatchObject({
      status: 409,
      body: { code: 'window.not_empty' },
    })
    const again = await opened(url)
    expect(again.goesTo).toBe('/')
    expect((await ask(url, again.cookie, 'GET', '/api/auth/me')).body).toMatchObject({ email: 'ada@school.example' })
    // The session of the window is no other device: her other sessions get no notice of it.
    expect((await ask(url, again.cookie, 'GET', '/api/auth/sessions')).body).toMatchObject([
      { device: 'Markbook', is_current: true },
      { device: 'Markbook' },
    ])
    expect((await ask(url, begun.cookie, 'GET', '/api/auth/notices')).body).toEqual([])
  })

  test('keeps a session that is still valid', async () => {
    const { url } = await laptop()
    const begun = await ask(url, (await opened(url)).cookie, 'POST', '/window/alone', { email: 'ada@school.example' })
    const again = await opened(url, begun.cookie)
    expect(again.cookie).toBe(begun.cookie)
  })
})

describe('joining a school', () => {
  /** Starts replication as `startServer` does. */
  const replicating = async (node: School) => {
    const replication = await startReplication(node.services)
    node.services.replication = replication
    closing.push(() => replication.stop())
  }
  const untilJoined = async (url: string, cookie: string) => {
    for (let tries = 0; tries < 200; tries += 1) {
      const { body } = await ask(url, cookie, 'GET', '/window/here')
      if (body['state'] !== 'copying') return body
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error('the copy never came')
  }

  test('with its address and an invitation signs the invited teacher in', async () => {
    const st = await school({ database: 'sqlite' })
    closing.push(() => st.close())
    const address = await serving(st)
    const { node, url } = await laptop()
    await replicating(node)
    const { cookie } = await opened(url)
    expect(await ask(url, cookie, 'POST', '/window/join', { address, code: 'AAAAA-AAAAA' })).toMatchObject({
      status: 409,
      body: { code: 'sync.not_let_in', message: expect.stringContaining('This invitation is wrong') },
    })
    const { code } = await invitation(st)
    const joined = await ask(url, cookie, 'POST', '/window/join', { address: `${address}/login`, code: code.toLowerCase() })
    expect(joined.status).toBe(200)
    expect(await untilJoined(url, cookie)).toMatchObject({ state: 'joined', person: { email: people.ada.email } })
    const entered = await opened(url, cookie)
    expect(entered.goesTo).toBe('/')
    expect((await ask(url, entered.cookie, 'GET', '/api/auth/me')).body).toMatchObject({ email: people.ada.email, role: 'teacher' })
    expect(await ask(url, cookie, 'POST', '/window/join', { address, code })).toMatchObject({ status: 409 })
  })

  test('also after working alone with the same address', async () => {
    const st = await school({ database: 'sqlite' })
    closing.push(() => st.close())
    const address = await serving(st)
    const { node, url } = await laptop()
    await replicating(node)
    const begun = await ask(url, (await opened(url)).cookie, 'POST', '/window/alone', { email: people.ada.email })
    const { code } = await invitation(st)
    expect((await ask(url, begun.cookie, 'POST', '/window/join', { address, code })).status).toBe(200)
    expect(await untilJoined(url, begun.cookie)).toMatchObject({ state: 'joined', person: { first_name: people.ada.first_name } })
    expect((await ask(url, begun.cookie, 'GET', '/api/auth/me')).body).toMatchObject({ role: 'teacher' })
    expect((await st.rows('user_profile')).find(({ id }) => id === people.ada.id)?.first_name).toBe(people.ada.first_name)
  })

  test('shows the fingerprint of an unknown authority, and trusts only one that the person confirmed', async () => {
    const st = await school({ database: 'sqlite' })
    closing.push(() => st.close())
    const folder = mkdtempSync(join(tmpdir(), 'markbook-tls-'))
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const names = { dns: ['localhost'], ips: ['127.0.0.1'] }
    const { authority, server } = await keepCertificates(folder, { hostname: 'school', names, now: Date.now() })
    const address = await serving(st, server)
    const { node, url } = await laptop()
    await replicating(node)
    const { cookie } = await opened(url)
    const { code } = await invitation(st)
    const { fingerprint } = summaryOf(authority)
    const join_ = (more: object = {}) => ask(url, cookie, 'POST', '/window/join', { address, code, ...more })
    const input = await join_()
    expect(input).toMatchObject({ status: 409, body: { code: 'sync.not_trusted', issues: [{ message: fingerprint }] } })
    expect((await join_({ fingerprint: fingerprint.replace(/^../, '00') })).body).toMatchObject({ code: 'sync.not_trusted' })
    expect(await node.services.store.read(asSystem(), parentsOf)).toEqual([])
    expect((await join_({ fingerprint })).status).toBe(200)
    expect(await untilJoined(url, cookie)).toMatchObject({ state: 'joined', person: { email: people.ada.email } })
  })

  test.each([
    ['ftp://school.example', 400, 'sync.bad_address'],
    ['http://192.168.1.10:3000', 400, 'sync.insecure_address'],
    ['not an address', 400, 'sync.bad_address'],
    ['http://127.0.0.1:1', 409, 'sync.no_answer'],
    ['https://127.0.0.1:1', 409, 'sync.no_answer'],
  ])('%s is refused, and nothing is written', async (address, status, code) => {
    const { node, url } = await laptop()
    const { cookie } = await opened(url)
    const before = await node.digest()
    expect(await ask(url, cookie, 'POST', '/window/join', { address, code: 'x' })).toMatchObject({ status, body: { code } })
    expect(await node.digest()).toBe(before)
  })
})
