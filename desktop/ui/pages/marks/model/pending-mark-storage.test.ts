import { beforeEach, describe, expect, test } from 'vitest'
import type { PendingMark } from './pending-mark.ts'
import { type BrowserStorage, PendingMarkStorage } from './pending-mark-storage.ts'

const DAY = 86_400_000
let now = Date.parse('2026-01-12T08:00:00.000Z')
const pending = (studentId: string, assessmentId = 'quiz'): PendingMark => ({
  assessmentId,
  studentId,
  score: 12,
  seen: null,
  at: new Date(now).toISOString(),
  state: 'waiting',
})
const windowOf = (windowId: string, userId = 'ada', storage: BrowserStorage | null = localStorage) =>
  new PendingMarkStorage(storage, { userId, schoolId: 'stBrigids' }, windowId, () => now)

/** What this window takes over. */
const leftTo = (...of: Parameters<typeof windowOf>) => {
  const found: PendingMark[] = []
  windowOf(...of).takeOver(({ pending: left }) => found.push(...left))
  return found
}

beforeEach(() => {
  localStorage.clear()
  now = Date.parse('2026-01-12T08:00:00.000Z')
})

describe('pending marks in browser storage', () => {
  test('the next window of the same user takes over those of a closed window', () => {
    const first = windowOf('one')
    first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    expect(leftTo('two')).toMatchObject([{ studentId: 'zoe', score: 12 }])
    expect(leftTo('three')).toEqual([])
  })

  test('an open window keeps its own; after a crash they are taken over once its heartbeat is old', () => {
    const first = windowOf('one')
    first.store('quiz', [pending('zoe')])
    expect(leftTo('two')).toEqual([])
    now += 15_000
    first.heartbeat()
    now += 15_000
    expect(leftTo('two')).toEqual([])
    now += 30_000
    expect(leftTo('two')).toHaveLength(1)
  })

  test('a reloaded window finds its own at once', () => {
    windowOf('one').store('quiz', [pending('zoe')])
    expect(leftTo('one')).toHaveLength(1)
  })

  test('are stored by the next window before the record of the closed one goes, with the sheet that they are of', () => {
    const sheet = { classId: '3b', subjectId: 'maths', termId: 'michaelmas' }
    const first = windowOf('one')
    first.store('quiz', [pending('zoe')], sheet)
    first.store('exam', [pending('mei', 'exam')])
    first.heartbeat(true)
    const second = windowOf('two')
    const sheets: unknown[] = []
    second.takeOver(({ assessmentId, pending: left, sheet: of }) => {
      second.store(assessmentId, left, of)
      expect(Object.keys(localStorage).filter((key) => key.includes(assessmentId))).toHaveLength(2)
      sheets.push([assessmentId, of])
    })
    expect(sheets).toEqual([
      ['quiz', sheet],
      ['exam', undefined],
    ])
    expect(Object.keys(localStorage).every((key) => key.endsWith('/two'))).toBe(true)
  })

  test('another user does not see them', () => {
    const first = windowOf('one')
    first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    expect(leftTo('two', 'byrne')).toEqual([])
    expect(leftTo('three')).toHaveLength(1)
  })

  test('saved marks are removed', () => {
    const first = windowOf('one')
    first.store('quiz', [pending('zoe')])
    first.store('quiz', [])
    expect(localStorage.length).toBe(0)
  })

  test('records expire after a month', () => {
    const first = windowOf('one')
    first.store('quiz', [pending('zoe')])
    first.heartbeat(true)
    now += 29 * DAY
    windowOf('two', 'byrne').removeExpired()
    expect(localStorage.length).toBe(1)
    now += 2 * DAY
    windowOf('two', 'byrne').removeExpired()
    expect(localStorage.length).toBe(0)
  })

  test('records of another shape are ignored and left in place', () => {
    localStorage.setItem('markbook.marks/ada/stBrigids/quiz/odd', '{"beat":0,"pending":[{"score":"12"}]}')
    localStorage.setItem('markbook.marks/ada/stBrigids/quiz/odder', 'no json')
    localStorage.setItem('markbook.theme', 'dark')
    expect(leftTo('one')).toEqual([])
    expect(localStorage.getItem('markbook.theme')).toBe('dark')
  })

  test('store answers false where the browser stores nothing', () => {
    const full = {
      ...localStorage,
      setItem: () => {
        throw new Error('full')
      },
      removeItem: () => {},
      key: () => null,
      getItem: () => null,
      length: 0,
    }
    expect(windowOf('one', 'ada', full).store('quiz', [pending('zoe')])).toBe(false)
    expect(windowOf('one', 'ada', null).store('quiz', [pending('zoe')])).toBe(false)
  })
})
