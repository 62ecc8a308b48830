import { naturalId } from '@markbook/shared/ids'
import { elan, hilltopPupil, wanderer, zoe } from '@markbook/shared/story/marks'
import type { PersonName } from '@markbook/shared/story/people'
import { draftReport, hilltopReport, sentReport } from '@markbook/shared/story/reports'
import {
  class3A,
  class3B,
  english,
  hilltopClass,
  hilltopMaths,
  hilltopTerm,
  lastMichaelmas,
  michaelmas,
} from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const draft = { id: draftReport.id }
const sent = { id: sentReport.id }
const draftEntry = { entryId: naturalId('report_book_entry', draftReport.id, english.id) }
const termOf3B = { studentGroupId: class3B.id, termId: michaelmas.id }

describe('GET /api/reports/student', () => {
  const ofStudent = (person: PersonName, query: Record<string, string>) => st.as[person].reports.ofStudent.raw({ query })
  const ofElan = { studentId: elan.id, termId: michaelmas.id, reportType: 'term' }

  test('the report with its entries, student and PDFs', async () => {
    const { body } = await ofStudent('byrne', ofElan)
    expect(body).toMatchObject({ id: draftReport.id, student: { first_name: 'Élan' }, entries: [{ letter_grade: 'A+' }], pdfs: [] })
  })

  test('404 where there is none, of that type or at all, or the student is unknown', async () => {
    const absentOnes = [
      { ...ofElan, reportType: 'year_end' },
      { ...ofElan, studentId: zoe.id },
      { ...ofElan, studentId: hilltopPupil.id },
      { ...ofElan, termId: absent },
    ]
    for (const query of absentOnes) expect((await ofStudent('byrne', query)).status).toBe(404)
    expect((await ofStudent('quinn', { ...ofElan, studentId: wanderer.id })).status).toBe(404)
  })

  test('403 for the teacher of another class and for one of its subjects; 400 without a type', async () => {
    expect((await ofStudent('quinn', ofElan)).status).toBe(403)
    expect((await ofStudent('ada', ofElan)).status).toBe(403)
    expect((await ofStudent('byrne', { ...ofElan, reportType: 'yearly' })).status).toBe(400)
  })
})

describe('GET /api/reports/sent', () => {
  const sentOf = (person: PersonName, reportType: 'term' | 'year_end' = 'term') =>
    st.as[person].reports.sent.raw({ query: { ...termOf3B, reportType } })

  test('whoever teaches in the class learns how many books of that type were sent, also a teacher without an entry in them', async () => {
    expect(await st.as.ada.reports.entries({ query: { ...termOf3B, reportType: 'term' } })).toEqual([])
    for (const person of ['ada', 'byrne', 'okafor'] as const) {
      expect((await sentOf(person)).body).toEqual({ sent: 1 })
      expect((await sentOf(person, 'year_end')).body).toEqual({ sent: 0 })
    }
  })

  test('403 for the teacher of another class and for members', async () => {
    for (const person of ['quinn', 'niamh', 'doyle'] as const) expect((await sentOf(person)).status).toBe(403)
  })
})

describe('GET /api/report-entries', () => {
  const ofClass = { ...termOf3B, reportType: 'term' as const }
  const linesFor = (person: PersonName) => st.as[person].reports.entries({ query: ofClass })

  test('the class teacher and administrators get every entry, by last name and then as in the book', async () => {
    for (const person of ['byrne', 'okafor'] as const) {
      const lines = await linesFor(person)
      expect(lines.map(({ student, subject, status }) => [student.first_name, subject.code, status])).toEqual([
        ['Aoife', 'EN', 'sent_to_ministry'],
        ['Élan', 'EN', 'draft'],
      ])
      expect(lines[1]).toMatchObject({ id: draftEntry.entryId, report_book_id: draft.id, letter_grade: 'A+', teacher_remark: null })
      expect(lines[0]).not.toHaveProperty('computed_letter')
    }
  })

  test('the teacher of a subject gets the entries of that subject there, and may write each of them', async () => {
    expect(await linesFor('ada')).toEqual([])
    await st.as.byrne.reports.regenerate({ params: draft })
    const lines = await linesFor('ada')
    expect(lines.map(({ student, subject }) => [student.first_name, subject.code])).toEqual([['Élan', 'MA']])
    for (const { id } of lines)
      expect((await st.as.ada.reports.updateEntry.raw({ params: { entryId: id }, body: { teacherRemark: 'Sure.' } })).status).toBe(200)
  })

  test('403 for the teacher of another class and for members, 400 for a term of another year or without a type', async () => {
    for (const person of ['quinn', 'niamh', 'doyle'] as const)
      expect((await st.as[person].reports.entries.raw({ query: ofClass })).status).toBe(403)
    expect((await st.as.byrne.reports.entries.raw({ query: { ...ofClass, termId: lastMichaelmas.id } })).status).toBe(400)
    expect((await st.as.byrne.reports.entries.raw({ query: termOf3B })).status).toBe(400)
  })

  test('entries of another type of book are omitted', async () => {
    expect(await st.as.byrne.reports.entries({ query: { ...ofClass, reportType: 'year_end' } })).toEqual([])
  })
})

