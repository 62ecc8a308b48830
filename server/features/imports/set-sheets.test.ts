import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import { fatima, mei, oisin, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, english, lastMichaelmas, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { csv, issuesOf, xlsx } from './sheets.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const paper = { termId: michaelmas.id, subjectId: english.id, title: 'Set paper', assessmentType: 'coursework' as const, maxScore: 50 }
const make = (more: object) => st.as.okafor.assessments.create({ body: { ...paper, ...more } })
/** Ada, who teaches no English in any class, teaches it to Fatima and Oisín of 3A and Mei of 3B. */
async function upper() {
  const set = await st.as.okafor.teachingSets.create({
    body: {
      academicYearId: thisYear.id,
      subjectId: english.id,
      name: 'English upper',
      teacherIds: [people.ada.id],
      studentIds: [mei, fatima, oisin].map(({ id }) => id),
    },
  })
  const ofSet = await make({ teachingSetId: set.id })
  const of3A = await make({ title: 'Test of 3A', studentGroupId: class3A.id })
  const of3B = await make({ title: 'Test of 3B', studentGroupId: class3B.id })
  return { set, ofSet, of3A, of3B, query: { teachingSetId: set.id, termId: michaelmas.id } }
}
const markOf = async (assessment: { id: string }, student: { id: string }) =>
  (await st.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === assessment.id && student_id === student.id)

describe('the mark sheet of a teaching set', () => {
  test('has its pupils by class, with the assessments of the set, of their classes and of every class', async () => {
    const { query } = await upper()
    const { headers, body } = await st.as.ada.imports.gradeSheet.raw({ query })
    expect(headers.get('content-disposition')).toContain('English_upper_English_michaelmas.xlsx')
    const { head, rows } = await readWorkbook(body as Uint8Array)
    expect(head.slice(4).sort()).toEqual([
      'Christmas exam (/100)',
      'Essay (/50)',
      'Set paper (/50)',
      'Test of 3A (/50)',
      'Test of 3B (/50)',
    ])
    const first = await st.as.ada.teachingSets.students({ params: { id: query.teachingSetId } })
    expect(rows.slice(1).map(({ cells }) => cells[0])).toEqual(first.map(({ id }) => id))
    expect(rows.slice(1).map(({ cells }) => cells[3])).toContain(mei.first_name)
  })

  test('is read back unchanged without changes, and with new marks records those', async () => {
    const { query, ofSet } = await upper()
    const bytes = (await st.as.ada.imports.gradeSheet({ query })) as Uint8Array
    expect(await st.as.ada.imports.grades({ query, body: xlsx(bytes) })).toMatchObject({ id: null, unchanged: 3, errors: 0 })
    const filled = csv(
      'Last name,First name,Set paper,Essay',
      `${fatima.last_name},${fatima.first_name},41,`,
      `${mei.last_name},${mei.first_name},"42,5",34`,
    )
    const report = await st.as.ada.imports.grades({ query, body: filled })
    expect(report).toMatchObject({ created: 1, updated: 1, errors: 0, rows: [{ action: 'create' }, { action: 'update' }] })
    expect([(await markOf(ofSet, fatima))?.score, (await markOf(ofSet, mei))?.score]).toEqual([41, 42.5])
    const [past] = await st.as.ada.imports.list()
    expect(past).toMatchObject({
      teaching_set_id: query.teachingSetId,
      student_group_id: null,
      term_id: michaelmas.id,
      subject_id: english.id,
    })
    await st.as.ada.imports.undo({ params: { id: past?.id as string }, query: {} })
    expect(await markOf(ofSet, fatima)).toBeUndefined()
  })

  test('a mark in an assessment of another class, or of a pupil outside the set, is a fault, and nothing is written', async () => {
    const { query, of3A, of3B } = await upper()
    const body = () =>
      csv(
        'Last name,First name,Test of 3A,Test of 3B',
        `${fatima.last_name},${fatima.first_name},40,`,
        `${mei.last_name},${mei.first_name},39,38`,
        `${zoe.last_name},${zoe.first_name},,37`,
      )
    const report = await st.as.ada.imports.grades({ query, body: body() })
    expect(issuesOf(report)).toEqual([
      'Test of 3A: is for another class or teaching set than the student’s',
      'last_name: is not the name of a student here',
    ])
    expect([await markOf(of3A, fatima), await markOf(of3B, mei)]).toEqual([undefined, undefined])
  })

  test('the mark of a pupil who left the set stays on the sheet of the class, but not on the set’s', async () => {
    const { set, query, ofSet } = await upper()
    await st.as.ada.grades.bulk({ body: { assessmentId: ofSet.id, grades: [{ studentId: mei.id, score: 30 }] } })
    await st.as.okafor.teachingSets.setStudents({ params: { id: set.id }, body: { studentIds: [fatima.id] } })
    const { rows } = await readWorkbook((await st.as.ada.imports.gradeSheet({ query })) as Uint8Array)
    expect(rows.slice(1).map(({ cells }) => cells[0])).toEqual([fatima.id])
    const row = csv('Last name,First name,Set paper', `${mei.last_name},${mei.first_name},31`)
    expect(await st.as.ada.imports.grades({ query, body: row })).toMatchObject({ errors: 1 })
    const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, subjectId: english.id }
    const again = csv('Last name,First name,Set paper', `${mei.last_name},${mei.first_name},31`)
    expect(await st.as.byrne.imports.grades({ query: ofClass, body: again })).toMatchObject({ updated: 1, errors: 0 })
  })

  test('only an administrator writes marks of a pupil of the set without a class', async () => {
    const { query, ofSet } = await upper()
    await st.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId: mei.id } })
    const body = () => csv('Last name,First name,Set paper', `${mei.last_name},${mei.first_name},30`)
    const importing = (who: 'ada' | 'okafor') => () => st.as[who].imports.grades.raw({ query, body: body() })
    expect(await refused(st, importing('ada'))).toEqual({ status: 403, code: 'grades.not_your_subject' })
    expect((await importing('okafor')()).body).toMatchObject({ created: 1 })
    expect((await markOf(ofSet, mei))?.score).toBe(30)
  })

  test.each(['byrne', 'quinn'] as const)('is for administrators and the teachers of the set, and not for %s', async (who) => {
    const { query } = await upper()
    const body = () => csv('Last name,First name,Set paper', `${mei.last_name},${mei.first_name},30`)
    expect(await refused(st, () => st.as[who].imports.gradeSheet.raw({ query }))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as[who].imports.grades.raw({ query, body: body() }))).toMatchObject({ status: 403 })
    expect((await st.as.okafor.imports.gradeSheet.raw({ query })).status).toBe(200)
    expect(await st.as.okafor.imports.grades({ query, body: body() })).toMatchObject({ created: 1 })
    expect(await refused(st, () => st.as.marker.imports.gradeSheet.raw({ query }))).toMatchObject({ status: 404 })
  })

  test('names either the class with subject and term, or the set with the term of its year', async () => {
    const { query } = await upper()
    const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, subjectId: english.id }
    const download = (asked: object) => () => st.as.okafor.imports.gradeSheet.raw({ query: asked as typeof ofClass })
    for (const asked of [
      { ...query, ...ofClass },
      { ...query, subjectId: english.id },
      { ...ofClass, subjectId: undefined },
      { termId: michaelmas.id },
    ])
      expect(await refused(st, download(asked))).toEqual({ status: 400, code: 'validation_failed' })
    expect(await refused(st, download({ ...query, termId: lastMichaelmas.id }))).toEqual({ status: 400, code: 'validation_failed' })
    const row = csv('Last name,First name,Set paper', `${mei.last_name},${mei.first_name},30`)
    const both = { ...query, studentGroupId: class3B.id, subjectId: english.id }
    expect(await refused(st, () => st.as.okafor.imports.grades.raw({ query: both, body: row }))).toMatchObject({ status: 400 })
  })
})
