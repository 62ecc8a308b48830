import { expect, test } from 'vitest'
import { nextName } from './next-name.ts'

test.each([
  ['2B', '3B'],
  ['Class 9', 'Class 10'],
  ['6e A 2', '7e A 2'],
  ['Reception', 'Reception'],
])('%s becomes %s', (before, after) => {
  expect(nextName(before)).toBe(after)
})
