import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import zlib, { gzipSync } from 'node:zlib'
import { limits } from '@markbook/shared/limits'
import { people, stBrigids } from '@markbook/shared/story/people'
import { packEntries } from '@markbook/sync/protocol/entries'
import { OLDEST_PROTOCOL, PROTOCOL } from '@markbook/sync/protocol/messages'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { jsonLog } from '../http/log.ts'
import { overloadProtection } from '../http/overload.ts'
import { listen } from '../lan/listener.ts'
import { invite, keysOfCode, parentsOf } from '../replication/identity/enrolment.ts'
import { isReplyOf, isReplyProved, type NodeKeys, nodeKeys, signatureOf } from '../replication/identity/keys.ts'
import { keysOfEnrolment } from '../replication/incarnation/incarnation.ts'
import { setPeer } from '../store/peer-row.ts'
import { asSystem } from '../store/tx.ts'
import { carrierTo, makeRound, under, unpacked } from '../testing/nodes.ts'
import { type School, school } from '../testing/school.ts'

const PATHS = ['join', 'challenge', 'hello', 'renew', 'pull', 'push', 'known', 'verify', 'files', 'wiped'].map((name) => `/sync/${name}`)
const closing: (() => unknown)[] = []
let centre: School
beforeEach(async () => {
  centre = await school({ seed: 'centre' })
  closing.push(() => centre.close())
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0).reverse()) await close()
})

const invitation = (at = centre) =>
  at.services.store.write(asSystem(), (tx) => invite(tx, { kind: 'school', schoolId: stBrigids, userId: null, by: people.okafor.id }))
/** Somebody has joined, so that the centre answers. */
async function withChild() {
  const box = await school({ seed: 'box', story: false, database: 'sqlite' })
  closing.push(() => box.close())
  await under(centre, box)
  await makeRound(box, carrierTo(centre))
  const [parent] = await box.services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('the school has no parent')
  return { box, peer: parent.id, keys: keysOfEnrolment(box.services, parent) }
}

