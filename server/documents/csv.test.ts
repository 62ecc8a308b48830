import { limits } from '@markbook/shared/limits'
import { findColumns } from '@markbook/shared/spreadsheet/table'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leastTime } from '../testing/least-time.ts'
import { readCsv, writeCsv } from './csv.ts'

const bytes = (text: string) => Buffer.from(text, 'utf8')
const read = (text: string) => readCsv(bytes(text))
const refusal = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('was not refused')
}

describe('reading', () => {
  const expected = { head: ['last_name', 'score'], rows: [{ row: 2, cells: ['Ní Bhriain', '15,5'] }] }

  test.each([
    ['UTF-8', bytes('last_name;score\r\nNí Bhriain;15,5\r\n')],
    ['UTF-8 with its mark', bytes('\ufefflast_name;score\nNí Bhriain;15,5\n')],
    ['UTF-16LE with its mark', Buffer.from('\ufefflast_name\tscore\r\nNí Bhriain\t15,5', 'utf16le')],
    ['UTF-16BE with its mark', Buffer.from('\ufefflast_name\tscore\r\nNí Bhriain\t15,5', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('last_name;score\r\nNí Bhriain;15,5', 'latin1')],
    ['comma and quotes', bytes('"last_name","score"\r\n"Ní Bhriain","15,5"\r\n')],
    ['carriage returns alone', bytes('last_name;score\rNí Bhriain;15,5\r')],
    ['the line that announces the separator', bytes('sep=;\r\nlast_name;score\r\nNí Bhriain;15,5')],
    ['spaces around cells', bytes('last_name ; score\n  Ní Bhriain\u00a0; 15,5')],
  ])('%s', (_, file) => expect(readCsv(file)).toEqual(expected))

  test('a separator that every line has equally often wins, even where the heading has more of another', () => {
    expect(read('Nom;Prénom;Devoirs 1, 2, 3 et 4\nMurphy;Seán;12,5\nMurphy;Aoife;abs\n').head).toEqual([
      'Nom',
      'Prénom',
      'Devoirs 1, 2, 3 et 4',
    ])
    expect(read('Notes, 3B, mathématiques, 2026\nNom;Prénom;Quiz 1, 2\nMurphy;Seán;12,5').rows.at(-1)?.cells).toEqual([
      'Murphy',
      'Seán',
      '12,5',
    ])
    expect(read('last,first,Notes; of 20; of 10; all\nA,B,1; 2\nC,D,\n').head).toEqual(['last', 'first', 'Notes; of 20; of 10; all'])
  })

  test('Windows-1252 beyond Latin-1', () => {
    expect(readCsv(Buffer.from([0x61, 0x0a, 0x4f, 0x92, 0x42, 0x72, 0x69, 0x65, 0x6e, 0x20, 0x80])).rows[0]?.cells).toEqual(['O’Brien €'])
  })

  test('a separator inside quotes in the head is not counted', () => {
    expect(read('"name; first, last, all"\tscore\nAda\t5').head).toEqual(['name; first, last, all', 'score'])
  })

  test('rows carry the number the spreadsheet shows, past blank rows and line breaks in quotes', () => {
    expect(read('name,remark\nAda,"two\nlines"\n,\n\nBea,x\n,,,\n\n').rows).toEqual([
      { row: 2, cells: ['Ada', 'two\nlines'] },
      { row: 5, cells: ['Bea', 'x'] },
    ])
  })

  test('short rows are padded, and cells beyond the heading get an empty head', () => {
    expect(read('a,b\n1\n1,2,3')).toEqual({
      head: ['a', 'b', ''],
      rows: [
        { row: 2, cells: ['1', '', ''] },
        { row: 3, cells: ['1', '2', '3'] },
      ],
    })
  })

  test('quotation marks inside an unquoted cell are text', () =>
    expect(read('name\nSeán "Jack" Byrne').rows[0]?.cells).toEqual(['Seán "Jack" Byrne']))

  test('only a head gives no rows', () => expect(read('first_name,last_name\n')).toEqual({ head: ['first_name', 'last_name'], rows: [] }))

  test('exactly the greatest number of rows, and one more', () => {
    const file = (count: number) => `n\n${Array.from({ length: count }, (_, index) => index + 1).join('\n')}\n`
    expect(read(file(limits.importRows)).rows).toHaveLength(10_000)
    expect(refusal(() => read(file(limits.importRows + 1)))).toMatchObject({
      status: 413,
      code: 'imports.too_large',
      message: expect.stringContaining('10,000 rows'),
    })
  })

  test('exactly the greatest number of columns, and one more', () => {
    const file = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join(',')
    expect(read(file(limits.importColumns)).head).toHaveLength(200)
    expect(refusal(() => read(file(limits.importColumns + 1)))).toMatchObject({ status: 413, code: 'imports.too_large' })
  })

  test.each([
    ['an empty file', '', 400, 'This file is empty.'],
    ['blank lines only', '\r\n;;;\r\n  \r\n', 400, 'This file is empty.'],
    ['a blank first row', '\nfirst_name\nAda', 400, 'The first row must hold the names of the columns.'],
    ['a quotation mark that is never closed', 'a,b\n"Ada,1\nBea,2\n', 400, 'A quotation mark in this file is opened and never closed.'],
    ['NUL bytes', 'a,b\nA\u0000da,1', 400, 'This file holds characters that are not text. Save it again as .xlsx or .csv.'],
  ])('%s is refused', (_, text, status, message) =>
    expect(refusal(() => read(text))).toMatchObject({ status, code: 'imports.unreadable', message }),
  )

  test('a line that is too long is refused', () => {
    expect(refusal(() => read(`a,b\n"${'x,'.repeat(500_000)}`))).toMatchObject({
      status: 413,
      message: expect.stringContaining('quotation mark'),
    })
  })

  test('30 MB are refused before they are read', () => {
    const file = Buffer.alloc(30 * 1_048_576, 'a,b\n')
    const before = process.memoryUsage().rss
    expect(refusal(() => readCsv(file))).toMatchObject({
      status: 413,
      code: 'imports.too_large',
      message: expect.stringContaining('20 MB'),
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1_048_576)
  })

  test('millions of separators or blank lines are refused or skipped quickly', async () => {
    const reading = () => {
      expect(refusal(() => read(`a${',b'.repeat(9_000_000)}`))).toMatchObject({ status: 413 })
      expect(refusal(() => read(`a\n${'\n'.repeat(9_000_000)}b`))).toMatchObject({ status: 413 })
      expect(read(`a,b\n1,2\n${',\n'.repeat(9_000_000)}`).rows).toHaveLength(1)
    }
    expect(await leastTime(10_000, reading)).toBeLessThanOrEqual(10_000)
  })
})

describe('columns', () => {
  test('are found in any case, spacing and order', () => {
    expect([...findColumns(read('Last Name,note,FIRST-NAME\nA,b,C'), ['first_name', 'last_name', 'gender'])]).toEqual([
      ['last_name', 0],
      ['first_name', 2],
    ])
  })

  test('with the same name are refused, unless they are not needed', () => {
    const sheet = read('Score,score,x,x\n1,2,3,4')
    expect(refusal(() => findColumns(sheet, ['score']))).toMatchObject({
      status: 400,
      code: 'imports.duplicate_column',
      message: expect.stringContaining('“score”'),
    })
    expect(findColumns(sheet, ['remarks']).size).toBe(0)
  })
})

describe('writing', () => {
  test('UTF-8 with its mark, CRLF, quotes where needed, plain numbers', () => {
    const file = writeCsv({
      head: ['name', 'mark'],
      rows: [
        ['Byrne, "Jack"', -1.5],
        ['Élan', null],
      ],
    })
    expect(Buffer.from(file).toString('utf8')).toBe('\ufeffname,mark\r\n"Byrne, ""Jack""",-1.5\r\nÉlan,\r\n')
  })

  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    "'=1+1",
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(A1)',
    ' =1+1',
    '\u00a0\u3000=1',
    ' \t+1',
    '\n=1',
    '\u200b=1',
    "' =1",
  ])('text that begins like a formula is inert: %j', (text) => {
    const written = Buffer.from(writeCsv({ head: [text], rows: [[text]] })).toString('utf8')
    expect(written.replaceAll('"', '')).toBe(`\ufeff'${text}\r\n'${text}\r\n`)
  })

  test('an apostrophe before other text stays', () => {
    const table = { head: ['name'], rows: [["'Ohana"], ["O'Brien"]] }
    expect(readCsv(writeCsv(table)).rows.map(({ cells }) => cells[0])).toEqual(["'Ohana", "O'Brien"])
  })

  test('written cells are read back', () => {
    const cell = fc.string({ unit: fc.constantFrom(...'ab=+-@＝\'",;\n é漢9') }).map((text) => text.trim())
    const rows = fc.array(fc.tuple(cell, cell), { maxLength: 20 })
    fc.assert(
      fc.property(rows, (lines) => {
        const filled = lines.filter(([a, b]) => a !== '' || b !== '')
        expect(readCsv(writeCsv({ head: ['a', 'b'], rows: filled })).rows.map(({ cells }) => cells)).toEqual(filled)
      }),
    )
  })
})
