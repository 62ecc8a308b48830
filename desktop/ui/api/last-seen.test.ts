import 'fake-indexeddb/auto'
import { Failure } from '@markbook/shared/failures'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { browserDatabase, forgetBrowserDatabase } from '../storage/browser-database.ts'
import { keepReply, keptReply, thinReplies } from '../storage/kept-replies.ts'
import {
  changeSeen,
  forgetLastSeen,
  isProfileOld,
  isSignedInAs,
  keepProfile,
  keepSeen,
  lastSeen,
  notShown,
  oldRequests,
  orLastSeen,
  written,
} from './last-seen.ts'
import { noteSigningOut } from './signed-out.ts'

const TERMS = ['terms', 'list', { query: { yearId: '2026' } }] as const
const ME = ['auth', 'me'] as const
const ada = { id: 'ada', school_id: 'stBrigids' } as Parameters<typeof keepProfile>[0]
const away = () => Promise.reject(new Failure(0, 'unreachable', 'The server cannot be reached.'))
const refused = (status: number) => () => Promise.reject(new Failure(status, 'x', 'No.'))
const late = vi.fn()
const ask = <T>(call: () => Promise<T>, request: readonly [string, string, ...unknown[]] = TERMS) => orLastSeen(request, call, late)
beforeEach(async () => {
  late.mockClear()
  await forgetLastSeen()
  keepProfile(ada)
  await written()
})
afterEach(async () => {
  vi.useRealTimers()
  for (const request of oldRequests()) notShown(request)
  await forgetBrowserDatabase()
})

