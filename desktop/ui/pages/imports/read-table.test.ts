// @vitest-environment node

import { sheetNames } from '@markbook/shared/spreadsheet/workbook'
import { DATE_STYLES, row, workbook, worksheet } from '@markbook/shared/spreadsheet/workbook.fixtures'
import ar from '@markbook/shared/words/ar/documents.json' with { type: 'json' }
import en from '@markbook/shared/words/en/documents.json' with { type: 'json' }
import fr from '@markbook/shared/words/fr/documents.json' with { type: 'json' }
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { readSheet } from '../../../../server/documents/read-sheet.ts'
import { type ReadTable, savedRows } from './csv.ts'
import { belowNoHeadings, fromHeadings, hasHeadings } from './from-headings.ts'
import { guessColumns } from './headings.ts'
import { examplesOf, faultsOf, fileFor, genderOf, headOf, pupilsByRow } from './mapping.ts'
import { readTable } from './read-table.ts'

const file = (content: string | Uint8Array, name = 'list.csv') => new File([content as never], name)
const read = async (content: string | Uint8Array, name?: string): Promise<ReadTable> => {
  const table = await readTable(file(content, name))
  if (!table) throw new Error('not read')
  return table
}
/** The table as the server reads it. */
const served = async (sent: File) => readSheet({ bytes: new Uint8Array(await sent.arrayBuffer()), filename: sent.name, type: sent.type })
const mapped = (table: ReadTable) => fileFor(table, guessColumns(headOf(table)))

describe('a table as text', () => {
  const rows = [
    { row: 2, cells: ['Ó Briain', 'Élan', 'male', '', '2011-03-25'] },
    { row: 4, cells: ['de Barra; Ní', 'Aoife "Fia"', 'female', '', '2011-04-01'] },
  ]
  const lines = (separator: string) =>
    [
      ['Nom', 'Prénom', 'Sexe', 'Bus', 'Né(e) le'],
      ['Ó Briain', 'Élan', 'Garçon', '7', '2011-03-25'],
      [],
      ['"de Barra; Ní"', '"Aoife ""Fia"""', 'F', '9', '2011-04-01'],
    ]
      .map((cells) => cells.join(separator))
      .join('\r\n')

  test.each([
    ['semicolons and a byte-order mark', `\ufeff${lines(';')}\r\n\r\n`],
    ['tabs, as it is pasted', lines('\t')],
    ['commas, and a line that announces them', `sep=,\r\n${lines(',')}`],
    ['Windows-1252', Uint8Array.from(lines(';'), (letter) => letter.charCodeAt(0))],
    ['UTF-16', new Uint8Array([0xff, 0xfe, ...Buffer.from(lines('\t'), 'utf16le')])],
  ])('%s: the server gets its own headings, and the same rows with the same numbers', async (_kind, content) => {
    const table = await read(content)
    const sheet = await served(mapped(table))
    expect(sheet.head).toEqual(['last_name', 'first_name', 'gender', '', 'date_of_birth'])
    expect(
      sheet.rows.map(({ row: number, cells: [last, first, gender, , born] }) => ({ row: number, cells: [last, first, gender, '', born] })),
    ).toEqual(rows)
    expect(pupilsByRow(table, guessColumns(headOf(table))).get(4)).toBe('de Barra; Ní, Aoife "Fia"')
  })

  test('a cell has the same text here and at the server, wherever it has quotation marks', async () => {
    const cell = fc.array(fc.constantFrom('"', '"', ',', 'a', 'b', ' '), { minLength: 1, maxLength: 8 }).map((letters) => letters.join(''))
    await fc.assert(
      fc.asyncProperty(cell, async (random) => {
        const text = `x,y,z\n1,${random}\n2,b,c\n`
        const [theirs, ours] = await Promise.all([served(file(text)).catch(() => null), readTable(file(text))])
        expect(ours === null).toBe(theirs === null)
        const filled = (cells: readonly string[] = []) => cells.map((each) => each.trim()).filter((each) => each !== '')
        expect(filled(ours?.lines[1]?.cells)).toEqual(filled(theirs?.rows[0]?.cells as string[] | undefined))
      }),
      { examples: [['"a,b"c'], ['"a""b"c'], ['a"b'], ['"a" '], ['"a"", b"']], numRuns: 200 },
    )
  })

  test.each([
    ['without a separator', 'Pupils of form 3'],
    ['with another separator', 'St Brigid’s, autumn intake, 2026'],
    ['with a line of empty cells below it', 'St Brigid’s\n;;'],
  ])('skips a title %s above its headings', async (_kind, title) => {
    const table = fromHeadings(await read(`${title}\n\nSurname;Forename;Sex\nByrne;Ada;F\nWalsh;Colm;M\n`), 'list.csv')
    expect(headOf(table)).toEqual(['Surname', 'Forename', 'Sex'])
    expect((await served(mapped(table))).rows.map(({ cells }) => cells)).toEqual([
      ['Byrne', 'Ada', 'female'],
      ['Walsh', 'Colm', 'male'],
    ])
  })

  test('commas in marks do not count against the semicolons of the headings', async () => {
    expect((await read('Surname;Test\nByrne;15,5\nWalsh;12,5')).lines[1]?.cells).toEqual(['Byrne', '15,5'])
    expect((await read('Surname;Test;Remark\nByrne;15,5\nWalsh;12,5')).lines[1]?.cells).toEqual(['Byrne', '15,5'])
  })

  test('the server reads the same before and after, whatever is in its cells', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '"', ',', ';', '\n', "'", '='), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (cells) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
        const text = ['last_name,first_name', ...cells.map((pair) => pair.map(quoted).join(','))].join('\r\n')
        expect(await served(mapped(await read(text)))).toEqual(await served(file(text)))
      }),
      { numRuns: 60 },
    )
  })

  test('a column without a heading can be named, also beyond the last heading', async () => {
    const table = await read('Nom,Prénom\nKelly,Oisín,7\n')
    expect(headOf(table)).toEqual(['Nom', 'Prénom', ''])
    const sheet = await served(fileFor(table, ['last_name', 'first_name', 'student_number']))
    expect(sheet).toEqual({ head: ['last_name', 'first_name', 'student_number'], rows: [{ row: 2, cells: ['Kelly', 'Oisín', '7'] }] })
  })

  test('a file that is no table, or cannot be read, is left to the server', async () => {
    for (const content of ['"never closed', '<html><table>', '{\\rtf1', 'a\u0000b', '', '\n\nlast_name'])
      expect(await readTable(file(content)), content).toBeNull()
    for (const name of ['list.pdf', 'list.xlsx', 'list']) expect(await readTable(file('last_name', name)), name).toBeNull()
    expect(await readTable(file('PK\u0003\u0004 no workbook', 'list.xlsx'))).toBeNull()
  })
})

