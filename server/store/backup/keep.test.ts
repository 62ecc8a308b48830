import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keep } from './keep.ts'
import { reasons } from './manifest.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const now = Date.parse('2026-06-17T12:30:00.000Z')

const backups = fc.array(
  fc.record({ at: fc.integer({ min: now - 200 * DAY, max: now + 20 * DAY }), reason: fc.constantFrom(...reasons) }),
  {
    maxLength: 300,
  },
)
const newest = (list: readonly { at: number }[]) => Math.max(...list.map(({ at }) => at))

describe('keep', () => {
  test('invents nothing, always keeps the newest, and is content with what it kept', () => {
    fc.assert(
      fc.property(backups, (all) => {
        const kept = keep(all, now)
        expect(all).toEqual(expect.arrayContaining(kept))
        if (all.length > 0) expect(newest(kept)).toBe(newest(all))
        expect(keep(kept, now)).toEqual(kept)
      }),
      { numRuns: 300 },
    )
  })

  test('keeps at most 24 + 14 + 12 and the last 5 special ones, whatever comes; those of the future are counted apart', () => {
    fc.assert(
      fc.property(backups, (all) => {
        const kept = keep(all, now)
        for (const group of [kept.filter(({ at }) => at <= now), kept.filter(({ at }) => at > now)])
          expect(group.length).toBeLessThanOrEqual(24 + 14 + 12 + 5)
        expect(
          keep(
            all.filter(({ at }) => at <= now),
            now,
          ),
        ).toEqual(kept.filter(({ at }) => at <= now))
      }),
      { numRuns: 300 },
    )
  })

  test('a newer backup never makes an older one of another hour, day or week come back or a kept period go uncovered', () => {
    fc.assert(
      fc.property(backups, (all) => {
        const past = all.filter(({ at }) => at <= now)
        const kept = keep(past, now)
        for (const [length, count] of [
          [HOUR, 24],
          [DAY, 14],
        ] as const) {
          const periods = [...new Set(past.map(({ at }) => Math.floor(at / length)))].sort((a, b) => b - a).slice(0, count)
          for (const period of periods) {
            const inPeriod = past.filter(({ at }) => Math.floor(at / length) === period)
            expect(kept).toContainEqual(expect.objectContaining({ at: newest(inPeriod) }))
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  test('thinned every hour for half a year, a day has its 24 hours, two weeks their days, a term its weeks', () => {
    let disk: { at: number; reason: string }[] = []
    let at = now - 180 * DAY
    for (; at <= now; at += HOUR) disk = keep([...disk, { at, reason: 'hourly' }], at)
    const ages = disk.map((backup) => at - HOUR - backup.at)
    for (let hour = 0; hour < 24; hour += 1) expect(ages).toContain(hour * HOUR)
    for (let day = 1; day < 13; day += 1) expect(ages.filter((age) => age >= day * DAY && age < (day + 1) * DAY)).not.toEqual([])
    for (let week = 2; week < 11; week += 1)
      expect(ages.filter((age) => age >= week * 7 * DAY && age < (week + 1) * 7 * DAY)).not.toEqual([])
    expect(disk.length).toBeLessThanOrEqual(50)
  })

  test('a box that was off for two months keeps what it had', () => {
    const before = Array.from({ length: 20 }, (_, day) => ({ at: now - (80 - day) * DAY, reason: 'nightly' }))
    const kept = keep([...before, { at: now, reason: 'hourly' }], now)
    expect(kept.length).toBeGreaterThanOrEqual(20)
  })
})
