import { randomInt } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { FileAnswers, type FileAsk } from '@markbook/sync/protocol/files'
import {
  Answered,
  Challenge,
  type KnownRowsQuery,
  OLDEST_PROTOCOL,
  Page,
  PROTOCOL,
  Pushed,
  Renewed,
  UnknownRows,
  Verified,
  Welcome,
} from '@markbook/sync/protocol/messages'
import type { z } from 'zod'
import { isKey, isReplyOf, type NodeKeys, type Reply, signatureOf } from '../identity/keys.ts'
import type { ErasedReport } from '../identity/wipe-note.ts'
import { answering, headersOf } from './headers.ts'
import { troubleOf } from './line-trouble.ts'

/** Carries a request; `fetch` on a real node, anything that answers in tests and in the simulation. */
export type Carrier = (request: Request) => Promise<Response>

/** The parent did not sign it: something on the line answered, or another server. */
export const NOT_AUTHENTIC = 'sync.not_authentic'
/** The parent's program is too old for this one. */
export const PARENT_OLDER = 'sync.parent_older'

/** The body is larger than a parent reads at once. */
export const TOO_LARGE = 'sync.too_large'

/** The parent refused, or the line broke. `code`: the parent's code, `line` for all that may pass by itself, or one of those above. */
export class LineFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }

  get means(): Meaning {
    return MEANINGS.get(this.code) ?? 'request'
  }
}

/**
 * What follows from a failure. `line`: it may pass by itself. `session`: the child has to greet again. `revoked`, `upgrade`: the parent
 * refuses this node. `request`: it refuses this request, and no other.
 */
type Meaning = 'line' | 'session' | 'revoked' | 'upgrade' | 'request'
const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ['line', 'line'],
  [NOT_AUTHENTIC, 'line'],
  [PARENT_OLDER, 'line'],
  ['sync.stale_session', 'session'],
  ['sync.revoked', 'revoked'],
  ['sync.unknown_node', 'revoked'],
  ['sync.upgrade_needed', 'upgrade'],
])

type Peer = Pick<Row<'sync_peer'>, 'id' | 'url' | 'node_id' | 'public_key'>

type Plain = { method: string; headers: Record<string, string>; body?: Uint8Array; signal?: AbortSignal | undefined }
type Speaker = { peer: string; keys: Pick<NodeKeys, 'signing'> }

/**
 * `nonce`: signed with the request; `challenge`: the request is a greeting; `isCounted`: it takes the next number of the session;
 * `isPacked`: it may be gzipped; `most`: bytes of the body. A larger body is not sent, for the parent would not read it to its end.
 */
type Manner = {
  nonce?: string
  challenge?: string
  isCounted?: boolean
  isPacked?: boolean
  most?: number
  signal?: AbortSignal | undefined
}

/** One session with a parent: signs, counts and compresses requests, and takes only replies that the parent has signed. */
export class ParentLine {
  private nonce = ''
  private number = 0
  private former: Speaker | null = null
  /** The number and the key by which the parent is known. */
  private parent: { node: string; key: string }

  constructor(
    private readonly peer: Peer,
    private readonly keys: Pick<NodeKeys, 'signing'>,
    private readonly carry: Carrier,
  ) {
    this.parent = { node: peer.node_id, key: peer.public_key }
  }

  /** Speaks from here on under an earlier number of this database, which a restored parent may still know; null for the present one. */
  speakAs(former: Speaker | null): void {
    this.former = former
  }
  /** Whether the parent knows an earlier number, and not the present enrolment. */
  get isKnownAsFormer(): boolean {
    return this.former !== null
  }

