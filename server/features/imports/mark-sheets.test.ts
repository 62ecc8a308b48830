import type { Sheet } from '@markbook/shared/spreadsheet/table'
import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import { elan, fatima, mathsExam, mathsHomework, mathsQuiz, mei } from '@markbook/shared/story/marks'
import {
  class3A,
  class3B,
  hilary,
  hilltopClass,
  hilltopTerm,
  lastMichaelmas,
  maths,
  michaelmas,
  science,
} from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeCsv } from '../../documents/csv.ts'
import { type School, school } from '../../testing/school.ts'
import { csv, file, issuesOf, rowsOf, XLSX_TYPE, xlsx } from './sheets.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const sheetOf3B = { studentGroupId: class3B.id, termId: michaelmas.id, subjectId: maths.id }
const gradeOf = async (assessment: { id: string }, student: { id: string }) =>
  (await st.rows('grade')).find((grade) => grade.assessment_id === assessment.id && grade.student_id === student.id)
const asCsv = ({ head, rows }: Sheet) => file(writeCsv({ head, rows: rows.map(({ cells }) => cells) }), 'marks.csv', 'text/csv')
const marksheet = async (query = sheetOf3B) => readWorkbook(await st.as.ada.imports.gradeSheet({ query }))

describe('GET /api/grades/sheet', () => {
  test('an XLSX with a row a pupil and a column an assessment', async () => {
    const { status, headers, body } = await st.as.ada.imports.gradeSheet.raw({ query: sheetOf3B })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(XLSX_TYPE)
    expect(headers.get('content-disposition')).toContain('filename="3B_Mathematics_michaelmas.xlsx"')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const { head, rows } = await readWorkbook(body as Uint8Array)
    expect(head).toEqual([
      'student_id',
      'student_number',
      'last_name',
      'first_name',
      'Quiz 1 (/20)',
      'Homework (/10)',
      'Christmas exam (/100)',
    ])
    expect(rows.slice(1).map(({ cells }) => cells.slice(2))).toEqual([
      ['Adeyemi', 'Zoë', '4', '9', '71'],
      ['Chen', 'Mei', '14', '7', '67'],
      ['Murphy', 'Aoife', '20', '10', '96'],
      ['Murphy', 'Seán', '12', '6.5', '55'],
      ['Ó Briain', 'Élan', '17.5', '8', ''],
      ['Wójcik', 'Łukasz', '9.25', '4', '38.5'],
    ])
  })

  test('omits pupils who do not take the subject and have no mark in it', async () => {
    const query = { studentGroupId: class3A.id, termId: hilary.id, subjectId: science.id }
    const pupils = async () => (await readWorkbook(await st.as.okafor.imports.gradeSheet({ query }))).rows.length - 1
    expect(await pupils()).toBe(2)
    await st.as.okafor.classes.assignSubjects({ params: { id: class3A.id }, body: { studentId: fatima.id, subjectIds: [maths.id] } })
    expect(await pupils()).toBe(1)
  })

  test('for the administrator and who is assigned to the class', async () => {
    const input = (name: 'okafor' | 'byrne' | 'quinn' | 'niamh' | 'marker') => st.as[name].imports.gradeSheet.raw({ query: sheetOf3B })
    expect((await input('okafor')).status).toBe(200)
    expect((await input('byrne')).status).toBe(200)
    expect((await input('quinn')).status).toBe(403)
    expect((await input('niamh')).status).toBe(403)
    expect((await input('marker')).status).toBe(404)
    const foreign = { ...sheetOf3B, studentGroupId: hilltopClass.id }
    expect((await st.as.okafor.imports.gradeSheet.raw({ query: foreign })).status).toBe(404)
    expect((await st.as.okafor.imports.gradeSheet.raw({ query: { ...sheetOf3B, termId: hilltopTerm.id } })).status).toBe(404)
    expect((await st.as.okafor.imports.gradeSheet.raw({ query: { ...sheetOf3B, termId: lastMichaelmas.id } })).status).toBe(400)
  })
})

