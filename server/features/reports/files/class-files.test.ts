import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import { elan, pupilsOf3A, zoe } from '@markbook/shared/story/marks'
import { draftReport } from '@markbook/shared/story/reports'
import {
  class3A,
  class3B,
  english,
  hilltopClass,
  lastMichaelmas,
  lastYears2B,
  maths,
  michaelmas,
  thisYear,
} from '@markbook/shared/story/school-year'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPoppler, pagesOfPdf, textOfPdf } from '../../../documents/drawing/pdf-text.fixtures.ts'
import { codeOfHistory, headOfCode, writtenWithHead } from '../../../replication/audit/head-code.ts'
import { asSystem } from '../../../store/tx.ts'
import { refused } from '../../../testing/refused.ts'
import { type School, school } from '../../../testing/school.ts'
import { readBroadsheet } from './broadsheet-data.ts'
import { form, pdfOf, workbook } from './files.fixtures.ts'
import { printingOf } from './pdf-storage.ts'
import type { ClassPeriod } from './report-card-data.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const of3B = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } as const
const upload = (fileType: string, content: Uint8Array | string, type: string, more: Record<string, string> = {}) =>
  st.as.byrne.reportFiles.uploadClassFile.raw({ body: form(content, type, { ...of3B, fileType, ...more }) })
const textOf = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString('utf8')

