import 'fake-indexeddb/auto'
import { Failure } from '@markbook/shared/failures'
import { createElement } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, test, vi } from 'vitest'
import { useUnsavedCount } from '../../../frame/unsaved-count.ts'
import { browserDatabase, forgetBrowserDatabase } from '../../../storage/browser-database.ts'
import { openKeptQueue, tellUnsaved } from './kept-queue.ts'
import { PendingMarkStorage } from './pending-mark-storage.ts'

const owner = { userId: 'ada', schoolId: 'stBrigids' }

const quiz = { assessmentId: 'quiz', studentId: 'zoe', score: 12, seen: null }
const away = {
  send: () => Promise.reject(new Failure(0, 'unreachable', 'The server cannot be reached.')),
  remove: async () => {},
  read: () => Promise.reject(new Failure(0, 'unreachable', 'The server cannot be reached.')),
  saved: () => {},
  removed: () => {},
}

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

test('an entry is not called stored where the browser does not open its database, and is once it does', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  let open = () => {}
  vi.spyOn(PendingMarkStorage.prototype, 'store').mockReturnValue(
    new Promise((resolve) => {
      open = () => resolve(true)
    }),
  )
  const { queue, isStored } = openKeptQueue(owner, 'pending_marks', away)
  const told: boolean[] = []
  queue.listen(() => told.push(isStored()))
  queue.put([quiz])
  await vi.advanceTimersByTimeAsync(6_000)
  expect([isStored(), told.includes(false)]).toEqual([false, true])
  open()
  await vi.advanceTimersByTimeAsync(0)
  expect([isStored(), told.at(-1)]).toEqual([true, true])
})

test('an entry is not called stored once the browser has removed it and stores it no more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const stored = vi.spyOn(PendingMarkStorage.prototype, 'store')
  const { queue, isStored } = openKeptQueue(owner, 'pending_marks', { ...away, send: () => new Promise<never>(() => {}) })
  queue.put([quiz])
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all(stored.mock.results.map(({ value }) => value as Promise<boolean>))
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('The disk is full.', 'QuotaExceededError')
  })
  await vi.advanceTimersByTimeAsync(5_000)
  await vi.waitFor(() => expect(isStored()).toBe(false))
})

test('an entry whose request takes long counts as unsaved until it is saved', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  let answer = () => {}
  const send = () =>
    new Promise<never[]>((resolve) => {
      answer = () => resolve([])
    })
  const kept = openKeptQueue(owner, 'pending_marks', { ...away, send })
  tellUnsaved(kept, 'marks', () => true)
  const root = createRoot(document.body)
  flushSync(() => root.render(createElement(() => createElement('p', null, useUnsavedCount()))))
  const shown = () => flushSync(() => {}) ?? document.body.textContent
  kept.queue.put([quiz])
  await vi.advanceTimersByTimeAsync(4_000)
  expect([kept.queue.get('quiz', 'zoe')?.state, shown()]).toEqual(['sending', '0'])
  await vi.advanceTimersByTimeAsync(2_000)
  expect([kept.queue.get('quiz', 'zoe')?.state, shown()]).toEqual(['sending', '1'])
  answer()
  await vi.advanceTimersByTimeAsync(0)
  expect([kept.queue.get('quiz', 'zoe')?.state, shown()]).toEqual([undefined, '0'])
  root.unmount()
})

test('a database that could not be opened is opened again', async () => {
  vi.spyOn(indexedDB, 'open').mockImplementationOnce(() => {
    throw new DOMException('The disk is busy.', 'UnknownError')
  })
  expect(await browserDatabase()).toBeNull()
  expect(await browserDatabase()).not.toBeNull()
})