  async hello(body: unknown, signal?: AbortSignal): Promise<Welcome> {
    this.nonce = ''
    this.number = 0
    const { challenge } = await this.ask('/sync/challenge', Challenge, {}, { signal })
    const answered = await this.ask('/sync/hello', Answered, body, { nonce: challenge, challenge, signal })
    if (answered.protocol < OLDEST_PROTOCOL) throw parentOlder(this.peer.url)
    const welcome = Welcome.parse(answered)
    this.nonce = challenge
    const { public_key: key } = welcome.keys
    if (isKey(key, 'ed25519')) this.parent = { node: welcome.epoch, key }
    return welcome
  }
  renew = (body: unknown) => this.ask('/sync/renew', Renewed, body, { isCounted: true })
  /** Throws `TOO_LARGE` where the page has to be sent in parts. */
  push = (body: unknown, signal?: AbortSignal) =>
    this.ask('/sync/push', Pushed, body, { isCounted: true, isPacked: true, most: limits.sync.pageBytes, signal })
  known = (body: KnownRowsQuery) => this.ask('/sync/known', UnknownRows, body, { isCounted: true, isPacked: true })
  verify = (signal?: AbortSignal) => this.ask('/sync/verify', Verified, {}, { isCounted: true, signal })
  pull = (body: unknown, signal?: AbortSignal) => this.ask('/sync/pull', Page, body, { isCounted: true, signal })
  /** May be sent beside the others, in any order: it changes nothing. */
  files = (body: FileAsk, signal?: AbortSignal) => this.ask('/sync/files', FileAnswers, body, { nonce: this.nonce, isPacked: true, signal })

  get isGreeted(): boolean {
    return this.nonce !== ''
  }

  /** A request with a ticket, which needs no signature. */
  carryPlain(path: string, { method, headers, body, signal }: Plain): Promise<Response> {
    const request = new Request(new URL(path, this.peer.url ?? ''), {
      method,
      headers,
      body: (body ?? null) as never,
      signal: signal ?? null,
    })
    return this.carry(request).catch(asLineFailure(request.url))
  }

  /** A request that is not counted has a random number, so that its reply answers it alone. */
  private nextNumber(isCounted: boolean): number {
    if (!isCounted) return randomInt(MOST_NUMBER)
    this.number += 1
    return this.number
  }

  private async ask<S extends z.ZodType>(path: string, reply: S, value: unknown, { signal, ...manner }: Manner): Promise<z.output<S>> {
    const { parent } = this
    const { url, headers, body, signature, answers } = this.signed(path, value, manner)
    const request = new Request(url, { method: 'POST', headers, body: new Uint8Array(body), signal: signal ?? null })
    const response = await this.carry(request).catch(asLineFailure(request.url))
    const isAuthentic = (heard: Reply, sign: string) => {
      if (isReplyOf(heard, sign, parent.key)) return true
      // A parent of an older protocol signs less of the request. Only that it is older is taken from such a reply; a refusal in that form
      // may be the answer to a request that somebody on the line made.
      const before = { ...heard, answers: signature }
      if (heard.status === 200 && isReplyOf(before, sign, parent.key)) throw parentOlder(this.peer.url)
      return false
    }
    return reply.parse(await authenticated(response, { answers, url: request.url }, isAuthentic)) as z.output<S>
  }

  /**
   * A signed request outside a session, which can be sent at any time. `sendErasedReport` sends it, also where nothing else is left of this
   * node.
   */
  prepared(path: string, value: unknown): ErasedReport {
    const { url, headers, body, answers } = this.signed(path, value, {})
    return { url: url.href, headers, body: Buffer.from(body).toString('utf8'), answers, key: this.parent.key }
  }

  private signed(
    path: string,
    value: unknown,
    { nonce = '', challenge = '', isCounted = false, isPacked = false, most = Number.MAX_SAFE_INTEGER }: Omit<Manner, 'signal'>,
  ) {
    const plain = Buffer.from(JSON.stringify(value))
    if (plain.length > most) throw new LineFailure(TOO_LARGE, 'The page is too large.')
    const body = isPacked && plain.length > 1_024 ? gzipSync(plain, { level: 1 }) : plain
    const number = this.nextNumber(isCounted)
    const { parent, peer } = this
    const speaker = this.former ?? { peer: peer.id, keys: this.keys }
    const signed = signedRequest(path, body, speaker, { nonce: isCounted ? this.nonce : nonce, number })
    const headers: Record<string, string> = {
      ...signed.headers,
      [headersOf.challenge]: challenge,
      [headersOf.parent]: `${parent.node} ${parent.key}`,
      ...(body !== plain && { 'content-encoding': 'gzip' }),
    }
    return { ...signed, url: new URL(path, peer.url ?? ''), headers, body }
  }
}

