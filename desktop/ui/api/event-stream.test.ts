import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { broughtEarly, followEvents, openEarly, serverAnswered } from './event-stream.ts'

class Stream {
  static readonly CLOSED = 2
  static opened: Stream[] = []
  readyState = 0
  onmessage: ((event: { data: string }) => void) | null = null
  onerror: (() => void) | null = null
  constructor(readonly url: string) {
    Stream.opened.push(this)
  }
  close() {
    this.readyState = Stream.CLOSED
  }
}
const newest = () => Stream.opened.at(-1)

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', Stream)
  Stream.opened = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const follow = () => followEvents('/api/sync/events', { onEvent: () => {}, onError: () => {} })

test('a stream opens again as soon as the server answers another request', () => {
  const stop = follow()
  serverAnswered()
  expect(Stream.opened).toHaveLength(1)
  newest()?.onerror?.()
  expect(Stream.opened).toHaveLength(1)
  serverAnswered()
  expect(Stream.opened).toHaveLength(2)
  // Opens once after each failure, and not again when the pause ends.
  serverAnswered()
  vi.advanceTimersByTime(60_000)
  expect(Stream.opened).toHaveLength(2)
  newest()?.onerror?.()
  stop()
  serverAnswered()
  expect(Stream.opened).toHaveLength(2)
})

test('a stream that the server refused is opened again only after the pause', () => {
  const stop = follow()
  const first = newest()
  if (first) first.readyState = Stream.CLOSED
  first?.onerror?.()
  serverAnswered()
  expect(Stream.opened).toHaveLength(1)
  vi.advanceTimersByTime(2_000)
  expect(Stream.opened).toHaveLength(2)
  stop()
})

const open = () => Stream.opened.filter(({ readyState }) => readyState !== Stream.CLOSED).map(({ url }) => url)
const says = (event: unknown) => newest()?.onmessage?.({ data: JSON.stringify(event) })

test('a stream that was opened early passes its events on to the follower in order, and continues', async () => {
  openEarly('/marks')
  openEarly('/marks')
  expect(open()).toEqual(['/marks'])
  says(1)
  says(2)
  expect([broughtEarly('/marks'), broughtEarly('/other')]).toEqual([[1, 2], []])
  const told: unknown[] = []
  const stop = followEvents('/marks', { onEvent: (event) => told.push(event), onError: () => told.push('error') })
  expect(told).toEqual([])
  await Promise.resolve()
  says(3)
  expect(told).toEqual([1, 2, 3])
  // A page follows the stream: opening it early does nothing, and its timeout has no effect.
  openEarly('/marks')
  vi.advanceTimersByTime(60_000)
  expect(Stream.opened).toHaveLength(1)
  newest()?.onerror?.()
  expect(told).toEqual([1, 2, 3, 'error'])
  stop()
  expect(open()).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect(open()).toEqual([])
})

test('a follower that stops at once gets no event', async () => {
  openEarly('/marks')
  says(1)
  const told: unknown[] = []
  followEvents('/marks', { onEvent: (event) => told.push(event), onError: () => {} })()
  await Promise.resolve()
  expect([told, open()]).toEqual([[], []])
})

test('there is one early stream at a time, for five seconds; after an error the page opens its own', () => {
  openEarly('/marks/1')
  openEarly('/marks/2')
  expect(open()).toEqual(['/marks/2'])
  vi.advanceTimersByTime(5_000)
  expect(open()).toEqual([])
  openEarly('/marks/3')
  newest()?.onerror?.()
  vi.advanceTimersByTime(60_000)
  expect(open()).toEqual([])
  const stop = followEvents('/marks/3', { onEvent: () => {}, onError: () => {} })
  expect(open()).toEqual(['/marks/3'])
  stop()
})
