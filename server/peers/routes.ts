import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import type { Row } from '@markbook/shared/tables/tables'
import { weightOfHistory } from '@markbook/sync/protocol/entries'
import { FileAsk } from '@markbook/sync/protocol/files'
import {
  Hello,
  Join,
  Known,
  OLDEST_PROTOCOL,
  PROTOCOL,
  Pull,
  Push,
  Renew,
  type Verified,
  type Welcome,
} from '@markbook/sync/protocol/messages'
import { weightOf } from '@markbook/sync/protocol/page'
import { eq } from 'drizzle-orm'
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import { slotOf } from '../http/limiter.ts'
import type { AppEnv } from '../http/mount.ts'
import type { Services } from '../http/services.ts'
import { lockedNode } from '../store/node.ts'
import { raiseNumber, setPeer } from '../store/peer-row.ts'
import { statement } from '../store/statement.ts'
import { asSystem, type ReadTx, type WriteTx } from '../store/tx.ts'
import { numberAbove } from './above.ts'
import { admit, childByNode, NEW_PEER, peerById, syncFailures } from './enrolment.ts'
import { FILE_CONTENT } from './files/named.ts'
import { answerFiles, giveFile } from './files/serve.ts'
import { isBelowFloor, unknownOf } from './gone.ts'
import { isKey, isSignedBy, nodeKeys, sharedKey } from './keys.ts'
import { vouchedKeys } from './new-keys.ts'
import { newsOf } from './news.ts'
import { nameAnew } from './nodes.ts'
import { nextPage } from './pages.ts'
import { demandNotPutBack, inItsOwnDays } from './put-back.ts'
import { receive } from './receive.ts'
import { scopeOf } from './scope.ts'
import { heard } from './tombstones.ts'
import { withOneHand } from './twofold.ts'
import { digestsInTurn } from './verify.ts'

type Peer = Row<'sync_peer'>
type Ctx = Context<AppEnv>

/** What another node's requests bear (SPEC, «Enrolment, signatures, secrets»), and `answers`, a reply: the signature that it answers. */
export const headersOf = {
  peer: 'markbook-peer',
  number: 'markbook-number',
  signature: 'markbook-signature',
  answers: 'markbook-answers',
} as const

/** What this node answers its children: `/sync/*`, beside the contract, for programs alone. */
export function serveChildren(app: Hono<AppEnv>, services: Services): void {
  const news = newsOf(services.store)
  const digests = digestsInTurn(services.store)
  app.post('/sync/join', (c) => answered(c, () => join(c, services)))
  app.post('/sync/hello', (c) => answered(c, () => hello(c, services)))
  app.post('/sync/renew', (c) => answered(c, () => renew(c, services)))
  app.post('/sync/pull', (c) => answered(c, () => pull(c, services, news)))
  app.post('/sync/push', (c) => answered(c, () => push(c, services)))
  app.post('/sync/known', (c) => answered(c, () => known(c, services)))
  app.post('/sync/verify', (c) => answered(c, () => verify(c, services, digests)))
  app.post('/sync/files', (c) => answered(c, () => files(c, services)))
  app.get(FILE_CONTENT, (c) => {
    c.set('route', FILE_CONTENT)
    return giveFile(services, c.req.raw)
  })
}

async function answered(c: Ctx, work: () => Promise<unknown>): Promise<Response> {
  c.set('route', c.req.path)
  const answers = c.req.header(headersOf.signature) ?? ''
  // Of a refusal too.
  c.set('replyHeaders', [...(c.get('replyHeaders') ?? []), [headersOf.answers, answers]])
  const text = JSON.stringify(await work())
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-request-id': c.get('requestId'),
    [headersOf.answers]: answers,
  }
  if (text.length < 1_024) return new Response(text, { headers })
  return new Response(gzipSync(text, { level: 1 }), { headers: { ...headers, 'content-encoding': 'gzip' } })
}

async function bytesOf(c: Ctx): Promise<Uint8Array> {
  const bytes = new Uint8Array(await c.req.arrayBuffer())
  if (bytes.length > limits.sync.pageBytes) throw syncFailures.tooLarge()
  return bytes
}

function read<S extends z.ZodType>(schema: S, bytes: Uint8Array, gzipped: boolean): z.output<S> {
  try {
    const plain = gzipped ? gunzipSync(bytes, { maxOutputLength: limits.sync.pageBytes }) : Buffer.from(bytes)
    return schema.parse(JSON.parse(plain.toString('utf8')))
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw syncFailures.tooLarge()
    throw common.validationFailed({ message: 'What the other node sent is not of this protocol.' })
  }
}

const isGzipped = (c: Ctx) => c.req.header('content-encoding') === 'gzip'

