import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { draftReport, sentReport } from '@markbook/shared/story/reports'
import { class3B, english, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const of3B = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }
const draft = { id: draftReport.id }
const standing = async (id: string) => (await st.as.byrne.reports.standing({ query: of3B })).find((one) => one.report_id === id)
/** Time passes between the actions of two people. */
const later = () => st.clock.advance(1_000)

describe('GET /api/reports/standing', () => {
  test('a book is behind from the moment at which making it again would give other figures', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const rows = await st.as.byrne.reports.standing({ query: of3B })
    expect(rows.filter(({ is_behind, status }) => is_behind && status !== 'sent_to_ministry')).toEqual([])
    await st.as.ada.grades.update({ params: { id: naturalId('grade', mathsExam.id, zoe.id) }, body: { score: 1 } })
    const zoes = (await st.as.byrne.reports.list({ query: of3B })).find(({ student }) => student.id === zoe.id)
    expect(await standing(zoes?.id ?? '')).toMatchObject({ is_behind: true, paper: null })
    await st.as.byrne.reports.generate({ body: of3B })
    expect(await standing(zoes?.id ?? '')).toMatchObject({ is_behind: false })
  })

  test('a paper is older once figures, a remark, a letter or the state of its book have changed', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    expect((await standing(draft.id))?.paper).toBe(null)
    const entryId = naturalId('report_book_entry', draftReport.id, english.id)
    const changes = [
      () => st.as.byrne.reports.update({ params: draft, body: { conduct: 'Changed' } }),
      () => st.as.byrne.reports.updateEntry({ params: { entryId }, body: { teacherRemark: 'Changed.' } }),
      () => st.as.byrne.reports.updateEntry({ params: { entryId }, body: { letterGrade: 'E' } }),
      () => st.as.byrne.reports.publish({ params: draft }),
    ]
    for (const change of changes) {
      later()
      await st.as.byrne.reportFiles.generatePdf({ params: draft })
      expect((await standing(draft.id))?.paper?.is_older).toBe(false)
      later()
      await change()
      expect((await standing(draft.id))?.paper?.is_older).toBe(true)
    }
  })

  test('sending a book does not make its PDF older', async () => {
    await st.as.byrne.reports.publish({ params: draft })
    later()
    await st.as.byrne.reportFiles.generatePdf({ params: draft })
    later()
    await st.as.byrne.reports.sendToMinistry({ params: draft })
    expect(await standing(draft.id)).toMatchObject({ status: 'sent_to_ministry', paper: { is_older: false } })
  })

  test('a sent book is behind where its results are others now, and not where only the scale has another line', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    await st.as.byrne.reports.publish({ params: draft })
    await st.as.byrne.reports.sendToMinistry({ params: draft })
    const scale = await st.as.okafor.gradingScale.get({ query: {} })
    const lowest = { letter: 'Z', minimum: 0, remark: 'Not yet' }
    const bands = [...scale.bands.map((band) => (band.minimum === 0 ? { ...band, minimum: 1 } : band)), lowest]
    await st.as.okafor.gradingScale.put({ query: {}, body: { passMark: scale.pass_mark, bands } })
    expect(await standing(draft.id)).toMatchObject({ status: 'sent_to_ministry', is_behind: false })
    const others = (await st.as.byrne.reports.standing({ query: of3B })).filter(({ status }) => status === 'draft')
    expect(others.map(({ is_behind }) => is_behind)).toEqual(others.map(() => true))
    await st.as.ada.grades.create({ body: { assessmentId: mathsExam.id, studentId: elan.id, score: 1 } })
    expect(await standing(draft.id)).toMatchObject({ is_behind: true })
  })

  test('the books of a class and term by last name; none where none was made', async () => {
    const rows = await st.as.byrne.reports.standing({ query: of3B })
    const books = await st.as.byrne.reports.list({ query: of3B })
    expect(rows.map(({ report_id }) => report_id)).toEqual(books.map(({ id }) => id))
    expect(rows.map(({ report_id }) => report_id)).toContain(sentReport.id)
    expect(elan.id).toBe(books.find(({ id }) => id === draftReport.id)?.student_id)
    expect(await st.as.byrne.reports.standing({ query: { ...of3B, reportType: 'year_end' } })).toEqual([])
  })
})
