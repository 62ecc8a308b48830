import type { z } from 'zod'
import { Failure, type Issue } from '../failures.ts'
import type { BodyInput, Endpoint, Params, QueryInput, Reply, Resource } from './endpoint.ts'
import { eventsIn } from './events.ts'

/** Like `fetch`: sends a request and returns the reply. Cookies are handled by the implementation. */
export type Send = (request: Request) => Promise<Response>

type None<K extends string> = { [P in K]?: never }
type Paging<E extends Endpoint> = E extends { method: 'GET'; reply: z.ZodArray }
  ? { limit?: number; offset?: number }
  : Record<never, never>
type ParamsPart<E extends Endpoint> = keyof Params<E> extends never ? None<'params'> : { params: Params<E> }
type QueryPart<Q> = keyof Q extends never ? None<'query'> : Record<never, never> extends Q ? { query?: Q } : { query: Q }
type BodyPart<B> = [B] extends [undefined] ? None<'body'> : undefined extends B ? { body?: B } : { body: B }
type CallInput<E extends Endpoint> = ParamsPart<E> & QueryPart<QueryInput<E> & Paging<E>> & BodyPart<BodyInput<E>>
type Args<E extends Endpoint> = Record<never, never> extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>]

/** What a test or a tool wants to send; the contract's types do not apply. */
export type RawInput = {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
}
/** `body` is the parsed JSON, the bytes of a file, an iterator over the events, or the text of anything else. */
export type RawReply = { status: number; headers: Headers; body: unknown }

/** A call returns the reply or throws a `Failure`. `raw` returns any status as it is. */
export type Call<E extends Endpoint> = ((...args: Args<E>) => Promise<Reply<E>>) & { raw: (input?: RawInput) => Promise<RawReply> }
export type Client<C extends Record<string, Resource>> = { [R in keyof C]: { [K in keyof C[R]]: Call<C[R][K]> } }

/** A typed client of the contract: `client.terms.get({ params: { id } })`. `baseUrl` has no slash at its end. */
export function clientOf<const C extends Record<string, Resource>>(
  contract: C,
  { baseUrl, send }: { baseUrl: string; send: Send },
): Client<C> {
  const callOf = (endpoint: Endpoint) => {
    const raw = async (input: RawInput = {}) => readReply(endpoint, await send(requestOf(endpoint, baseUrl, input)))
    const call = async (input?: RawInput) => bodyOf(await raw(input))
    return Object.assign(call, { raw })
  }
  const resources = Object.entries(contract).map(([name, resource]) => [
    name,
    Object.fromEntries(Object.entries(resource).map(([key, endpoint]) => [key, callOf(endpoint)])),
  ])
  // The loop above produces exactly the keys of the contract; the type system cannot express that.
  return Object.fromEntries(resources) as Client<C>
}

/** The path with its parameters filled in. Throws a plain Error for a missing one, since only a bug can cause it. */
export function pathOf(endpoint: Pick<Endpoint, 'path'>, params: Record<string, string> = {}): string {
  return endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new TypeError(`${endpoint.path} needs the parameter ${name}`)
    return encodeURIComponent(value)
  })
}

function requestOf(endpoint: Endpoint, baseUrl: string, { params, query = {}, body, headers }: RawInput): Request {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value))
  }
  const text = search.toString()
  const url = `${baseUrl}${pathOf(endpoint, params)}${text ? `?${text}` : ''}`
  if (body === undefined) return new Request(url, { method: endpoint.method, headers })
  if (body instanceof FormData) return new Request(url, { method: endpoint.method, headers, body })
  return new Request(url, {
    method: endpoint.method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

async function readReply(endpoint: Endpoint, response: Response): Promise<RawReply> {
  const { status, headers } = response
  if (endpoint.reply === 'binary' && response.ok) return { status, headers, body: new Uint8Array(await response.arrayBuffer()) }
  if (endpoint.reply === 'events' && response.ok) return { status, headers, body: eventsIn(response.body) }
  // A reply that breaks off is like half of one.
  const text = await response.text().catch(() => '')
  return { status, headers, body: parsed(text) }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The body of a success; throws the `Failure` of anything else, also of a success that is no JSON: no endpoint replies with a text. */
export function bodyOf(reply: RawReply): unknown {
  if (reply.status < 200 || reply.status > 299 || typeof reply.body === 'string') throw failureOf(reply)
  return reply.body
}

/**
 * A reply that is not from this service, such as the page of a proxy, the sign-in page of a network, or half of a reply, has no code. It is
 * a bad gateway, whatever its status: the request may have been handled or not, and may be sent again. Only one that is too large for a
 * proxy may not. It still has a sentence for a teacher.
 */
function failureOf({ status, headers, body }: RawReply): Failure {
  const { code, message, issues } = (typeof body === 'object' && body !== null ? body : {}) as {
    code?: string
    message?: string
    issues?: Issue[]
  }
  return new Failure(
    code === undefined && status !== 413 ? 502 : status,
    code ?? 'unreadable_reply',
    message ?? 'The service gave an answer that could not be understood.',
    {
      issues,
      headers: Object.fromEntries(headers),
    },
  )
}
