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

  test('a sent book says whether it was behind already when it was sent', async () => {
    const { reports } = await st.as.byrne.reports.generate({ body: of3B })
    const zoes = reports.find(({ student_id }) => student_id === zoe.id)?.id ?? ''
    for (const id of [draft.id, zoes]) await st.as.byrne.reports.publish({ params: { id } })
    await st.as.byrne.reports.sendToMinistry({ params: draft })
    await st.as.ada.grades.update({ params: { id: naturalId('grade', mathsExam.id, zoe.id) }, body: { score: 1 } })
    expect(await standing(zoes)).toMatchObject({ is_behind: true, was_behind: false })
    await st.as.byrne.reports.sendToMinistry({ params: { id: zoes } })
    expect(await standing(zoes)).toMatchObject({ is_behind: true, was_behind: true })
    expect(await standing(draft.id)).toMatchObject({ was_behind: false })
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

describe('PATCH /api/reports/:id/publish and send-to-ministry with standingHash', () => {
  const shown = async (id: string) => ({ standingHash: (await standing(id))?.standing_hash })
  const refused = { code: 'reports.changed_since', status: 409 }

  test('409 where a mark was saved after the book was shown, and nothing changes; without it the book goes out', async () => {
    const { reports } = await st.as.byrne.reports.generate({ body: of3B })
    const params = { id: reports.find(({ student_id }) => student_id === zoe.id)?.id ?? '' }
    const mark = { id: naturalId('grade', mathsExam.id, zoe.id) }
    const steps = [
      { move: st.as.byrne.reports.publish, score: 2 },
      { move: st.as.byrne.reports.sendToMinistry, score: 3 },
    ]
    for (const { move, score } of steps) {
      const query = await shown(params.id)
      await st.as.ada.grades.update({ params: mark, body: { score } })
      const before = await st.digest()
      await expect(move({ params, query })).rejects.toMatchObject(refused)
      expect(await st.digest()).toBe(before)
      await move({ params, query: await shown(params.id) })
    }
    expect(await standing(params.id)).toMatchObject({ status: 'sent_to_ministry', was_behind: true })
  })

  test('409 where a text was written meanwhile, and not where a PDF of the book was made', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    await st.as.byrne.reports.publish({ params: draft, query: await shown(draft.id) })
    const query = await shown(draft.id)
    const entryId = naturalId('report_book_entry', draftReport.id, english.id)
    await st.as.byrne.reports.updateEntry({ params: { entryId }, body: { teacherRemark: 'Written meanwhile.' } })
    await expect(st.as.byrne.reports.sendToMinistry({ params: draft, query })).rejects.toMatchObject(refused)
    const again = await shown(draft.id)
    await st.as.byrne.reportFiles.generatePdf({ params: draft })
    expect((await st.as.byrne.reports.sendToMinistry({ params: draft, query: again })).status).toBe('sent_to_ministry')
  })

  test('400 where it is no hash', async () => {
    const { status } = await st.as.byrne.reports.publish.raw({ params: draft, query: { standingHash: 'x' } })
    expect(status).toBe(400)
  })
})
