import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import { strFromU8, unzipSync } from 'fflate'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { readCsv } from '../csv.ts'
import { hasPoppler, pagesOfPdf, textOfPdf, wordsOfPdf } from '../drawing/pdf-text.fixtures.ts'
import { wordsOf } from '../words.ts'
import { writeWorkbook } from '../workbook.ts'
import { classOf } from './broadsheet.fixtures.ts'
import type { BroadsheetInput, BroadsheetPupil } from './broadsheet.input.ts'
import { broadsheetPdf } from './broadsheet.pdf.ts'
import { broadsheetCsv, broadsheetWorkbook } from './broadsheet.tables.ts'
import { statisticsOf, totalOf } from './statistics.ts'

const figureText = wordsOf('en').figure
const partialMeans = wordsOf('en').say('broadsheet.partialMeans')

const pageCount = async (input: BroadsheetInput) => (await PDFDocument.load(await broadsheetPdf(input))).getPageCount()
const pupil = (more: Partial<BroadsheetPupil>): BroadsheetPupil => ({
  ...(classOf(1, 2).pupils[0] as BroadsheetPupil),
  ...more,
})
/** Three pupils, two subjects, and figures that are easy to check. */
const small: BroadsheetInput = {
  ...classOf(0, 2),
  pupils: [
    pupil({
      gender: 'female',
      marks: { s0: { figure: 80.1, letter: 'A', is_partial: false }, s1: { figure: 60.2, letter: 'C', is_partial: true } },
      overall_average: 70.15,
      letter_grade: 'B',
    }),
    pupil({ gender: 'male', marks: { s0: { figure: 40, letter: 'F', is_partial: false }, s1: null }, overall_average: 40, position: 2 }),
    pupil({ gender: 'male', marks: {}, overall_average: null, letter_grade: null, position: null }),
  ],
}

/** The same three pupils, five times each. */
const five: BroadsheetInput = { ...small, pupils: small.pupils.flatMap((own) => Array.from({ length: 5 }, () => own)) }

describe('statistics', () => {
  test('of a subject over the pupils who take it; of the class over the overall averages', () => {
    const { whole, subjects } = statisticsOf(small)
    expect(subjects[0]?.figures).toMatchObject({
      ...{ total_students: 2, ranked_students: 2, class_average: 60.05, median: 60.05, highest: 80.1, lowest: 40 },
      ...{ pass_count: 1, fail_count: 1, pass_rate: 50 },
    })
    expect(subjects[1]?.figures).toMatchObject({ total_students: 2, ranked_students: 1, class_average: 60.2, pass_rate: 100 })
    expect(whole).toMatchObject({ total_students: 3, ranked_students: 2, class_average: 55.08, pass_count: 1 })
  })

  test('by gender, where each has at least five pupils', () => {
    expect(statisticsOf(small).genders).toEqual([])
    const genders = statisticsOf(five).genders.map(({ gender, count, figures }) => [gender, count, figures.class_average])
    expect(genders).toEqual([
      ['female', 5, 70.15],
      ['male', 10, 40],
    ])
    expect(statisticsOf({ ...five, pupils: [...five.pupils, pupil({ gender: 'other' })] }).genders).toEqual([])
  })

  test('a total is the exact sum of the marks, null without marks', () => {
    expect(small.pupils.map((own) => totalOf(own, small.subjects))).toEqual([140.3, 40, null])
    const tenths = pupil({
      marks: { s0: { figure: 0.1, letter: null, is_partial: false }, s1: { figure: 0.2, letter: null, is_partial: false } },
    })
    expect(totalOf(tenths, small.subjects)).toBe(0.3)
  })
})

