import { aoife, elan, lukasz, mathsExam, mathsHomework, mathsQuiz, oisin, wanderer, zoe } from '@markbook/shared/story/marks'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'
import { csv, file, issuesOf, rowsOf } from './sheets.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const sheetOf3B = { studentGroupId: class3B.id, termId: michaelmas.id, subjectId: maths.id }
const quiz = { assessmentId: mathsQuiz.id }
const gradeOf = async (assessment: { id: string }, student: { id: string }) =>
  (await st.rows('grade')).find((grade) => grade.assessment_id === assessment.id && grade.student_id === student.id)

describe('POST /api/grades/import for one assessment', () => {
  test('records new marks, changes those that differ, and leaves the others and empty cells alone', async () => {
    const lines = ['SB-001,12.5,Tries hard', 'SB-002,"71,5",', 'SB-003,55,', 'SB-004,,', 'SB-009,40,']
    const answer = await st.as.okafor.imports.grades({
      query: { assessmentId: mathsExam.id },
      body: csv('student_number,score,remarks', ...lines),
    })
    expect(answer).toMatchObject({
      ...rowsOf(['create', 'update', 'unchanged', 'unchanged', 'create']),
      created: 2,
      updated: 1,
      unchanged: 2,
      errors: 0,
    })
    expect(await gradeOf(mathsExam, elan)).toMatchObject({ score: 12.5, remarks: 'Tries hard', is_excluded: false, term_id: michaelmas.id })
    expect(await gradeOf(mathsExam, zoe)).toMatchObject({ score: 71.5 })
    expect(await gradeOf(mathsExam, aoife)).toMatchObject({ score: 96 })
    expect(await gradeOf(mathsExam, wanderer)).toMatchObject({ score: 40 })
  })

  test('a student by last and first name, case and accents aside', async () => {
    const body = csv('Last name;First name;Score', 'MURPHY;aoife;19,25', 'Wojcik;Lukasz;9.25')
    expect(await st.as.ada.imports.grades({ query: quiz, body })).toMatchObject(rowsOf(['update', 'unchanged']))
    expect(await gradeOf(mathsQuiz, aoife)).toMatchObject({ score: 19.25 })
    expect(await gradeOf(mathsQuiz, lukasz)).toMatchObject({ score: 9.25 })
  })

  test('among pupils of the same name, the caller’s class has priority', async () => {
    await st.as.okafor.students.create({ body: { firstName: 'Zoë', lastName: 'Adeyemi', gender: 'female', studentNumber: 'SB-900' } })
    const body = () => csv('last_name,first_name,score', 'Adeyemi,Zoe,5')
    expect(await st.as.ada.imports.grades({ query: quiz, body: body() })).toMatchObject(rowsOf(['update']))
    const twin = await st.as.okafor.students.create({ body: { firstName: 'Zoe', lastName: 'Adeyemi', gender: 'female' } })
    await st.as.okafor.classes.enroll({ params: { id: class3B.id }, body: { studentId: twin.id } })
    expect(issuesOf(await st.as.ada.imports.grades({ query: quiz, body: body() }))).toEqual([
      'last_name: is the name of several students here; give the student number',
    ])
  })

  test('an excluded mark stays excluded when its score changes', async () => {
    expect(await st.as.ada.imports.grades({ query: quiz, body: csv('student_number,score', 'SB-002,6') })).toMatchObject({ updated: 1 })
    expect(await gradeOf(mathsQuiz, zoe)).toMatchObject({ score: 6, is_excluded: true, exclusion_reason: 'was ill' })
  })

  test('a remark alone changes only the remark, and needs a mark', async () => {
    const body = csv('student_number,score,remarks', 'SB-002,,Better', 'SB-001,,Absent')
    const answer = await st.as.okafor.imports.grades({ query: { assessmentId: mathsExam.id, dryRun: 'true' }, body })
    expect(answer).toMatchObject(rowsOf(['update', 'error']))
    expect(issuesOf(answer)).toEqual(['remarks: needs a score beside it: there is none yet'])
    await st.as.okafor.imports.grades({
      query: { assessmentId: mathsExam.id },
      body: csv('student_number,score,remarks', 'SB-002,,Better'),
    })
    expect(await gradeOf(mathsExam, zoe)).toMatchObject({ score: 71, remarks: 'Better' })
  })

  test('a faulty row is reported by column, also by a real run, which writes nothing', async () => {
    const before = await st.digest()
    const lines = [
      'SB-001,20.01',
      'SB-002,-1',
      'SB-003,ill',
      'SB-004,1.234',
      'SB-005,3',
      'SB-005,4',
      'SB-777,1',
      ',2',
      'HILLTOP-MARKER-001,1',
    ]
    const body = () => csv('student_number,score', ...lines, ',')
    const answer = await st.as.okafor.imports.grades({ query: quiz, body: body() })
    expect(answer).toMatchObject({
      ...rowsOf(['error', 'error', 'error', 'error', 'update', ...Array(4).fill('error')]),
      errors: 8,
      updated: 1,
    })
    expect(issuesOf(answer)).toEqual([
      'score: is above the maximum of 20',
      'score: must be a number from 0 to 100000 with at most 2 decimals',
      'score: This is not a number; write it as 12.5 or 12,5.',
      'score: At most 2 decimals are possible.',
      'last_name: is the student of row 6 again',
      'student_number: is not the number of a student here',
      'last_name: is required where there is no student number',
      'student_number: is not the number of a student here',
    ])
    expect(await st.as.okafor.imports.grades({ query: { ...quiz, dryRun: 'true' }, body: body() })).toEqual(answer)
    expect(await st.digest()).toBe(before)
  })

  test('of two columns of the assessment neither is taken, until one is named score', async () => {
    const before = await st.digest()
    const answer = await st.as.okafor.imports.grades({ query: quiz, body: csv('student_number,Quiz 1,Quiz 1', 'SB-001,1,2') })
    expect(issuesOf(answer)).toEqual(['Quiz 1: is for the same assessment as the column “Quiz 1”'])
    expect(await st.digest()).toBe(before)
    const named = csv('student_number,Quiz 1,score,Quiz 1', 'SB-001,1,2,3')
    await st.as.okafor.imports.grades({ query: quiz, body: named })
    expect(await gradeOf(mathsQuiz, elan)).toMatchObject({ score: 2 })
  })

  test('names that do not fit the number are refused', async () => {
    const body = csv('student_number,last_name,first_name,score', 'SB-001,Murphy,Aoife,1', 'SB-004,murphy,Seán,1', 'SB-003,Murphy,,1')
    expect(issuesOf(await st.as.okafor.imports.grades({ query: quiz, body }))).toEqual([
      'last_name: does not fit: this row is for Élan Ó Briain',
      'last_name: does not fit: this row is for Aoife Murphy',
    ])
  })

  test('an assessment of one class takes only that class’s students', async () => {
    const answer = await st.as.okafor.imports.grades({
      query: { assessmentId: mathsHomework.id },
      body: csv('student_number,score', 'SB-007,5'),
    })
    expect(answer).toMatchObject({ errors: 1 })
    expect(await gradeOf(mathsHomework, oisin)).toBeUndefined()
  })

  test('403 where a student is not the caller’s, where the subject is not, and for who is no teacher', async () => {
    const before = await st.digest()
    const attempt = (
      name: 'ada' | 'byrne' | 'quinn' | 'niamh' | 'doyle' | 'marker',
      line: string,
      query: { assessmentId: string } = quiz,
    ) => st.as[name].imports.grades.raw({ query, body: csv('student_number,score', line) })
    expect(await attempt('ada', 'SB-007,5')).toMatchObject({ status: 403, body: { code: 'grades.not_your_subject' } })
    expect(await attempt('byrne', 'SB-008,5')).toMatchObject({ status: 403 })
    expect(await attempt('quinn', 'SB-001,5')).toMatchObject({ status: 403 })
    expect(await attempt('quinn', 'SB-001,5', { assessmentId: mathsHomework.id })).toMatchObject({ status: 403 })
    expect(await attempt('niamh', 'SB-001,5')).toMatchObject({ status: 403 })
    expect(await attempt('doyle', 'SB-001,5')).toMatchObject({ status: 403, body: { code: 'inactive' } })
    expect(await attempt('marker', 'HILLTOP-MARKER-001,5')).toMatchObject({ status: 404 })
    expect(await st.digest()).toBe(before)
  })

  test('the class teacher writes every subject of the class, the subject teacher the subject', async () => {
    const input = () => ({ query: quiz, body: csv('student_number,score', 'SB-001,3') })
    expect(await st.as.byrne.imports.grades(input())).toMatchObject({ updated: 1 })
    expect(await st.as.ada.imports.grades(input())).toMatchObject({ unchanged: 1 })
    expect(await st.as.quinn.imports.grades({ query: quiz, body: csv('student_number,score', 'SB-007,3') })).toMatchObject({ updated: 1 })
  })

  test('a row without a mark needs no rights to the pupil', async () => {
    expect(await st.as.ada.imports.grades({ query: quiz, body: csv('student_number,score', 'SB-007,', 'SB-001,5') })).toMatchObject({
      updated: 1,
      unchanged: 1,
    })
  })

  test('400 where the query names neither an assessment nor a whole sheet, or both', async () => {
    const input = (query: object) =>
      st.as.okafor.imports.grades.raw({ query: query as never, body: csv('student_number,score', 'SB-001,5') })
    const { termId, ...part } = sheetOf3B
    expect(await input({})).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await input(part)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await input({ ...quiz, termId })).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await input({ assessmentId: 'x' })).toMatchObject({ status: 400, body: { code: 'malformed_id' } })
  })

  test('400 where a column is missing; access comes before the file', async () => {
    const refused = (body: FormData, name: 'okafor' | 'niamh' = 'okafor') => st.as[name].imports.grades.raw({ query: quiz, body })
    expect(await refused(csv('student_number,points', 'SB-001,1'))).toMatchObject({
      status: 400,
      body: { code: 'imports.missing_columns' },
    })
    expect(await refused(csv('last_name,score', 'Chen,1'))).toMatchObject({ status: 400, body: { code: 'imports.missing_columns' } })
    expect(await refused(csv('student_number,score,score', 'SB-001,1,1'))).toMatchObject({
      status: 400,
      body: { code: 'imports.duplicate_column' },
    })
    const program = () => file('MZ', 'x.exe', 'application/x-msdownload')
    expect(await refused(program())).toMatchObject({ status: 415, body: { code: 'imports.wrong_type' } })
    expect(await refused(program(), 'niamh')).toMatchObject({ status: 403 })
    const stranger = await st.as.quinn.imports.grades.raw({
      query: { assessmentId: '00000000-0000-7000-8000-999999999999' },
      body: program(),
    })
    expect(stranger).toMatchObject({ status: 404 })
  })
})