describe('bodies', () => {
  test.each([
    { attendancePercentage: 100.01 },
    { attendancePercentage: -1 },
    { attendancePercentage: '90' },
    { attendancePercentage: 90.123 },
    { conduct: 'x'.repeat(501) },
    { classTeacherRemark: 'x'.repeat(2001) },
    { status: 'published' },
    { overallAverage: 100 },
  ])('400 for %o, and nothing changes', async (body) => {
    const before = await st.digest()
    expect((await st.as.byrne.reports.update.raw({ params: draft, body })).status).toBe(400)
    expect(await st.digest()).toBe(before)
  })

  test('the body is refused before the state', async () => {
    expect((await st.as.byrne.reports.update.raw({ params: sent, body: { conduct: 1 } })).status).toBe(400)
  })

  test.each([{ letterGrade: '' }, { letterGrade: 'x'.repeat(21) }, { teacherRemark: 5 }, { sortOrder: 1 }, { termComposite: 100 }])(
    '400 for an entry with %o',
    async (body) => {
      expect((await st.as.byrne.reports.updateEntry.raw({ params: draftEntry, body })).status).toBe(400)
    },
  )
})

describe('who may', () => {
  const onReport = ['get', 'update', 'regenerate', 'publish', 'sendToMinistry'] as const
  const ask = (person: PersonName, kind: (typeof onReport)[number] | 'updateEntry', id: string) =>
    st.as[person].reports[kind].raw({
      params: kind === 'updateEntry' ? { entryId: id } : { id },
      ...(kind.startsWith('update') && { body: {} }),
    })

  test.each<[PersonName, number]>([
    ['ada', 403],
    ['quinn', 403],
    ['niamh', 403],
    ['doyle', 403],
    ['nobody', 403],
    ['marker', 404],
    ['markerTeacher', 404],
  ])('%s gets %i for a report of 3B, and changes nothing', async (person, status) => {
    const before = await st.digest()
    for (const kind of onReport) expect([kind, (await ask(person, kind, draft.id)).status]).toEqual([kind, status])
    expect(await st.digest()).toBe(before)
  })

  test('an absent report or entry and another school’s are 404 for everybody of the school, byte for byte', async () => {
    const foreignEntry = naturalId('report_book_entry', hilltopReport.id, hilltopMaths.id)
    for (const person of ['okafor', 'byrne', 'ada', 'niamh'] as const) {
      for (const kind of [...onReport, 'updateEntry'] as const) {
        const answers = [await ask(person, kind, absent), await ask(person, kind, kind === 'updateEntry' ? foreignEntry : hilltopReport.id)]
        expect(answers.map(({ status }) => status)).toEqual([404, 404])
        expect(answers[0]?.body).toEqual(answers[1]?.body)
      }
    }
  })

  test('generating and listing: the class teacher and administrators; absent and foreign classes as ClassTeacherGuard says', async () => {
    const before = await st.digest()
    const statuses = async (person: PersonName, studentGroupId: string, termId: string = michaelmas.id) => {
      const generated = await st.as[person].reports.generate.raw({ body: { studentGroupId, termId, reportType: 'term' } })
      const listed = await st.as[person].reports.list.raw({ query: { studentGroupId, termId } })
      return [generated.status, listed.status]
    }
    for (const person of ['ada', 'quinn', 'niamh', 'doyle', 'markerTeacher'] as const)
      expect(await statuses(person, class3B.id)).toEqual([403, 403])
    expect(await statuses('byrne', class3A.id)).toEqual([403, 403])
    for (const id of [absent, hilltopClass.id]) {
      expect(await statuses('okafor', id)).toEqual([404, 404])
      expect(await statuses('byrne', id)).toEqual([403, 403])
    }
    for (const term of [absent, hilltopTerm.id]) expect(await statuses('byrne', class3B.id, term)).toEqual([404, 404])
    expect(await statuses('marker', class3B.id)).toEqual([404, 404])
    for (const body of [{}, { ...termOf3B, reportType: 'yearly' }, { ...termOf3B, reportType: 'term', extra: 1 }, { ...termOf3B }]) {
      expect((await st.as.byrne.reports.generate.raw({ body })).status).toBe(400)
    }
    expect(await st.digest()).toBe(before)
  })
})
