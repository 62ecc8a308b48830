import type { Body, Endpoint, EventOf, Params, Query, Reply, Resource } from '@markbook/shared/contract/endpoint'
import type { ReadTx, WriteTx } from '../store/tx.ts'
import type { Caller, SchoolCaller } from './caller.ts'
import type { CookieSession } from './cookies.ts'
import type { BinaryReply } from './send-file.ts'
import type { Services } from './services.ts'
import type { SessionClient } from './sessions.ts'

export type { BinaryReply }

type Tx<E extends Endpoint> = E['method'] extends 'GET' ? ReadTx : WriteTx
type CallerOf<E extends Endpoint> = E['guard'] extends 'none' ? null : E['guard'] extends 'session' ? Caller : SchoolCaller
type Answer<E extends Endpoint> = E['reply'] extends 'binary' ? BinaryReply : Reply<E>

/** Where a handler stands: one transaction, the caller, the services. `after` runs once the transaction has committed. */
export type HandlerContext<E extends Endpoint = Endpoint> = {
  tx: Tx<E>
  caller: CallerOf<E>
  services: Services
  after(effect: () => void | Promise<void>): void
}
/** What is known before the body has been checked: path ids, and the ids named in `targets`, all well formed. */
export type AccessIds<E extends Endpoint> = { params: Params<E>; targets: Readonly<Record<string, string | undefined>> }
export type Upload = { filename: string; contentType: string; bytes: Uint8Array }
type UploadOf<E extends Endpoint> = E['body'] extends 'multipart' ? Upload : undefined
export type RequestInput<E extends Endpoint> = { params: Params<E>; query: Query<E>; body: Body<E>; upload: UploadOf<E> }

/**
 * How an endpoint is answered, in the order of checks of decisions §1: `load` decides access (403, 404) from the ids alone and
 * answers what it loaded; then the body is checked; then `run` checks the state (409) and writes. Both run in one transaction:
 * a reading one for GET. `as: 'system'` where a person's own rows in the database do not suffice (joining a school).
 */
export type Handler<E extends Endpoint, L = unknown, P = unknown, V = Answer<E>> = {
  kind: 'transaction'
  as: 'user' | 'system'
  /** Reads the upload before the transaction, inside which only the database is awaited. A failure is answered after access was decided. */
  prepare?(upload: UploadOf<E>, services: Services, caller: CallerOf<E>): Promise<P>
  load(context: HandlerContext<E>, ids: AccessIds<E>): Promise<L>
  run(context: HandlerContext<E>, input: RequestInput<E> & { prepared: P }, loaded: L): Promise<V>
  /** Makes the reply of what `run` answered, after the transaction: files take long to write. */
  finish?(value: V, services: Services): Promise<Answer<E>>
}

/** Where a handler of two transactions stands in the first. */
type ReadContext<E extends Endpoint> = Omit<HandlerContext<E>, 'tx' | 'after'> & { tx: ReadTx }

/**
 * An endpoint whose work lies outside of the database: a file is stored, a document is made (docs/design/files.md). In a reading
 * transaction `load` decides access and `gather` refuses what the state forbids and reads what the work needs; `make` does it; then a
 * writing transaction loads again, with what that locks, and `save` checks the state once more and writes. So there is no row without
 * its file, and what is refused leaves no file. A file without its row, where the second refuses or the program dies in between, is
 * swept later.
 */
export type StagedHandler<E extends Endpoint, L = unknown, G = unknown, M = unknown> = {
  kind: 'staged'
  load(context: ReadContext<E>, ids: AccessIds<E>): Promise<L>
  gather(context: ReadContext<E>, input: RequestInput<E>, loaded: L): Promise<G>
  make(services: Services, gathered: G): Promise<M>
  save(context: HandlerContext<E>, made: M, loaded: L): Promise<Answer<E>>
}

/** An endpoint that tells of changes: who may listen is decided once, then `follow` says what happens until it ends or nobody listens. */
export type EventsHandler<E extends Endpoint, L = unknown> = {
  kind: 'events'
  load(context: HandlerContext<E>, ids: AccessIds<E>): Promise<L>
  follow(services: Services, loaded: L, signal: AbortSignal): AsyncIterable<EventOf<E>>
}