/** The headers of a signed request, its signature, and what the signature of its reply covers of it (`answers`). */
export function signedRequest(path: string, body: Uint8Array, { peer, keys }: Speaker, of: { nonce: string; number: number }) {
  const signature = signatureOf({ method: 'POST', path, body, ...of }, keys)
  const headers = {
    'content-type': 'application/json',
    [headersOf.protocol]: String(PROTOCOL),
    [headersOf.peer]: peer,
    [headersOf.number]: String(of.number),
    [headersOf.signature]: signature,
  }
  return { headers, signature, answers: answering({ peer, signature }) }
}

/** Sends a prepared request; resolves once the parent has taken it. Throws `LineFailure`. */
export async function sendErasedReport({ url, headers, body, answers, key }: ErasedReport, carry: Carrier): Promise<void> {
  const response = await carry(new Request(url, { method: 'POST', headers, body })).catch(asLineFailure(url))
  await authenticated(response, { answers, url }, (heard, sign) => isReplyOf(heard, sign, key))
}

const MOST_NUMBER = 2 ** 47

const parentOlder = (url: string | null) =>
  new LineFailure(
    PARENT_OLDER,
    `The Markbook at ${url ? new URL(url).host : 'the other server'} is too old for this one, and must be updated there. Nothing is lost meanwhile.`,
  )

const asLineFailure = (url: string) => (error: unknown) => {
  throw new LineFailure('line', troubleOf(error, url))
}

/**
 * The body of a reply, once its signature is verified. Throws `LineFailure`: where the reply is not authentic, whatever it says
 * (`NOT_AUTHENTIC`; `line` for a busy server, which signs nothing), and where it is a refusal.
 */
export async function authenticated(
  response: Response,
  { answers, url }: { answers: string; url: string },
  isAuthentic: (reply: Reply, signature: string) => boolean,
): Promise<unknown> {
  const { status } = response
  const body = await bodyOf(response)
  const signature = response.headers.get(headersOf.signature)
  if (signature === null || !isAuthentic({ answers, status, body }, signature)) throw notBelieved(url, signature, status)
  const answer: unknown = JSON.parse(body.toString('utf8'))
  if (response.ok) return answer
  throw refusalIn(response, answer)
}

async function bodyOf(response: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > limits.sync.message.replyBytes) throw new Error('it is too long')
      pieces.push(piece)
    }
  } catch (error) {
    throw new LineFailure('line', `The answer broke off (${response.status}): ${error instanceof Error ? error.message : String(error)}.`)
  }
  return Buffer.concat(pieces)
}

/** `signature`: as the reply has it; null for none. */
function notBelieved(url: string, signature: string | null, status: number): LineFailure {
  const { host } = new URL(url)
  if (signature === null && (status >= 500 || status === 429 || status === 408))
    return new LineFailure('line', `${host} is busy, or does not work at the moment (${status}).`)
  return new LineFailure(NOT_AUTHENTIC, notAuthentic(host, signature, status))
}

/** For a server that was asked by a name which is not its own (421). */
export const OTHER_NAME =
  'does not know itself by that name. Use another address of it, or have its operator allow this one (ALLOWED_HOSTS).'

function notAuthentic(host: string, signature: string | null, status: number): string {
  if (signature !== null)
    return `The reply of ${host} was not authentic, and nothing of it was taken: something on the line changed it, or another server answers there. If the secret of that server was replaced, join it again with a new code.`
  if (status === 404)
    return `What answers at ${host} does not speak as this version of Markbook does. Where Markbook is older there, it must be updated; nothing is lost meanwhile. Where it was set up anew, join it again with a new code.`
  if (status === 421) return `What answers at ${host} ${OTHER_NAME}`
  return `The reply of ${host} (${status}) was not authentic: it is not signed by the server that this one has joined. Nothing of it was taken.`
}

/** The failure for a reply that is no success. */
export function refusalIn(response: Response, answer: unknown): LineFailure {
  const { code = 'line', message = '' } = answer as { code?: string; message?: string }
  return new LineFailure(response.status >= 500 || response.status === 429 ? 'line' : code, message)
}
