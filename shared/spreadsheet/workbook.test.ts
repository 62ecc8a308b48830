import { deflateRawSync } from 'node:zlib'
import { strToU8, type Zippable, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { leastTime } from '../../server/testing/least-time.ts'
import { limits } from '../limits.ts'
import { DATE_STYLES, row, workbook, workbookParts, worksheet } from './workbook.fixtures.ts'
import { readWorkbook } from './workbook.ts'

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

  test('as LibreOffice writes them: formats of its own, types spelled out, ISO dates, letters that XML cannot hold', async () => {
    const file = workbook({
      sheets: [
        {
          name: 'A',
          xml: worksheet(
            `${row(1, 'a', 'b', 'c', 'd', 'e', 'f', 'g')}<row r="2" customFormat="false" ht="12.8"><c r="A2" s="1" t="n"><v>39814.75</v></c>` +
              '<c r="B2" s="2" t="n"><v>39814</v></c><c r="C2" t="s"><v>0</v></c><c r="D2" t="s"><v>1</v></c>' +
              '<c r="E2" t="n"><f aca="false">A1*0</f><v>0</v></c><c r="F2" t="d"><v>2009-01-01T00:00:00</v></c>' +
              '<c r="G2" t="inlineStr"><is><r><t>one </t></r><rPh sb="0" eb="1"><t>said</t></rPh><r><t>two</t></r></is></c></row>',
          ),
        },
      ],
      strings:
        '<si><t xml:space="preserve">line_x000D_ two </t></si><si><t>明</t><rPh sb="0" eb="1"><t>アカ</t></rPh><phoneticPr fontId="1"/></si>',
      styles:
        '<styleSheet><numFmts count="2"><numFmt numFmtId="164" formatCode="General"/><numFmt numFmtId="165" formatCode="[$-409]dd/mm/yyyy"/><numFmt numFmtId="166" formatCode="0.0&quot; days&quot;"/></numFmts>' +
        '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>',
    })
    expect((await readWorkbook(file)).rows).toEqual([
      { row: 2, cells: ['2009-01-01', '39814', 'line\r two', '明', '0', '2009-01-01', 'one two'] },
    ])
  })

  test('a percentage as it is shown, and no hidden digits', async () => {
    const cell = (at: string, style: number, value: number) => `<c r="${at}2" s="${style}"><v>${value}</v></c>`
    const file = workbook({
      sheets: [
        {
          name: 'A',
          xml: worksheet(
            `${row(1, 'a', 'b', 'c', 'd', 'e')}<row r="2">${cell('A', 0, 0.85)}${cell('B', 1, 0.855)}${cell('C', 2, 1.1)}${cell('D', 3, 12)}${cell('E', 4, 0.5)}</row>`,
          ),
        },
      ],
      styles:
        '<styleSheet><numFmts count="3"><numFmt numFmtId="164" formatCode="0.0\\ %"/><numFmt numFmtId="165" formatCode="0\\%"/><numFmt numFmtId="166" formatCode="0&quot; %&quot;"/></numFmts>' +
        '<cellXfs><xf numFmtId="9"/><xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>',
    })
    expect((await readWorkbook(file)).rows).toEqual([{ row: 2, cells: ['85%', '85.5%', '110%', '12', '0.5'] }])
  })

  test('rows and cells in any order, and a row that stands twice', async () => {
    const rows =
      '<row r="3"><c r="B3"><v>4</v></c><c r="A3"><v>3</v></c></row><row r="2"><c r="A2"><v>1</v></c></row><row r="2"><c r="B2"><v>2</v></c></row>'
    expect((await readWorkbook(one(row(1, 'a', 'b') + rows))).rows).toEqual([
      { row: 2, cells: ['1', '2'] },
      { row: 3, cells: ['3', '4'] },
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

  test('formatted empty cells are ignored, however many there are', async () => {
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

  test('an encrypted workbook, and content with a wrong checksum', async () => {
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
  /** A workbook whose sheet is a zip bomb; `declared` is the size stated in the directory. */
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
    ['that says it is just small enough', limits.importUnpackedBytes - 10_000],
  ])('a small file %s is refused in little memory', async (_, declared) => {
    const file = bomb(declared)
    expect(file.length).toBeLessThan(1_048_576)
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
    await expect(readWorkbook(file)).rejects.toMatchObject({ status: 413, code: 'imports.too_large' })
    clearInterval(watch)
    expect(Math.max(most, process.memoryUsage().rss) - before).toBeLessThan(limits.importUnpackedBytes * 1.5)
  })
})

describe('workbooks built to take long', () => {
  const MB = 1_048_576
  /** Eight megabytes of one repeated text, which a zip compresses to some kilobytes. */
  const filled = (piece: string, bytes = 8 * MB) => piece.repeat(Math.floor(bytes / piece.length))
  const withPart = (name: string, content: string, { strings }: { strings?: string } = {}) => {
    const xml = worksheet('<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row>')
    const parts = workbookParts({ sheets: [{ name: 'A', xml }], styles: DATE_STYLES, strings: strings ?? '<si><t>a</t></si>' })
    return zipSync({ ...parts, [name]: strToU8(content) } as Zippable, { level: 1 })
  }
  const SHEET = 'xl/worksheets/sheet1.xml'
  const STRINGS = 'xl/sharedStrings.xml'
  const open = '<worksheet><sheetData>'

  /** Reads the file and returns the outcome. Fails where it takes more than `ms` of CPU time. */
  const ends = async (file: Uint8Array, ms: number) => {
    let outcome = ''
    const took = await leastTime(ms, async () => {
      outcome = await readWorkbook(file).then(
        () => 'read',
        (error) => `${error.status} ${error.code}`,
      )
    })
    expect(took).toBeLessThanOrEqual(ms)
    return outcome
  }

  test.each([
    ['rows that are never closed', withPart(SHEET, open + filled('<row r="1">')), '400 imports.unreadable'],
    ['cells that are never closed', withPart(SHEET, `${open}<row r="1">${filled('<c r="A1">')}`), '400 imports.unreadable'],
    ['tags that never end', withPart(SHEET, `${open}<row r="1">${filled('<row ')}`), '400 imports.unreadable'],
    ['tags without a name', withPart(SHEET, open + filled('<')), '400 imports.unreadable'],
    ['a row of spaces', withPart(SHEET, `${open}<row${filled(' ')}r="1"`), '400 imports.unreadable'],
    ['an attribute that never ends', withPart(SHEET, `${open}<row r="${filled('1')}`), '400 imports.unreadable'],
    ['an element of a million attributes', withPart(SHEET, `${open}<row ${filled(' a1="" a2=""')}`), '400 imports.unreadable'],
    ['elements inside each other', withPart(SHEET, filled('<a>')), '400 imports.unreadable'],
    ['comments that are never closed', withPart(SHEET, open + filled('<!--')), '400 imports.unreadable'],
    ['a prefix in every name', withPart(SHEET, `<x:worksheet>${filled('<x:row>')}`), '400 imports.unreadable'],
    [
      'entities inside each other',
      withPart(STRINGS, '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>'),
      '400 imports.unreadable',
    ],
    ['shared strings that are never closed', withPart(STRINGS, `<sst>${filled('<si><t>')}`), '400 imports.unreadable'],
    ['formats that are never closed', withPart('xl/styles.xml', `<styleSheet>${filled('<numFmt ')}`), '400 imports.unreadable'],
    [
      'brackets without end in a format',
      withPart(
        'xl/styles.xml',
        `<styleSheet><numFmt numFmtId="200" formatCode="${filled('[', MB)}"/><cellXfs>${'<xf numFmtId="200"/>'.repeat(10_000)}</cellXfs></styleSheet>`,
      ),
      'read',
    ],
    ['sheets without end', withPart('xl/workbook.xml', `<workbook><sheets>${filled('<sheet ')}`), '400 imports.unreadable'],
    [
      'a sheet that is the workbook itself',
      withPart(
        'xl/_rels/workbook.xml.rels',
        '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="workbook.xml"/><Relationship Id="rId2" Type="x/sharedStrings" Target="workbook.xml"/></Relationships>',
      ),
      '400 imports.unreadable',
    ],
    [
      'one long text that every cell shows',
      withPart(
        SHEET,
        `${open}${Array.from({ length: 2_000 }, (_, at) => `<row r="${at + 1}">${`<c r="A${at + 1}" t="s"><v>0</v></c>`.repeat(20)}</row>`).join('')}</sheetData></worksheet>`,
        { strings: `<si><t>${filled('long ', MB)}</t></si>` },
      ),
      '413 imports.too_large',
    ],
  ])('%s', async (_, file, outcome) => {
    expect(await ends(file, 1_000)).toBe(outcome)
  })

  test('twice the content takes about twice the time', async () => {
    const cells = (count: number) =>
      withPart(SHEET, `${open}<row r="1"><c r="A1" t="inlineStr"><is>${'<t>name</t>'.repeat(count)}</is></c></row></sheetData></worksheet>`)
    const [few, many] = [cells(200_000), cells(400_000)]
    const once = await leastTime(0, () => readWorkbook(few))
    expect(await ends(many, once * 3)).toBe('read')
  })

  test('a dimension of every cell, and unused shared strings, cost nothing', async () => {
    const xml = `<worksheet><dimension ref="A1:XFD1048576"/><sheetData>${row(1, 'name')}</sheetData></worksheet>`
    const file = withPart(SHEET, xml, { strings: filled('<si><t/></si>', 2 * MB) })
    expect(await ends(file, 1_000)).toBe('read')
  })
})
