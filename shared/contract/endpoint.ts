import type { z } from 'zod'

/**
 * Who may come in before anything is loaded. `none`: anybody. `session`: signed in. `school`: with an active school.
 * `staff`: teacher or admin of the school. `admin`: admin of the school. What depends on a loaded row (class teacher of
 * this class, subject of this assessment) is decided by the feature's policy when it loads the row.
 */
export type Guard = 'none' | 'session' | 'school' | 'staff' | 'admin'
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
type Shape = z.ZodType

/**
 * One endpoint as one value; routes, typed client, OpenAPI and the sweeping tests are all read from it.
 * - `params`: every `:name` of the path, all lower-case UUIDs.
 * - `who`: one sentence on whom it is for, where the rights table says more than the guard. `notes`: what a reader of the
 *   documentation cannot see from the shapes.
 * - `targets`: body fields (or query fields) holding ids through which access is decided; they are checked to be well
 *   formed before access, the rest of the body after it (decisions §1, order of checks).
 * - `body`: JSON schema of the request, `'multipart'` for an upload with the part `file`, absent for none. `form`: the fields that an
 *   upload carries beside its file, `fileBytes` how large that may be where it is not an import.
 * - `reply`: JSON schema; `'binary'` for a file; `'events'` for server-sent events, each with the JSON of `event`. `list: true` marks
 *   an array reply that takes `limit` and `offset`.
 * - `status`: of success; 200 when absent.
 * - `fails`: codes of failures beyond those that every endpoint of its kind may give.
 */
export type Endpoint = {
  method: Method
  path: `/${string}`
  guard: Guard
  summary: string
  who?: string
  notes?: string
  targets?: readonly string[]
  query?: z.ZodObject
  body?: Shape | 'multipart'
  form?: z.ZodObject
  fileBytes?: number
  reply: Shape | 'binary' | 'events'
  event?: Shape
  list?: boolean
  status?: 200 | 201 | 202
  fails?: readonly string[]
}

/** Whom ClassTeacherGuard lets in (specification, «Guards»). */
export const CLASS_TEACHER = 'For the class teacher and for administrators.'
export const endpoint = <const E extends Endpoint>(value: E): E => value

type ParamNames<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never
export type Params<E extends Endpoint> = { [K in ParamNames<E['path']>]: string }
export type Query<E extends Endpoint> = E['query'] extends z.ZodType ? z.output<E['query']> : Record<never, never>
export type QueryInput<E extends Endpoint> = E['query'] extends z.ZodType ? z.input<E['query']> : Record<never, never>
export type Body<E extends Endpoint> = E['body'] extends z.ZodType
  ? z.output<E['body']>
  : E['form'] extends z.ZodType
    ? z.output<E['form']>
    : undefined
export type BodyInput<E extends Endpoint> = E['body'] extends z.ZodType
  ? z.input<E['body']>
  : E['body'] extends 'multipart'
    ? FormData
    : undefined
/** What one event of an endpoint that replies with events carries. */
export type EventOf<E extends Endpoint> = E['event'] extends z.ZodType ? z.output<E['event']> : never
export type Reply<E extends Endpoint> = E['reply'] extends z.ZodType
  ? z.output<E['reply']>
  : E['reply'] extends 'events'
    ? AsyncIterable<EventOf<E>>
    : Uint8Array
export type Resource = Record<string, Endpoint>