describe('POST /api/reports/class-summary/upload', () => {
  test.each([
    ['pdf', () => pdfOf('summary'), 'application/pdf'],
    ['csv', () => 'name,average\r\nZoë,71\r\n', 'application/vnd.ms-excel'],
    ['xlsx', () => workbook(), ''],
  ])('stores a %s and answers its record', async (fileType, content, type) => {
    const { status, body } = await upload(fileType, content(), type)
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { student_group_id: class3B.id, report_type: 'term', file_type: fileType },
    })
    const [row] = (await st.rows('class_report_file')).filter(({ id }) => id === (body as { id: string }).id)
    expect(row?.file_path).toMatch(new RegExp(`^classes/${class3B.id}/${st.clock.now()}-[0-9a-f-]{36}\\.${fileType}$`))
    expect(row?.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each([
    ['a field that nobody knows', { filePath: 'mine.pdf' }],
    ['a type that there is not', { fileType: 'docx' }],
    ['a report type that there is not', { reportType: 'yearly' }],
  ])('400 for %s', async (_what, more) => {
    expect(await refused(st, () => upload('pdf', pdfOf('x'), 'application/pdf', more as never))).toEqual({
      status: 400,
      code: 'validation_failed',
    })
  })

  test('400 without a field, and for a term of another year', async () => {
    const { fileType: _, ...rest } = { ...of3B, fileType: 'pdf' }
    const without = () => st.as.byrne.reportFiles.uploadClassFile.raw({ body: form(pdfOf('x'), 'application/pdf', rest) })
    expect(await refused(st, without)).toEqual({ status: 400, code: 'validation_failed' })
    expect(await refused(st, () => upload('pdf', pdfOf('x'), 'application/pdf', { termId: lastMichaelmas.id }))).toMatchObject({
      status: 400,
    })
  })

  test('a malformed id comes before the rights, the rights before the file', async () => {
    const ill = form('no pdf', 'application/pdf', { ...of3B, studentGroupId: 'nothing', fileType: 'pdf' })
    expect((await st.as.niamh.reportFiles.uploadClassFile.raw({ body: ill })).status).toBe(400)
    const foreign = form('no pdf', 'application/pdf', { ...of3B, studentGroupId: class3A.id, fileType: 'pdf' })
    expect((await st.as.byrne.reportFiles.uploadClassFile.raw({ body: foreign })).status).toBe(403)
    const hidden = form('no pdf', 'application/pdf', { ...of3B, studentGroupId: hilltopClass.id, fileType: 'pdf' })
    expect((await st.as.okafor.reportFiles.uploadClassFile.raw({ body: hidden })).status).toBe(404)
  })
})

describe('GET /api/reports/class-summary/files and /download', () => {
  test('the files of that class, term and type, newest first; the newest is downloaded', async () => {
    st.clock.advance(1_000)
    await upload('csv', 'name,average\r\nZoë,72\r\n', 'text/csv')
    const listed = await st.as.byrne.reportFiles.classFiles({ query: of3B })
    expect(listed.map(({ file_type }) => file_type)).toEqual(['csv', 'xlsx', 'csv', 'pdf'])
    expect(await st.as.byrne.reportFiles.classFiles({ query: { ...of3B, reportType: 'year_end' } })).toEqual([])
    const { headers, body } = await st.as.byrne.reportFiles.downloadClassFile.raw({ query: { ...of3B, fileType: 'csv' } })
    expect(textOf(body)).toContain('72')
    expect(headers.get('content-type')).toBe('text/csv; charset=UTF-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="3B_-_2025-26_Michaelmas_-_summary.csv"/)
  })

  test('404 reports.no_class_file where there is none; 400 without one of the four', async () => {
    const none = await st.as.byrne.reportFiles.downloadClassFile.raw({ query: { ...of3B, reportType: 'year_end', fileType: 'pdf' } })
    expect(none).toMatchObject({ status: 404, body: { code: 'reports.no_class_file' } })
    expect((await st.as.byrne.reportFiles.downloadClassFile.raw({ query: of3B })).status).toBe(400)
    expect((await st.as.byrne.reportFiles.classFiles.raw({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })).status).toBe(
      400,
    )
  })
})

describe('POST /api/reports/class-summary/generate', () => {
  test.each(['pdf', 'csv', 'xlsx'] as const)('makes the broadsheet as %s, stores it and records it', async (fileType) => {
    st.clock.advance(1_000)
    const file = await st.as.byrne.reportFiles.generateClassFile({ body: { ...of3B, fileType } })
    expect(file).toMatchObject({ file_type: fileType, student_group_id: class3B.id })
    const { body } = await st.as.byrne.reportFiles.downloadClassFile.raw({ query: { ...of3B, fileType } })
    expect((body as Uint8Array).length).toBe(file.file_size)
  })

  test('its figures are those of the live results, its letters those that a teacher typed', async () => {
    const { entries } = await st.as.byrne.reports.get({ params: { id: draftReport.id } })
    const typed = entries.find(({ subject }) => subject.id === english.id)?.id ?? ''
    await st.as.byrne.reports.updateEntry({ params: { entryId: typed }, body: { letterGrade: 'Abs' } })
    const live = await st.as.byrne.calculations.classTerm({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
    const period = { group: class3B, term: michaelmas, year: thisYear, type: 'term' } as unknown as ClassPeriod
    const { pupils } = await st.services.store.read(asSystem(), (tx) => readBroadsheet(tx, period, printingOf({})))
    expect(pupils.map(({ overall_average }) => overall_average)).toEqual(live.students.map(({ overall_average }) => overall_average))
    const own = pupils.find(({ first_name }) => first_name === elan.first_name)
    const result = live.students.find(({ student_id }) => student_id === elan.id)
    const composite = result?.subjects.find(({ subject_id }) => subject_id === english.id)?.term_composite
    expect(own?.marks[english.id]).toEqual({ figure: composite, letter: 'Abs', is_partial: false })
    expect(own?.marks[maths.id]).toMatchObject({ figure: 83.75, is_partial: true })
    expect(own?.marks[maths.id]?.letter).toBe(result?.subjects.find(({ subject_id }) => subject_id === maths.id)?.letter_grade)
  })

  test('a name that a spreadsheet would run as a formula does not run in CSV and XLSX', async () => {
    const { id } = await st.as.okafor.students.create({
      body: { firstName: '=HYPERLINK("http://evil","x")', lastName: '@SUM(A1)', gender: 'other' },
    })
    await st.as.byrne.classes.enroll({ params: { id: class3B.id }, body: { studentId: id } })
    for (const fileType of ['csv', 'xlsx'] as const) {
      st.clock.advance(1_000)
      await st.as.byrne.reportFiles.generateClassFile({ body: { ...of3B, fileType } })
      const { body } = await st.as.byrne.reportFiles.downloadClassFile.raw({ query: { ...of3B, fileType } })
      if (fileType === 'csv') expect(textOf(body)).toMatch(/'@SUM\(A1\)/)
      else {
        const parts = Object.entries(unzipSync(body as Uint8Array)).filter(([name]) => name.includes('sheet'))
        for (const [, part] of parts) expect(textOf(part)).not.toContain('<f>HYPERLINK')
        expect((await readWorkbook(body as Uint8Array)).rows.flatMap(({ cells }) => cells).join()).toContain('@SUM(A1)')
      }
    }
  })

  test('400 reports.no_year_end for a year that is counted by terms', async () => {
    const body = { studentGroupId: lastYears2B.id, termId: lastMichaelmas.id, reportType: 'year_end', fileType: 'csv' }
    expect(await refused(st, () => st.as.byrne.reportFiles.generateClassFile.raw({ body }))).toEqual({
      status: 400,
      code: 'reports.no_year_end',
    })
  })
})

describe('GET /api/reports/archive', () => {
  test('404 reports.no_pdf while no report has one', async () => {
    expect(await st.as.byrne.reportFiles.archive.raw({ query: of3B })).toMatchObject({ status: 404, body: { code: 'reports.no_pdf' } })
  })

  test('the latest PDF of each report by its pupil’s name, and a text that names those without', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    for (const inside of ['earlier', 'latest']) {
      st.clock.advance(1_000)
      await st.as.byrne.reportFiles.uploadPdf({ params: { id: draftReport.id }, body: form(pdfOf(inside)) })
    }
    const { headers, body } = await st.as.byrne.reportFiles.archive.raw({ query: of3B })
    expect(headers.get('content-type')).toBe('application/zip')
    const files = unzipSync(body as Uint8Array)
    expect(Object.keys(files)).toEqual(['Ó Briain, Élan - 3B - 2025-26 Michaelmas.pdf', 'not in this archive.txt'])
    expect(textOf(files['Ó Briain, Élan - 3B - 2025-26 Michaelmas.pdf'])).toContain('latest')
    expect(textOf(files['not in this archive.txt'])).toContain('Wójcik, Łukasz - 3B - 2025-26 Michaelmas.pdf')
  })
})

describe('GET /api/reports/print', () => {
  const pagesOf = (bytes: unknown) =>
    (
      Buffer.from(bytes as Uint8Array)
        .toString('latin1')
        .match(/\/Type \/Page\b/g) ?? []
    ).length

  test('every report in one file; for two-sided printing each begins on a new sheet', async () => {
    const one = await st.as.byrne.reportFiles.print.raw({ query: of3B })
    expect([one.status, one.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const count = (await st.as.byrne.reports.list({ query: of3B })).length
    const { body } = await st.as.byrne.reportFiles.print.raw({ query: { ...of3B, twoSided: 'true' } })
    expect(pagesOf(one.body)).toBe(count)
    expect(pagesOf(body)).toBe(count * 2 - 1)
  })

  test('of one student alone, also where the report was sent: the file has the student’s name; 404 for a student without a report', async () => {
    const sent = (await st.as.byrne.reports.list({ query: of3B })).find(({ status }) => status === 'sent_to_ministry')
    const ask = (studentId: string) => st.as.byrne.reportFiles.print.raw({ query: { ...of3B, studentId } })
    const one = await ask(sent?.student.id ?? '')
    expect([one.status, pagesOf(one.body)]).toEqual([200, 1])
    const saved = decodeURIComponent(one.headers.get('content-disposition') ?? '')
    expect(saved).toContain(`${sent?.student.last_name}, ${sent?.student.first_name} - 3B - 2025-26 Michaelmas.pdf`)
    if (hasPoppler) expect(textOfPdf(one.body as Uint8Array)).toContain(sent?.student.last_name)
    expect(await ask(pupilsOf3A[0]?.id ?? '')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await ask('nobody')).status).toBe(400)
  })

  test('404 reports.no_books where nothing was generated; 400 for an unknown paper size', async () => {
    const none = await st.as.quinn.reportFiles.print.raw({ query: { ...of3B, studentGroupId: class3A.id } })
    expect(none).toMatchObject({ status: 404, body: { code: 'reports.no_books' } })
    expect((await st.as.byrne.reportFiles.print.raw({ query: { ...of3B, paper: 'A3' } })).status).toBe(400)
  })
})

describe('GET /api/students/import-template', () => {
  test('has the columns of the import and the classes of the active year, and the import accepts it', async () => {
    const { headers, body } = await st.as.okafor.students.importTemplate.raw()
    expect(headers.get('content-disposition')).toContain('filename="Pupils_to_import.xlsx"')
    const head = ['first_name', 'last_name', 'gender', 'date_of_birth', 'enrollment_date', 'student_number', 'class']
    expect((await readWorkbook(body as Uint8Array)).head).toEqual(head)
    expect((await readWorkbook(body as Uint8Array, ['Classes'])).rows.map(({ cells }) => cells[0])).toEqual(['3A', '3B'])
    const made = new FormData()
    made.set('file', new File([body as never], 'pupils.xlsx'))
    expect(await st.as.okafor.imports.students({ body: made, query: { dryRun: 'true' } })).toMatchObject({ errors: 0, rows: [] })
  })
})

describe('the code of the history', () => {
  const summary = { body: { ...of3B, fileType: 'pdf' } } as const
  const read = (of = { ...of3B, fileType: 'pdf' } as const) => st.as.byrne.reportFiles.downloadClassFile({ query: of })

  test('is at the foot of every page of a summary, and a stored one keeps it; the cards of a class have none', async () => {
    const at = () => st.services.store.read(asSystem(), (tx) => codeOfHistory(tx, class3B.school_id))
    const code = await at()
    expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    await st.as.byrne.reportFiles.generateClassFile(summary)
    const first = await read()
    if (hasPoppler) for (const page of pagesOfPdf(first)) expect(page).toContain(`History ${code} · Page`)
    st.clock.advance(60_000)
    await st.as.okafor.subjects.create({ body: { name: 'Astronomy', code: 'AST' } })
    expect(await at()).not.toBe(code)
    expect(Buffer.from(await read()).equals(Buffer.from(first))).toBe(true)
    const run = await st.as.byrne.reportFiles.print({ query: of3B })
    await st.as.okafor.subjects.create({ body: { name: 'Geology', code: 'GEO' } })
    expect(Buffer.from(await st.as.byrne.reportFiles.print({ query: of3B })).equals(Buffer.from(run))).toBe(true)
    const zoesCard = await st.as.byrne.reportFiles.print({ query: { ...of3B, studentId: zoe.id } })
    if (hasPoppler) {
      const pages = pagesOfPdf(run)
      for (const page of pages) expect(page).not.toMatch(/History [A-Z2-7]{4}-/)
      expect(pages).toContain(pagesOfPdf(zoesCard)[0])
    }
    const prefix = headOfCode(code?.toLowerCase().replaceAll('-', ' ') ?? '')
    const found = await st.services.store.read(asSystem(), (tx) => writtenWithHead(tx, class3B.school_id, prefix ?? ''))
    expect(found?.node_id).toBe(st.services.store.nodeId)
  })
})
