import { randomBytes } from 'node:crypto'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Context, Hono } from 'hono'
import type { Caller, SchoolCaller } from '../../http/caller.ts'
import { concurrencyLimit } from '../../http/concurrency-limit.ts'
import { slotOf } from '../../http/limiter.ts'
import { type AppEnv, searchOf, signIn } from '../../http/mount.ts'
import { checkOrigin, preflight } from '../../http/origins.ts'
import type { HeaderList } from '../../http/replies.ts'
import type { Services } from '../../http/services.ts'
import { callerAgain } from '../../http/sessions.ts'
import { commitWaiters } from '../../replication/downstream/commit-waiters.ts'
import { asSystem, asUser } from '../../store/tx.ts'
import { beganWith, type HandleScope, newHandle } from './handles.ts'
import { behind, type Position } from './offsets.ts'
import { readPage, type ShapePage } from './page.ts'
import { fallBackReply, type PageReply, pageReply, refetchReply } from './replies.ts'
import { scopeOf } from './scope.ts'
import { readShapeRequest, type ShapeRequest } from './shape-request.ts'

const SHAPE_PATH = '/v1/shape'

type Ctx = Context<AppEnv>
type Bounds = { pageRows: number; longPollMs: number; checkEveryMs: number; waiting: number; waitingPerUser: number }
type ShapeService = {
  services: Services
  bounds: Bounds
  news: ReturnType<typeof commitWaiters>
  room: ReturnType<typeof concurrencyLimit>
}
/** The result of one reading. `refetch`: the new handle with which the reader must start again. */
type Look = { school: string; refetch: string } | (PageReply & { school: string; page: ShapePage })

/**
 * `GET /v1/shape`, besides the contract: the feed of the caller's school in the protocol of `@electric-sql/client` (docs/shapes.md).
 * Read-only, scoped and authorised like the API.
 */
export function serveShapes(app: Hono<AppEnv>, services: Services, bounds: Bounds = limits.shapes): void {
  const room = concurrencyLimit({ perUser: bounds.waitingPerUser, all: bounds.waiting })
  const service: ShapeService = { services, bounds, news: commitWaiters(services.store), room }
  app.options(SHAPE_PATH, (c) => preflight(checkOrigin(c.req.raw, services.config)))
  app.get(SHAPE_PATH, (c) => answer(c, service))
  app.all(SHAPE_PATH, () => {
    throw common.methodNotAllowed({ headers: { allow: 'GET, OPTIONS' } })
  })
}

async function answer(c: Ctx, service: ShapeService): Promise<Response> {
  const { services } = service
  c.set('route', SHAPE_PATH)
  const headers = c.get('replyHeaders')
  headers.push(...checkOrigin(c.req.raw, services.config).map(exposing))
  const { caller } = await signIn(c, services, headers)
  c.set('actor', caller?.user_id ?? null)
  if (!caller) throw common.unauthenticated()
  demandSchool(caller)
  const search = searchOf(c.req.raw.url)
  c.set('input', search)
  const input = readShapeRequest(search)
  const seen = await look(service, caller, input, input.from)
  if ('refetch' in seen) return refetchReply(seen.refetch, headers)
  if (input.events) return fallBackReply(seen, search.get('offset') ?? '', headers)
  const settled = input.live && !hasChanges(seen) ? await waitForChanges(c, service, caller, input, seen.page.to) : seen
  return 'refetch' in settled ? refetchReply(settled.refetch, headers) : pageReply(settled, c.req.raw, headers)
}

const EXPOSED = 'electric-handle, electric-offset, electric-schema, electric-cursor, electric-up-to-date, electric-has-data, etag'
const exposing = ([name, value]: HeaderList[number]): HeaderList[number] =>
  name === 'access-control-expose-headers' ? [name, `${value}, ${EXPOSED}`] : [name, value]

function demandSchool(caller: Caller): asserts caller is SchoolCaller {
  if (!caller.school_id || !caller.role) throw common.noSchool()
  if (!caller.is_active) throw common.inactive()
}

/** Reads in one transaction: the caller, their rights, and their next page. */
function look(
  { services: { store, clock }, bounds }: ShapeService,
  { session_id }: Caller,
  input: ShapeRequest,
  from: ShapeRequest['from'],
): Promise<Look> {
  return store.read(asSystem(), async (tx) => {
    const caller = await callerAgain(tx, { session_id })
    demandSchool(caller)
    await tx.actAs(asUser(caller.user_id))
    const scope = await scopeOf({ tx, caller }, input.table)
    // A condition on a hidden column would reveal its values.
    if ([...(input.where?.columns ?? [])].some((column) => scope.hidden.has(column))) throw common.forbidden()
    const { school_id: school } = caller
    const meaning: HandleScope = { nodeId: store.nodeId, school, shape: input.text, scope: scope.text }
    const { seq: head, floor } = await tx.dialect.feedOf(tx.connection, school)
    const fresh = () => newHandle(meaning, head, randomBytes(4).toString('hex'))
    const began = input.handle === null ? head : beganWith(input.handle, meaning)
    if (began === null || began > head || (from !== 'head' && from.next > head + 1)) return { school, refetch: fresh() }
    // Deletions that this reader has not received were forgotten.
    if (began < floor && from !== 'head' && from.next <= floor) return { school, refetch: fresh() }
    const reader = { ...input, school, nodeId: store.nodeId, scope, began }
    const page = await (from === 'head' || from.next > head
      ? Promise.resolve<ShapePage>({ messages: [], to: behind(head), isLast: true })
      : readPage(tx, reader, from, head, bounds.pageRows))
    return { input, school, handle: input.handle ?? fresh(), cursor: cursorAt(clock.now()), page }
  })
}

let lastCursor = 0
/** Never the same twice: a client takes a live reply with a known cursor for a cached one. */
const cursorAt = (now: number): string => {
  lastCursor = Math.max(now, lastCursor + 1)
  return String(lastCursor)
}

const hasChanges = (seen: Look): boolean => 'refetch' in seen || seen.page.messages.length > 0 || !seen.page.isLast

const RETRY = { 'retry-after': '5' }

/** Waits until there is something for this reader, or the time is over; rights are read again each time. */
async function waitForChanges(c: Ctx, service: ShapeService, caller: SchoolCaller, input: ShapeRequest, from: Position): Promise<Look> {
  const full = service.room.enter(caller.user_id)
  if (full === 'user') throw common.tooManyRequests({ message: 'Too many shapes are followed at once.', headers: RETRY })
  if (full === 'all') throw common.busy({ headers: RETRY })
  const slot = slotOf(c.env?.incoming)
  const isOver = () => service.services.jobs.isStopping || c.req.raw.signal.aborted || !slot.isClientConnected()
  const until = performance.now() + service.bounds.longPollMs
  let at = from
  try {
    for (;;) {
      const left = until - performance.now()
      const heard = service.news.next([caller.school_id], Math.max(0, left))
      // Read after listening has started, so that no change is missed in between.
      const seen = await look(service, caller, input, at)
      if (hasChanges(seen) || left <= 0 || isOver()) {
        heard.forget()
        return seen
      }
      if ('page' in seen) at = seen.page.to
      const patience = setInterval(() => isOver() && heard.forget(), service.bounds.checkEveryMs)
      await slot.releasedDuring(() => heard.promise).finally(() => clearInterval(patience))
    }
  } finally {
    service.room.leave(caller.user_id)
  }
}