async function join(c: Ctx, services: Services) {
  const asked = read(Join, await bytesOf(c), isGzipped(c))
  const { store, config } = services
  const host = {
    nodeId: store.nodeId,
    kind: config.role,
    name: config.nodeName,
    keys: keysHere(services),
  } as const
  return store.write(asSystem(), (tx) => admit(tx, host, asked))
}

export const keysHere = ({ store, config }: Pick<Services, 'store' | 'config'>) => nodeKeys(config.sessionSecret, store.nodeId)
export const sealKeys = (services: Pick<Services, 'store' | 'config' | 'keys'>, peer: Pick<Peer, 'box_key'>) => ({
  own: services.keys.seal,
  shared: sharedKey(keysHere(services), peer.box_key),
})

type Asked = { session: boolean; numbered?: boolean }
/**
 * The peer that signed the request. `session`: with a number that rises; a greeting begins one and has none. What only asks may be said
 * beside the others, in any order, and is not `numbered`.
 */
async function signer(c: Ctx, tx: WriteTx, body: Uint8Array, { session, numbered = session }: Asked): Promise<Peer> {
  const id = c.req.header(headersOf.peer) ?? ''
  const number = Number(c.req.header(headersOf.number) ?? 0)
  const peer = /^[0-9a-f-]{36}$/.test(id) ? ((await peerById(tx, id)) ?? (await childByNode(tx, id))) : undefined
  if (peer?.side !== 'child') throw syncFailures.unknownNode()
  const nonce = session ? peer.session_nonce : ''
  if (nonce === null) throw syncFailures.staleSession()
  const signed = { method: c.req.method, path: c.req.path, body, nonce, number }
  if (!isSignedBy(signed, c.req.header(headersOf.signature) ?? '', peer.public_key))
    throw session ? syncFailures.staleSession() : syncFailures.badSignature()
  if (peer.revoked_at) throw syncFailures.revoked()
  if (!numbered) return peer
  const held = Number.isSafeInteger(number) ? await raiseNumber(tx, peer.id, { nonce, number }) : undefined
  if (!held) throw syncFailures.staleSession()
  if (held.revoked_at) throw syncFailures.revoked()
  return held
}

const nameOfSchool = statement<{ id: string }>()(({ db, t: { school }, p }) =>
  db.select({ name: school.name }).from(school).where(eq(school.id, p.id)),
)

async function hello(c: Ctx, services: Services): Promise<Welcome> {
  const bytes = await bytesOf(c)
  const asked = read(Hello, bytes, isGzipped(c))
  const greet = () => welcome(c, services, bytes, asked)
  return inItsOwnDays(services, greet, greet)
}

function welcome(c: Ctx, services: Services, bytes: Uint8Array, { protocol, node, now, cursor, knows }: Hello): Promise<Welcome> {
  return services.store.write(asSystem(), async (tx) => {
    const asking = await signer(c, tx, bytes, { session: false })
    if (protocol < OLDEST_PROTOCOL) throw syncFailures.upgradeNeeded()
    if (node !== asking.node_id) throw syncFailures.unknownNode()
    const nonce = randomBytes(16).toString('base64url')
    const set = { session_nonce: nonce, session_number: 0, clock_offset: Math.round(now - tx.nowMs), last_seen_at: tx.now }
    await setPeer(tx, asking.id, set)
    // What it sent before it greeted may have been under way until now, and counts.
    const peer = (await peerById(tx, asking.id)) ?? asking
    await demandNotPutBack(tx, services, peer, cursor)
    const [own] = await nameOfSchool(tx, { id: peer.school_id ?? '' })
    return {
      protocol: PROTOCOL,
      schema: SCHEMA_VERSION,
      epoch: services.store.nodeId,
      nonce,
      acknowledged: peer.own_seq,
      head: peer.history_head,
      now: tx.nowMs,
      school: peer.school_id as string,
      school_name: own?.name ?? peer.name,
      scope: (await scopeOf(tx, peer)).text,
      sheets: true,
      below: await isBelowFloor(tx, peer.school_id as string, services.store.nodeId, cursor),
      above: await numberAbove(tx, peer.school_id as string),
      ...(await vouchedKeys(tx, { secret: services.config.sessionSecret, node: services.store.nodeId, knows })),
    }
  })
}

