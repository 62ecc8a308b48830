import { naturalId } from '@markbook/shared/ids'
import { elan, fatima, hilltopPupil, mei, pupilsOf3B, wanderer, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, hilltopClass, hilltopTerm, lastMichaelmas, michaelmas } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const in3B = { params: { classId: class3B.id } }
const day = '2025-11-17'
type Code = 'present' | 'absent' | 'late' | 'excused'
type RegisterEntry = { studentId: string; code?: Code; note?: string | null; expected?: 'absent' | null; expectedNote?: string | null }
const of = (student: { id: string }, code: Code, more: Partial<RegisterEntry> = {}): RegisterEntry => ({
  studentId: student.id,
  code,
  ...more,
})
const taken = (marks: readonly RegisterEntry[], more: { day?: string; lesson?: number } = {}) => ({
  ...in3B,
  body: { day, lesson: 0, marks: [...marks], ...more },
})
const markOf = (student: { id: string }, on = day, lesson = 0) => naturalId('attendance_mark', class3B.id, student.id, on, String(lesson))
const storedMarks = async (on = day) =>
  Object.fromEntries(
    (await st.rows('attendance_mark')).filter((row) => row.day === on).map(({ student_id, code }) => [student_id, code] as const),
  )

describe('PUT /api/classes/:classId/attendance', () => {
  test('takes the register: one row for the class and a mark for each absent pupil; the others were present', async () => {
    const { register, marks } = await st.as.ada.attendance.take(taken([of(mei, 'absent', { note: 'ill' }), of(zoe, 'present')]))
    expect(register).toMatchObject({
      id: naturalId('attendance_register', class3B.id, day, '0'),
      day,
      lesson: 0,
      created_by: people.ada.id,
    })
    expect(marks).toMatchObject([{ id: markOf(mei), student_id: mei.id, code: 'absent', note: 'ill', created_by: people.ada.id }])
    expect(await storedMarks()).toEqual({ [mei.id]: 'absent' })
  })

  test('correcting keeps the row, and who took the register first', async () => {
    st.clock.advance(60_000)
    const { register, marks } = await st.as.byrne.attendance.take(taken([of(mei, 'present'), of(elan, 'late')]))
    expect(register.created_by).toBe(people.ada.id)
    expect(new Map(marks.map((mark) => [mark.student_id, mark]))).toMatchObject(
      new Map([
        [mei.id, expect.objectContaining({ code: 'present', note: 'ill', created_by: people.ada.id, updated_by: people.byrne.id })],
        [elan.id, expect.objectContaining({ code: 'late', note: null })],
      ]),
    )
    const [entry] = await st.as.ada.history.list({ query: { entity: 'attendance_mark', id: markOf(mei) } })
    expect(entry).toMatchObject({ action: 'update', changes: { code: { before: 'absent', after: 'present' } } })
  })

  test('equal values write nothing; a null note is cleared', async () => {
    const before = await st.digest()
    await st.as.ada.attendance.take(taken([of(mei, 'present'), of(elan, 'late')]))
    expect(await st.digest()).toBe(before)
    await st.as.ada.attendance.take(taken([of(mei, 'present', { note: null })]))
    expect((await st.rows('attendance_mark')).find(({ id }) => id === markOf(mei))?.note).toBeNull()
  })

  test('without marks the register is taken all the same; each lesson has its own', async () => {
    await st.as.ada.attendance.take(taken([], { day: '2025-11-18' }))
    await st.as.ada.attendance.take(taken([], { day: '2025-11-18', lesson: 12 }))
    const rows = (await st.rows('attendance_register')).filter((row) => row.day === '2025-11-18')
    expect(rows.map(({ lesson }) => lesson).sort()).toEqual([0, 12].sort())
    expect(await storedMarks('2025-11-18')).toEqual({})
  })

  test('409 names the pupils with another mark since; nothing is written, and an already equal mark passes', async () => {
    const asked = taken([of(elan, 'absent', { expected: null }), of(zoe, 'late', { expected: null })])
    expect(await refused(st, () => st.as.ada.attendance.take.raw(asked))).toEqual({ status: 409, code: 'attendance.changed_meanwhile' })
    const { body } = await st.as.ada.attendance.take.raw(asked)
    expect(body).toMatchObject({ issues: [{ path: 'marks.0.studentId', values: { student: elan.id, code: 'late' } }] })
    await st.as.ada.attendance.take(taken([of(elan, 'late', { expected: null })]))
    await st.as.ada.attendance.take(taken([of(mei, 'excused', { expected: null })]))
    expect(await storedMarks()).toEqual({ [mei.id]: 'excused', [elan.id]: 'late' })
  })

  test('a note without a code keeps the code, and a code keeps the note', async () => {
    const on = '2026-01-08'
    const noted = (student: { id: string }, note: string | null, more: Partial<RegisterEntry> = {}): RegisterEntry => ({
      studentId: student.id,
      note,
      ...more,
    })
    await st.as.ada.attendance.take(taken([of(mei, 'late')], { day: on }))
    const first = await st.as.ada.attendance.take(taken([noted(mei, 'The bus broke down.'), noted(zoe, 'went at noon')], { day: on }))
    expect(first.marks).toMatchObject([zoe, mei].map(({ id }) => ({ student_id: id })))
    expect(first.marks.map(({ code, note }) => [code, note])).toEqual([
      ['present', 'went at noon'],
      ['late', 'The bus broke down.'],
    ])
    await st.as.ada.attendance.take(taken([of(mei, 'excused')], { day: on }))
    const { marks } = await st.as.ada.attendance.take(taken([noted(zoe, null)], { day: on }))
    expect(marks.map(({ code, note }) => [code, note])).toEqual([
      ['present', null],
      ['excused', 'The bus broke down.'],
    ])
  })

  test('409 where another note was written since; an equal one passes, and a request without expectedNote writes', async () => {
    const on = '2026-01-09'
    const noted = (note: string | null, expectedNote?: string | null) =>
      taken([{ studentId: mei.id, note, ...(expectedNote !== undefined && { expectedNote }) }], { day: on })
    await st.as.byrne.attendance.take(noted('at the dentist', null))
    expect(await refused(st, () => st.as.ada.attendance.take.raw(noted('ill', null)))).toMatchObject({
      status: 409,
      code: 'attendance.changed_meanwhile',
    })
    await st.as.ada.attendance.take(noted('at the dentist', null))
    await st.as.ada.attendance.take(noted('ill', 'at the dentist'))
    await st.as.ada.attendance.take(noted(null))
    const { marks } = await st.as.ada.attendance.read({ ...in3B, query: { from: on, to: on } })
    expect(marks).toMatchObject([{ code: 'present', note: null }])
  })

  test('two teachers take one register at once: one register, and both succeed or one gets 409', async () => {
    const on = '2025-11-19'
    const answers = await Promise.all([
      st.as.ada.attendance.take.raw(taken([of(zoe, 'absent', { expected: null }), of(mei, 'late', { expected: null })], { day: on })),
      st.as.byrne.attendance.take.raw(taken([of(zoe, 'late', { expected: null })], { day: on })),
      st.as.okafor.attendance.take.raw(taken([], { day: on })),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409])
    expect((await st.rows('attendance_register')).filter((row) => row.day === on)).toHaveLength(1)
    expect(await storedMarks(on)).toEqual(answers[0]?.status === 200 ? { [zoe.id]: 'absent', [mei.id]: 'late' } : { [zoe.id]: 'late' })
  })

  test.each([
    ['2025-08-31', 'attendance.outside_year'],
    ['2026-07-01', 'attendance.outside_year'],
    ['2026-01-14', 'attendance.future_day'],
  ])('%s: %s', async (on, code) => {
    expect(await refused(st, () => st.as.okafor.attendance.take.raw(taken([], { day: on })))).toEqual({ status: 400, code })
  })

  test('tomorrow is allowed, since it is tomorrow already in some time zone', async () => {
    await st.as.okafor.attendance.take(taken([], { day: '2026-01-13' }))
  })

  test.each([
    ['a lesson 99', { lesson: 99, marks: [] }],
    ['half a lesson', { lesson: 0.5, marks: [] }],
    ['a code «x»', { lesson: 0, marks: [{ studentId: zoe.id, code: 'x' }] }],
    ['a note of 201 characters', { lesson: 0, marks: [of(zoe, 'late', { note: 'a'.repeat(201) })] }],
    ['a pupil twice', { lesson: 0, marks: [of(zoe, 'late'), of(zoe, 'absent')] }],
    ['201 marks', { lesson: 0, marks: Array.from({ length: 201 }, (_, at) => of({ id: naturalId('user', String(at)) }, 'late')) }],
  ])('400 for %s', async (_name, body) => {
    const attempt = () => st.as.ada.attendance.take.raw({ ...in3B, body: { day, ...body } as never })
    expect(await refused(st, attempt)).toEqual({ status: 400, code: 'validation_failed' })
  })

  test.each([
    ['of another class', fatima],
    ['of no class', wanderer],
  ])('400 for everything where one pupil is one %s', async (_name, pupil) => {
    const attempt = () => st.as.ada.attendance.take.raw(taken([of(zoe, 'absent'), of(pupil, 'late')]))
    expect(await refused(st, attempt)).toEqual({ status: 400, code: 'classes.not_enrolled' })
    expect((await attempt()).body).toMatchObject({ issues: [{ path: 'marks.1.studentId' }] })
  })

  test.each([
    ['of another school', hilltopPupil],
    ['who does not exist', { id: '00000000-0000-7000-8000-999999999999' }],
  ])('404 for everything where one pupil is one %s', async (_name, pupil) => {
    const attempt = () => st.as.ada.attendance.take.raw(taken([of(zoe, 'absent'), of(pupil, 'late')]))
    expect(await refused(st, attempt)).toMatchObject({ status: 404 })
  })

  test('403 for a teacher of other classes, and for a member', async () => {
    for (const who of ['quinn', 'niamh', 'markerTeacher'] as const)
      expect(await refused(st, () => st.as[who].attendance.take.raw(taken([])))).toMatchObject({ status: 403 })
  })
})

