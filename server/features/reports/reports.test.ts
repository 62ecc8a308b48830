import { defaultGradingScale } from '@markbook/shared/domain/letters'
import { naturalId } from '@markbook/shared/ids'
import { elan } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { draftReport, sentReport } from '@markbook/shared/story/reports'
import { class3B, english, lastMichaelmas, maths, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'
import { rowOfScale } from '../grading-scale/grading-scale.policy.ts'
import { form, pdfOf } from './files/files.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const draft = { id: draftReport.id }
const sent = { id: sentReport.id }
const draftEntry = { entryId: naturalId('report_book_entry', draftReport.id, english.id) }
const sentEntry = { entryId: naturalId('report_book_entry', sentReport.id, english.id) }
const termOf3B = { studentGroupId: class3B.id, termId: michaelmas.id }
const stored = async (id: string) => (await st.rows('report_book')).find((book) => book.id === id)

describe('GET /api/reports', () => {
  test('the reports of the class and term by last name, with their students', async () => {
    await st.as.byrne.reports.generate({ body: { ...termOf3B, reportType: 'term' } })
    await st.as.byrne.reports.generate({ body: { ...termOf3B, reportType: 'year_end' } })
    const all = await st.as.byrne.reports.list({ query: termOf3B })
    expect(all.slice(0, 4).map(({ student, report_type }) => [student.last_name, report_type])).toEqual([
      ['Adeyemi', 'term'],
      ['Adeyemi', 'year_end'],
      ['Chen', 'term'],
      ['Chen', 'year_end'],
    ])
    expect(await st.as.byrne.reports.list({ query: { ...termOf3B, reportType: 'year_end' } })).toHaveLength(6)
    expect(all[0]).not.toHaveProperty('snapshot')
    expect(all[0]).not.toHaveProperty('sent_snapshot')
  })

  test('400 for a term of another year', async () => {
    expect(await st.as.byrne.reports.list.raw({ query: { ...termOf3B, termId: lastMichaelmas.id } })).toMatchObject({ status: 400 })
  })
})

describe('PATCH /api/reports/:id', () => {
  test('changes the sent fields and keeps the rest; null clears', async () => {
    const changed = await st.as.byrne.reports.update({ params: draft, body: { conduct: 'Good', attendancePercentage: 88.25 } })
    expect(changed).toMatchObject({
      conduct: 'Good',
      attendance_percentage: 88.25,
      class_teacher_remark: 'A steady term.',
      status: 'draft',
    })
    expect(await st.as.byrne.reports.update({ params: draft, body: { classTeacherRemark: null } })).toMatchObject({
      class_teacher_remark: null,
    })
  })
})

describe('PATCH /api/reports/:id/publish and send-to-ministry', () => {
  test('a draft is published, then sent, and each step only once', async () => {
    await expect(st.as.byrne.reports.sendToMinistry({ params: draft })).rejects.toMatchObject({ status: 409, code: 'reports.invalid_move' })
    expect(await st.as.byrne.reports.publish({ params: draft })).toMatchObject({ status: 'published' })
    await expect(st.as.byrne.reports.publish({ params: draft })).rejects.toMatchObject({ status: 409, code: 'reports.invalid_move' })
    expect(await st.as.byrne.reports.sendToMinistry({ params: draft })).toMatchObject({ status: 'sent_to_ministry' })
    await expect(st.as.byrne.reports.sendToMinistry({ params: draft })).rejects.toMatchObject({ status: 409, code: 'reports.invalid_move' })
    await expect(st.as.byrne.reports.publish({ params: draft })).rejects.toMatchObject({ status: 409, code: 'reports.locked' })
  })

  test('the content of a sent report is frozen, with the names of that day', async () => {
    await st.as.byrne.reports.updateEntry({ params: draftEntry, body: { letterGrade: 'B+', teacherRemark: 'Lively.' } })
    await st.as.byrne.reports.update({ params: draft, body: { attendancePercentage: 91 } })
    await st.as.byrne.reports.publish({ params: draft })
    await st.as.byrne.reports.sendToMinistry({ params: draft })
    await st.as.okafor.students.update({ params: { id: elan.id }, body: { lastName: 'Other' } })
    expect((await stored(draft.id))?.sent_snapshot).toEqual({
      sent_at: '2026-01-12T08:00:00.000Z',
      was_behind: true,
      scale: rowOfScale(defaultGradingScale),
      weights: { coursework_weight: 40, exam_weight: 60 },
      student: { id: elan.id, first_name: 'Élan', last_name: 'Ó Briain' },
      overall_average: 90.4,
      position: 1,
      total_students: 6,
      class_teacher_remark: 'A steady term.',
      conduct: null,
      attendance_percentage: 91,
      entries: [
        {
          subject: { id: english.id, name: 'English', code: 'EN' },
          coursework_average: 94,
          exam_average: 88,
          term_composite: 90.4,
          year_grade: null,
          letter_grade: 'B+',
          teacher_remark: 'Lively.',
          sort_order: 0,
        },
      ],
      frozen: {
        snapshot: expect.objectContaining({ overall_average: 90.4, position: 1 }),
        class_teacher_remark: 'A steady term.',
        conduct: null,
        attendance_percentage: 91,
        student_group_id: expect.any(String),
        entries: [{ subject_id: english.id, manual_letter: 'B+', teacher_remark: 'Lively.' }],
      },
    })
  })

  test('a sent report refuses every change with reports.locked', async () => {
    const before = await st.digest()
    const attempts = [
      st.as.byrne.reports.update.raw({ params: sent, body: { conduct: 'x' } }),
      st.as.okafor.reports.regenerate.raw({ params: sent }),
      st.as.byrne.reports.publish.raw({ params: sent }),
      st.as.okafor.reports.updateEntry.raw({ params: sentEntry, body: { teacherRemark: 'x' } }),
    ]
    for (const { status, body } of await Promise.all(attempts))
      expect({ status, body }).toMatchObject({ status: 409, body: { code: 'reports.locked' } })
    expect(await st.digest()).toBe(before)
  })
})

/** Sends the report in a transaction that stays open until `during` has been called and has had time to read. */
async function whileSending<T>(id: string, during: () => Promise<T>): Promise<T> {
  let started = () => {}
  let end = () => {}
  const begun = new Promise<void>((resolve) => (started = resolve))
  const mayEnd = new Promise<void>((resolve) => (end = resolve))
  const sending = st.services.store.write(asSystem(), async (tx) => {
    const before = await tx.find('report_book', stBrigids, id)
    started()
    await mayEnd
    await tx.update('report_book', [{ before: before as never, patch: { status: 'sent_to_ministry', sent_snapshot: {} } }])
  })
  await begun
  const input = during()
  await new Promise((resolve) => setTimeout(resolve, 300))
  end()
  await sending
  return input
}

describe('at once', () => {
  test.each<[string, number, () => Promise<{ status: number }>]>([
    ['generate', 200, () => st.as.byrne.reports.generate.raw({ body: { ...termOf3B, reportType: 'term' } })],
    ['update', 409, () => st.as.byrne.reports.update.raw({ params: draft, body: { conduct: 'late' } })],
    ['updateEntry', 409, () => st.as.byrne.reports.updateEntry.raw({ params: draftEntry, body: { teacherRemark: 'late' } })],
    ['regenerate', 409, () => st.as.byrne.reports.regenerate.raw({ params: draft })],
    ['sendToMinistry', 409, () => st.as.byrne.reports.sendToMinistry.raw({ params: draft })],
  ])('%s waits for a sending under way, and then leaves the report as it is', async (_what, status, ask) => {
    await st.as.byrne.reports.publish({ params: draft })
    const before = await st.as.byrne.reports.get({ params: draft })
    expect((await whileSending(draft.id, ask)).status).toBe(status)
    expect(await st.as.byrne.reports.get({ params: draft })).toEqual({ ...before, status: 'sent_to_ministry' })
  })

  test('a later write changes nothing of a sent report', async () => {
    await st.as.byrne.reports.publish({ params: draft })
    const attempts = await Promise.all([
      st.as.byrne.reports.sendToMinistry.raw({ params: draft }),
      st.as.byrne.reports.update.raw({ params: draft, body: { conduct: 'late' } }),
      st.as.byrne.reports.updateEntry.raw({ params: draftEntry, body: { teacherRemark: 'late' } }),
      st.as.okafor.reports.generate.raw({ body: { ...termOf3B, reportType: 'term' } }),
      st.as.byrne.reports.regenerate.raw({ params: draft }),
      st.as.okafor.reports.sendToMinistry.raw({ params: draft }),
    ])
    expect(attempts.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect([attempts[0], attempts[5]].filter((attempt) => attempt?.status === 200)).toHaveLength(1)
    const book = await stored(draft.id)
    const frozen = book?.sent_snapshot as { conduct: string | null; overall_average: number; entries: { teacher_remark: string | null }[] }
    const shown = await st.as.byrne.reports.get({ params: draft })
    expect(frozen).toMatchObject({ conduct: shown.conduct, overall_average: shown.overall_average, position: shown.position })
    expect(frozen.entries.map(({ teacher_remark }) => teacher_remark)).toEqual(shown.entries.map(({ teacher_remark }) => teacher_remark))
  })
})

describe('PATCH /api/report-entries/:entryId', () => {
  test('letter and remark; null restores the calculated letter', async () => {
    const changed = await st.as.byrne.reports.updateEntry({
      params: draftEntry,
      body: { letterGrade: 'Exempt', teacherRemark: 'Was away.' },
    })
    expect(changed).toMatchObject({ letter_grade: 'Exempt', teacher_remark: 'Was away.', term_composite: 90.4, subject_id: english.id })
    expect(await st.as.byrne.reports.updateEntry({ params: draftEntry, body: { letterGrade: null } })).toMatchObject({
      letter_grade: 'A+',
      teacher_remark: 'Was away.',
    })
  })

  test('a letter equal to the calculated one keeps following the calculation', async () => {
    await st.as.byrne.reports.updateEntry({ params: draftEntry, body: { letterGrade: 'A+' } })
    const { entries } = await st.as.byrne.reports.regenerate({ params: draft })
    expect(entries.find(({ subject_id }) => subject_id === english.id)).toMatchObject({ term_composite: 77.2, letter_grade: 'B' })
  })

  test('the teacher of the subject in that class may, of another subject not', async () => {
    await st.as.byrne.reports.generate({ body: { ...termOf3B, reportType: 'term' } })
    const inMaths = { entryId: naturalId('report_book_entry', draftReport.id, maths.id) }
    expect(await st.as.ada.reports.updateEntry({ params: inMaths, body: { teacherRemark: 'Yes.' } })).toMatchObject({
      teacher_remark: 'Yes.',
    })
    expect((await st.as.ada.reports.updateEntry.raw({ params: draftEntry, body: { teacherRemark: 'No.' } })).status).toBe(403)
    // Síle Quinn teaches English, but in 3A.
    expect((await st.as.quinn.reports.updateEntry.raw({ params: draftEntry, body: { teacherRemark: 'No.' } })).status).toBe(403)
    expect((await st.as.niamh.reports.updateEntry.raw({ params: draftEntry, body: { teacherRemark: 'No.' } })).status).toBe(403)
    expect((await st.as.okafor.reports.updateEntry.raw({ params: draftEntry, body: { teacherRemark: 'Head.' } })).status).toBe(200)
  })
})

test('the PDFs that were made before a report was published are distinguished from later ones', async () => {
  const body = () => form(pdfOf('paper'))
  const made = async () => {
    await st.as.byrne.reportFiles.uploadPdf({ params: draft, body: body() })
    st.clock.advance(1_000)
  }
  const drafts = async () => (await st.as.byrne.reports.get({ params: draft })).pdfs.map(({ is_draft }) => is_draft)
  await made()
  expect(await drafts()).toEqual([true])
  await st.as.byrne.reports.publish({ params: draft })
  expect(await drafts()).toEqual([true])
  st.clock.advance(1_000)
  await made()
  expect(await drafts()).toEqual([false, true])
  await st.as.byrne.reports.sendToMinistry({ params: draft })
  expect(await drafts()).toEqual([false, true])
})
