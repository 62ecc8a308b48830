import { beforeEach, describe, expect, test } from 'vitest'
import { KeptMarks } from './kept-marks.ts'
import type { Pending } from './pending.ts'

const DAY = 86_400_000
let now = Date.parse('2026-01-12T08:00:00.000Z')
const pending = (studentId: string, assessmentId = 'quiz'): Pending => ({
  assessmentId,
  studentId,
  score: 12,
  seen: null,
  at: new Date(now).toISOString(),
  state: 'waiting',
})
const windowOf = (windowId: string, userId = 'ada', box: Storage | null = localStorage) =>
  new KeptMarks(box, { userId, schoolId: 'stBrigids' }, windowId, () => now)

beforeEach(() => {
  localStorage.clear()
  now = Date.parse('2026-01-12T08:00:00.000Z')
})

describe('marks that are kept on this computer', () => {
  test('a window that was closed leaves them to the next of the same person', () => {
    const first = windowOf('one')
    first.keep('quiz', [pending('zoe')])
    first.beat(true)
    expect(windowOf('two').takeOver('quiz')).toMatchObject([{ studentId: 'zoe', score: 12 }])
    expect(windowOf('three').takeOver('quiz')).toEqual([])
  })

  test('one that lives keeps its own; after a crash they are taken over once it has been silent', () => {
    const first = windowOf('one')
    first.keep('quiz', [pending('zoe')])
    expect(windowOf('two').takeOver('quiz')).toEqual([])
    now += 15_000
    first.beat()
    now += 15_000
    expect(windowOf('two').takeOver('quiz')).toEqual([])
    now += 30_000
    expect(windowOf('two').takeOver('quiz')).toHaveLength(1)
  })

  test('a window that was loaded anew finds its own at once', () => {
    windowOf('one').keep('quiz', [pending('zoe')])
    expect(windowOf('one').takeOver('quiz')).toHaveLength(1)
  })

  test('nobody else sees them', () => {
    const first = windowOf('one')
    first.keep('quiz', [pending('zoe')])
    first.beat(true)
    expect(windowOf('two', 'byrne').takeOver('quiz')).toEqual([])
    expect(windowOf('three').takeOver('quiz')).toHaveLength(1)
  })

  test('what has arrived is kept no longer', () => {
    const first = windowOf('one')
    first.keep('quiz', [pending('zoe')])
    first.keep('quiz', [])
    expect(localStorage.length).toBe(0)
  })

  test('what nobody came back for is forgotten after a month', () => {
    const first = windowOf('one')
    first.keep('quiz', [pending('zoe')])
    first.beat(true)
    now += 29 * DAY
    windowOf('two', 'byrne').tidy()
    expect(localStorage.length).toBe(1)
    now += 2 * DAY
    windowOf('two', 'byrne').tidy()
    expect(localStorage.length).toBe(0)
  })

  test('what others have written there is none of ours, and is left alone', () => {
    localStorage.setItem('markbook.marks/ada/stBrigids/quiz/odd', '{"beat":0,"pending":[{"score":"12"}]}')
    localStorage.setItem('markbook.marks/ada/stBrigids/quiz/odder', 'no json')
    localStorage.setItem('markbook.theme', 'dark')
    expect(windowOf('one').takeOver('quiz')).toEqual([])
    expect(localStorage.getItem('markbook.theme')).toBe('dark')
  })

  test('where the browser keeps nothing, that is said', () => {
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
    expect(windowOf('one', 'ada', full as never).keep('quiz', [pending('zoe')])).toBe(false)
    expect(windowOf('one', 'ada', null).keep('quiz', [pending('zoe')])).toBe(false)
  })
})
