import type { LiveMark } from '@markbook/shared/contract/grades'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellValueOf, isCellValue, markOf } from './cell-value.ts'

test('markOf is the inverse of cellValueOf', () => {
  const status = fc.option(fc.constantFrom('abs', 'late', 'é2'))
  const score = fc.option(fc.integer({ min: 0, max: 10_000_000 }).map((hundredths) => hundredths / 100))
  fc.assert(
    fc.property(fc.record({ score, status }), (mark) => {
      expect(markOf(cellValueOf(mark))).toEqual(mark)
      expect(isCellValue(cellValueOf(mark))).toBe(true)
    }),
  )
})

test('a mark that an older version stored has no status', () => {
  const kept: Pick<LiveMark, 'score'> = { score: 15 }
  expect(cellValueOf(kept)).toBe(15)
  expect(cellValueOf(undefined)).toBeNull()
})