describe('PDF', () => {
  test.each([
    [0, 0, 1],
    [12, 6, 2],
    [60, 18, 3],
    [10, 44, 4],
  ])('%i pupils and %i subjects', async (pupils, subjects, pages) => {
    expect(await pageCount(classOf(pupils, subjects))).toBe(pages)
  })

  test('landscape, and the same input gives the same bytes', async () => {
    const bytes = await broadsheetPdf(small)
    expect((await PDFDocument.load(bytes)).getPage(0).getSize()).toEqual({ width: 841.89, height: 595.28 })
    expect(Buffer.from(await broadsheetPdf(small)).equals(Buffer.from(bytes))).toBe(true)
  })

  test.runIf(hasPoppler)('every pupil, mark, total and statistic, the heads on every page', async () => {
    const input = classOf(60, 18)
    const bytes = await broadsheetPdf(input)
    const [text, pages] = [textOfPdf(bytes), pagesOfPdf(bytes)]
    for (const own of input.pupils) {
      expect(text).toContain(own.last_name)
      expect(text).toContain(figureText(totalOf(own, input.subjects)))
      for (const mark of Object.values(own.marks)) if (mark) expect(text).toContain(figureText(mark.figure))
    }
    for (const page of pages) for (const head of ['Mathematics', 'Business Studies', 'Pupil', 'Average']) expect(page).toContain(head)
    for (const { figures } of statisticsOf(input).subjects)
      for (const figure of [figures.class_average, figures.median, figures.pass_rate]) expect(text).toContain(figureText(figure))
    expect(pages[2]).toContain('Page 3 of 3')
  })

  test.runIf(hasPoppler)('a partial result has a sign, which the foot explains; without one there is neither', async () => {
    const text = textOfPdf(await broadsheetPdf(small))
    for (const figure of [/60\.20\s*†/, /140\.30\s*†/, /70\.15\s*†/]) expect(text).toMatch(figure)
    expect(text).not.toMatch(/(80\.10|40\.00)\s*†/)
    expect(text).toContain(`† ${partialMeans}`)
    expect(textOfPdf(await broadsheetPdf(classOf(3, 3)))).not.toContain('†')
  })

  test.runIf(hasPoppler)('Arabic names and subjects are extracted as written, also from a vertical head', async () => {
    const many = classOf(3, 14, { class_teacher: 'مريم نجيب' })
    const named = {
      ...many,
      subjects: many.subjects.map((subject, at) => (at === 1 ? { ...subject, name: 'التربية الوطنية' } : subject)),
      pupils: many.pupils.map((own) => ({ ...own, first_name: 'أحمد', last_name: 'حسن' })),
    }
    const text = textOfPdf(await broadsheetPdf(named))
    for (const words of ['حسن', 'أحمد', 'التربية الوطنية', 'مريم نجيب']) expect(text).toContain(words)
  })

  test.runIf(hasPoppler)('no text leaves the paper, whatever the names', async () => {
    const name = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch'
    const input = classOf(5, 20)
    const subjects = input.subjects.map((subject) => ({ ...subject, name: `${name} and more` }))
    const pupils = input.pupils.map((own) => ({ ...own, last_name: name, first_name: name, letter_grade: 'ABCDEFGHIJKLMNOPQRST' }))
    const { width, height, words } = wordsOfPdf(await broadsheetPdf({ ...input, subjects, pupils, class_name: name.repeat(3) }))
    for (const { left, right, top, bottom } of words) {
      expect(left).toBeGreaterThan(20)
      expect(right).toBeLessThan(width - 20)
      expect(top).toBeGreaterThan(10)
      expect(bottom).toBeLessThan(height - 10)
    }
  })
})

