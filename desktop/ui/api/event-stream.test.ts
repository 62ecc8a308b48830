import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followEvents, serverAnswered } from './event-stream.ts'

class Stream {
  static readonly CLOSED = 2
  static opened: Stream[] = []
  readyState = 0
  onmessage: ((event: { data: string }) => void) | null = null
  onerror: (() => void) | null = null
  constructor() {
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

test('a stream of a server that was away opens as soon as another request is answered', () => {
  const stop = follow()
  serverAnswered()
  expect(Stream.opened).toHaveLength(1)
  newest()?.onerror?.()
  expect(Stream.opened).toHaveLength(1)
  serverAnswered()
  expect(Stream.opened).toHaveLength(2)
  // Once for each failure, and the pause does not open it a second time.
  serverAnswered()
  vi.advanceTimersByTime(60_000)
  expect(Stream.opened).toHaveLength(2)
  newest()?.onerror?.()
  stop()
  serverAnswered()
  expect(Stream.opened).toHaveLength(2)
})

test('a stream that the server refuses keeps its pause', () => {
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