describe('the replies that were last seen', () => {
  test('are stored encrypted, with a key that is removed at the sign-out', async () => {
    await ask(async () => ['Oisín Murphy'], ['students', 'list', { query: { search: 'Murphy' } }])
    await written()
    const all = await (await browserDatabase())?.getAll('replies')
    expect(all).toHaveLength(2)
    const stored = JSON.stringify(all?.map(({ sealed, ...rest }) => [rest, new TextDecoder().decode(sealed.bytes)]))
    expect(stored).not.toMatch(/Murphy|Ois|students/)
    expect(document.cookie).toMatch(/markbook-key=[0-9a-f]{64}/)
    await forgetLastSeen()
    expect(document.cookie).not.toMatch(/markbook-key=[0-9a-f]/)
    const database = await browserDatabase()
    for (const each of all ?? []) await database?.put('replies', each)
    keepProfile(ada)
    expect(await lastSeen(['students', 'list', { query: { search: 'Murphy' } }])).toBeUndefined()
  })

  test('are shown while the server is away, and marked as old until they are read again', async () => {
    expect(await ask(async () => ['michaelmas'])).toEqual(['michaelmas'])
    await written()
    expect(await ask(away)).toEqual(['michaelmas'])
    expect(oldRequests()).toEqual([TERMS])
    expect(await ask(away)).toEqual(['michaelmas'])
    expect(await ask(async () => ['hilary'])).toEqual(['hilary'])
    expect(oldRequests()).toEqual([])
  })

  test('do not replace a refusal, and cannot replace a request never made before', async () => {
    await ask(async () => ['michaelmas'])
    await written()
    for (const status of [400, 403, 404, 429, 500, 503]) await expect(ask(refused(status))).rejects.toMatchObject({ status })
    await expect(ask(away, ['terms', 'list', { query: { yearId: '2027' } }])).rejects.toMatchObject({ status: 0 })
    expect(await ask(refused(502))).toEqual(['michaelmas'])
  })

  test('are shown where the reply takes long, and are replaced when it arrives', async () => {
    await ask(async () => ['michaelmas'])
    await written()
    let answer: (reply: string[]) => void = () => {}
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const asked = ask(() => new Promise<string[]>((resolve) => (answer = resolve)))
    await vi.advanceTimersByTimeAsync(4_000)
    vi.useRealTimers()
    expect(await asked).toEqual(['michaelmas'])
    answer(['hilary'])
    await vi.waitFor(() => expect(late).toHaveBeenCalled())
    await written()
    expect(late).toHaveBeenCalledWith(['hilary'])
    expect(await lastSeen(TERMS)).toEqual(['hilary'])
  })

  test('are changed by later saves, and keep their time', async () => {
    changeSeen<string[]>(TERMS, (seen) => [...seen, 'lost'])
    await ask(async () => ['michaelmas'])
    changeSeen<string[]>(TERMS, (seen) => [...seen, 'hilary'])
    await written()
    expect(await lastSeen(TERMS)).toEqual(['michaelmas', 'hilary'])
  })

  test('are not stored for accounts, nodes and codes', async () => {
    for (const request of [
      ['sessions', 'list'],
      ['outage', 'deskCodes'],
      ['replication', 'nodes'],
      ['audit', 'report'],
    ] as const) {
      await ask(async () => ['secret'], request)
      await written()
      await expect(ask(away, request)).rejects.toMatchObject({ status: 0 })
    }
  })

  test('open the app for the person who was last signed in here', async () => {
    expect(await ask(away, ME)).toEqual(ada)
    expect(isProfileOld()).toBe(true)
    await ask(async () => ada, ME)
    expect(isProfileOld()).toBe(false)
  })

  test('are removed when somebody else signs in, when the session has ended, and at a sign-out', async () => {
    const seen = async () => {
      await ask(async () => ['michaelmas'])
      await written()
      expect(await lastSeen(TERMS)).toEqual(['michaelmas'])
    }
    await seen()
    keepProfile({ ...ada, id: 'byrne' })
    await written()
    keepProfile(ada)
    await written()
    expect(await lastSeen(TERMS)).toBeUndefined()
    await seen()
    await expect(ask(refused(401), ME)).rejects.toMatchObject({ status: 401 })
    await expect(ask(away, ME)).rejects.toMatchObject({ status: 0 })
    keepProfile(ada)
    await seen()
    await forgetLastSeen()
    keepProfile(ada)
    expect(await lastSeen(TERMS)).toBeUndefined()
  })

  test('stay marked as old where the server has an error, and are not shown after a refusal', async () => {
    await ask(async () => ['michaelmas'])
    await written()
    await ask(away)
    await expect(ask(refused(503))).rejects.toMatchObject({ status: 503 })
    expect(oldRequests()).toEqual([TERMS])
    await expect(ask(refused(403))).rejects.toMatchObject({ status: 403 })
    expect(oldRequests()).toEqual([])
  })

  test('are not stored or shown where the reply arrives after a change of school', async () => {
    let answer: (reply: string[]) => void = () => {}
    const asked = ask(() => new Promise<string[]>((resolve) => (answer = resolve)))
    keepProfile({ ...ada, school_id: 'other' })
    answer(['of the first school'])
    expect(await asked).toEqual(['of the first school'])
    await written()
    expect(await lastSeen(TERMS)).toBeUndefined()
    keepProfile(ada)
    expect(await lastSeen(TERMS)).toBeUndefined()
  })

  test('are stored where the profile of the same person is read before the reply arrives', async () => {
    let answer: (reply: string[]) => void = () => {}
    const asked = ask(() => new Promise<string[]>((resolve) => (answer = resolve)))
    await ask(async () => ({ ...ada }), ME)
    answer(['michaelmas'])
    await asked
    await written()
    expect(await lastSeen(TERMS)).toEqual(['michaelmas'])
  })

  test('are not stored during a sign-out; every window knows who is signed in', async () => {
    expect([isSignedInAs('ada'), isSignedInAs('byrne')]).toEqual([true, false])
    noteSigningOut(true)
    keepSeen(TERMS, ['michaelmas'])
    keepSeen(ME, { ...ada, id: 'byrne' })
    noteSigningOut(false)
    await written()
    expect(await lastSeen(TERMS)).toBeUndefined()
    expect(isSignedInAs('ada')).toBe(true)
  })

  test('are separate for each school of a person', async () => {
    await ask(async () => ['michaelmas'])
    await written()
    keepProfile({ ...ada, school_id: 'other' })
    await written()
    expect(await lastSeen(TERMS)).toBeUndefined()
    keepProfile(ada)
    await written()
    expect(await lastSeen(TERMS)).toEqual(['michaelmas'])
  })

  test('are removed after thirty days, and the oldest beyond two thousand', async () => {
    const database = await browserDatabase()
    const owner = { userId: 'ada', schoolId: 'stBrigids' }
    const day = 86_400_000
    await keepReply(database, owner, 'old', 1, 1)
    expect(await keptReply(database, owner, 'old', 30 * day)).toMatchObject({ reply: 1 })
    expect(await keptReply(database, owner, 'old', 31 * day)).toBeUndefined()
    for (let at = 0; at < 2_005; at += 1) await keepReply(database, owner, `new ${at}`, at, 40 * day + at)
    await thinReplies(database, 41 * day)
    expect(await database?.count('replies')).toBe(2_000)
    expect(await keptReply(database, owner, 'new 5', 41 * day)).toBeUndefined()
    expect(await keptReply(database, owner, 'new 6', 41 * day)).toMatchObject({ reply: 6 })
  })
})
