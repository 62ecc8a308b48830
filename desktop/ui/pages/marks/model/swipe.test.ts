import fc from 'fast-check'
import { expect, test } from 'vitest'
import { swipeStep } from './swipe.ts'

const from = { x: 200, y: 400 }
const to = (x: number, y: number) => ({ x, y })

test('a swipe in reading direction goes to the next assessment, in both directions of reading', () => {
  expect(swipeStep(from, to(100, 410), false)).toBe(1)
  expect(swipeStep(from, to(300, 410), false)).toBe(-1)
  expect(swipeStep(from, to(100, 410), true)).toBe(-1)
  expect(swipeStep(from, to(300, 410), true)).toBe(1)
})

test('a press, or a move that is mostly vertical, is no swipe', () => {
  expect(swipeStep(from, to(170, 400), false)).toBe(null)
  const offset = fc.integer({ min: -400, max: 400 })
  fc.assert(
    fc.property(offset, offset, fc.boolean(), (across, down, isRightToLeft) => {
      fc.pre(Math.abs(across) < 2 * Math.abs(down))
      expect(swipeStep(from, to(from.x + across, from.y + down), isRightToLeft)).toBe(null)
    }),
  )
})