describe('GET /api/classes/:classId/attendance', () => {
  test('registers and marks of these days, both ends included', async () => {
    const read = await st.as.ada.attendance.read({ ...in3B, query: { from: '2025-11-17', to: '2025-11-18' } })
    expect(read.registers.map((row) => [row.day, row.lesson])).toEqual([
      ['2025-11-17', 0],
      ['2025-11-18', 0],
      ['2025-11-18', 12],
    ])
    expect(read.marks.map(({ student_id, code }) => [student_id, code]).sort()).toEqual(
      [
        [elan.id, 'late'],
        [mei.id, 'excused'],
      ].sort(),
    )
    expect(await st.as.quinn.attendance.read({ params: { classId: class3A.id }, query: { from: day, to: day } })).toEqual({
      registers: [],
      marks: [],
    })
  })

  test('31 days and no more', async () => {
    const read = (to: string) => st.as.ada.attendance.read.raw({ ...in3B, query: { from: '2025-10-01', to } })
    expect(await read('2025-10-31')).toMatchObject({ status: 200 })
    expect(await read('2025-11-01')).toMatchObject({ status: 400, body: { code: 'attendance.too_many_days' } })
  })
})

describe('GET /api/classes/:classId/attendance/totals', () => {
  const totals = (termId = michaelmas.id, classId = class3B.id) =>
    st.as.okafor.attendance.totals.raw({ params: { classId }, query: { termId } })
  const totalsOf = async (student: { id: string }) =>
    (await st.as.ada.attendance.totals({ ...in3B, query: { termId: michaelmas.id } })).find(({ student_id }) => student_id === student.id)

  test('of every pupil, by last name; registers of other terms do not count', async () => {
    const all = await st.as.ada.attendance.totals({ ...in3B, query: { termId: michaelmas.id } })
    expect(all.map(({ student_id }) => pupilsOf3B.find(({ id }) => id === student_id)?.first_name)).toEqual([
      'Zoë',
      'Mei',
      'Aoife',
      'Seán',
      'Élan',
      'Łukasz',
    ])
    // 17 and 18 November whole, lesson 12 of the 18th, 19 November whole.
    expect(await totalsOf(elan)).toEqual({ student_id: elan.id, sessions: 4, absent: 0, excused: 0, late: 1, percentage: 100 })
    expect(await totalsOf(mei)).toMatchObject({ sessions: 4, excused: 1, percentage: 75 })
  })

  test('a pupil who comes to the class later: only registers since then, and those with a mark of them', async () => {
    await st.as.byrne.classes.enroll({ params: { id: class3B.id }, body: { studentId: wanderer.id } })
    expect(await totalsOf(wanderer)).toMatchObject({ sessions: 0, percentage: null })
    await st.as.byrne.attendance.take(taken([of(wanderer, 'absent')]))
    expect(await totalsOf(wanderer)).toMatchObject({ sessions: 1, absent: 1, percentage: 0 })
    // They are on every register that is taken from now on, for whatever day.
    st.clock.advance(60_000)
    await st.as.byrne.attendance.take(taken([], { day: '2025-11-12' }))
    expect(await totalsOf(wanderer)).toMatchObject({ sessions: 2, absent: 1, percentage: 50 })
  })

  test('a pupil who moves to another class counts only there, and cannot be marked in the old one any more', async () => {
    await st.as.byrne.classes.unenroll({ params: { id: class3B.id, studentId: wanderer.id } })
    await st.as.quinn.classes.enroll({ params: { id: class3A.id }, body: { studentId: wanderer.id } })
    expect(await totalsOf(wanderer)).toBeUndefined()
    expect(await refused(st, () => st.as.ada.attendance.take.raw(taken([of(wanderer, 'late')])))).toEqual({
      status: 400,
      code: 'classes.not_enrolled',
    })
    const there = await st.as.quinn.attendance.totals({ params: { classId: class3A.id }, query: { termId: michaelmas.id } })
    expect(there.find(({ student_id }) => student_id === wanderer.id)).toMatchObject({ sessions: 0, absent: 0 })
    expect((await st.rows('attendance_mark')).find(({ id }) => id === markOf(wanderer))?.code).toBe('absent')
  })

  test('404 for a term of another year or school', async () => {
    for (const term of [lastMichaelmas.id, hilltopTerm.id]) expect(await totals(term)).toMatchObject({ status: 404 })
    expect(await totals(michaelmas.id, hilltopClass.id)).toMatchObject({ status: 404 })
  })
})

describe('what is deleted', () => {
  test('registers and marks are deleted with their class, and restored with it from the bin', async () => {
    const own = async () =>
      [...(await st.rows('attendance_register')), ...(await st.rows('attendance_mark'))].filter(
        (row) => row.student_group_id === class3A.id,
      )
    await st.as.quinn.attendance.take({ params: { classId: class3A.id }, body: { day, lesson: 3, marks: [of(fatima, 'absent')] } })
    const before = await own()
    expect(before).toHaveLength(2)
    await st.as.okafor.classes.remove({ params: { classId: class3A.id } })
    expect(await own()).toEqual([])
    const bin = await st.as.okafor.bin.list()
    const item = bin.find(({ entity }) => entity === 'student_group')
    await st.as.okafor.bin.restore({ params: { id: item?.id ?? '' } })
    expect((await own()).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  })

  test('marks are deleted with their pupil', async () => {
    await st.as.okafor.students.remove({ params: { id: wanderer.id } })
    expect((await st.rows('attendance_mark')).filter(({ student_id }) => student_id === wanderer.id)).toEqual([])
  })
})
