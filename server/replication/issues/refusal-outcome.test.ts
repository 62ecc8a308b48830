import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RefusedRow, refusalCases, refusalOutcome } from './refusal-outcome.ts'

const rows: fc.Arbitrary<RefusedRow> = fc.record({
  isLaptop: fc.boolean(),
  here: fc.constantFrom('lives' as const, 'deleted' as const),
  there: fc.constantFrom('lives' as const, 'deleted' as const, 'none' as const),
  isMade: fc.boolean(),
  isReturned: fc.boolean(),
  isStored: fc.boolean(),
  stays: fc.boolean(),
  ofExistence: fc.boolean(),
  isMalformed: fc.boolean(),
  canTravel: fc.boolean(),
  isOurs: fc.boolean(),
  hasUnits: fc.boolean(),
})

test.each(refusalCases.slice(0, -1).map(([fits, outcome], at) => [JSON.stringify(fits), outcome, at] as const))(
  'without the case %s some row is not answered by %s',
  (_, outcome, at) => {
    const others = refusalCases.filter((_case, place) => place !== at)
    const isDecided = (row: RefusedRow) => refusalOutcome(row) === outcome && refusalOutcome(row, others) !== outcome
    expect(fc.sample(rows, { numRuns: 5_000, seed: 1 }).some(isDecided)).toBe(true)
  },
)

test('only a laptop forgets; a node with children writes or leaves', () =>
  fc.assert(
    fc.property(rows, (row) => {
      const outcome = refusalOutcome(row)
      expect(row.isLaptop || ['replace', 'leave', 'write'].includes(outcome)).toBe(true)
    }),
  ))

test('what only others wrote is never written over', () =>
  fc.assert(fc.property(rows, (row) => row.isOurs || row.stays || refusalOutcome(row) !== 'write')))