type RequestParts = { headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> | string }
const ask = async (path: string, { headers = {}, body = '{}' }: RequestParts = {}) => {
  const request = new Request(`https://parent.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const response = await unpacked(await centre.app.fetch(request))
  const text = await response.text()
  const code = (JSON.parse(text) as { code?: string }).code
  return { status: response.status, code, text, headers: Object.fromEntries(response.headers) }
}
/** Headers of the right form that bear nobody's signature. */
const claiming = (peer: string, more: Record<string, string> = {}) => ({
  'markbook-protocol': String(PROTOCOL),
  'markbook-peer': peer,
  'markbook-number': '1',
  'markbook-signature': 'A'.repeat(86),
  ...more,
})
const signed = (
  path: string,
  body: Uint8Array,
  { peer, keys, nonce = '', number = 1 }: { peer: string; keys: NodeKeys; nonce?: string; number?: number },
) =>
  claiming(peer, {
    'markbook-number': String(number),
    'markbook-signature': signatureOf({ method: 'POST', path, body, nonce, number }, keys),
  })
const sessionOf = async (peer: string) =>
  (await centre.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer))).find(({ id }) => id === peer)
    ?.session_nonce ?? ''

/** 29 KB that unpack to 29 MB of JSON. */
const bomb = () => new Uint8Array(gzipSync(`{"table":"${'x'.repeat(29_000_000)}","ids":[]}`, { level: 9 }))
const gzipped = { 'content-encoding': 'gzip' }

describe('who is no child, or has not signed', () => {
  test('sends nothing that is unpacked or parsed', async () => {
    const { peer } = await withChild()
    await invitation()
    const body = bomb()
    expect(body.length).toBeLessThan(32_000)
    const [unpacks, parses] = [vi.spyOn(zlib, 'gunzipSync'), vi.spyOn(JSON, 'parse')]
    for (const path of PATHS)
      for (const who of [{}, claiming(randomUUID()), claiming(peer)])
        for (const form of [{}, gzipped]) {
          const headers = { 'content-type': 'application/json', ...who, ...form }
          const { status } = await centre.app.fetch(new Request(`https://parent.test${path}`, { method: 'POST', headers, body }))
          expect(status).toBeGreaterThanOrEqual(400)
          expect(status).toBeLessThan(500)
        }
    expect(unpacks).not.toHaveBeenCalled()
    expect(parses.mock.calls.filter(([text]) => text.length > 10_000)).toEqual([])
  })

  test('is told what is wrong in the order of the checks', async () => {
    const { peer, keys } = await withChild()
    const path = '/sync/known'
    const large = { 'content-length': String(limits.sync.message.listBytes + 1) }
    const nobody = claiming(randomUUID())
    const text = { 'content-type': 'text/plain' }
    const foreign = { origin: 'https://evil.example' }
    expect(await ask(path, { headers: { ...nobody, ...large, ...text, ...foreign } })).toMatchObject({ status: 413 })
    expect(await ask(path, { headers: { ...nobody, ...text, ...foreign } })).toMatchObject({ status: 415 })
    expect(await ask(path, { headers: { ...nobody, ...foreign } })).toMatchObject({ status: 403, code: 'foreign_origin' })
    expect(await ask(path, { headers: claiming('nobody') })).toMatchObject({ status: 401, code: 'sync.bad_signature' })
    expect(await ask(path, { headers: nobody })).toMatchObject({ status: 401, code: 'sync.unknown_node' })
    expect(await ask(path, { headers: claiming(peer) })).toMatchObject({ status: 409, code: 'sync.stale_session' })
    const body = Buffer.from('not of this protocol')
    const nonce = await sessionOf(peer)
    const number = 1_000
    const headers = signed(path, body, { peer, keys, nonce, number })
    await centre.services.store.write(asSystem(), (tx) => setPeer(tx, peer, { revoked_at: tx.now }))
    expect(await ask(path, { headers, body })).toMatchObject({ status: 403, code: 'sync.revoked' })
    await centre.services.store.write(asSystem(), (tx) => setPeer(tx, peer, { revoked_at: null, session_number: number }))
    expect(await ask(path, { headers, body })).toMatchObject({ status: 409, code: 'sync.stale_session' })
    await centre.services.store.write(asSystem(), (tx) => setPeer(tx, peer, { session_number: number - 1 }))
    expect(await ask(path, { headers, body })).toMatchObject({ status: 400, code: 'validation_failed' })
  })

  test('is in the log, with the node that signed or that was named, and one line a minute for all who are unknown', async () => {
    const { box, peer, keys } = await withChild()
    const lines: Record<string, unknown>[] = []
    centre.services.log = jsonLog('warn', { write: (line) => void lines.push(JSON.parse(line)) })
    const path = '/sync/known'
    for (let time = 0; time < 20; time += 1) await ask(path, { headers: claiming(randomUUID()) })
    expect(lines).toEqual([expect.objectContaining({ node: null, person: null, code: 'sync.unknown_node', count: 1 })])
    centre.clock.advance(limits.sync.refusalLog.everyMs)
    await ask('/sync/challenge', { headers: claiming(peer) })
    const node = { node: box.services.store.nodeId, kind: 'school' }
    expect(lines.slice(1)).toEqual([expect.objectContaining({ ...node, code: 'sync.bad_signature', count: 20 })])
    const replayed = signed(path, Buffer.from('{}'), { peer, keys, nonce: await sessionOf(peer), number: 0 })
    for (let time = 0; time < 3; time += 1) await ask(path, { headers: replayed })
    expect(lines.slice(2)).toEqual([expect.objectContaining({ ...node, code: 'sync.stale_session', count: 1 })])
  })

  test('sends no small question compressed', async () => {
    const { peer } = await withChild()
    for (const path of ['/sync/join', '/sync/challenge', '/sync/hello', '/sync/pull', '/sync/renew', '/sync/verify'])
      expect(await ask(path, { headers: { ...claiming(peer), ...gzipped } })).toMatchObject({ status: 415 })
  })

  test('a page of another site says nothing here, whatever its address and content', async () => {
    const { peer } = await withChild()
    for (const path of PATHS)
      for (const origin of ['https://evil.example', 'null', 'http://parent.test'])
        expect(await ask(path, { headers: { ...claiming(peer), origin } })).toMatchObject({ status: 403, code: 'foreign_origin' })
    const taken = await centre.app.fetch(
      new Request('https://parent.test/sync/files/content', { headers: { origin: 'https://evil.example' } }),
    )
    expect(taken.status).toBe(403)
  })
})

