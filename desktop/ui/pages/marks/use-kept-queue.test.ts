import { createElement, useLayoutEffect } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { expect, test, vi } from 'vitest'
import { MarkQueue } from './model/mark-queue.ts'
import { useQueueChanges } from './use-kept-queue.ts'

test('a change between the render and the subscription is rendered', async () => {
  const queue = new MarkQueue({
    send: async () => [],
    remove: async () => {},
    read: async () => [],
    saved: () => {},
    removed: () => {},
    store: () => {},
    later: () => () => {},
    now: () => '2026-01-12T08:00:00.000Z',
    random: () => 1,
  })
  const Changing = () => {
    useLayoutEffect(() => queue.addConflict({ assessmentId: 'quiz', studentId: 'zoe', score: 12, seen: null }, 9), [])
    return null
  }
  const Page = () => {
    useQueueChanges(queue)
    return createElement(
      'p',
      null,
      queue.all().map(({ state }) => state),
      createElement(Changing),
    )
  }
  const root = createRoot(document.body)
  flushSync(() => root.render(createElement(Page)))
  await vi.waitFor(() => expect(document.body.textContent).toBe('conflict'))
  root.unmount()
})
