import { gunzipSync, gzipSync } from 'node:zlib'
import { common, Failure } from '@markbook/shared/failures'
import { isId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { OLDEST_PROTOCOL } from '@markbook/sync/protocol/messages'
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import { codeOf } from '../../error-code.ts'
import { slotOf } from '../../http/limiter.ts'
import type { AppEnv } from '../../http/mount.ts'
import { failureReply, type HeaderList } from '../../http/replies.ts'
import { mediaType, readBytes } from '../../http/requests.ts'
import type { Services } from '../../http/services.ts'
import { type Peer, raiseNumber } from '../../store/peer-row.ts'
import type { WriteTx } from '../../store/tx.ts'
import { isChallengeFor } from '../identity/challenge.ts'
import { askingChild, invitationNamed, isSilent, syncFailures } from '../identity/enrolment.ts'
import { isSignedBy, proveReply, type Reply, signReply } from '../identity/keys.ts'
import { keysKnownAs } from '../identity/own-keys.ts'
import { isShutOut } from '../identity/wipe.ts'
import { refusalLogOf, type Sender, senderOf } from '../issues/refusal-log.ts'
import { answering, headersOf } from '../line/headers.ts'

export type Ctx = Context<AppEnv>

/** The well-formed headers of a request. Its signature is not verified yet. */
type SyncHeaders = { peer: string; number: number; challenge: string; signature: string; parent: { node: string; key: string } }

const FORMS = {
  peer: /^[\w-]{36,43}$/,
  number: /^\d{1,15}$/,
  challenge: /^[\w.-]{0,200}$/,
  parent: /^([0-9a-f-]{36}) ([\w-]{43})$|^$/,
  signature: /^[\w-]{86}$/,
} as const

/** From this protocol on a child takes no refusal that its parent has not signed. Programs of protocol 1 do not send their protocol. */
const SIGNED_SINCE = 2
/** From this protocol on the signature of a reply also covers who asked, and not only the signature of the request. */
const BOUND_SINCE = 3

/**
 * Throws 426 where the child speaks an older protocol than the oldest that is spoken here. The refusal is signed where the child can verify
 * it: only a signed one makes it tell its person to update.
 */
async function demandProtocol<A extends Asker>(c: Ctx, services: Services, from: Finder<A>, exchange: Exchange): Promise<void> {
  const spoken = Number(c.req.header(headersOf.protocol))
  if (spoken >= OLDEST_PROTOCOL) return
  const refusal = syncFailures.upgradeNeeded()
  if (!(spoken >= SIGNED_SINCE)) throw refusal
  try {
    const heard = heardIn(c)
    exchange.answers = spoken >= BOUND_SINCE ? answering(heard) : heard.signature
    await from(services, heard, exchange)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
  throw refusal
}

function heardIn(c: Ctx): SyncHeaders {
  const of = (name: keyof typeof FORMS) => {
    const found = FORMS[name].exec(c.req.header(headersOf[name]) ?? '')
    if (!found) throw syncFailures.badSignature()
    return found
  }
  const [, node = '', key = ''] = of('parent')
  return {
    peer: of('peer')[0],
    number: Number(of('number')[0]),
    challenge: of('challenge')[0],
    signature: of('signature')[0],
    parent: { node, key },
  }
}

/**
 * Who asks, as the headers name it. `verifier`: the public key (base64url) that verifies the signature; `nonce`: the one that the signature
 * covers.
 */
type Asker = {
  verifier: string
  nonce: string
  /** The failure for a wrong signature. */
  wrong: () => Failure
  /**
   * Called once the signature is verified. Throws where this asker gets no answer: revoked, a wrong challenge, a number that is not
   * greater.
   */
  demandHeard: () => void
}
/** An enrolled child. `nonce`: that of its session, the challenge of its greeting, or empty. */
export type Child = Asker & { peer: Peer; number: number }
export type Invited = Asker & { invitation: Row<'sync_invitation'> }

/**
 * What is known of a request so far. `answers`: what the signature of the reply covers of the request (`answering`). `sign`: signs the
 * reply; null while the asker has no key to verify it. `sender`: the enrolment that the request names. `stage`: `named` once the asker was
 * found, `signed` once its signature was verified, `taken` once the request was handed to `work`.
 */
type Exchange = {
  answers: string
  sign: ((reply: Reply) => string) | null
  sender: Sender
  stage: 'unknown' | 'named' | 'signed' | 'taken'
}
const NOBODY: Sender = { peer: null, node: null, kind: null, person: null }
/** Finds the asker of a route by the headers, and sets in the exchange how its replies are signed. Throws where there is no such asker. */
type Finder<A extends Asker> = (services: Services, heard: SyncHeaders, exchange: Exchange) => Promise<A>

export const invited: Finder<Invited> = async ({ store, clock }, { peer: id }, exchange) => {
  const invitation = await store.readOnce((tx) => invitationNamed(tx, id, clock.now()))
  if (!invitation) throw syncFailures.invitationInvalid()
  exchange.sign = (reply) => proveReply(reply, invitation.code_hash)
  return { invitation, verifier: invitation.code_hash, nonce: '', wrong: syncFailures.invitationInvalid, demandHeard: () => {} }
}

/** A child that asks for a challenge. */
export const enrolled: Finder<Child> = async (services, { peer: id, number, parent }, exchange) => {
  const keys = await keysKnownAs(services, parent)
  // Set before the child is looked up: a child takes `sync.unknown_node` of a restored parent only where it is signed.
  exchange.sign = (reply) => signReply(reply, keys)
  if (!isId(id)) throw syncFailures.badSignature()
  const peer = await askingChild(services.store, id)
  if (!peer) throw syncFailures.unknownNode()
  exchange.sender = senderOf(peer)
  const demandHeard = () => {
    if (isShutOut(peer)) throw syncFailures.revoked()
  }
  return { peer, number, nonce: '', verifier: peer.public_key, wrong: syncFailures.badSignature, demandHeard }
}

/** A laptop that reports that it is erased, perhaps repeatedly. The report is taken even where the laptop is revoked. */
export const departing: Finder<Child> = async (services, heard, exchange) => ({
  ...(await enrolled(services, heard, exchange)),
  demandHeard: () => {},
})

/** A child that greets. */
export const greeting: Finder<Child> = async (services, heard, exchange) => {
  const child = await enrolled(services, heard, exchange)
  const demandHeard = () => {
    child.demandHeard()
    if (!isChallengeFor(child.peer, heard.challenge, challengeHere(services))) throw syncFailures.staleSession()
  }
  return { ...child, nonce: heard.challenge, demandHeard }
}

/**
 * A child in its session, for requests that change nothing: their numbers are random and not counted, so they may be sent beside others.
 */
export const inSession: Finder<Child> = async (services, heard, exchange) => {
  const child = await enrolled(services, heard, exchange)
  const { session_nonce: nonce } = child.peer
  if (nonce === null) throw syncFailures.staleSession()
  return { ...child, nonce, wrong: syncFailures.staleSession }
}

/** A child in its session, with a number greater than the last. A late number is refused here; `countedIn` decides in the transaction. */
export const numbered: Finder<Child> = async (services, heard, exchange) => {
  const child = await inSession(services, heard, exchange)
  const demandHeard = () => {
    child.demandHeard()
    if (child.number <= child.peer.session_number) throw syncFailures.staleSession()
  }
  return { ...child, demandHeard }
}

export const challengeHere = ({ store, clock, keys }: Services) => ({ node: store.nodeId, key: keys.peers, now: clock.now() })

/**
 * Notes the number of a request as the last of its session, and returns the peer as the requests before left it. Throws
 * `sync.stale_session` where the session is over or the number is not greater, and `sync.revoked`.
 */
export async function countedIn(tx: WriteTx, { peer, nonce, number }: Child): Promise<Peer> {
  const held = await raiseNumber(tx, peer.id, { nonce, number })
  if (!held) throw syncFailures.staleSession()
  if (isShutOut(held)) throw syncFailures.revoked()
  return held
}

/**
 * One kind of request. `most`: the most bytes of its body, as it comes and unpacked; `isPacked`: it may be gzipped; `isAlone`: a child may
 * have only one of them under way, since it may be large.
 */
export type SyncRoute<A extends Asker, S extends z.ZodType> = {
  path: string
  from: Finder<A>
  schema: S
  most: number
  isPacked?: boolean
  isAlone?: boolean
}

/** The enrolments whose large request is being read or answered. */
export type Busy = Set<string>

/**
 * Mounts one kind of request. Its form is checked first, then who asks, then the signature over the body as it came; only then is the body
 * unpacked and parsed (SPEC, «The wire»). A node without a child and without an open invitation answers as at any path where there is
 * nothing (M10).
 */
export function answerAt<A extends Asker, S extends z.ZodType>(
  { app, services, busy }: { app: Hono<AppEnv>; services: Services; busy: Busy },
  way: SyncRoute<A, S>,
  work: (given: { c: Ctx; asker: A; asked: z.output<S> }) => Promise<unknown>,
): void {
  app.post(way.path, async (c) => {
    const exchange: Exchange = { answers: '', sign: null, sender: NOBODY, stage: 'unknown' }
    try {
      const answer = await heardAnd(c, { services, busy, way, exchange }, work)
      c.set('route', way.path)
      return replyTo(c, exchange, JSON.stringify(answer))
    } catch (error) {
      if (exchange.stage === 'unknown' && (await isSilent(services.store, services.clock.now()))) return c.notFound()
      c.set('route', way.path)
      c.set('failure', error)
      noteRefusal(services, exchange, error)
      return refusalTo(c, exchange, error, isEndless(c, way.most))
    }
  })
}

/** Logs a refused request. Before its signature is verified the sender counts as unknown. */
function noteRefusal(services: Services, { stage, sender }: Exchange, error: unknown): void {
  if (stage === 'taken' || !(error instanceof Failure) || error.status >= 500 || error.code === LATER) return
  refusalLogOf(services).note(stage === 'signed' ? sender : { ...sender, peer: null }, [{ table: null, row: null, code: error.code }])
}
const LATER = syncFailures.later().code

type At<A extends Asker, S extends z.ZodType> = { services: Services; busy: Busy; way: SyncRoute<A, S>; exchange: Exchange }

async function heardAnd<A extends Asker, S extends z.ZodType, T>(
  c: Ctx,
  { services, busy, way, exchange }: At<A, S>,
  work: (given: { c: Ctx; asker: A; asked: z.output<S> }) => Promise<T>,
): Promise<T> {
  await demandProtocol(c, services, way.from, exchange)
  demandForm(c, way)
  const heard = heardIn(c)
  exchange.answers = answering(heard)
  const asker = await way.from(services, heard, exchange)
  exchange.stage = 'named'
  const answer = async () => {
    const body = await slotOf(c.env?.incoming).releasedDuring(() => readBytes(c.req.raw, way.most))
    if (!body) throw syncFailures.tooLarge()
    const { method, path } = c.req
    const signed = { method, path, body, nonce: asker.nonce, number: heard.number }
    if (!isSignedBy(signed, heard.signature, asker.verifier)) throw asker.wrong()
    exchange.stage = 'signed'
    asker.demandHeard()
    const asked = read(way, body, isGzipped(c))
    exchange.stage = 'taken'
    return work({ c, asker, asked })
  }
  return way.isAlone ? alone(busy, heard.peer, answer) : answer()
}

async function alone<T>(busy: Busy, peer: string, work: () => Promise<T>): Promise<T> {
  if (busy.has(peer)) throw syncFailures.later({ message: 'The request before is not answered yet. Ask again in a minute.' })
  busy.add(peer)
  try {
    return await work()
  } finally {
    busy.delete(peer)
  }
}

const isGzipped = (c: Ctx) => c.req.header('content-encoding') === 'gzip'

/** Throws 403 for a request from a page: no browser speaks this protocol. */
export function demandNoOrigin(request: Request): void {
  if (request.headers.has('origin')) throw common.foreignOrigin()
}

function demandForm(c: Ctx, { most, isPacked = false }: Pick<SyncRoute<Asker, z.ZodType>, 'most' | 'isPacked'>): void {
  if (isEndless(c, most)) throw syncFailures.tooLarge()
  const encoding = c.req.header('content-encoding')
  if (mediaType(c.req.raw) !== 'application/json' || (encoding !== undefined && !(isPacked && encoding === 'gzip')))
    throw common.wrongType()
  demandNoOrigin(c.req.raw)
}

function read<S extends z.ZodType>({ schema, most }: { schema: S; most: number }, body: Uint8Array, isPacked: boolean): z.output<S> {
  try {
    const plain = isPacked ? gunzipSync(body, { maxOutputLength: most }) : Buffer.from(body)
    return schema.parse(JSON.parse(plain.toString('utf8')))
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw syncFailures.tooLarge()
    throw common.validationFailed({ message: 'What the other node sent is not of this protocol.' })
  }
}

const LAST: HeaderList = [['connection', 'close']]

const signatureIn = ({ answers, sign }: Exchange, status: number, text: string): HeaderList =>
  sign ? [[headersOf.signature, sign({ answers, status, body: Buffer.from(text) })]] : []

function replyTo(c: Ctx, exchange: Exchange, text: string): Response {
  const headers = Object.fromEntries([
    ['content-type', 'application/json'],
    ['cache-control', 'no-store'],
    ['x-request-id', c.get('requestId')],
    ...signatureIn(exchange, 200, text),
  ])
  if (text.length < 1_024) return new Response(text, { headers })
  return new Response(gzipSync(text, { level: 1 }), { headers: { ...headers, 'content-encoding': 'gzip' } })
}

/** Whether the body is too large, or does not say its size. It is not read to its end: the connection ends with the refusal. */
const isEndless = (c: Ctx, most: number) =>
  c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > most

async function refusalTo(c: Ctx, exchange: Exchange, error: unknown, isLast: boolean): Promise<Response> {
  const refusal = failureReply(error, c.get('requestId'), c.get('replyHeaders'))
  const text = await refusal.text()
  return new Response(text, {
    status: refusal.status,
    headers: [...refusal.headers, ...signatureIn(exchange, refusal.status, text), ...(isLast ? LAST : [])],
  })
}