/** A node that begins anew is another peer with the same place; the one before stays, for it may be the original of a clone. */
async function renew(c: Ctx, services: Services) {
  const bytes = await bytesOf(c)
  const asked = read(Renew, bytes, isGzipped(c))
  if (!isKey(asked.public_key, 'ed25519') || !isKey(asked.box_key, 'x25519')) throw syncFailures.badSignature()
  return services.store.write(asSystem(), async (tx) => {
    const peer = await signer(c, tx, bytes, { session: true })
    await lockedNode(tx, {})
    // A copy of that database, or one whose answer was lost: nobody can tell, so it takes another.
    if (await childByNode(tx, asked.node)) throw syncFailures.nodeTaken()
    const { sync_peer } = tx.t
    const others: { name: string }[] = await tx.db
      .select({ name: sync_peer.name })
      .from(sync_peer)
      .where(eq(sync_peer.school_id, peer.school_id ?? ''))
    const id = tx.newId()
    const name = nameAnew(
      peer.name,
      others.map((other) => other.name),
    )
    const { node, public_key, box_key } = asked
    const { side, kind, school_id, user_id } = peer
    await tx.local
      .insert(tx.t.sync_peer)
      .values({ ...NEW_PEER, side, kind, school_id, user_id, id, name, node_id: node, public_key, box_key, enrolled_at: tx.now })
    return { peer: id }
  })
}

async function push(c: Ctx, services: Services) {
  const bytes = await bytesOf(c)
  const asked = read(Push, bytes, isGzipped(c))
  if (weightOf(asked.tables) + weightOfHistory(asked.history) > limits.sync.pageBytes) throw syncFailures.tooLarge()
  const { store } = services
  return withOneHand(store, () =>
    store.write(asSystem(), async (tx) => {
      const peer = await signer(c, tx, bytes, { session: true })
      return receive(tx, peer, store.nodeId, asked, sealKeys(services, peer))
    }),
  )
}

async function known(c: Ctx, services: Services) {
  const bytes = await bytesOf(c)
  const asked = read(Known, bytes, isGzipped(c))
  return services.store.write(asSystem(), async (tx) => unknownOf(tx, await signer(c, tx, bytes, { session: true }), asked))
}

/** What this node holds of what is the child's, in figures. */
async function verify(c: Ctx, services: Services, digests: ReturnType<typeof digestsInTurn>): Promise<Verified> {
  const bytes = await bytesOf(c)
  const peer = await services.store.write(asSystem(), (tx) => signer(c, tx, bytes, { session: true }))
  const over = AbortSignal.any([c.req.raw.signal, services.jobs.stopping])
  return slotOf(c.env?.incoming).releasedDuring(() => digests(peer, over))
}

/** Which files of rows go which way, and by what right. */
async function files(c: Ctx, services: Services) {
  const bytes = await bytesOf(c)
  const asked = read(FileAsk, bytes, isGzipped(c))
  const peer = await services.store.write(asSystem(), (tx) => signer(c, tx, bytes, { session: true, numbered: false }))
  return answerFiles(services, peer, asked)
}

const sessionOver = async () => {
  throw syncFailures.staleSession()
}

/** Answers at once where there is something, else when there is, or after `wait` seconds with nothing. */
async function pull(c: Ctx, services: Services, news: ReturnType<typeof newsOf>) {
  const bytes = await bytesOf(c)
  const asked = read(Pull, bytes, isGzipped(c))
  const { store } = services
  const begin = store.write(asSystem(), async (tx) => {
    // That it asked, and how far it has read: a question that is heard twice is answered twice, and changes nothing.
    const [signed] = await Promise.all([signer(c, tx, bytes, { session: true }), tx.dialect.hurry(tx.connection)])
    await demandNotPutBack(tx, services, signed, asked.cursor)
    await heard(tx, store.nodeId, signed, asked.cursor)
    return { peer: signed, epoch: store.nodeId }
  })
  const { peer, epoch } = await inItsOwnDays(services, () => begin, sessionOver)
  const slot = slotOf(c.env?.incoming)
  const until = performance.now() + asked.wait * 1_000
  // Nobody waits for an answer that nobody reads, nor keeps a server from stopping.
  const over = AbortSignal.any([c.req.raw.signal, services.jobs.stopping])
  for (let hasWaited = false; ; hasWaited = true) {
    const told = news.next([peer.school_id as string], Math.max(0, until - performance.now()), over)
    // It began anew meanwhile, and must be greeted first: whoever is told another epoch sends everything again.
    if (store.nodeId !== epoch) throw syncFailures.staleSession()
    const page = await store.read(asSystem(), async (tx) => {
      if (hasWaited) await demandEnrolled(tx, peer.id)
      return nextPage(tx, peer, epoch, asked, sealKeys(services, peer))
    })
    if (page.tables.length > 0 || !page.is_last || page.cursor !== asked.cursor || performance.now() >= until || over.aborted) {
      told.forget()
      return page
    }
    // Whoever waits for news holds nobody else up.
    await slot.releasedDuring(() => told.promise)
  }
}

/** It may have been revoked while it waited. */
async function demandEnrolled(tx: ReadTx, id: string): Promise<void> {
  const peer = await peerById(tx, id)
  if (!peer || peer.revoked_at) throw syncFailures.revoked()
}
