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

/** The arguments of a handler: one transaction, the caller, the services. `after` runs its function once the transaction has committed. */
export type HandlerContext<E extends Endpoint = Endpoint> = {
  tx: Tx<E>
  caller: CallerOf<E>
  services: Services
  after(effect: () => void | Promise<void>): void
}
/** The values available before the body is checked: ids of the path, and the ids named in `targets`, all well formed. */
export type AccessIds<E extends Endpoint> = { params: Params<E>; targets: Readonly<Record<string, string | undefined>> }
export type Upload = { filename: string; contentType: string; bytes: Uint8Array }
type UploadOf<E extends Endpoint> = E['body'] extends 'multipart' ? Upload : undefined
export type RequestInput<E extends Endpoint> = { params: Params<E>; query: Query<E>; body: Body<E>; upload: UploadOf<E> }

/**
 * Answers an endpoint in the order of checks of decisions §1: `load` decides access (403, 404) from the ids alone and returns what it
 * loaded; then the body is checked; then `run` checks the state (409) and writes. Both run in one transaction, which is read-only for GET.
 * `as: 'system'` where row-level security would hide rows that the endpoint needs (joining a school).
 */
export type Handler<E extends Endpoint, L = unknown, P = unknown, V = Answer<E>> = {
  kind: 'transaction'
  as: 'user' | 'system'
  /**
   * Reads the upload before the transaction, inside which only the database is awaited. Its failure is reported after access was decided.
   */
  prepare?(upload: UploadOf<E>, services: Services, caller: CallerOf<E>): Promise<P>
  load(context: HandlerContext<E>, ids: AccessIds<E>): Promise<L>
  run(context: HandlerContext<E>, input: RequestInput<E> & { prepared: P }, loaded: L): Promise<V>
  /** Makes the reply from the result of `run`, after the transaction, because writing a file takes long. */
  finish?(value: V, services: Services): Promise<Answer<E>>
}

/** The arguments of a two-transaction handler in its first, reading transaction. */
type ReadContext<E extends Endpoint> = Omit<HandlerContext<E>, 'tx' | 'after'> & { tx: ReadTx }

/**
 * An endpoint with work outside the database: a file is stored, a document is made (docs/design/files.md).
 * A reading transaction: `load` decides access; `gather` checks the state and reads what the work needs. Then `make` does the work. Then a
 * writing transaction: `load` again, now with locks, and `save` checks the state once more and writes. So no row lacks its file, and a
 * refused request leaves no file. A file without a row, after a refusal by `save` or a crash, is deleted later by the sweep.
 */
export type StagedHandler<E extends Endpoint, L = unknown, G = unknown, M = unknown> = {
  kind: 'staged'
  load(context: ReadContext<E>, ids: AccessIds<E>): Promise<L>
  gather(context: ReadContext<E>, input: RequestInput<E>, loaded: L): Promise<G>
  make(services: Services, gathered: G): Promise<M>
  save(context: HandlerContext<E>, made: M, loaded: L): Promise<Answer<E>>
}

/** An endpoint that streams changes: access is decided once, then `follow` yields events until it ends or the client disconnects. */
export type EventsHandler<E extends Endpoint, L = unknown> = {
  kind: 'events'
  load(context: HandlerContext<E>, ids: AccessIds<E>): Promise<L>
  follow(services: Services, loaded: L, signal: AbortSignal): AsyncIterable<EventOf<E>>
}

/** The few endpoints of sign-in, which may commit changes even where they refuse. */
export type OpenHandler<E extends Endpoint> = {
  kind: 'open'
  run(exchange: Exchange, input: RequestInput<E>): Promise<Answer<E>>
}
/** A request as the sign-in handlers receive it. */
export type Exchange = {
  services: Services
  /** The client's network address, for limits. */
  address: string
  /** The origin of the calling page, which the mount has checked; this server's for a client that is no browser. */
  origin: string
  caller: Caller | null
  /** Device and address of the client, as a session stores them. */
  client(): SessionClient
  /** The session's tokens as sent, or as renewed by this request. */
  session: CookieSession | null
  /** Sets the session cookies of the reply; null clears them. */
  setSession(session: CookieSession | null): void
  header(name: string, value: string): void
  /** Gives up the request's slot during `wait`, and takes one again. Throws 503 where none becomes free. */
  whileWaiting<T>(wait: () => Promise<T>): Promise<T>
}

// biome-ignore lint/suspicious/noExplicitAny: the result of `load` is passed only to `run` of the same handler.
type AnyHandler<E extends Endpoint> = Handler<E, any, any, any> | StagedHandler<E, any, any, any> | EventsHandler<E, any> | OpenHandler<E>
export type Handlers<R extends Resource> = { [K in keyof R]: AnyHandler<R[K]> }

type HandlerDefinition<E extends Endpoint, L, P = unknown, V = Answer<E>> = {
  as?: 'user' | 'system'
  load(context: HandlerContext<E>, ids: AccessIds<E>): Promise<L>
  run: Handler<E, L, P, V>['run']
}

/** Defines a handler that loads before it runs. The endpoint is passed for its types. */
export const on = <E extends Endpoint, L>(_endpoint: E, written: HandlerDefinition<E, L>): Handler<E, L> => ({
  kind: 'transaction',
  as: 'user',
  ...written,
})

/** Defines a handler whose reply is what it loads. */
export const onLoaded = <E extends Endpoint>(endpoint: E, load: Handler<E, Answer<E>>['load']): Handler<E, Answer<E>> =>
  on(endpoint, { load, run: async (_context, _input, loaded) => loaded })

/** Defines a handler of an upload: `prepare` reads it (a table, a picture), and `run` receives the result as `prepared`. */
export const onUpload = <E extends Endpoint & { body: 'multipart' }, P, L>(
  _endpoint: E,
  written: HandlerDefinition<E, L, P> & { prepare(upload: Upload, services: Services, caller: CallerOf<E>): Promise<P> },
): Handler<E, L, P> => ({ kind: 'transaction', as: 'user', ...written }) as Handler<E, L, P>

/** Defines a handler that replies with a file: `run` reads its content, `finish` writes it. */
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

/** Defines a handler without access checks beyond its guard. */
export const onGuard = <E extends Endpoint>(
  _endpoint: E,
  run: (context: HandlerContext<E>, input: RequestInput<E>) => Promise<Answer<E>>,
  as: 'user' | 'system' = 'user',
): Handler<E, undefined> => ({ kind: 'transaction', as, load: async () => undefined, run })

export const onOpen = <E extends Endpoint>(_endpoint: E, run: OpenHandler<E>['run']): OpenHandler<E> => ({ kind: 'open', run })
