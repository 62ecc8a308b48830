import { gzipSync } from 'node:zlib'
import type { Row } from '@markbook/shared/tables/tables'
import { Page, Pushed, Renewed, Verified, Welcome } from '@markbook/sync/protocol/messages'
import type { z } from 'zod'
import { type NodeKeys, signatureOf } from './keys.ts'
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

/** One session with a parent: signs, counts and packs. */
export class ParentLine {
  private nonce = ''
  private number = 0

  constructor(
    private readonly peer: Peer,
    private readonly keys: Pick<NodeKeys, 'signing'>,
    private readonly carry: Carrier,
  ) {}

  async hello(body: unknown): Promise<Welcome> {
    this.nonce = ''
    this.number = 0
    const welcome = await this.ask('/sync/hello', Welcome, body)
    this.nonce = welcome.nonce
    return welcome
  }
  renew = (body: unknown) => this.ask('/sync/renew', Renewed, body)
  push = (body: unknown) => this.ask('/sync/push', Pushed, body)
  verify = () => this.ask('/sync/verify', Verified, {})
  pull = (body: unknown, signal?: AbortSignal) => this.ask('/sync/pull', Page, body, signal)

  private async ask<S extends z.ZodType>(path: string, reply: S, value: unknown, signal?: AbortSignal): Promise<z.output<S>> {
    const plain = Buffer.from(JSON.stringify(value))
    const body = plain.length > 1_024 ? gzipSync(plain, { level: 1 }) : plain
    if (this.nonce) this.number += 1
    const signature = signatureOf({ method: 'POST', path, body, nonce: this.nonce, number: this.number }, this.keys)
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      [headersOf.peer]: this.peer.id,
      [headersOf.number]: String(this.number),
      [headersOf.signature]: signature,
      ...(body !== plain && { 'content-encoding': 'gzip' }),
    }
    const request = new Request(new URL(path, this.peer.url ?? ''), {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      signal: signal ?? null,
    })
    const response = await this.carry(request).catch((error: unknown) => {
      throw new LineFailure('line', error instanceof Error ? error.message : String(error))
    })
    return reply.parse(await read(response)) as z.output<S>
  }
}

async function read(response: Response): Promise<unknown> {
  const answer: unknown = await response.json().catch(() => {
    throw new LineFailure('line', `The answer broke off (${response.status}).`)
  })
  if (response.ok) return answer
  const { code = 'line', message = '' } = answer as { code?: string; message?: string }
  throw new LineFailure(response.status >= 500 || response.status === 429 ? 'line' : code, message)
}
