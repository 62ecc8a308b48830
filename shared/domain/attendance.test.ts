import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AttendanceCode, attendanceCodes, attendanceTotals, lastDayOfRegisters, percentageOf } from './attendance.ts'

const zoe = { student_id: 'zoe', enrolled_at: '2025-09-01T08:00:00.000Z' }
const mei = { student_id: 'mei', enrolled_at: '2025-09-03T08:00:00.000Z' }
const register = (day: string, lesson = 0) => ({ day, lesson, created_at: `${day}T07:00:00.000Z` })
const mark = (student_id: string, day: string, code: AttendanceCode, lesson = 0) => ({ student_id, day, lesson, code })
const days = ['2025-09-01', '2025-09-02', '2025-09-03'].map((day) => register(day))

describe('worked by hand', () => {
  test('a pupil without a mark was present, and so was a late one; absent and excused ones were not', () => {
    const marks = [mark('zoe', '2025-09-01', 'absent'), mark('zoe', '2025-09-02', 'late')]
    // (3 − 1) / 3 = 66.666… %
    expect(attendanceTotals([zoe], days, marks).get('zoe')).toEqual({ sessions: 3, absent: 1, excused: 0, late: 1, percentage: 66.7 })
  })

  test('a mark that was corrected to present counts as none', () => {
    const totals = attendanceTotals([zoe], days, [mark('zoe', '2025-09-01', 'present')])
    expect(totals.get('zoe')).toEqual({ sessions: 3, absent: 0, excused: 0, late: 0, percentage: 100 })
  })

  test('a register counts from the day on which the pupil joined, and earlier where they have a mark in it', () => {
    expect(attendanceTotals([mei], days, []).get('mei')).toMatchObject({ sessions: 1, percentage: 100 })
    const excused = [mark('mei', '2025-09-02', 'excused')]
    expect(attendanceTotals([mei], days, excused).get('mei')).toEqual({ sessions: 2, absent: 0, excused: 1, late: 0, percentage: 50 })
  })

  test('a register of an earlier day counts where it was taken when the pupil was in the class', () => {
    // A school may start with Markbook in its third week and enter the days before.
    const taken = days.map((each) => ({ ...each, created_at: '2025-09-03T09:00:00.000Z' }))
    expect(attendanceTotals([mei], taken, []).get('mei')).toMatchObject({ sessions: 3, percentage: 100 })
    const absent = [mark('mei', '2025-09-02', 'absent')]
    expect(attendanceTotals([mei], taken, absent).get('mei')).toMatchObject({ sessions: 3, absent: 1, percentage: 66.7 })
    const before = days.map((each) => ({ ...each, created_at: '2025-09-03T07:59:59.999Z' }))
    expect(attendanceTotals([mei], before, []).get('mei')).toMatchObject({ sessions: 1 })
  })

  test('each lesson is a session; a mark in a register that was not taken counts nothing', () => {
    const lessons = [register('2025-09-04', 1), register('2025-09-04', 2)]
    const marks = [mark('zoe', '2025-09-04', 'absent', 2), mark('zoe', '2025-09-04', 'absent', 3), mark('zoe', '2025-09-05', 'absent')]
    expect(attendanceTotals([zoe], lessons, marks).get('zoe')).toMatchObject({ sessions: 2, absent: 1, percentage: 50 })
  })

  test('without a register there is no percentage', () => {
    expect(attendanceTotals([zoe], [], [mark('zoe', '2025-09-01', 'absent')]).get('zoe')).toEqual({
      sessions: 0,
      absent: 0,
      excused: 0,
      late: 0,
      percentage: null,
    })
  })

  test('one decimal, an exact half up: 1 of 16 away is 93.75 %, 1 of 2000 is 99.95 %', () => {
    expect(percentageOf({ sessions: 16, absent: 1, excused: 0, late: 0 })).toBe(93.8)
    expect(percentageOf({ sessions: 2000, absent: 0, excused: 1, late: 0 })).toBe(100)
    expect(percentageOf({ sessions: 1000, absent: 1, excused: 0, late: 0 })).toBe(99.9)
  })
})

test('a register may be for tomorrow, since it is tomorrow already in some time zone, and for no later day', () => {
  expect(lastDayOfRegisters(Date.parse('2026-01-12T08:00:00.000Z'))).toBe('2026-01-13')
  expect(lastDayOfRegisters(Date.parse('2025-12-31T23:59:59.999Z'))).toBe('2026-01-01')
})

describe('whatever the registers', () => {
  const day = fc.integer({ min: 1, max: 28 }).map((of) => `2025-09-${String(of).padStart(2, '0')}`)
  const lesson = fc.integer({ min: 0, max: 3 })
  const registers = fc.uniqueArray(
    fc.tuple(day, lesson).map(([of, at]) => register(of, at)),
    { selector: (each) => `${each.day} ${each.lesson}`, maxLength: 30 },
  )
  const pupil = fc.constantFrom('zoe', 'mei')
  const marks = fc.uniqueArray(fc.record({ student_id: pupil, day, lesson, code: fc.constantFrom(...attendanceCodes) }), {
    selector: (each) => `${each.student_id} ${each.day} ${each.lesson}`,
    maxLength: 40,
  })

  test('absences never exceed sessions, and the order of rows does not matter', () => {
    fc.assert(
      fc.property(registers, marks, (taken, said) => {
        const totals = attendanceTotals([zoe, mei], taken, said)
        expect(attendanceTotals([zoe, mei], [...taken].reverse(), [...said].reverse())).toEqual(totals)
        for (const { sessions, absent, excused, late, percentage } of totals.values()) {
          expect(absent + excused + late).toBeLessThanOrEqual(sessions)
          expect(sessions).toBeLessThanOrEqual(taken.length)
          expect(percentage === null).toBe(sessions === 0)
          if (percentage !== null) expect(percentage >= 0 && percentage <= 100).toBe(true)
          // The floating-point result may differ by half a tenth.
          if (percentage !== null)
            expect(Math.abs(percentage - (100 * (sessions - absent - excused)) / sessions)).toBeLessThanOrEqual(0.05001)
        }
      }),
    )
  })

  test('one absence more never raises a percentage', () => {
    fc.assert(
      fc.property(registers, marks, fc.nat(), (taken, said, at) => {
        const one = taken[at % Math.max(1, taken.length)]
        fc.pre(one !== undefined && one.day >= '2025-09-01')
        const others = said.filter((each) => !(each.student_id === 'zoe' && each.day === one?.day && each.lesson === one?.lesson))
        const present = attendanceTotals([zoe], taken, others).get('zoe')
        const away = attendanceTotals([zoe], taken, [
          ...others,
          { student_id: 'zoe', ...(one as { day: string; lesson: number }), code: 'absent' },
        ]).get('zoe')
        expect(away?.sessions).toBe(present?.sessions)
        expect(Number(away?.percentage)).toBeLessThan(Number(present?.percentage))
      }),
    )
  })
})