describe('POST /api/grades/import of a whole mark sheet', () => {
  test('an unchanged sheet is read back without changes, as XLSX and as CSV', async () => {
    const before = await st.digest()
    const bytes = await st.as.ada.imports.gradeSheet({ query: sheetOf3B })
    const answer = await st.as.ada.imports.grades({ query: sheetOf3B, body: xlsx(bytes) })
    expect(answer).toMatchObject({ ...rowsOf(Array(6).fill('unchanged'), 3), created: 0, updated: 0, unchanged: 6, errors: 0 })
    expect(await st.as.ada.imports.grades({ query: sheetOf3B, body: asCsv(await readWorkbook(bytes)) })).toMatchObject({
      unchanged: 6,
      errors: 0,
    })
    expect(await st.digest()).toBe(before)
  })

  test('new and changed marks are written; heads may be renamed as long as the ids are there', async () => {
    const sheet = await marksheet()
    sheet.head[4] = 'Our little test'
    const row = (name: string) => sheet.rows.find(({ cells }) => cells[3] === name)?.cells as string[]
    row('Élan')[6] = '80,5'
    row('Mei')[4] = '15'
    expect(await st.as.ada.imports.grades({ query: sheetOf3B, body: asCsv(sheet) })).toMatchObject({
      created: 1,
      updated: 1,
      unchanged: 4,
      errors: 0,
    })
    expect(await gradeOf(mathsExam, elan)).toMatchObject({ score: 80.5 })
    expect(await gradeOf(mathsQuiz, mei)).toMatchObject({ score: 15 })
  })

  test('without the hidden ids, headings and names are used', async () => {
    const body = csv('first_name,last_name,"Quiz 1 (/20)",homework,Seat', 'Mei,Chen,16,8,window')
    const answer = await st.as.byrne.imports.grades({ query: sheetOf3B, body })
    expect(answer).toMatchObject({ updated: 1, errors: 0, rows: [{ row: 1, action: 'unchanged', issues: [{ path: 'Seat' }] }, { row: 2 }] })
    expect(await gradeOf(mathsHomework, mei)).toMatchObject({ score: 8 })
  })

  test('a sheet of another class or term is refused at its heading, whatever its rows say', async () => {
    const before = await st.digest()
    const answer = await st.as.okafor.imports.grades({ query: { ...sheetOf3B, termId: hilary.id }, body: asCsv(await marksheet()) })
    expect(answer.rows[0]).toMatchObject({
      row: 1,
      action: 'error',
      issues: Array(3).fill({ message: 'belongs to another class, teaching set, subject or term' }),
    })
    expect(answer.errors).toBe(1)
    expect(await st.digest()).toBe(before)
  })

  test('a row sorted away from its hidden id is refused, and one of another class', async () => {
    const sheet = await marksheet()
    const [, first, second] = sheet.rows
    if (!first || !second) throw new Error('the sheet has no rows')
    ;[first.cells[0], second.cells[0]] = [second.cells[0] ?? '', first.cells[0] ?? '']
    const answer = await st.as.ada.imports.grades({ query: sheetOf3B, body: asCsv(sheet) })
    expect(answer).toMatchObject({ errors: 2, unchanged: 4 })
    const stranger = await st.as.ada.imports.grades({ query: sheetOf3B, body: csv('student_number,Quiz 1', 'SB-007,5') })
    expect(issuesOf(stranger)).toEqual(['student_number: is not the number of a student here'])
  })

  test('two columns for one assessment are refused', async () => {
    const answer = await st.as.ada.imports.grades({ query: sheetOf3B, body: csv('student_number,Quiz 1,Quiz 1 (/20)', 'SB-001,5,6') })
    expect(issuesOf(answer)).toEqual(['Quiz 1 (/20): is for the same assessment as the column “Quiz 1”'])
  })

  test('403 for a subject that is not the caller’s in the class, 400 without any assessment', async () => {
    const body = () => csv('student_number,Essay', 'SB-001,5')
    const english = { ...sheetOf3B, subjectId: science.id }
    expect(await st.as.ada.imports.grades.raw({ query: english, body: body() })).toMatchObject({
      status: 403,
      body: { code: 'grades.not_your_subject' },
    })
    expect(await st.as.quinn.imports.grades.raw({ query: sheetOf3B, body: body() })).toMatchObject({ status: 403 })
    expect(await st.as.byrne.imports.grades.raw({ query: english, body: body() })).toMatchObject({
      status: 400,
      body: { code: 'imports.missing_columns' },
    })
  })

  test('equal sheets at once write each mark once', async () => {
    const body = () => csv('student_number,Christmas exam', 'SB-001,50')
    const answers = await Promise.all([1, 2, 3].map(() => st.as.ada.imports.grades({ query: sheetOf3B, body: body() })))
    expect(answers.map(({ created }) => created).sort()).toEqual([0, 0, 1])
  })
})