describe('a child', () => {
  test.each([
    ['/sync/known', limits.sync.message.listBytes],
    ['/sync/push', limits.sync.pageBytes],
  ] as const)('%s may not send what unpacks to more than %i bytes', async (path, most) => {
    const { peer, keys } = await withChild()
    const body = new Uint8Array(gzipSync(Buffer.alloc(most + 1, ' ')))
    const headers = { ...signed(path, body, { peer, keys, nonce: await sessionOf(peer), number: 1_000 }), ...gzipped }
    expect(await ask(path, { headers, body })).toMatchObject({ status: 413, code: 'sync.too_large' })
  })

  test('B1: sends no more rows at once than a page has, and of more nothing is taken', async () => {
    const { peer, keys } = await withChild()
    const path = '/sync/push'
    const nonce = await sessionOf(peer)
    const push = (number: number, tables: object[]) => {
      const body = new Uint8Array(gzipSync(JSON.stringify({ from: 0, to: 7, cursor: null, tables, history: packEntries([]) })))
      return ask(path, { headers: { ...signed(path, body, { peer, keys, nonce, number }), ...gzipped }, body })
    }
    const of = (table: string, count: number, id = randomUUID()) => {
      const ids = Array.from({ length: count }, () => id)
      return { table, columns: [], units: {}, versions: [[1, {}, {}, [], null]], ids, at: ids.map(() => 0), cells: [] }
    }
    const before = await centre.digest()
    const most = limits.sync.pushRows
    expect(await push(1_000, [of('of_a_newer_program', most - 1), of('of_another', 2)])).toMatchObject({
      status: 413,
      code: 'sync.too_large',
    })
    expect(await centre.digest()).toBe(before)
    expect(await push(1_001, [of('of_a_newer_program', most - 1), of('of_another', 1)])).toMatchObject({ status: 200 })
  })

  test('B1: a page weighs what it says, however shortly', async () => {
    const { peer, keys } = await withChild()
    const path = '/sync/push'
    const nonce = await sessionOf(peer)
    const count = 10_000
    const push = (number: number, value: string) => {
      const ids = Array.from({ length: count }, () => randomUUID())
      const sheet = { versions: [[1, {}, {}, [], null]], ids, at: ids.map(() => 0), cells: [{ all: value }] }
      const tables = [{ table: 'of_a_newer_program', columns: ['a'], units: {}, ...sheet }]
      const body = Buffer.from(JSON.stringify({ from: 0, to: 7, cursor: null, tables, history: packEntries([]) }))
      return ask(path, { headers: signed(path, body, { peer, keys, nonce, number }), body })
    }
    const fits = Math.floor(limits.sync.pageBytes / count) - 100
    expect(await push(1_000, 'x'.repeat(fits + 200))).toMatchObject({ status: 413, code: 'sync.too_large' })
    expect(await push(1_001, 'x'.repeat(fits))).toMatchObject({ status: 200 })
  })

  const { minimalBytes, smallBytes, listBytes } = limits.sync.message
  test.each([
    ['challenge', minimalBytes],
    ['verify', minimalBytes],
    ['join', smallBytes],
    ['hello', smallBytes],
    ['renew', smallBytes],
    ['pull', smallBytes],
    ['known', listBytes],
    ['files', listBytes],
    ['push', limits.sync.pageBytes],
  ])('B9: says no more to /sync/%s than %i bytes', async (name, most) => {
    const { peer } = await withChild()
    const announcing = (bytes: number) => ask(`/sync/${name}`, { headers: { ...claiming(peer), 'content-length': String(bytes) } })
    expect((await announcing(most + 1)).status).toBe(413)
    expect((await announcing(most)).status).not.toBe(413)
  })

  test('B2: asks for news to come within 25 seconds', async () => {
    const { peer, keys } = await withChild()
    const path = '/sync/pull'
    const nonce = await sessionOf(peer)
    const pull = (number: number, wait: number) => {
      const body = Buffer.from(JSON.stringify({ cursor: null, wait, scope: null }))
      return ask(path, { headers: signed(path, body, { peer, keys, nonce, number }), body })
    }
    expect(await pull(1_000, 26)).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(await pull(1_001, 25)).toMatchObject({ status: 200 })
  })

  test('B6: asks about 200 files at once', async () => {
    const { peer, keys } = await withChild()
    const path = '/sync/files'
    const nonce = await sessionOf(peer)
    const about = (number: number, count: number) => {
      const files = Array.from({ length: count }, () => ({ table: 'school', id: randomUUID(), held: null }))
      const body = Buffer.from(JSON.stringify({ files }))
      return ask(path, { headers: signed(path, body, { peer, keys, nonce, number }), body })
    }
    expect(await about(1_000, 201)).toMatchObject({ status: 413, code: 'sync.too_large' })
    expect(await about(1_001, 200)).toMatchObject({ status: 200 })
  })

  test('sends one page at a time: another beside it is to come later', async () => {
    const { peer, keys } = await withChild()
    const path = '/sync/push'
    const nonce = await sessionOf(peer)
    const body = Buffer.from(JSON.stringify({ from: 0, to: 0, cursor: null, tables: [], history: packEntries([]) }))
    const answers = await Promise.all(
      [1_000, 1_001].map((number) => ask(path, { headers: signed(path, body, { peer, keys, nonce, number }), body })),
    )
    expect(answers.map(({ status, code }) => code ?? status).sort()).toEqual([200, 'sync.later'])
    expect(await ask(path, { headers: signed(path, body, { peer, keys, nonce, number: 1_002 }), body })).toMatchObject({ status: 200 })
  })
})

