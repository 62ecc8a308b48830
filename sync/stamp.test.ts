import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PENDING, stamp } from './stamp.ts'
import type { Versions } from './versions.ts'

const write = { units: ['score'], node: 'n1', now: 1_000, actor: 'u1' }

test('a first write gives each unit a dot of this node and the time', () => {
  expect(stamp(null, write)).toEqual({
    vv: { n1: PENDING },
    units: { score: ['n1', PENDING, 1_000, 'u1'] },
    alive: [['n1', PENDING]],
  })
})

test('units that were not written, and other nodes in the vector, stay as they were', () => {
  const before: Versions = { vv: { n2: 7 }, units: { remarks: ['n2', 7, 500, 'u2'] }, alive: [['n2', 7]] }
  const after = stamp(before, write)
  expect(after.units['remarks']).toEqual(['n2', 7, 500, 'u2'])
  expect(after.vv).toEqual({ n2: 7, n1: PENDING })
  expect(before).toEqual({ vv: { n2: 7 }, units: { remarks: ['n2', 7, 500, 'u2'] }, alive: [['n2', 7]] })
})

test('a clock in the year 2099 on one unit does not touch the others', () => {
  const future = Date.UTC(2099, 0, 1)
  const before: Versions = { vv: { n2: 1 }, units: { score: ['n2', 1, future, null], remarks: ['n2', 1, 10, null] }, alive: [['n2', 1]] }
  const after = stamp(before, { ...write, units: ['score', 'remarks'] })
  expect(after.units['score']?.[2]).toBe(future + 1)
  expect(after.units['remarks']?.[2]).toBe(1_000)
})

test('the hybrid clock of a unit only rises, whatever the machine clock does', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000), { minLength: 1 }), (clocks) => {
      let versions: Versions | null = null
      let last = -1
      for (const now of clocks) {
        versions = stamp(versions, { ...write, now })
        const hlc = versions.units['score']?.[2] ?? -1
        expect(hlc).toBeGreaterThan(last)
        expect(hlc).toBeGreaterThanOrEqual(now)
        last = hlc
      }
    }),
  )
})

test('a write to a row that was deleted and stayed for another row gives it a new existence', () => {
  const deleted: Versions = { vv: { n2: 4 }, units: { row: ['n2', 4, 500, 'u2'], score: ['n2', 3, 400, 'u2'] }, alive: [] }
  const after = stamp(deleted, write)
  expect(after.units['row']).toEqual(['n1', PENDING, 1_000, 'u1'])
  expect(after.alive).toEqual([['n1', PENDING]])
  expect(stamp(after, { ...write, units: ['row'], deletes: true }).alive).toEqual([])
})

test('a unit that keeps its highest value keeps it through lower ones', () => {
  const first = stamp(null, { ...write, high: { score: 100 } })
  const lowered = stamp(first, { ...write, now: 2_000, high: { score: 50 } })
  expect(lowered.units['score']).toEqual(['n1', PENDING, 2_000, 'u1', 100])
})

test('units whose rule is a list of steps count how often the row was made anew', () => {
  const steps = { ...write, furthest: ['score'] }
  const made = stamp(null, { ...steps, units: ['row', 'score', 'remarks'] })
  expect(made.units['score']).toEqual(['n1', PENDING, 1_000, 'u1'])
  const deleted = stamp(made, { ...steps, units: ['row'], deletes: true })
  const anew = stamp(deleted, { ...steps, units: ['row', 'score', 'remarks'] })
  expect([anew.units['score']?.[4], anew.units['remarks']?.[4]]).toEqual([1, undefined])
  expect(stamp(anew, steps).units['score']?.[4]).toBe(1)
  expect(stamp(made, { ...steps, units: ['row', 'score'] }).units['score']?.[4]).toBe(1)
})
