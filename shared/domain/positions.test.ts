import fc from 'fast-check'
import { expect, test } from 'vitest'
import { positions } from './positions.ts'

test.each([
  { averages: [70, 80, 80, 90], places: [4, 2, 2, 1] },
  { averages: [90, 80, 80, 70], places: [1, 2, 2, 4] },
  { averages: [50, 50, 50], places: [1, 1, 1] },
  { averages: [null, 40, null, 60.01, 60], places: [null, 3, null, 1, 2] },
  { averages: [0, null], places: [1, null] },
  { averages: [9, 10, 100], places: [3, 2, 1] },
  { averages: [null], places: [null] },
  { averages: [], places: [] },
])('$averages are placed $places', ({ averages, places }) => {
  expect(positions(averages)).toEqual(places)
})

test('a position is 1 + the number of strictly greater averages', () => {
  const average = fc.option(fc.integer({ min: 0, max: 300 }).map((n) => n / 100))
  fc.assert(
    fc.property(fc.array(average, { maxLength: 50 }), (averages) => {
      const greater = (own: number) => averages.filter((other) => other !== null && other > own).length
      expect(positions(averages)).toEqual(averages.map((own) => (own === null ? null : 1 + greater(own))))
    }),
  )
})
