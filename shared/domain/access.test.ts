import { describe, expect, test } from 'vitest'
import { type Area, type CallerFacts, may, rights } from './access.ts'

const active = (more: Partial<CallerFacts>): CallerFacts => ({ role: 'teacher', isActive: true, ...more })
const callers = {
  member: active({ role: 'member' }),
  teacher: active({}),
  assigned: active({ teachesClass: true }),
  subject: active({ teachesSubject: true }),
  classTeacher: active({ isClassTeacher: true }),
  admin: active({ role: 'admin' }),
}

/** decisions §2, a line per row: y where the caller may. */
const table: Record<Area, string> = {
  //                         member teacher assigned subject classTeacher admin
  ownAccount: /*            */ 'y      y       y        y       y            y',
  readSchoolSetup: /*       */ 'y      y       y        y       y            y',
  writeSchoolSetup: /*      */ '-      -       -        -       -            y',
  readStudents: /*          */ '-      y       y        y       y            y',
  writeStudents: /*         */ '-      y       y        y       y            y',
  createClass: /*           */ '-      y       y        y       y            y',
  readClass: /*             */ '-      -       y        -       y            y',
  manageClass: /*           */ '-      -       -        -       y            y',
  takeAttendance: /*        */ '-      -       y        -       y            y',
  readAssessmentsAndGrades: /**/ '-    y       y        y       y            y',
  writeAssessments: /*      */ '-      -       -        y       y            y',
  writeGrades: /*           */ '-      -       -        y       y            y',
  readStudentResults: /*    */ '-      -       y        -       y            y',
  reports: /*               */ '-      -       -        -       y            y',
  writeReportEntry: /*      */ '-      -       -        y       y            y',
}
const areas = Object.keys(rights) as Area[]

describe.each(areas)('%s', (area) => {
  const expected = table[area].split(/\s+/)

  test.each(Object.entries(callers).map(([name, caller], index) => ({ name, caller, allowed: expected[index] === 'y' })))(
    '$name: $allowed',
    ({ caller, allowed }) => {
      expect(may(area, caller)).toBe(allowed)
    },
  )

  test('a caller who is inactive or has no role in the school has no rights there', () => {
    const everything = { isClassTeacher: true, teachesClass: true, teachesSubject: true }
    const own = area === 'ownAccount'
    for (const role of ['admin', 'teacher', 'member'] as const) expect(may(area, { role, isActive: false, ...everything })).toBe(own)
    expect(may(area, { role: null, isActive: true, ...everything })).toBe(own)
  })

  test('assignments left over from before a demotion give a member nothing', () => {
    const demoted = active({ role: 'member', isClassTeacher: true, teachesClass: true, teachesSubject: true })
    expect(may(area, demoted)).toBe(may(area, callers.member))
  })

  test('an additional relation never removes a right', () => {
    const both = active({ teachesClass: true, teachesSubject: true })
    expect(may(area, both)).toBe(may(area, callers.assigned) || may(area, callers.subject))
    expect(may(area, active({ ...both, isClassTeacher: true }))).toBe(may(area, both) || may(area, callers.classTeacher))
  })
})

test('every row of the table is an area, and the reverse', () => {
  expect(areas).toEqual(Object.keys(table))
})
