import { limits } from '@markbook/shared/limits'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AppEnv } from '../../http/mount.ts'
import { failureReply } from '../../http/replies.ts'
import { type School, school } from '../../testing/school.ts'
import { serveShapes } from './shapes.routes.ts'

let st: School
let app: Hono<AppEnv>
/** `wait`: ms that a live request waits. */
const appThatWaits = (wait: number) => {
  const app = new Hono<AppEnv>()
  app.use((c, next) => {
    c.set('replyHeaders', [])
    return next()
  })
  app.onError((error, c) => failureReply(error, '', c.get('replyHeaders')))
  serveShapes(app, st.services, { ...limits.shapes, pageRows: 4, longPollMs: wait, waiting: 2, waitingPerUser: 1 })
  return app
}
beforeAll(async () => {
  st = await school()
  app = appThatWaits(200)
})
afterAll(() => st.close())

type ShapeMessage = { key?: string; headers: { control?: string; operation?: string } }
const get = async (name: 'okafor' | 'niamh' | 'byrne', query: Record<string, string>, at = app) => {
  const response = await at.request(`/v1/shape?${new URLSearchParams(query)}`, { headers: { cookie: st.cookieOf(name) } })
  const next = { handle: response.headers.get('electric-handle') ?? '', offset: response.headers.get('electric-offset') ?? '' }
  return { response, next, told: (await response.json()) as ShapeMessage[] }
}

test('a copy of many rows comes in pages, of which only the last is up to date', async () => {
  let { response, next, told } = await get('okafor', { table: 'student', offset: '-1' })
  const keys: (string | undefined)[] = []
  for (let pages = 1; !response.headers.has('electric-up-to-date'); pages += 1) {
    expect(pages).toBeLessThan(10)
    expect(told.length).toBeLessThanOrEqual(4)
    keys.push(...told.map(({ key }) => key))
    ;({ response, next, told } = await get('okafor', { table: 'student', ...next }))
  }
  keys.push(...told.flatMap(({ key }) => key ?? []))
  expect(new Set(keys).size).toBe((await st.as.okafor.students.list()).length)
  expect(keys).toHaveLength(new Set(keys).size)
  expect(told.at(-1)?.headers.control).toBe('up-to-date')
})

test('a request that waits is answered after a while with nothing, and a cursor that is new', async () => {
  const { next } = await get('niamh', { table: 'term', offset: 'now' })
  const cursors: (string | null)[] = []
  for (let time = 0; time < 2; time += 1) {
    const began = performance.now()
    const { response, told } = await get('niamh', { table: 'term', ...next, live: 'true' })
    expect(performance.now() - began).toBeGreaterThan(190)
    expect(told.map(({ headers }) => headers.control)).toEqual(['up-to-date'])
    cursors.push(response.headers.get('electric-cursor'))
  }
  expect(cursors[0]).toMatch(/^\d+$/)
  expect(cursors[1]).not.toBe(cursors[0])
})

test('too many waiting requests of a person are refused, and so are too many in all', async () => {
  // Long enough that the last of them has arrived, also on a busy machine.
  const patient = appThatWaits(1_500)
  const waiting = async (...names: ('okafor' | 'niamh' | 'byrne')[]) => {
    const asks = await Promise.all(
      names.map(async (name) => {
        const { next } = await get(name, { table: 'term', offset: 'now' }, patient)
        return () => get(name, { table: 'term', ...next, live: 'true' }, patient)
      }),
    )
    const told = (await Promise.all(asks.map((ask) => ask()))).map(({ response }) => [response.status, response.headers.get('retry-after')])
    return told.sort(([a], [b]) => Number(a) - Number(b))
  }
  expect(await waiting('okafor', 'okafor')).toEqual([
    [200, null],
    [429, '5'],
  ])
  expect(await waiting('okafor', 'niamh', 'byrne')).toEqual([
    [200, null],
    [200, null],
    [503, '5'],
  ])
  expect(await waiting('byrne')).toEqual([[200, null]])
})

test('a reader of changes only gets no copy', async () => {
  const { told, next } = await get('okafor', { table: 'subject', offset: '-1', log: 'changes_only' })
  expect(told.map(({ headers }) => headers.control)).toEqual(['up-to-date'])
  await st.as.okafor.subjects.create({ body: { name: 'Music', code: 'MU' } })
  const since = await get('okafor', { table: 'subject', ...next })
  expect(since.told.map(({ headers }) => headers.operation ?? headers.control)).toEqual(['insert', 'up-to-date'])
})
