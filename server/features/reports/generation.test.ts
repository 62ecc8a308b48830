import { naturalId } from '@markbook/shared/ids'
import { aoife, elan, lukasz, mathsTrinity, mei, sean, zoe } from '@markbook/shared/story/marks'
import { draftReport, sentReport } from '@markbook/shared/story/reports'
import {
  class3A,
  class3B,
  english,
  irish,
  lastMichaelmas,
  lastYears2B,
  maths,
  michaelmas,
  science,
  trinity,
} from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'
import { addGrade, assignSubject, place } from '../calculations/calculations.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const termOf3B = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } as const
const yearOf3B = { studentGroupId: class3B.id, termId: trinity.id, reportType: 'year_end' } as const
const generate = (body: { studentGroupId: string; termId: string; reportType: 'term' | 'year_end' } = termOf3B) =>
  st.as.byrne.reports.generate({ body })
const bookId = (student: { id: string }, { termId, reportType }: { termId: string; reportType: string } = termOf3B) =>
  naturalId('report_book', student.id, termId, reportType)
const entryId = (student: { id: string }, subject: { id: string }) => naturalId('report_book_entry', bookId(student), subject.id)
const read = (student: { id: string }, ids: { termId: string; reportType: string } = termOf3B) =>
  st.as.byrne.reports.get({ params: { id: bookId(student, ids) } })
/** For each unsent book, whether generating would change it. */
const standings = async () =>
  (await st.as.byrne.reports.standing({ query: termOf3B }))
    .filter(({ status }) => status !== 'sent_to_ministry')
    .map(({ is_behind }) => is_behind)
const setScore = async (student: { id: string }, from: number, to: number) => {
  const before = (await st.rows('grade')).find((grade) => grade.student_id === student.id && grade.score === from)
  await st.services.store.write(asSystem(), (tx) => tx.update('grade', [{ before: before as never, patch: { score: to } }]))
}

