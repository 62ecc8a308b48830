import { deflateRawSync } from 'node:zlib'
import { limits } from '@markbook/shared/limits'
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { DATE_STYLES, row, workbook, workbookParts, worksheet } from './fixtures.ts'
import { type WorkbookSheet, writeWorkbook } from './workbook.ts'
import { readWorkbook } from './xlsx.ts'

const MADE_AT = Date.UTC(2026, 8, 1, 8)
const one = (rows: string, more: Parameters<typeof worksheet>[1] = {}) =>
  workbook({ sheets: [{ name: 'Sheet1', xml: worksheet(rows, more) }], styles: DATE_STYLES })
const spoilt = (change: (parts: Record<string, Uint8Array>) => void) => {
  const parts = workbookParts({ sheets: [{ name: 'Sheet1', xml: worksheet(row(1, 'name')) }] })
  change(parts)
  return zipSync(parts as Zippable)
}

describe('reading cells', () => {
  test('numbers, dates, rich text, formula results, booleans and errors', async () => {
    const file = workbook({
      sheets: [
        {
          name: 'Any',
          xml: worksheet(
            `${row(1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i')}<row r="3"><c r="A3"><v>15.5</v></c><c r="B3" s="1"><v>39814</v></c>` +
              '<c r="C3" t="s"><v>0</v></c><c r="D3"><f>A3*2</f><v>31</v></c><c r="E3" t="str"><f>"x"&amp;1</f><v>x1</v></c>' +
              '<c r="F3" t="b"><v>1</v></c><c r="G3" t="e"><v>#N/A</v></c>' +
              '<c r="H3" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="I3"><v>11.299999999999999</v></c></row>',
          ),
        },
      ],
      strings: '<si><r><rPr><b/></rPr><t xml:space="preserve">Ní </t></r><r><t>Bhriain &amp; Söhne</t></r></si>',
      styles: DATE_STYLES,
    })
    expect((await readWorkbook(file)).rows).toEqual([
      { row: 3, cells: ['15.5', '2009-01-01', 'Ní Bhriain & Söhne', '31', 'x1', 'TRUE', '', '', '11.3'] },
    ])
  })

  test('dates of a workbook that counts from 1904', async () => {
    const file = workbook({
      sheets: [{ name: 'A', xml: worksheet(`${row(1, 'day')}<row r="2"><c r="A2" s="1"><v>38352</v></c></row>`) }],
      styles: DATE_STYLES,
      properties: '<workbookPr date1904="1"/>',
    })
    expect((await readWorkbook(file)).rows[0]?.cells).toEqual(['2009-01-01'])
  })

  test('the preferred sheet, else the first that is not hidden', async () => {
    const sheets = [
      { name: 'Lists', xml: worksheet(row(1, 'hidden')), state: 'hidden' },
      { name: 'Notes', xml: worksheet(row(1, 'notes')) },
      { name: 'MARKS', xml: worksheet(row(1, 'marks')) },
    ]
    expect((await readWorkbook(workbook({ sheets }), ['Marks'])).head).toEqual(['marks'])
    expect((await readWorkbook(workbook({ sheets }), ['Students'])).head).toEqual(['notes'])
  })

  test('prefixed elements', async () => {
    const xml = worksheet(row(1, 'name') + row(2, 'Ada'))
      .replace('xmlns=', 'xmlns:x=')
      .replaceAll(/<(\/?)(?=\w)/g, '<$1x:')
    expect((await readWorkbook(workbook({ sheets: [{ name: 'A', xml }] }))).rows).toEqual([{ row: 2, cells: ['Ada'] }])
  })

  test('formatting without content is passed over, however much of it there is', async () => {
    const empty = Array.from(
      { length: 100_000 },
      (_, index) => `<row r="${index + 3}" s="1"><c r="A${index + 3}" s="1"/><c r="XFD${index + 3}" s="1"/></row>`,
    )
    expect(await readWorkbook(one(row(1, 'name') + row(2, 'Ada') + empty.join('')))).toEqual({
      head: ['name'],
      rows: [{ row: 2, cells: ['Ada'] }],
    })
  })

  test('ranges that cover every cell cost nothing', async () => {
    const everywhere = 'A1:XFD1048576'
    const after =
      `<mergeCells><mergeCell ref="${everywhere}"/></mergeCells>` +
      `<dataValidations><dataValidation type="list" sqref="${everywhere}"><formula1>"a"</formula1></dataValidation></dataValidations>`
    const file = workbook({
      sheets: [{ name: 'A', xml: worksheet(row(1, 'name'), { before: '<cols><col min="1" max="2000000000" width="9"/></cols>', after }) }],
      names: `<definedNames><definedName name="all">A!$A$1:$XFD$1048576</definedName></definedNames>`,
    })
    const start = performance.now()
    expect((await readWorkbook(file)).head).toEqual(['name'])
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  test('exactly the greatest number of rows, and one more', async () => {
    const file = (count: number) => one(Array.from({ length: count + 1 }, (_, index) => row(index + 1, `n${index}`)).join(''))
    expect((await readWorkbook(file(limits.importRows))).rows).toHaveLength(10_000)
    await expect(readWorkbook(file(limits.importRows + 1))).rejects.toMatchObject({ status: 413, code: 'imports.too_large' })
  })
})

describe('refusing', () => {
  test.each([
    ['a plain zip', zipSync({ 'notes.txt': strToU8('hello') }), 415, 'imports.wrong_type'],
    [
      'a document of another program',
      spoilt((parts) => Object.assign(parts, { '[Content_Types].xml': strToU8('<Types>wordprocessingml</Types>') })),
      415,
      'imports.wrong_type',
    ],
    ['a zip without a workbook', spoilt((parts) => delete parts['xl/workbook.xml']), 415, 'imports.wrong_type'],
    ['an empty zip', Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex'), 415, 'imports.wrong_type'],
    ['a workbook cut short', one(row(1, 'name')).slice(0, -40), 400, 'imports.unreadable'],
    ['a workbook cut in the middle', one(row(1, 'name')).slice(0, 300), 400, 'imports.unreadable'],
    ['a sheet that is missing', spoilt((parts) => delete parts['xl/worksheets/sheet1.xml']), 400, 'imports.unreadable'],
    [
      'a sheet that is no XML',
      spoilt((parts) => Object.assign(parts, { 'xl/worksheets/sheet1.xml': strToU8(worksheet('<row r="1"><c r="A1">&nope;')) })),
      400,
      'imports.unreadable',
    ],
    ['a workbook without sheets', workbook({ sheets: [] }), 400, 'imports.unreadable'],
    ['an empty sheet', one(''), 400, 'imports.unreadable'],
    ['a cell that does not say where it is', one('<row r="1"><c t="inlineStr"><is><t>a</t></is></c></row>'), 400, 'imports.unreadable'],
    ['a row beyond the last', one('<row r="4000000"><c r="A4000000"><v>1</v></c></row>'), 400, 'imports.unreadable'],
    ['a cell in column 201', one('<row r="1"><c r="A1"><v>1</v></c><c r="GS1"><v>1</v></c></row>'), 413, 'imports.too_large'],
    [
      'too many cells',
      one(Array.from({ length: 2_100 }, (_, r) => `<row r="${r + 1}">${`<c r="A${r + 1}"><v>1</v></c>`.repeat(200)}</row>`).join('')),
      413,
      'imports.too_large',
    ],
    [
      'too many entries',
      spoilt((parts) => Object.assign(parts, Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`x${n}`, new Uint8Array()])))),
      413,
      'imports.too_large',
    ],
  ])('%s', async (_, file, status, code) => {
    await expect(readWorkbook(file)).rejects.toMatchObject({ status, code })
  })

  test('a password, and content that does not match its check sum', async () => {
    const locked = Buffer.from(one(row(1, 'name')))
    locked.writeUInt16LE(1, locked.indexOf('PK\u0001\u0002') + 8)
    await expect(readWorkbook(locked)).rejects.toMatchObject({ status: 400, message: expect.stringContaining('password') })
    const stored = Buffer.from(
      zipSync(workbookParts({ sheets: [{ name: 'A', xml: worksheet(row(1, 'mark') + row(2, '15')) }] }) as Zippable, { level: 0 }),
    )
    expect((await readWorkbook(stored)).rows[0]?.cells).toEqual(['15'])
    stored.write('95', stored.indexOf('<t>15</t>') + 3)
    await expect(readWorkbook(stored)).rejects.toMatchObject({ status: 400, code: 'imports.unreadable' })
  })
})

