import 'fake-indexeddb/auto'
import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BrowserDatabase, openBrowserDatabase } from '../../../storage/browser-database.ts'
import type { PendingMark } from './pending-mark.ts'
import { PendingMarkStorage } from './pending-mark-storage.ts'

const DAY = 86_400_000
let now = Date.parse('2026-01-12T08:00:00.000Z')
let database: BrowserDatabase
const pending = (studentId: string, assessmentId = 'quiz'): PendingMark => ({
  assessmentId,
  studentId,
  score: 12,
  seen: null,
  at: new Date(now).toISOString(),
  state: 'waiting',
})
const windowOf = (windowId: string, userId = 'ada', of: BrowserDatabase | null = database) =>
  new PendingMarkStorage(
    () => Promise.resolve(of),
    { userId, schoolId: 'stBrigids' },
    windowId,
    () => now,
  )

/** The entries that this window takes over. */
const leftTo = async (...of: Parameters<typeof windowOf>) => {
  const found: PendingMark[] = []
  const storage = windowOf(...of)
  await storage.takeOver(({ assessmentId, pending: left, sheet }) => {
    found.push(...left)
    void storage.store(assessmentId, left, sheet)
  })
  return found
}
const windows = async () => (await database.getAllKeys('pending_marks')).map(([, , , windowId]) => windowId)

beforeEach(async () => {
  localStorage.clear()
  now = Date.parse('2026-01-12T08:00:00.000Z')
  database = (await openBrowserDatabase()) as BrowserDatabase
})
afterEach(async () => {
  database.close()
  await deleteDB('markbook')
})