describe('POST /api/reports/generate', () => {
  test('a report for every student, by last name, with the present results', async () => {
    const { generated, skipped_locked, reports } = await generate()
    expect({ generated, skipped_locked }).toEqual({ generated: 5, skipped_locked: 1 })
    expect(
      reports.map(({ student_id, overall_average, position, total_students, status }) => [
        student_id,
        overall_average,
        position,
        total_students,
        status,
      ]),
    ).toEqual([
      [zoe.id, 65.73, 4, 6, 'draft'],
      [mei.id, 68.2, 3, 6, 'draft'],
      // Unchanged, since it was sent before.
      [aoife.id, 90.4, 1, 6, 'sent_to_ministry'],
      [sean.id, 54.23, 5, 6, 'draft'],
      [elan.id, 79.48, 2, 6, 'draft'],
      [lukasz.id, 46.88, 6, 6, 'draft'],
    ])
    const { entries } = await read(elan)
    expect(
      entries.map((entry) => [
        entry.subject.code,
        entry.coursework_average,
        entry.exam_average,
        entry.term_composite,
        entry.letter_grade,
        entry.sort_order,
      ]),
    ).toEqual([
      ['MA', 83.75, null, 83.75, 'A', 0],
      ['EN', 82, 74, 77.2, 'B', 1],
      ['GA', null, 77.5, 77.5, 'B', 2],
    ])
    expect(entries.every(({ year_grade }) => year_grade === null)).toBe(true)
  })

  test('its ids follow from student, term, type and subject', async () => {
    const { reports } = await generate()
    expect(reports.map(({ id }) => id)).toEqual([zoe, mei, aoife, sean, elan, lukasz].map((student) => bookId(student)))
    expect((await read(zoe)).entries.map(({ id }) => id)).toEqual([maths, english, irish].map((subject) => entryId(zoe, subject)))
  })

  test('again with the same marks, it changes nothing', async () => {
    await generate()
    const before = await st.digest()
    st.clock.advance(60_000)
    expect(await generate()).toMatchObject({ generated: 5, skipped_locked: 1 })
    expect(await st.digest()).toBe(before)
  })

  test('again with other marks, figures and positions of the whole class change, and typed content stays', async () => {
    await generate()
    const params = { id: bookId(zoe) }
    const typed = { classTeacherRemark: 'Well done.\nGo on.', conduct: 'Kind', attendancePercentage: 97.5 }
    await st.as.byrne.reports.update({ params, body: typed })
    await st.as.ada.reports.updateEntry({ params: { entryId: entryId(zoe, maths) }, body: { letterGrade: 'A+', teacherRemark: 'Brave.' } })
    await st.as.byrne.reports.publish({ params })
    await setScore(zoe, 62, 100)
    await generate()
    const report = await read(zoe)
    // English: 66·0.4 + 100·0.6 = 86.4; (78.6 + 86.4 + 55) / 3 = 220 / 3.
    expect(report).toMatchObject({
      overall_average: 73.33,
      position: 3,
      status: 'published',
      class_teacher_remark: 'Well done.\nGo on.',
      conduct: 'Kind',
      attendance_percentage: 97.5,
    })
    expect(report.entries.map((entry) => [entry.term_composite, entry.letter_grade, entry.teacher_remark])).toEqual([
      [78.6, 'A+', 'Brave.'],
      [86.4, 'A', null],
      [55, 'D', null],
    ])
    expect((await read(mei)).position).toBe(4)
  })

  test('the attendance of the term, as the registers have it; generating again updates it, except in sent books', async () => {
    const take = (day: string, marks: { studentId: string; code: 'absent' | 'late' }[]) =>
      st.as.byrne.attendance.take({ params: { classId: class3B.id }, body: { day, lesson: 0, marks } })
    await generate()
    expect((await read(zoe)).attendance).toBeNull()
    const sent = (await st.rows('report_book')).find(({ id }) => id === sentReport.id)
    await take('2025-11-17', [{ studentId: zoe.id, code: 'absent' }])
    await take('2025-11-18', [{ studentId: zoe.id, code: 'late' }])
    // In the next term: it counts only in the year.
    await take('2026-01-08', [{ studentId: zoe.id, code: 'absent' }])
    expect(await standings()).toContain(true)
    await generate()
    expect(await standings()).toEqual([false, false, false, false, false])
    expect((await read(zoe)).attendance).toEqual({ sessions: 2, absent: 1, excused: 0, late: 1, percentage: 50 })
    expect((await read(mei)).attendance).toMatchObject({ sessions: 2, percentage: 100 })
    expect((await st.rows('report_book')).find(({ id }) => id === sentReport.id)).toEqual(sent)
    await generate(yearOf3B)
    expect((await read(zoe, yearOf3B)).attendance).toEqual({ sessions: 3, absent: 2, excused: 0, late: 1, percentage: 33.3 })
    await st.as.byrne.attendance.take({
      params: { classId: class3B.id },
      body: { day: '2025-11-17', lesson: 0, marks: [{ studentId: zoe.id, code: 'present' }] },
    })
    expect((await st.as.byrne.reports.regenerate({ params: { id: bookId(zoe) } })).attendance).toMatchObject({ absent: 0, percentage: 100 })
    const listed = await st.as.byrne.reports.list({ query: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
    expect(listed.find(({ student_id }) => student_id === zoe.id)?.attendance).toMatchObject({ sessions: 2, percentage: 100 })
  })

  test('a generation is one change of a report, whatever it moves', async () => {
    await generate()
    await setScore(zoe, 62, 100)
    const historyOf = () => st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
    const before = (await historyOf()).length
    await generate()
    const written = (await historyOf()).slice(before).filter(({ entity }) => entity.startsWith('report'))
    // Zoë, and Mei, whose position she takes.
    expect(written.map(({ entity, row_id }) => [entity, row_id]).sort()).toEqual(
      [bookId(zoe), bookId(mei)].map((id) => ['report_book', id]).sort(),
    )
  })

  test('the entry of a subject that is no longer taken is deleted, unless a teacher typed something into it', async () => {
    await generate()
    await st.as.byrne.reports.updateEntry({ params: { entryId: entryId(zoe, english) }, body: { teacherRemark: 'Reads well.' } })
    await assignSubject(st, zoe, [maths, science])
    await generate()
    const { entries, overall_average } = await read(zoe)
    expect(entries.map(({ subject, term_composite, teacher_remark }) => [subject.code, term_composite, teacher_remark])).toEqual([
      ['MA', 78.6, null],
      ['SC', null, null],
      ['EN', null, 'Reads well.'],
    ])
    expect(overall_average).toBe(78.6)
    await st.as.byrne.reports.updateEntry({ params: { entryId: entryId(zoe, english) }, body: { teacherRemark: null } })
    await generate()
    expect((await read(zoe)).entries.map(({ subject }) => subject.code)).toEqual(['MA', 'SC'])
  })

  test('at the end of the year: year grades, with the figures of the term beside them', async () => {
    await addGrade(st, mathsTrinity, elan, 80)
    const { generated, skipped_locked, reports } = await generate(yearOf3B)
    expect({ generated, skipped_locked, type: reports[0]?.report_type }).toEqual({ generated: 6, skipped_locked: 0, type: 'year_end' })
    const report = await read(elan, yearOf3B)
    expect(report.entries.map((entry) => [entry.subject.code, entry.term_composite, entry.year_grade, entry.letter_grade])).toEqual([
      ['MA', 80, 79.61, 'B'], // the exam of the term, and the year of the calculations' test
      ['EN', null, 77.2, 'B'],
      ['GA', null, 77.5, 'B'],
      ['SC', null, null, null],
    ])
    // (79.61 + 77.2 + 77.5) / 3 = 234.31 / 3 = 78.103…
    expect(report).toMatchObject({ overall_average: 78.1, position: 2 })
  })

  test('400 for year_end in a year that is counted by terms, and nothing changes', async () => {
    const before = await st.digest()
    const attempt = generate({ studentGroupId: lastYears2B.id, termId: lastMichaelmas.id, reportType: 'year_end' })
    await expect(attempt).rejects.toMatchObject({ status: 400, code: 'reports.no_year_end' })
    await expect(generate({ ...termOf3B, termId: lastMichaelmas.id })).rejects.toMatchObject({ status: 400, code: 'validation_failed' })
    expect(await st.digest()).toBe(before)
  })

  test('the report of a student who changed class moves along', async () => {
    await generate()
    await place(st, [zoe, aoife], class3A)
    const { generated, skipped_locked } = await st.as.quinn.reports.generate({ body: { ...termOf3B, studentGroupId: class3A.id } })
    // Two of 3A and Zoë; the sent report stays with its class.
    expect({ generated, skipped_locked }).toEqual({ generated: 3, skipped_locked: 1 })
    expect(await st.as.quinn.reports.get({ params: { id: bookId(zoe) } })).toMatchObject({
      student_group_id: class3A.id,
      total_students: 4,
    })
    await expect(read(zoe)).rejects.toMatchObject({ status: 403 })
    expect(await read(aoife)).toMatchObject({ student_group_id: class3B.id, overall_average: 90.4 })
  })

  test('two generations at once give every student one report', async () => {
    const results = await Promise.all([generate(), generate(), st.as.okafor.reports.generate({ body: termOf3B })])
    expect(results.map(({ generated }) => generated)).toEqual([5, 5, 5])
    const books = (await st.rows('report_book')).filter(({ term_id, report_type }) => term_id === michaelmas.id && report_type === 'term')
    expect(books).toHaveLength(6)
    expect((await st.rows('report_book_entry')).filter(({ report_book_id }) => report_book_id === bookId(zoe))).toHaveLength(3)
  })
})

describe('PATCH /api/reports/:id/regenerate', () => {
  test('this report alone, with its position in the present class', async () => {
    await generate()
    await setScore(zoe, 62, 100)
    const report = await st.as.byrne.reports.regenerate({ params: { id: bookId(zoe) } })
    expect(report).toMatchObject({ overall_average: 73.33, position: 3 })
    expect(report.entries.map(({ term_composite }) => term_composite)).toEqual([78.6, 86.4, 55])
    expect((await read(mei)).position).toBe(3)
  })

  test('its entries are updated, and missing ones added', async () => {
    const report = await st.as.byrne.reports.regenerate({ params: { id: draftReport.id } })
    expect(report).toMatchObject({ overall_average: 79.48, position: 2, total_students: 6, class_teacher_remark: 'A steady term.' })
    expect(report.entries.map(({ subject, term_composite }) => [subject.code, term_composite])).toEqual([
      ['MA', 83.75],
      ['EN', 77.2],
      ['GA', 77.5],
    ])
  })

  test('a student who has left every class has figures and no position', async () => {
    await generate()
    await place(st, [zoe], null)
    // Without 3B's own homework, and with the quiz excluded, only the exam counts: (71 + 63.6 + 55) / 3 = 189.6 / 3.
    expect(await st.as.byrne.reports.regenerate({ params: { id: bookId(zoe) } })).toMatchObject({
      overall_average: 63.2,
      position: null,
      total_students: 0,
    })
  })

  test('409 once sent, and nothing changes', async () => {
    const before = await st.digest()
    await expect(st.as.byrne.reports.regenerate({ params: { id: sentReport.id } })).rejects.toMatchObject({ code: 'reports.locked' })
    expect(await st.digest()).toBe(before)
  })
})
