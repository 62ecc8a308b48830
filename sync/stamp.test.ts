import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PENDING, stamp, type Versions } from './stamp.ts'

const write = { units: ['score'], node: 'n1', now: 1_000, actor: 'u1' }

test('a first write gives each unit a dot of this node and the time', () => {
  expect(stamp(null, write)).toEqual({ vv: { n1: PENDING }, units: { score: ['n1', PENDING, 1_000, 'u1'] } })
})

test('units that were not written, and other nodes in the vector, stay as they were', () => {
  const before: Versions = { vv: { n2: 7 }, units: { remarks: ['n2', 7, 500, 'u2'] } }
  const after = stamp(before, write)
  expect(after.units['remarks']).toEqual(['n2', 7, 500, 'u2'])
  expect(after.vv).toEqual({ n2: 7, n1: PENDING })
  expect(before).toEqual({ vv: { n2: 7 }, units: { remarks: ['n2', 7, 500, 'u2'] } })
})

test('a clock in the year 2099 on one unit does not touch the others', () => {
  const future = Date.UTC(2099, 0, 1)
  const before: Versions = { vv: { n2: 1 }, units: { score: ['n2', 1, future, null], remarks: ['n2', 1, 10, null] } }
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
