import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import type { Sheet } from '@markbook/shared/spreadsheet/table'
import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { readCsv, writeCsv } from './csv.ts'
import { assessmentHeads, buildMarksheet, MARKSHEET_NAMES, readMarksheet } from './marksheet.ts'
import { writeWorkbook } from './workbook.ts'

const id = (digits: string) => `00000000-0000-7000-8000-${digits.padStart(12, '0')}`
const [orla, pat, quiz, twin, essay] = [id('1'), id('2'), id('11'), id('12'), id('13')]

const sheet = buildMarksheet({
  codes: standardMarkCodes,
  students: [
    { id: orla, student_number: '007', last_name: '=cmd|calc', first_name: 'Órla' },
    { id: pat, student_number: null, last_name: 'Zhang', first_name: '-Pat' },
  ],
  assessments: [
    { id: quiz, title: 'Quiz 1', max_score: 20, is_excluded: false },
    { id: twin, title: 'quiz 1', max_score: 20, is_excluded: true },
    { id: essay, title: 'Essay', max_score: 12.5, is_excluded: false },
  ],
  marks: [
    { assessment_id: quiz, student_id: orla, score: 15.5, status: null, is_excluded: false },
    { assessment_id: essay, student_id: pat, score: 0, status: null, is_excluded: true },
    { assessment_id: essay, student_id: id('99'), score: 3, status: null, is_excluded: false },
  ],
})
const file = () => writeWorkbook({ sheets: [sheet], madeAt: Date.UTC(2026, 8, 1) })
const marks = (values: Record<string, string>) =>
  expect.arrayContaining(Object.entries(values).map(([assessmentId, text]) => ({ assessmentId, text })))

const expected = [
  {
    studentId: orla,
    student_number: '007',
    last_name: '=cmd|calc',
    first_name: 'Órla',
    marks: marks({ [quiz]: '15.5', [twin]: '', [essay]: '' }),
  },
  { studentId: pat, student_number: '', last_name: 'Zhang', first_name: '-Pat', marks: marks({ [quiz]: '', [twin]: '', [essay]: '0' }) },
]
const without = (table: Sheet, changed: Partial<Sheet>): Sheet => ({ ...table, ...changed })

test('heads are unique and contain the maximum', () => {
  expect(sheet.columns.map(({ head }) => head)).toEqual([
    'student_id',
    'student_number',
    'last_name',
    'first_name',
    'Quiz 1 (/20)',
    'quiz 1 (/20) 2',
    'Essay (/12.5)',
  ])
  expect(
    assessmentHeads([
      { title: 'A', max_score: 5 },
      { title: 'A', max_score: 5 },
      { title: 'A', max_score: 5 },
    ]),
  ).toEqual(['A (/5)', 'A (/5) 2', 'A (/5) 3'])
})

test('ids are hidden, excluded marks grey, names never formulas', async () => {
  const xml = strFromU8(unzipSync(await file())['xl/worksheets/sheet1.xml'] as Uint8Array)
  expect(xml).toMatch(/<col min="1" max="1"[^>]*hidden="1"/)
  expect(xml).toMatch(/<row r="2"[^>]*hidden="1"/)
  expect(xml).not.toMatch(/<f[\s>/]/)
  const styleOf = (cell: string) => new RegExp(`<c r="${cell}"(?: s="(\\d+)")?`).exec(xml)?.[1]
  expect(styleOf('F3')).toBe(styleOf('G4'))
  expect(styleOf('F3')).not.toBe(styleOf('G3'))
})

describe('reading a returned mark sheet', () => {
  test('from the workbook', async () => {
    const { assessments, rows } = readMarksheet(await readWorkbook(await file(), MARKSHEET_NAMES))
    expect(assessments).toEqual([
      { column: 4, head: 'Quiz 1 (/20)', assessmentId: quiz },
      { column: 5, head: 'quiz 1 (/20) 2', assessmentId: twin },
      { column: 6, head: 'Essay (/12.5)', assessmentId: essay },
    ])
    expect(rows).toEqual(expected.map((row, index) => ({ row: index + 3, ...row })))
  })

  test('saved as CSV', async () => {
    const table = await readWorkbook(await file())
    const back = readCsv(writeCsv({ head: table.head, rows: table.rows.map(({ cells }) => cells) }))
    expect(readMarksheet(back).rows).toMatchObject(expected)
  })

  test('with columns and rows in another order, heads renamed and a column of the teacher’s own', async () => {
    const table = await readWorkbook(await file())
    const order = [6, 2, 4, 0, 5, 3, 1]
    const moved = without(table, {
      head: [...order.map((column) => (column > 3 ? 'Test' : (table.head[column] as string))), 'Seat'],
      rows: table.rows
        .map(({ cells }, index) => ({ row: 4 - index, cells: [...order.map((column) => cells[column] as string), index ? 'window' : ''] }))
        .reverse(),
    })
    const { assessments, rows } = readMarksheet(moved)
    expect(rows).toMatchObject([...expected].reverse())
    expect(assessments.at(-1)).toEqual({ column: 7, head: 'Seat', assessmentId: null })
  })

  test('without the hidden row and column, heads, student numbers and names are read', async () => {
    const table = await readWorkbook(await file())
    const bare = { head: table.head.slice(1), rows: table.rows.slice(1).map(({ row, cells }) => ({ row, cells: cells.slice(1) })) }
    const { assessments, rows } = readMarksheet(bare)
    expect(assessments.map(({ head, assessmentId }) => [head, assessmentId])).toEqual([
      ['Quiz 1 (/20)', null],
      ['quiz 1 (/20) 2', null],
      ['Essay (/12.5)', null],
    ])
    expect(rows[0]).toEqual({ row: 3, studentId: null, student_number: '007', last_name: '=cmd|calc', first_name: 'Órla', marks: [] })
  })

  test('with a copied column, refused', async () => {
    const table = await readWorkbook(await file())
    const copied = {
      head: [...table.head, 'Copy'],
      rows: table.rows.map(({ row, cells }) => ({ row, cells: [...cells, cells[4] as string] })),
    }
    expect(() => readMarksheet(copied)).toThrow(
      expect.objectContaining({ status: 400, code: 'imports.duplicate_column', message: expect.stringContaining('“Copy”') }),
    )
  })
})

const hasOffice = spawnSync('soffice', ['--version']).status === 0
if (!hasOffice) console.info('soffice is not in PATH: the mark sheet is not opened with LibreOffice')

test.skipIf(!hasOffice)(
  'LibreOffice opens it and saves the same marks',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'marksheet-'))
    try {
      writeFileSync(join(folder, 'marks.xlsx'), await file())
      spawnSync('soffice', [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        '--convert-to',
        'csv',
        '--outdir',
        folder,
        join(folder, 'marks.xlsx'),
      ])
      expect(readMarksheet(readCsv(readFileSync(join(folder, 'marks.csv')))).rows).toMatchObject(expected)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  60_000,
)
