import { gzipSync } from 'node:zlib'
import type { Row } from '@markbook/shared/tables/tables'
import { FileAnswers, type FileAsk } from '@markbook/sync/protocol/files'
import { type Known, Page, Pushed, Renewed, Unknown, Verified, Welcome } from '@markbook/sync/protocol/messages'
import type { z } from 'zod'
import { type NodeKeys, signatureOf } from './keys.ts'
import { troubleOf } from './line-trouble.ts'
import { headersOf } from './routes.ts'

/** Carries a request; `fetch` on a real node, anything that answers in tests and in the simulation. */
export type Carrier = (request: Request) => Promise<Response>

/** The parent said no, or the line broke: `code` as the parent gave it, `line` for everything that may pass by itself. */
export class LineFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

type Peer = Pick<Row<'sync_peer'>, 'id' | 'url'>

type Plain = { method: string; headers: Record<string, string>; body?: Uint8Array; signal?: AbortSignal | undefined }
type Speaker = { peer: string; keys: Pick<NodeKeys, 'signing'> }

/** One session with a parent: signs, counts and packs. */
export class ParentLine {
  private nonce = ''
  private number = 0
  private former: Speaker | null = null

  constructor(
    private readonly peer: Peer,
    private readonly keys: Pick<NodeKeys, 'signing'>,
    private readonly carry: Carrier,
  ) {}

  /** From here on as an earlier incarnation of this database, whom a parent that was restored may still know; null for the present one. */
  speakAs(former: Speaker | null): void {
    this.former = former
  }
  /** The parent does not know the present enrolment, but an earlier one. */
  get isKnownAsFormer(): boolean {
    return this.former !== null
  }

  async hello(body: unknown, signal?: AbortSignal): Promise<Welcome> {
    this.nonce = ''
    this.number = 0
    const welcome = await this.ask('/sync/hello', Welcome, body, signal)
    this.nonce = welcome.nonce
    return welcome
  }
  renew = (body: unknown) => this.ask('/sync/renew', Renewed, body)
  push = (body: unknown, signal?: AbortSignal) => this.ask('/sync/push', Pushed, body, signal)
  known = (body: Known) => this.ask('/sync/known', Unknown, body)
  verify = (signal?: AbortSignal) => this.ask('/sync/verify', Verified, {}, signal)
  pull = (body: unknown, signal?: AbortSignal) => this.ask('/sync/pull', Page, body, signal)
  /** Beside the others, in any order: it changes nothing. */
  files = (body: FileAsk, signal?: AbortSignal) => this.ask('/sync/files', FileAnswers, body, signal, false)

  get isGreeted(): boolean {
    return this.nonce !== ''
  }

  /** What bears a right of its own and needs no signature. */
  carryPlain(path: string, { method, headers, body, signal }: Plain): Promise<Response> {
    const request = new Request(new URL(path, this.peer.url ?? ''), {
      method,
      headers,
      body: (body ?? null) as never,
      signal: signal ?? null,
    })
    return this.carry(request).catch(asLineFailure(request.url))
  }

  private async ask<S extends z.ZodType>(
    path: string,
    reply: S,
    value: unknown,
    signal?: AbortSignal,
    numbered = this.nonce !== '',
  ): Promise<z.output<S>> {
    const plain = Buffer.from(JSON.stringify(value))
    const body = plain.length > 1_024 ? gzipSync(plain, { level: 1 }) : plain
    if (numbered) this.number += 1
    const number = numbered ? this.number : 0
    const { peer, keys } = this.former ?? { peer: this.peer.id, keys: this.keys }
    const signature = signatureOf({ method: 'POST', path, body, nonce: this.nonce, number }, keys)
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      [headersOf.peer]: peer,
      [headersOf.number]: String(number),
      [headersOf.signature]: signature,
      ...(body !== plain && { 'content-encoding': 'gzip' }),
    }
    const request = new Request(new URL(path, this.peer.url ?? ''), {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      signal: signal ?? null,
    })
    const response = await this.carry(request).catch(asLineFailure(request.url))
    const answers = response.headers.get(headersOf.answers)
    // An answer that was on its way for long, to another request, says nothing of this one. A refusal by an older program says nothing of it.
    if (answers === null ? response.ok : answers !== signature) throw new LineFailure('line', 'This is no answer to what was asked.')
    const answer = await read(response)
    return reply.parse(answer) as z.output<S>
  }
}

const asLineFailure = (url: string) => (error: unknown) => {
  throw new LineFailure('line', troubleOf(error, url))
}

async function read(response: Response): Promise<unknown> {
  const answer: unknown = await response.json().catch(() => {
    throw new LineFailure('line', `The answer broke off (${response.status}).`)
  })
  if (response.ok) return answer
  throw refusalIn(response, answer)
}

/** What an answer that is no success means. */
export function refusalIn(response: Response, answer: unknown): LineFailure {
  const { code = 'line', message = '' } = answer as { code?: string; message?: string }
  return new LineFailure(response.status >= 500 || response.status === 429 ? 'line' : code, message)
}