describe('pending marks in the browser’s database', () => {
  test('are taken over from a closed window by the next window of the same user', async () => {
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    expect(await leftTo('two')).toMatchObject([{ studentId: 'zoe', score: 12 }])
    expect(await leftTo('three')).toEqual([])
    expect(await windows()).toEqual(['two'])
  })

  test('are counted while their window may still be open, until they are taken over', async () => {
    const elsewhere = () => windowOf('two').takeOver(() => {})
    expect(await elsewhere()).toBe(0)
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe'), pending('mei')])
    await windowOf('one', 'byrne').store('quiz', [pending('zoe')])
    expect(await elsewhere()).toBe(2)
    now += 21_000
    expect(await elsewhere()).toBe(0)
    expect(await windowOf('two', 'ada', null).takeOver(() => {})).toBe(0)
  })

  test('are taken over at once from a former page of this tab, by only one of two copies of a tab', async () => {
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    await windowOf('two').store('quiz', [pending('mei')])
    const owner = { userId: 'ada', schoolId: 'stBrigids' }
    const former = { ids: new Set(['one']), until: now }
    const next = new PendingMarkStorage(
      () => Promise.resolve(database),
      owner,
      'three',
      () => now,
      'pending_marks',
      former,
    )
    const found: string[] = []
    const look = () => next.takeOver(({ pending: left }) => found.push(...left.map(({ studentId }) => studentId)))
    expect(await look()).toBe(1)
    now += 5_000
    first.heartbeat()
    expect(await look()).toBe(2)
    expect(found).toEqual(['zoe'])
  })

  test('can be texts of any length, which are taken over unchanged', async () => {
    const text = 'Works with care.\n'.repeat(60)
    const texts = (windowId: string) =>
      new PendingMarkStorage(
        () => Promise.resolve(database),
        { userId: 'ada', schoolId: 'stBrigids' },
        windowId,
        () => now,
        'pending_texts',
      )
    const first = texts('one')
    await first.store('book', [{ ...pending('book book remark', 'book'), score: text }])
    first.heartbeat(true)
    const found: unknown[] = []
    await texts('two').takeOver(({ pending: left }) => found.push(...left))
    expect(found).toMatchObject([{ score: text }])
    expect(await leftTo('three')).toEqual([])
  })

  test('of an older version are still there, beside the new store', async () => {
    database.close()
    await deleteDB('markbook')
    const keyPath = ['userId', 'schoolId', 'assessmentId', 'windowId']
    const older = await openDB('markbook', 2, {
      upgrade: (made) => {
        made.createObjectStore('pending_marks', { keyPath })
        made.createObjectStore('replies', { keyPath: ['userId', 'schoolId', 'request'] }).createIndex('at', 'at')
        made.createObjectStore('pending_attendance', { keyPath })
      },
    })
    const key = { userId: 'ada', schoolId: 'stBrigids', assessmentId: 'quiz', windowId: 'old' }
    await older.put('pending_marks', { ...key, beat: 0, pending: [pending('zoe')] })
    older.close()
    database = (await openBrowserDatabase()) as BrowserDatabase
    expect(await leftTo('new')).toMatchObject([{ studentId: 'zoe', score: 12 }])
    expect([...database.objectStoreNames]).toEqual(['pending_attendance', 'pending_marks', 'pending_texts', 'replies'])
  })

  test('in the database of a newer version, which was taken back, are taken over, and new ones are stored', async () => {
    await windowOf('newer').store('quiz', [pending('zoe')])
    database.close()
    const newer = await openDB('markbook', 99, { upgrade: (made) => void made.createObjectStore('more') })
    newer.close()
    database = (await openBrowserDatabase()) as BrowserDatabase
    now += 30_000
    expect(await leftTo('older')).toMatchObject([{ studentId: 'zoe' }])
    expect(await windowOf('older').store('exam', [pending('mei', 'exam')])).toBe(true)
  })

  test('of attendance are in a store of their own, and are not mixed with marks', async () => {
    const attendance = (windowId: string) =>
      new PendingMarkStorage<{ day: string }>(
        () => Promise.resolve(database),
        { userId: 'ada', schoolId: 'stBrigids' },
        windowId,
        () => now,
        'pending_attendance',
      )
    const first = attendance('one')
    await first.store('3B 2026-01-12 0', [{ ...pending('zoe', '3B 2026-01-12 0'), score: 'absent' }], { day: '2026-01-12' })
    first.heartbeat(true)
    expect(await leftTo('two')).toEqual([])
    const left: unknown[] = []
    await attendance('three').takeOver(({ assessmentId, pending: own, sheet }) => void left.push([assessmentId, own[0]?.score, sheet]))
    expect(left).toEqual([['3B 2026-01-12 0', 'absent', { day: '2026-01-12' }]])
  })

  test('stay with an open window; after a crash they are taken over once its heartbeat is old', async () => {
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    expect(await leftTo('two')).toEqual([])
    now += 15_000
    first.heartbeat()
    now += 15_000
    expect(await leftTo('two')).toEqual([])
    now += 30_000
    expect(await leftTo('two')).toHaveLength(1)
  })

  test('are taken over by only one of two windows at the same time', async () => {
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    const found = await Promise.all([leftTo('two'), leftTo('three')])
    expect(found.flat()).toHaveLength(1)
    expect(await windows()).toHaveLength(1)
  })

  test('are merged with what the next window stores at the same time', async () => {
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    const second = windowOf('two')
    const typed = second.store('quiz', [pending('mei')])
    await second.takeOver(({ assessmentId, pending: left }) => void second.store(assessmentId, [pending('mei'), ...left]))
    await typed
    expect(await database.getAll('pending_marks')).toMatchObject([
      { windowId: 'two', pending: [{ studentId: 'mei' }, { studentId: 'zoe' }] },
    ])
  })

  test('are taken over with their sheet', async () => {
    const sheet = { classId: '3b', subjectId: 'maths', termId: 'michaelmas' }
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')], sheet)
    await first.store('exam', [pending('mei', 'exam')])
    first.heartbeat(true)
    const sheets: unknown[] = []
    await windowOf('two').takeOver(({ assessmentId, sheet: of }) => void sheets.push([assessmentId, of]))
    expect(sheets).toEqual([
      ['exam', undefined],
      ['quiz', sheet],
    ])
  })

  test('are not seen by another user, or in another school', async () => {
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    expect(await leftTo('two', 'byrne')).toEqual([])
    expect(await leftTo('three', 'ad')).toEqual([])
    expect(await leftTo('four')).toHaveLength(1)
  })

  test('are removed when saved; calls take effect in order', async () => {
    const first = windowOf('one')
    const calls = [first.store('quiz', [pending('zoe')]), first.store('quiz', [pending('zoe'), pending('mei')]), first.store('quiz', [])]
    expect(await Promise.all(calls)).toEqual([true, true, true])
    expect(await windows()).toEqual([])
  })

  test('expire a month after another person’s window found them', async () => {
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    for (const days of [60, 29]) {
      now += days * DAY
      await windowOf('two', 'byrne').removeExpired()
      expect(await windows()).toEqual(['one'])
    }
    now += 2 * DAY
    await windowOf('two', 'byrne').removeExpired()
    expect(await windows()).toEqual([])
  })

  test('of this person do not expire in the summer holidays', async () => {
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    now += 60 * DAY
    await windowOf('two').removeExpired()
    now += 60 * DAY
    await windowOf('two').removeExpired()
    expect(await leftTo('two')).toHaveLength(1)
  })

  test.each(['2007-01-01', '2046-01-01'])('do not expire where the clock was wrong when they were entered and found: %s', async (wrong) => {
    const right = now
    now = Date.parse(wrong)
    const first = windowOf('one')
    await first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    if (now > right) await windowOf('two', 'byrne').removeExpired()
    now = right
    await windowOf('two', 'byrne').removeExpired()
    expect(await windows()).toEqual(['one'])
    now += 31 * DAY
    await windowOf('two', 'byrne').removeExpired()
    expect(await windows()).toEqual([])
  })

  test('of a crashed window are taken over after the clock was set back', async () => {
    await windowOf('one').store('quiz', [pending('zoe')])
    now -= DAY
    expect(await leftTo('two')).toMatchObject([{ studentId: 'zoe' }])
  })

  test('of an unknown shape are ignored, and stay', async () => {
    const odd = { userId: 'ada', schoolId: 'stBrigids', assessmentId: 'quiz', windowId: 'odd', beat: 0, pending: [{ score: '12' }] }
    await database.put('pending_marks', odd)
    expect(await leftTo('one')).toEqual([])
    await windowOf('one').removeExpired()
    expect(await windows()).toEqual(['odd'])
  })

  test('of a page that is left before the database is open are in local storage, and the next page takes them over', async () => {
    const never = new Promise<BrowserDatabase>(() => {})
    const left = new PendingMarkStorage(
      () => never,
      { userId: 'ada', schoolId: 'stBrigids' },
      'one',
      () => now,
    )
    left.heartbeat(true)
    void left.store('quiz', [pending('zoe')])
    expect(await leftTo('two', 'byrne')).toEqual([])
    expect(await leftTo('three')).toMatchObject([{ studentId: 'zoe', score: 12 }])
    expect(Object.keys(localStorage)).toEqual([])
  })

  test.each(['a full disk', 'no database'])('of a page that was left are taken over from local storage with %s', async (fault) => {
    const left = JSON.stringify({ beat: 0, pending: [pending('zoe')] })
    for (const id of ['ada', 'byrne']) localStorage.setItem(`markbook.marks/${id}/stBrigids/quiz/one`, left)
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('The disk is full.', 'QuotaExceededError')
    })
    const found: string[] = []
    const look = () =>
      windowOf('two', 'ada', fault === 'no database' ? null : database).takeOver(
        (of) => void found.push(...of.pending.map((one) => one.studentId)),
      )
    await look()
    await look()
    put.mockRestore()
    expect(found).toEqual(['zoe'])
    expect(await leftTo('three', 'byrne')).toMatchObject([{ studentId: 'zoe' }])
  })

  test('of a page that came back are in the database alone', async () => {
    const one = windowOf('one')
    one.heartbeat(true)
    await one.store('quiz', [pending('zoe')])
    expect(Object.keys(localStorage)).toEqual([])
    void one.store('quiz', [pending('zoe'), pending('elan')])
    expect(Object.keys(localStorage)).toHaveLength(1)
    one.heartbeat()
    await one.store('quiz', [])
    expect(Object.keys(localStorage)).toEqual([])
    expect(await leftTo('two')).toEqual([])
  })

  test('of a page that came back are not taken from its own copy, which may be older than the database', async () => {
    localStorage.setItem('markbook.marks/ada/stBrigids/quiz/one', JSON.stringify({ beat: 0, pending: [pending('zoe')] }))
    expect(await leftTo('one')).toEqual([])
    expect(await windows()).toEqual([])
  })

  test('in the local storage of an older version are moved here once its window is closed', async () => {
    const key = 'markbook.marks/ada/stBrigids/quiz/old'
    localStorage.setItem(key, JSON.stringify({ beat: now - 1_000, pending: [pending('zoe')] }))
    localStorage.setItem('markbook.marks/ada/stBrigids/quiz/odd', 'no json')
    localStorage.setItem('markbook.theme', 'dark')
    expect(await leftTo('one')).toEqual([])
    now += 30_000
    expect(await leftTo('one')).toMatchObject([{ studentId: 'zoe' }])
    expect(localStorage.getItem(key)).toBeNull()
    expect(localStorage.getItem('markbook.theme')).toBe('dark')
    expect(await windows()).toEqual(['one'])
  })

  test('store returns false where the browser cannot store them', async () => {
    expect(await windowOf('one', 'ada', null).store('quiz', [pending('zoe')])).toBe(false)
    const many = Array.from({ length: 1_001 }, (_, at) => pending(`${at}`))
    expect(await windowOf('one').store('quiz', many)).toBe(false)
    database.close()
    expect(await windowOf('one').store('quiz', [pending('zoe')])).toBe(false)
  })
})
