import { z } from 'zod'
import { Id } from './scalars.ts'

/**
 * The check before anything is loaded. `none`: anybody. `session`: signed in. `school`: has an active school. `staff`: teacher or admin of
 * the school. `admin`: admin of the school. What depends on a loaded row (class teacher of this class, subject of this assessment) is
 * decided by the feature's policy when it loads the row.
 */
export type Guard = 'none' | 'session' | 'school' | 'staff' | 'admin'
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
type Path = `/${string}`

/**
 * One endpoint as one value. Routes, typed client, OpenAPI and the tests of every endpoint are derived from it. The `:name`s of the path
 * are lower-case UUIDs.
 * - `who`: one sentence on whom it is for, where the rights table is stricter than the guard. `notes`: what the shapes do not show, for
 *   the documentation.
 * - `body`: JSON schema of the request, `'multipart'` for an upload with the part `file`, absent for none. `form`: the fields that an
 *   upload carries beside its file; `fileBytes`: the largest file, where it is not an import.
 * - `reply`: JSON schema; `'binary'` for a file; `'events'` for server-sent events, each with the JSON of `event`.
 * - `status`: of success; 200 when absent.
 * - `fails`: codes of failures beyond those that every endpoint of its kind may give.
 * - `targets`: of the endpoint, where malformed ids are reported in another order than that of the fields.
 * - `fresh`: the caller must have signed in, or proved who they are, within the last ten minutes (`limits.proof`); else 403
 *   `auth.fresh_proof_needed`.
 */
type Shapes = {
  who?: string
  notes?: string
  query?: z.ZodObject
  body?: z.ZodType | 'multipart'
  form?: z.ZodObject
  fileBytes?: number
  reply: z.ZodType | 'binary' | 'events'
  event?: z.ZodType
  status?: 200 | 201 | 202
  fails?: readonly string[]
  targets?: readonly string[]
  fresh?: true
}

/**
 * `targets`: the ids in a body, form or query that decide access. Their format, and that of ids in lists of the body, is checked before
 * access, the rest of the body after it (decisions §1, order of checks). `list`: a GET that replies with an array takes `limit` and
 * `offset`.
 */
export type Endpoint = Shapes & {
  method: Method
  path: Path
  guard: Guard
  summary: string
  targets: readonly string[]
  list: boolean
}

/** The people whom ClassTeacherGuard admits (specification, «Guards»). */
export const CLASS_TEACHER = 'For the class teacher and for administrators.'

type Route = `${Method} ${Path}`
type Named<R extends Route, G extends Guard> = {
  method: R extends `${infer M extends Method} ${string}` ? M : never
  path: R extends `${string} ${infer P extends Path}` ? P : never
  guard: G
  summary: string
  targets: readonly string[]
  list: boolean
}

/** `endpoint('GET /api/terms/:id', 'school', 'Read a term', { reply: Term })`. */
export function endpoint<const R extends Route, const G extends Guard, const S extends Shapes>(
  route: R,
  guard: G,
  summary: string,
  shapes: S,
): Named<R, G> & S {
  const [method, path] = route.split(' ') as [Named<R, G>['method'], Named<R, G>['path']]
  const { query, body, form, reply } = shapes
  const list = method === 'GET' && reply instanceof z.ZodArray
  return { method, path, guard, summary, targets: [query, body, form].flatMap(idsIn), list, ...shapes }
}

const idsIn = (shape: unknown): string[] =>
  shape instanceof z.ZodObject ? Object.keys(shape.shape).filter((name) => innermost(shape.shape[name]) === Id) : []

const innermost = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? innermost(schema.unwrap()) : schema

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
/** The payload of one event of an endpoint that replies with events. */
export type EventOf<E extends Endpoint> = E['event'] extends z.ZodType ? z.output<E['event']> : never
export type Reply<E extends Endpoint> = E['reply'] extends z.ZodType
  ? z.output<E['reply']>
  : E['reply'] extends 'events'
    ? AsyncIterable<EventOf<E>>
    : Uint8Array
export type Resource = Record<string, Endpoint>