describe('zip bombs', () => {
  const GIGABYTES = deflateRawSync(Buffer.alloc(512 * 1_048_576, ' '))
  /** A workbook whose sheet is the bomb: `declared` is the size that its directory admits to. */
  const bomb = (declared: number) => {
    const marker = strToU8('MARKER'.repeat(10))
    const file = Buffer.from(spoiltStored(marker))
    const at = file.indexOf(Buffer.from(marker))
    const local = file.lastIndexOf('PK\u0003\u0004', at)
    const bytes = Buffer.concat([file.subarray(0, at), GIGABYTES, file.subarray(at + marker.length)])
    const grown = GIGABYTES.length - marker.length
    const end = bytes.lastIndexOf('PK\u0005\u0006')
    bytes.writeUInt32LE(bytes.readUInt32LE(end + 16) + grown, end + 16)
    let central = bytes.readUInt32LE(end + 16)
    for (let index = 0; index < bytes.readUInt16LE(end + 10); index += 1) {
      const offset = bytes.readUInt32LE(central + 42)
      if (offset === local) {
        bytes.writeUInt16LE(8, central + 10)
        bytes.writeUInt32LE(GIGABYTES.length, central + 20)
        bytes.writeUInt32LE(declared, central + 24)
      } else if (offset > local) bytes.writeUInt32LE(offset + grown, central + 42)
      central += 46 + bytes.readUInt16LE(central + 28) + bytes.readUInt16LE(central + 30) + bytes.readUInt16LE(central + 32)
    }
    return bytes
  }
  const spoiltStored = (sheet: Uint8Array) => {
    const parts = workbookParts({ sheets: [{ name: 'A', xml: '' }] })
    return zipSync({ ...parts, 'xl/worksheets/sheet1.xml': sheet } as Zippable, { level: 0 })
  }

  test.each([
    ['that admits to half a gigabyte', 512 * 1_048_576],
    ['that admits to four', 0xffffffff],
    ['that says it is small', 2_000],
    ['that says it is just small enough', limits.importUnpacked - 10_000],
  ])('a small file %s is refused in little memory', async (_, declared) => {
    const file = bomb(declared)
    expect(file.length).toBeLessThan(1_048_576)
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
    await expect(readWorkbook(file)).rejects.toMatchObject({ status: 413, code: 'imports.too_large' })
    clearInterval(watch)
    expect(Math.max(most, process.memoryUsage().rss) - before).toBeLessThan(limits.importUnpacked * 1.5)
  })
})

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
    frozen: { rows: 1, columns: 1 },
    notes: [{ key: 'mark', text: 'Out of 20' }],
  }
  const written = () => writeWorkbook({ sheets: [sheet], madeAt: MADE_AT })
  const partsOf = (file: Uint8Array) => Object.fromEntries(Object.entries(unzipSync(file)).map(([name, part]) => [name, strFromU8(part)]))

  test('no text becomes a formula, numbers and days are real, heads are frozen', async () => {
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

  test('it is read back', async () => {
    expect(await readWorkbook(await written())).toEqual({
      head: ['=HYPERLINK("x")', 'Mark', 'Day', 'id'],
      rows: [
        { row: 2, cells: ['=1+1', '-7.25', '2026-09-01', '007'] },
        { row: 3, cells: ['+cmd|x', '', '', '@x'] },
      ],
    })
  })

  test('the same content gives the same bytes, whenever it is written', async () => {
    const first = await written()
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    expect(Buffer.from(await written()).equals(Buffer.from(first))).toBe(true)
    expect(partsOf(first)['docProps/core.xml']).toContain('2026-09-01T08:00:00')
  })
})