/** The few endpoints of sign-in, which commit something even where they refuse. */
export type OpenHandler<E extends Endpoint> = {
  kind: 'open'
  run(exchange: Exchange, input: RequestInput<E>): Promise<Answer<E>>
}
/** A request as sign-in sees it. */
export type Exchange = {
  services: Services
  /** The other end's address, for limits. */
  address: string
  /** Of the page that asks, which the mount has let pass; of this server where the client is no browser. */
  origin: string
  caller: Caller | null
  /** Where whoever asks is, as a session remembers it. */
  client(): SessionClient
  /** The session's tokens as sent, or as renewed by this request. */
  session: CookieSession | null
  /** Writes, or for null clears, the session cookies of the reply. */
  setSession(session: CookieSession | null): void
  header(name: string, value: string): void
  /** Waits without the slot of the request, and takes one again. Throws 503 where none comes free. */
  whileWaiting<T>(wait: () => Promise<T>): Promise<T>
}

// biome-ignore lint/suspicious/noExplicitAny: what `load` answers is between it and `run` of the same handler.
type AnyHandler<E extends Endpoint> = Handler<E, any, any, any> | StagedHandler<E, any, any, any> | EventsHandler<E, any> | OpenHandler<E>
export type Handlers<R extends Resource> = { [K in keyof R]: AnyHandler<R[K]> }

type HandlerDefinition<E extends Endpoint, L, P = unknown, V = Answer<E>> = {
  as?: 'user' | 'system'
  load(context: HandlerContext<E>, ids: AccessIds<E>): Promise<L>
  run: Handler<E, L, P, V>['run']
}

/** A handler that loads before it runs. The endpoint is passed for its types. */
export const on = <E extends Endpoint, L>(_endpoint: E, written: HandlerDefinition<E, L>): Handler<E, L> => ({
  kind: 'transaction',
  as: 'user',
  ...written,
})

/** A handler that answers what it loads. */
export const onLoaded = <E extends Endpoint>(endpoint: E, load: Handler<E, Answer<E>>['load']): Handler<E, Answer<E>> =>
  on(endpoint, { load, run: async (_context, _input, loaded) => loaded })

/** A handler of an upload, which `prepare` reads (a table, a picture) and `run` finds as `prepared`. */
export const onUpload = <E extends Endpoint & { body: 'multipart' }, P, L>(
  _endpoint: E,
  written: HandlerDefinition<E, L, P> & { prepare(upload: Upload, services: Services, caller: CallerOf<E>): Promise<P> },
): Handler<E, L, P> => ({ kind: 'transaction', as: 'user', ...written }) as Handler<E, L, P>

/** A handler that answers a file: `run` reads what is in it, `finish` writes it. */
export const onFile = <E extends Endpoint & { reply: 'binary' }, L, V>(
  _endpoint: E,
  written: HandlerDefinition<E, L, unknown, V> & { finish(value: V, services: Services): Promise<BinaryReply> },
): Handler<E, L, unknown, V> => ({ kind: 'transaction', as: 'user', ...written }) as Handler<E, L, unknown, V>

export const onStaged = <E extends Endpoint, L, G, M>(
  _endpoint: E,
  written: Omit<StagedHandler<E, L, G, M>, 'kind'>,
): StagedHandler<E, L, G, M> => ({ kind: 'staged', ...written })

export const onEvents = <E extends Endpoint & { reply: 'events' }, L>(
  _endpoint: E,
  written: Omit<EventsHandler<E, L>, 'kind'>,
): EventsHandler<E, L> => ({ kind: 'events', ...written })

/** A handler whose guard is all the access there is to check. */
export const onGuard = <E extends Endpoint>(
  _endpoint: E,
  run: (context: HandlerContext<E>, input: RequestInput<E>) => Promise<Answer<E>>,
  as: 'user' | 'system' = 'user',
): Handler<E, undefined> => ({ kind: 'transaction', as, load: async () => undefined, run })

export const onOpen = <E extends Endpoint>(_endpoint: E, run: OpenHandler<E>['run']): OpenHandler<E> => ({ kind: 'open', run })