describe('a workbook', () => {
  const text = (place: string, content: string) => `<c r="${place}" t="inlineStr"><is><t>${content}</t></is></c>`
  const rows = [
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" s="1"/><c r="E1" t="s"><v>2</v></c></row>',
    `<row r="3">${text('A3', 'O&#39;Brien &amp; Ó Sé')}<c r="B3" t="s"><v>3</v></c><c r="C3"><v>7</v></c>${text('D3', 'fille')}<c r="E3" s="1"><v>40627</v></c></row>`,
  ].join('')
  const strings =
    '<si><t>Family name</t></si><si><r><t>Given </t></r><r><t>name</t></r></si><si><t>DOB</t></si><si><t>Mei</t><rPh sb="0" eb="1"><t>メイ</t></rPh></si>'
  const fixture = {
    sheets: [
      { name: 'Old', state: 'hidden', xml: worksheet(row(1, 'hidden')) },
      { name: 'Pupils', xml: worksheet(rows) },
    ],
    strings,
    styles: DATE_STYLES,
  }

  test('is read from its first visible sheet; days, styles and row numbers are kept', async () => {
    const table = await read(workbook(fixture), 'list.xlsx')
    expect(headOf(table)).toEqual(['Family name', 'Given name', '', '', 'DOB'])
    const mapping = ['last_name', 'first_name', 'student_number', 'gender', 'date_of_birth'] as const
    const sent = fileFor(table, mapping)
    expect(await served(sent)).toEqual({
      head: [...mapping],
      rows: [{ row: 3, cells: ["O'Brien & Ó Sé", 'Mei', '7', 'female', '2011-03-25'] }],
    })
    expect(pupilsByRow(table, mapping)).toEqual(new Map([[3, "O'Brien & Ó Sé, Mei"]]))
    expect(examplesOf(table, 4)).toEqual(['2011-03-25'])
    expect(examplesOf(table, 2)).toEqual(['7'])
    expect(sent).toMatchObject({ name: 'list.csv', type: 'text/csv' })
  })

  test('the server reads the same before and after, whatever is in its cells', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '"', ',', ';', "'", '=', '1'), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (cells) => {
        const content = [row(1, 'last_name', 'first_name'), ...cells.map((pair, at) => row(at * 2 + 3, ...pair))].join('')
        const bytes = workbook({ sheets: [{ name: 'Pupils', xml: worksheet(content) }] })
        expect(await served(mapped(await read(bytes, 'list.xlsx')))).toEqual(await served(file(bytes, 'list.xlsx')))
      }),
      { numRuns: 60 },
    )
  })

  test('another sheet can be chosen, with headings below a title; every row keeps its number', async () => {
    const list = worksheet(
      row(1, 'St Brigid’s: form 3') +
        row(3, 'Pupil no.', 'Surname', 'Forename', 'Sex') +
        row(4, '7', 'Byrne', 'Ada', 'F') +
        row(6, '9', 'Walsh', 'Colm', 'M'),
    )
    const bytes = workbook({
      sheets: [
        { name: 'Notes', xml: worksheet(row(1, 'Lists of the office')) },
        { name: 'Old', xml: worksheet(row(1, 'x')), state: 'hidden' },
        { name: 'Form 3', xml: list },
      ],
    })
    expect(await sheetNames(bytes)).toEqual(['Notes', 'Form 3'])
    const whole = await readTable(file(bytes, 'list.xlsx'), 'Form 3')
    const table = fromHeadings(whole as ReadTable, 'list.xlsx')
    expect(headOf(table)).toEqual(['Pupil no.', 'Surname', 'Forename', 'Sex'])
    expect(await served(mapped(table))).toEqual({
      head: ['student_number', 'last_name', 'first_name', 'gender'],
      rows: [
        { row: 4, cells: ['7', 'Byrne', 'Ada', 'female'] },
        { row: 6, cells: ['9', 'Walsh', 'Colm', 'male'] },
      ],
    })
    // Where the first line or no line has words for a pupil, nothing is removed.
    const plain = await read('Surname,Forename\nSurname,Forename')
    expect(fromHeadings(plain, 'list.csv')).toBe(plain)
    const other = await read('a,b\n1,2')
    expect(fromHeadings(other, 'list.csv')).toBe(other)
  })

  test('one without headings is read from its first row on, and what is left out of it has headings', async () => {
    const plain = await read('Egan;Síle;f\n\nFoy;Pat;m\n')
    expect([hasHeadings(plain), hasHeadings(await read('Surname,Forename\nFoy,Pat'))]).toEqual([false, true])
    const table = belowNoHeadings(plain, 'list.csv')
    const mapping = ['last_name', 'first_name', 'gender'] as const
    expect(headOf(table)).toEqual(['', '', ''])
    expect(await served(fileFor(table, mapping))).toEqual({
      head: [...mapping],
      rows: [
        { row: 2, cells: ['Egan', 'Síle', 'female'] },
        { row: 4, cells: ['Foy', 'Pat', 'male'] },
      ],
    })
    expect(pupilsByRow(table, mapping)).toEqual(
      new Map([
        [2, 'Egan, Síle'],
        [4, 'Foy, Pat'],
      ]),
    )
    const saved = savedRows(
      table,
      new Set([4]),
      [{ row: 4, column: 3, text: '3B' }],
      ',',
      (at) => ['Nom', 'Prénom', '', 'Classe'][at] ?? '?',
    )
    expect(saved).toBe('\ufeffNom,Prénom,,Classe\r\nFoy,Pat,m,3B\r\n')
  })

  test('one with a row far below the others is left to the server', async () => {
    const content = row(1, 'last_name') + row(1_000_000, 'Kelly')
    expect(await readTable(file(workbook({ sheets: [{ name: 'A', xml: worksheet(content) }] }), 'list.xlsx'))).toBeNull()
  })

  test('with other XML prefixes is read', async () => {
    const prefixed = worksheet(rows)
      .replaceAll(/<(\/?)(worksheet|sheetData|row|c|v|is|t)\b/g, '<$1x:$2')
      .replace('xmlns=', 'xmlns:x=')
    const table = await read(workbook({ ...fixture, sheets: [{ name: 'Pupils', xml: prefixed }] }), 'list.xlsx')
    const { head } = await served(fileFor(table, ['last_name', 'first_name', 'student_number', 'gender', 'date_of_birth']))
    expect(head).toEqual(['last_name', 'first_name', 'student_number', 'gender', 'date_of_birth'])
  })

  test('that is damaged, or is another kind of file, is left to the server', async () => {
    expect(await readTable(file(zipSync({ 'word/document.xml': strToU8('<w/>') }), 'list.xlsx'))).toBeNull()
    const bytes = workbook(fixture)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, value) => {
        const damaged = Uint8Array.from(bytes)
        damaged[at] = value
        await readTable(file(damaged, 'list.xlsx'))
      }),
      { numRuns: 200 },
    )
  })
})

