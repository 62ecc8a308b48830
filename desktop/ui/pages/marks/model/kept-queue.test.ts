import 'fake-indexeddb/auto'
import { afterEach, expect, test, vi } from 'vitest'
import { browserDatabase, forgetBrowserDatabase } from '../../../storage/browser-database.ts'
import { openKeptQueue } from './kept-queue.ts'
import { PendingMarkStorage } from './pending-mark-storage.ts'

const owner = { userId: 'ada', schoolId: 'stBrigids' }

afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await forgetBrowserDatabase()
})

test('entries of other windows are counted every two seconds until they are taken over, and else less often', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  const sent: string[] = []
  const looks = vi.spyOn(PendingMarkStorage.prototype, 'takeOver')
  const other = new PendingMarkStorage(browserDatabase, owner, 'other', () => Date.now())
  const at = new Date().toISOString()
  const isOpen = () => other.store('quiz', [{ assessmentId: 'quiz', studentId: 'zoe', score: 12, seen: null, at, state: 'refused' }])
  await isOpen()
  const { elsewhere, queue } = openKeptQueue(owner, 'pending_marks', {
    send: async (_id, marks) => {
      sent.push(...marks.map(({ studentId }) => studentId))
      return []
    },
    remove: async () => {},
    read: async () => [],
    saved: () => {},
    removed: () => {},
  })
  expect(elsewhere.get()).toBeNull()
  /** Lets a second pass, and waits for the database. */
  const second = async () => {
    await vi.advanceTimersByTimeAsync(1_000)
    await Promise.all(looks.mock.results.map(({ value }) => value as Promise<number>))
  }
  for (let passed = 0; passed < 60; passed += 1) {
    await isOpen()
    await second()
    expect(elsewhere.get()).toBe(1)
  }
  expect(looks.mock.calls.length).toBeGreaterThan(20)
  expect(looks.mock.calls.length).toBeLessThanOrEqual(31)
  expect(queue.all()).toEqual([])
  for (let passed = 0; passed < 60; passed += 1) await second()
  expect([elsewhere.get(), sent, queue.all()]).toEqual([0, ['zoe'], []])
})