describe('CSV', () => {
  test('the pupils, then the statistics in the columns of the subjects', () => {
    const { head, rows } = readCsv(broadsheetCsv(small))
    expect(head).toEqual([
      'Last name',
      'First name',
      'Student number',
      'Gender',
      'Mathematics',
      'English',
      'Total',
      'Average',
      'Letter',
      'Position',
      'Partial results',
    ])
    expect(rows[0]?.cells.slice(3)).toEqual(['female', '80.1', '60.2', '140.3', '70.15', 'B', '1', 'English'])
    expect(rows[1]?.cells.slice(4, 8)).toEqual(['40', '', '40', '40'])
    const row = (label: string) => rows.find(({ cells }) => cells[0] === label)?.cells.slice(4, 8)
    expect(row('Mean')).toEqual(['60.05', '60.2', '', '55.08'])
    expect(row('Pass rate %')).toEqual(['50', '100', '', '50'])
    expect(row('Letter F')).toEqual(['1', '0', '', '1'])
    expect(row('Mean, male')).toBeUndefined()
    const ofFive = readCsv(broadsheetCsv(five)).rows.find(({ cells }) => cells[0] === 'Mean, male')
    expect(ofFive?.cells.slice(4, 8)).toEqual(['', '', '', '40'])
  })

  test('a partial result stays a number; its subject is named in a later column, and the sign explained at the end', () => {
    const { head, rows } = readCsv(broadsheetCsv(small))
    expect([head.indexOf('English'), rows[0]?.cells[5]]).toEqual([5, '60.2'])
    expect(rows.slice(0, 3).map(({ cells }) => cells[10] ?? '')).toEqual(['English', '', ''])
    expect(rows.at(-1)?.cells.slice(0, 2)).toEqual(['Partial results', partialMeans])
    expect(Buffer.from(broadsheetCsv(classOf(2, 2))).toString('utf8')).not.toContain(partialMeans)
  })

  test('cells never run as formulas', () => {
    const evil = { ...small, pupils: ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'].map((last_name) => pupil({ last_name })) }
    const lines = Buffer.from(broadsheetCsv(evil)).toString('utf8').split('\r\n')
    for (const line of lines.slice(1, 7)) expect(line).toMatch(/^"?'/)
  })
})

describe('XLSX', () => {
  const evil = { ...small, pupils: [pupil({ last_name: '=HYPERLINK("http://x")', first_name: '@x' }), ...small.pupils] }

  test('marks are numbers; a sheet for the statistics of each subject and one for the class', async () => {
    const bytes = await writeWorkbook(broadsheetWorkbook(small))
    expect((await readWorkbook(bytes)).rows[0]?.cells.slice(4, 7)).toEqual(['80.1', '60.2', '140.3'])
    expect((await readWorkbook(bytes, ['Subjects'])).rows.map(({ cells }) => cells.slice(0, 6))).toEqual([
      ['Mathematics', 'C0', '2', '2', '60.05', '60.05'],
      ['English', 'C1', '2', '1', '60.2', '60.2'],
      ['Overall', '', '3', '2', '55.08', '55.08'],
    ])
    expect((await readWorkbook(bytes, ['Class'])).rows.map(({ cells }) => cells[0])).toContain('Pass rate %')
  })

  test('a partial result is a number shown with a sign, which the sheet of the class explains', async () => {
    const bytes = await writeWorkbook(broadsheetWorkbook(small))
    const parts = unzipSync(bytes)
    const styleOf = (cell: string) =>
      new RegExp(`<c r="${cell}" s="(\\d+)"><v>`).exec(strFromU8(parts['xl/worksheets/sheet1.xml'] as Uint8Array))?.[1]
    const styles = strFromU8(parts['xl/styles.xml'] as Uint8Array)
    const format = /numFmtId="(\d+)" formatCode="0.00&quot;†&quot;"/.exec(styles)?.[1]
    const formatOf = (cell: string) => [...styles.matchAll(/<xf numFmtId="(\d+)"[^>]*applyNumberFormat/g)][Number(styleOf(cell))]?.[1]
    expect(['F2', 'G2', 'H2'].map(formatOf)).toEqual([format, format, format])
    expect(['E2', 'G3', 'H3'].map(formatOf)).toEqual(['2', '2', '2'])
    expect((await readWorkbook(bytes)).rows[0]?.cells.slice(4, 11)).toEqual(['80.1', '60.2', '140.3', '70.15', 'B', '1', 'English'])
    expect((await readWorkbook(bytes, ['Class'])).rows.at(-1)?.cells.slice(0, 2)).toEqual(['†', partialMeans])
  })

  test.runIf(spawnSync('soffice', ['--version']).status === 0)('LibreOffice opens it: sums are sums, formulas are text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'broadsheet-'))
    try {
      writeFileSync(join(folder, 'sheet.xlsx'), await writeWorkbook(broadsheetWorkbook(evil)))
      const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
      spawnSync('soffice', [profile, '--headless', '--convert-to', 'csv', '--outdir', folder, join(folder, 'sheet.xlsx')])
      const text = readFileSync(join(folder, 'sheet.csv'), 'utf8')
      expect(text).toContain('=HYPERLINK')
      expect(text).toContain('80.1,60.2,140.3,70.15')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