describe('the mapping of columns', () => {
  test('cannot be sent with a column twice, or without one that identifies the pupil', () => {
    expect(faultsOf(['last_name', 'first_name', null])).toEqual({ twice: [], isNobody: false })
    expect(faultsOf(['student_number'])).toEqual({ twice: [], isNobody: false })
    expect(faultsOf(['last_name', null])).toEqual({ twice: [], isNobody: true })
    expect(faultsOf(['class', 'class', 'class', 'student_number'])).toEqual({ twice: ['class'], isNobody: false })
  })

  test('has genders as schools write them; an unknown word is kept', () => {
    expect(['Boy', 'garçon', 'MASCULIN', 'H', 'm.'].map(genderOf)).toEqual(Array(5).fill('male'))
    expect(['girl', 'Fille', 'féminin', 'F'].map(genderOf)).toEqual(Array(4).fill('female'))
    expect(['other', 'Autre', 'غير ذلك'].map(genderOf)).toEqual(Array(3).fill('other'))
    expect(['أنثى', 'انثى', 'بنت'].map(genderOf)).toEqual(Array(3).fill('female'))
    // The words on Markbook's own broadsheets.
    for (const { genderOfOne: words } of [en, fr, ar])
      expect([words.female, words.male, words.other].map(genderOf)).toEqual(['female', 'male', 'other'])
    expect(genderOf('nobody')).toBe('nobody')
  })
})
