import type { Body, Endpoint, Params, Query, Reply, Resource } from '@markbook/shared/contract/endpoint'
import type { ReadTx, WriteTx } from '../store/tx.ts'
import type { Caller, SchoolCaller } from './caller.ts'
import type { CookieSession } from './cookies.ts'
import type { Services } from './services.ts'

type Id = string
type Tx<E extends Endpoint> = E['method'] extends 'GET' ? ReadTx : WriteTx
type CallerOf<E extends Endpoint> = E['guard'] extends 'none' ? null : E['guard'] extends 'session' ? Caller : SchoolCaller
/** A file in a reply. */
export type BinaryReply = { bytes: Uint8Array; contentType: string; filename: string }
type Answer<E extends Endpoint> = E['reply'] extends 'binary' ? BinaryReply : Reply<E>

/** Where a handler stands: one transaction, the caller, the services. `after` runs once the transaction has committed. */
export type Scene<E extends Endpoint = Endpoint> = {
  tx: Tx<E>
  caller: CallerOf<E>
  services: Services
  after(effect: () => void | Promise<void>): void
}
/** What is known before the body has been checked: path ids, and the ids named in `targets`, all well formed. */
export type Aim<E extends Endpoint> = { params: Params<E>; targets: Readonly<Record<string, Id | undefined>> }
export type Upload = { filename: string; contentType: string; bytes: Uint8Array }
type UploadOf<E extends Endpoint> = E['body'] extends 'multipart' ? Upload : undefined
export type Asked<E extends Endpoint> = { params: Params<E>; query: Query<E>; body: Body<E>; upload: UploadOf<E> }

/**
 * How an endpoint is answered, in the order of checks of decisions §1: `load` decides access (403, 404) from the ids alone and
 * answers what it loaded; then the body is checked; then `run` checks the state (409) and writes. Both run in one transaction:
 * a reading one for GET. `as: 'system'` where a person's own rows in the database do not suffice (joining a school).
 */
export type Handler<E extends Endpoint, L = unknown, P = unknown, V = Answer<E>> = {
  kind: 'transaction'
  as: 'user' | 'system'
  /** Reads the upload before the transaction, inside which only the database is awaited. A failure is answered after access was decided. */
  prepare?(upload: UploadOf<E>): Promise<P>
  load(scene: Scene<E>, aim: Aim<E>): Promise<L>
  run(scene: Scene<E>, asked: Asked<E> & { prepared: P }, loaded: L): Promise<V>
  /** Makes the reply of what `run` answered, after the transaction: files take long to write. */
  finish?(value: V): Promise<Answer<E>>
}

/** The few endpoints of sign-in, which commit something even where they refuse. */
export type OpenHandler<E extends Endpoint> = {
  kind: 'open'
  run(exchange: Exchange, asked: Asked<E>): Promise<Reply<E>>
}
/** A request as sign-in sees it. */
export type Exchange = {
  services: Services
  /** The other end's address, for limits. */
  address: string
  caller: Caller | null
  /** The session's tokens as sent, or as renewed by this request. */
  session: CookieSession | null
  /** Writes, or for null clears, the session cookies of the reply. */
  setSession(session: CookieSession | null): void
  header(name: string, value: string): void
}

// biome-ignore lint/suspicious/noExplicitAny: what `load` answers is between it and `run` of the same handler.
type AnyHandler<E extends Endpoint> = Handler<E, any, any, any> | OpenHandler<E>
export type Handlers<R extends Resource> = { [K in keyof R]: AnyHandler<R[K]> }

type Written<E extends Endpoint, L, P = unknown, V = Answer<E>> = {
  as?: 'user' | 'system'
  load(scene: Scene<E>, aim: Aim<E>): Promise<L>
  run: Handler<E, L, P, V>['run']
}

/** A handler that loads before it runs. The endpoint is passed for its types. */
export const on = <E extends Endpoint, L>(_endpoint: E, written: Written<E, L>): Handler<E, L> => ({
  kind: 'transaction',
  as: 'user',
  ...written,
})

/** A handler of an upload, which `prepare` reads (a table, a picture) and `run` finds as `prepared`. */
export const onUpload = <E extends Endpoint & { body: 'multipart' }, P, L>(
  _endpoint: E,
  written: Written<E, L, P> & { prepare(upload: Upload): Promise<P> },
): Handler<E, L, P> => ({ kind: 'transaction', as: 'user', ...written }) as Handler<E, L, P>

/** A handler that answers a file: `run` reads what is in it, `finish` writes it. */
export const onFile = <E extends Endpoint & { reply: 'binary' }, L, V>(
  _endpoint: E,
  written: Written<E, L, unknown, V> & { finish(value: V): Promise<BinaryReply> },
): Handler<E, L, unknown, V> => ({ kind: 'transaction', as: 'user', ...written }) as Handler<E, L, unknown, V>

/** A handler whose guard is all the access there is to check. */
export const onGuard = <E extends Endpoint>(
  _endpoint: E,
  run: (scene: Scene<E>, asked: Asked<E>) => Promise<Answer<E>>,
  as: 'user' | 'system' = 'user',
): Handler<E, undefined> => ({ kind: 'transaction', as, load: async () => undefined, run })

export const onOpen = <E extends Endpoint>(_endpoint: E, run: OpenHandler<E>['run']): OpenHandler<E> => ({ kind: 'open', run })