describe('a body that does not end', () => {
  const TOTAL = 1_200_000_000
  const PIECE = Buffer.alloc(65_536, ' ')

  async function listening() {
    const server = await listen(centre.app, { host: '127.0.0.1', port: 0 }, null, { protection: overloadProtection(centre.services) })
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    return server
  }

  /** Sends the body over a real connection; answers how many bytes the server took, and the status: 0 where the end of the connection was faster. */
  async function pour(server: Awaited<ReturnType<typeof listening>>, path: string, headers: Record<string, string>) {
    const taken = new Promise<number>((resolve) => server.once('connection', (far) => far.once('close', () => resolve(far.bytesRead))))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    let heard = ''
    socket.on('data', (piece) => {
      heard += piece.toString()
    })
    socket.on('error', () => {})
    const lines = Object.entries({ host: 'parent.test', 'content-type': 'application/json', ...headers })
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    const piece = 'transfer-encoding' in headers ? Buffer.concat([Buffer.from('10000\r\n'), PIECE, Buffer.from('\r\n')]) : PIECE
    let sent = 0
    const more = () => {
      while (sent < TOTAL && socket.writable) {
        sent += PIECE.length
        if (!socket.write(piece)) return void socket.once('drain', more)
      }
      socket.destroy()
    }
    more()
    const read = await taken
    socket.destroy()
    return { status: Number(heard.split(' ')[1] ?? 0), read }
  }

  test.each([
    ['announced', { 'content-length': String(TOTAL) }],
    ['in pieces', { 'transfer-encoding': 'chunked' }],
  ])('%s, of nobody: it is refused, and its connection ends', async (_, length) => {
    const { peer } = await withChild()
    const server = await listening()
    const reads = vi.spyOn(Request.prototype, 'arrayBuffer')
    for (const path of PATHS)
      for (const who of [claiming(randomUUID()), claiming(peer)]) {
        const { status, read } = await pour(server, path, { ...who, ...length })
        expect([0, 400, 401, 413, 426]).toContain(status)
        expect(read).toBeLessThan(TOTAL / 50)
      }
    expect(reads).not.toHaveBeenCalled()
  })
})

