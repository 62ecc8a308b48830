import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '../../server/testing/long.ts'
import { mergeRows } from '../merge/merge.ts'
import { furthestOf, highsOf } from '../merge/policy.ts'
import { stamp } from '../stamp.ts'
import { type Core, type Event, type History, runHistory } from './history.ts'
import { invariants } from './invariants.ts'
import { planted } from './planted.ts'

const core: Core = { mergeRows, stamp, highsOf, furthestOf }
/** Every table; those with a rule of their own more often. */
const tables = (Object.keys(descriptions) as Replicated[]).flatMap((table) => {
  const isSpecial = furthestOf(table).length > 0 || Object.keys(highsOf(table, {})).length > 0
  return Array.from({ length: isSpecial ? 6 : 1 }, () => table)
})

/** A number is an event: its low bits say what happens, so that fewer and earlier things are smaller. */
const eventOf = (number: number): Event => ({
  kind: (['write', 'merge', 'delete', 'merge', 'write', 'merge', 'delete', 'write'] as const)[number & 7] ?? 'write',
  node: (number >> 3) & 7,
  clock: (['right', 'behind', 'in 2099', 'stopped'] as const)[(number >> 6) & 3] ?? 'right',
  value: (number >> 8) & 3,
  units: (number >> 10) & 255,
  from: (number >> 18) & 7,
  back: (number >> 21) & 3,
})

const historiesOf = (among: readonly Replicated[]): fc.Arbitrary<History> =>
  fc.record({
    table: fc.constantFrom(...among),
    nodes: fc.integer({ min: 3, max: 5 }),
    newer: fc.nat(31),
    together: fc.boolean(),
    events: fc.array(fc.nat(2 ** 23 - 1).map(eventOf), { minLength: 4, maxLength: 18 }),
  })

const CASES_EACH = times(2_800, 11_200)

describe(`in ${CASES_EACH} histories`, () => {
  test.each(Object.entries(invariants))('%s', (_, invariant) => {
    fc.assert(
      fc.property(historiesOf(tables), (history) => {
        expect(invariant(runHistory(history, core), core)).toBeNull()
      }),
      { numRuns: CASES_EACH },
    )
  })
})

const FOUND_WITHIN = 1_000

describe(`a mistake in the core breaks an invariant within ${FOUND_WITHIN} histories`, () => {
  test.each(Object.entries(planted))('%s', (_, { plant, among }) => {
    const wrong = plant(core)
    const whole = fc.property(historiesOf(among ?? tables), (history) => {
      for (const invariant of Object.values(invariants)) expect(invariant(runHistory(history, wrong), wrong)).toBeNull()
    })
    const { failed, counterexample } = fc.check(whole, { numRuns: FOUND_WITHIN, seed: 270, endOnFailure: true })
    expect([failed, counterexample]).toEqual([true, expect.anything()])
  })
})
