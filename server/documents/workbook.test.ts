import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import excel from 'exceljs'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { type WorkbookSheet, writeWorkbook } from './workbook.ts'

const MADE_AT = Date.UTC(2026, 8, 1, 8)

describe('writing', () => {
  const sheet: WorkbookSheet = {
    name: 'Marks: 3B/maths [draft]',
    columns: [
      { head: '=HYPERLINK("x")', key: 'name', width: 20, kind: 'text' },
      { head: 'Mark', key: 'mark', width: 8, kind: 'number', isMuted: true },
      { head: 'Day', key: 'day', width: 12, kind: 'day' },
      { head: 'id', key: 'id', width: 8, kind: 'text', isHidden: true },
    ],
    rows: [
      { cells: { name: '=1+1', mark: -7.25, day: '2026-09-01', id: '007' } },
      { cells: { name: '+cmd|x', mark: null, day: null, id: '@x' }, isHidden: true, muted: ['name'] },
    ],
    frozenColumns: 1,
    notes: [{ key: 'mark', text: 'Out of 20' }],
  }
  const written = () => writeWorkbook({ sheets: [sheet], madeAt: MADE_AT })
  const partsOf = (file: Uint8Array) => Object.fromEntries(Object.entries(unzipSync(file)).map(([name, part]) => [name, strFromU8(part)]))

  test('no text becomes a formula, numbers and days are typed cells, heads are frozen', async () => {
    const parts = partsOf(await written())
    const xml = parts['xl/worksheets/sheet1.xml'] ?? ''
    expect(xml).not.toMatch(/<f[\s>/]/)
    expect(xml).toContain('<v>-7.25</v>')
    expect(xml).toMatch(/<c r="C2" s="\d+"><v>46266<\/v>/)
    expect(xml).toMatch(/<pane xSplit="1" ySplit="1"[^>]*state="frozen"/)
    expect(xml).toMatch(/<row r="3"[^>]*hidden="1"/)
    expect(xml).toMatch(/<col min="4" max="4"[^>]*hidden="1"/)
    expect(parts['xl/workbook.xml']).toContain('name="Marks  3B maths  draft"')
    expect(parts['xl/comments1.xml']).toContain('Out of 20')
  })

  test('the reader reads it', async () => {
    expect(await readWorkbook(await written())).toEqual({
      head: ['=HYPERLINK("x")', 'Mark', 'Day', 'id'],
      rows: [
        { row: 2, cells: ['=1+1', '-7.25', '2026-09-01', '007'] },
        { row: 3, cells: ['+cmd|x', '', '', '@x'] },
      ],
    })
  })

  test('sheets of one name get numbers', async () => {
    const named = (name: string) => ({ ...sheet, name })
    const sheets = ['Art', 'ART', 'x'.repeat(40), 'X'.repeat(31), '??'].map(named)
    const xml = partsOf(await writeWorkbook({ sheets, madeAt: MADE_AT }))['xl/workbook.xml'] ?? ''
    const names = Array.from(xml.matchAll(/<sheet name="([^"]*)"/g), ([, name]) => name)
    expect(names).toEqual(['Art', 'ART 2', 'x'.repeat(31), `${'X'.repeat(27)} 2`, 'Sheet'])
  })

  test('text of any letters is read back', async () => {
    const texts = ['a <b> & "c"', '_x000D_', 'one\ntwo\r\nthree', 'bell\u0007 and \uffff', '😀 Ó', '_x_x0041_']
    const rows = texts.map((name) => ({ cells: { name: `|${name}|` } }))
    const { rows: back } = await readWorkbook(await writeWorkbook({ sheets: [{ ...sheet, rows }], madeAt: MADE_AT }))
    expect(back.map(({ cells }) => cells[0])).toEqual(texts.map((text) => `|${text}|`))
  })

  test('exceljs reads cells, formats, colours, notes, widths, what is hidden and how it is printed', async () => {
    const wide = Array.from(
      { length: 30 },
      (_, at) => ({ head: `Long head ${at}`, key: `${at}`, width: 9, kind: 'number', decimals: 2 }) as const,
    )
    const second: WorkbookSheet = {
      name: 'A & B',
      columns: wide,
      rows: [{ cells: { 29: 1.5 } }],
      frozenColumns: 0,
      wrapsHeads: true,
      notes: [{ key: '29', text: 'The last' }],
    }
    const book = new excel.Workbook()
    await book.xlsx.load(Buffer.from(await writeWorkbook({ sheets: [sheet, second], madeAt: MADE_AT })) as never)
    const [first, last] = book.worksheets as [excel.Worksheet, excel.Worksheet]
    expect(book.worksheets.map(({ name }) => name)).toEqual(['Marks  3B maths  draft', 'A & B'])
    expect(book).toMatchObject({ creator: 'Markbook', created: new Date(MADE_AT) })
    expect(first.getRow(2).values).toEqual([undefined, '=1+1', -7.25, new Date('2026-09-01T00:00:00Z'), '007'])
    const grey = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFE4E4E4' } }
    expect(first.getCell('B1')).toMatchObject({ fill: grey, font: { bold: true }, alignment: { horizontal: 'right' } })
    expect(first.getCell('B1').note).toBe('Out of 20')
    for (const cell of ['A3', 'B2', 'B3']) expect(first.getCell(cell).fill).toEqual(grey)
    expect(['A2', 'B2', 'C2'].map((cell) => first.getCell(cell).numFmt)).toEqual(['@', undefined, 'yyyy-mm-dd'])
    expect([first.getRow(2).hidden, first.getRow(3).hidden]).toEqual([false, true])
    expect(first.columns.map(({ width, hidden }) => [width, hidden])).toEqual([
      [20, false],
      [8, false],
      [12, false],
      [8, true],
    ])
    expect(first.views).toMatchObject([{ state: 'frozen', xSplit: 1, ySplit: 1, topLeftCell: 'B2' }])
    expect(first.pageSetup).toMatchObject({ orientation: 'portrait', fitToPage: true, fitToWidth: 1, fitToHeight: 0 })
    expect(last.getCell('AD1')).toMatchObject({ value: 'Long head 29', alignment: { wrapText: true, vertical: 'top' } })
    expect(last.getCell('AD1').note).toBe('The last')
    expect(last.getCell('AD2')).toMatchObject({ value: 1.5, numFmt: '0.00' })
    expect(last.getRow(1).height).toBe(30)
    expect(last.pageSetup.orientation).toBe('landscape')
  })

  test('the same content gives the same bytes, whenever it is written', async () => {
    const first = await written()
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    expect(Buffer.from(await written()).equals(Buffer.from(first))).toBe(true)
    expect(partsOf(first)['docProps/core.xml']).toContain('2026-09-01T08:00:00')
  })
})

test('what exceljs writes is read', async () => {
  const written = new excel.Workbook()
  const sheet = written.addWorksheet('A')
  sheet.addRow(['text', 'day', 'rich', 'sum', 'joined', 'yes', 'fault', 'link', 'time'])
  const added = sheet.addRow([
    ' Élan & <b> ',
    new Date('2009-01-01T00:00:00Z'),
    { richText: [{ text: 'a ' }, { font: { bold: true }, text: 'b' }] },
    { formula: 'A1*0', result: 0 },
    { formula: 'A2&A2', result: 'xx' },
    true,
    { error: '#N/A' },
    { text: 'here', hyperlink: 'https://example.org' },
    0.5,
  ])
  added.getCell(2).numFmt = 'dd/mm/yyyy'
  added.getCell(9).numFmt = '0.00%'
  sheet.mergeCells('A4:I5')
  const bytes = new Uint8Array(await written.xlsx.writeBuffer())
  expect((await readWorkbook(bytes)).rows).toEqual([
    { row: 2, cells: ['Élan & <b>', '2009-01-01', 'a b', '0', 'xx', 'TRUE', '', 'here', '50%'] },
  ])
})