describe('a node that nobody has joined and nobody is invited to', () => {
  const unknown = '/of/no/such/thing'
  const plain = ({ status, text, headers: { 'x-request-id': _, ...headers } }: Awaited<ReturnType<typeof ask>>) => ({
    status,
    text,
    headers,
  })

  test('answers as at any address where there is nothing', async () => {
    const nothing = plain(await ask(unknown))
    expect(nothing.status).toBe(404)
    const forms: Record<string, string>[] = [
      {},
      claiming(randomUUID()),
      claiming('x'.repeat(43)),
      { origin: 'https://evil.example' },
      { 'content-type': 'text/plain' },
      gzipped,
    ]
    for (const path of PATHS) for (const headers of forms) expect(plain(await ask(path, { headers }))).toEqual(nothing)
    const get = async (path: string) => {
      const response = await centre.app.fetch(new Request(`https://parent.test${path}`))
      const headers = Object.fromEntries(response.headers)
      return plain({ status: response.status, text: await response.text(), headers, code: undefined })
    }
    expect(await get('/sync/files/content')).toEqual(await get(unknown))
  })

  test('answers as soon as somebody is invited, and until the invitation ends; a child, also one that was revoked, is always answered', async () => {
    const statusOf = async () => (await ask('/sync/challenge', { headers: claiming(randomUUID()) })).status
    expect(await statusOf()).toBe(404)
    await invitation()
    expect(await statusOf()).toBe(401)
    centre.clock.advance(limits.sync.invitation.lifetimeMs + 1)
    expect(await statusOf()).toBe(404)
    const { peer } = await withChild()
    centre.clock.advance(limits.sync.invitation.lifetimeMs + 1)
    expect(await statusOf()).toBe(401)
    await centre.services.store.write(asSystem(), (tx) => setPeer(tx, peer, { revoked_at: tx.now }))
    expect(await statusOf()).toBe(401)
  })
})

describe.each([2, OLDEST_PROTOCOL - 1])('who speaks protocol %i is told to be updated, signed, for it believes nothing else', (spoken) => {
  const before = { 'markbook-protocol': String(spoken) }
  const tooOld = { status: 426, code: 'sync.upgrade_needed' }
  const replyTo = (headers: Record<string, string>, { status, text }: { status: number; text: string }) => ({
    answers: `${spoken === 2 ? '' : `${headers['markbook-peer']} `}${headers['markbook-signature']}`,
    status,
    body: Buffer.from(text),
  })

  test('a child, in its session or not', async () => {
    const { peer, keys } = await withChild()
    const { publicKey } = nodeKeys(centre.services.config.sessionSecret, centre.services.store.nodeId)
    for (const path of PATHS.slice(1))
      for (const nonce of ['', await sessionOf(peer)]) {
        const headers = { ...signed(path, Buffer.from('{}'), { peer, keys, nonce }), ...before }
        const refused = await ask(path, { headers })
        expect(refused).toMatchObject(tooOld)
        expect(isReplyOf(replyTo(headers, refused), refused.headers['markbook-signature'] ?? '', publicKey)).toBe(true)
      }
  })

  test('who joins with a code: the refusal proves that this server made it, and the code stays good', async () => {
    const { code } = await invitation()
    const { id, signing, verifier } = keysOfCode(code)
    const path = '/sync/join'
    const headers = { ...signed(path, Buffer.from('{}'), { peer: id, keys: { signing } as NodeKeys }), ...before }
    const refused = await ask(path, { headers })
    expect(refused).toMatchObject(tooOld)
    expect(isReplyProved(replyTo(headers, refused), refused.headers['markbook-signature'] ?? '', verifier)).toBe(true)
    const [kept] = await centre.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_invitation))
    expect(kept?.used_at).toBeNull()
  })

  test('nobody whom this server knows, or without a right form: the same, unsigned or not', async () => {
    await withChild()
    expect(await ask('/sync/hello', { headers: { ...claiming(randomUUID()), ...before } })).toMatchObject(tooOld)
    expect(await ask('/sync/hello', { headers: { ...claiming('nobody'), ...before } })).toMatchObject(tooOld)
    expect(await ask('/sync/join', { headers: { ...claiming('A'.repeat(43)), ...before } })).toMatchObject(tooOld)
  })
})

type Kept = { method: string; path: string; headers: Record<string, string>; body: string }
const before = JSON.parse(readFileSync(new URL('./fixtures/requests-of-protocol-1.json', import.meta.url), 'utf8')) as Kept[]

test.each(before.map((request) => [request.path, request] as const))(
  '%s of a program of the first protocol: it is told to be updated in words that it understands, and waits',
  async (path, { headers, body }) => {
    await invitation()
    const refused = await ask(path, { headers, body: new Uint8Array(Buffer.from(body, 'base64')) })
    // That program believes a refusal without `markbook-answers`, and this code ends in its state «upgrade», which loses nothing.
    expect(refused).toMatchObject({ status: 426, code: 'sync.upgrade_needed' })
    expect(refused.headers).not.toHaveProperty('markbook-answers')
    expect(JSON.parse(refused.text)).toMatchObject({ message: expect.stringMatching(/too old to replicate.*nothing is lost/) })
  },
)
