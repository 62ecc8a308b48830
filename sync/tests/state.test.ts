import { describe, expect, test } from 'vitest'
import { canonical, isSame } from '../merge/state.ts'

const values: unknown[] = [
  null,
  undefined,
  0,
  1,
  '',
  'a',
  true,
  [],
  [1],
  [null],
  [1, 2],
  {},
  { a: 1 },
  { a: null },
  { a: undefined },
  { a: undefined, b: 1 },
  { b: 1 },
  { b: 1, a: 1 },
  { a: 1, b: 1 },
  { a: { b: [1, { c: null }] } },
  { a: { b: [1, { c: 2 }] } },
  { 0: 1 },
]

describe('two values', () => {
  test('are the same where they have one text, whichever is asked first', () => {
    for (const a of values)
      for (const b of values) {
        const [here, there] = [structuredClone(a), structuredClone(b)]
        expect([a, b, isSame(here, there)]).toEqual([a, b, canonical(a) === canonical(b)])
      }
  })
})
