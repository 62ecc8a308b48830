import { expect, test } from 'vitest'
import { CentreProgress } from './parent-state.ts'

const EPOCH = '019bb138-1000-7000-8000-000000000001'
const page = (theirs: number, above: number | null | undefined, is_last = true) => ({ cursor: `${EPOCH}/${theirs}/0`, is_last, above })

test('what the school had is at the centre once the school’s feed has gone on so far', () => {
  const line = new CentreProgress()
  expect(line.heard(page(100, 90), 7)).toBe(0)
  // More came meanwhile, but the first place is awaited: otherwise a busy school would never reach it.
  expect(line.heard(page(130, 99), 9)).toBe(0)
  expect(line.heard(page(140, 100), 9)).toBe(7)
  expect(line.heard(page(140, 140), 9)).toBe(9)
})

test('a page that is not the last says nothing of what follows', () => {
  const line = new CentreProgress()
  expect(line.heard(page(100, 100, false), 7)).toBe(0)
  expect(line.heard(page(100, 100), 7)).toBe(7)
})

test('a centre that was restored has nothing until it has it again; a school without one says nothing', () => {
  const line = new CentreProgress()
  line.heard(page(100, 100), 7)
  expect(line.heard(page(100, 40), 7)).toBe(0)
  expect(line.heard(page(100, 100), 7)).toBe(7)
  expect(line.heard(page(100, undefined), 7)).toBeNull()
  expect(line.heard(page(100, null), 7)).toBeNull()
})
