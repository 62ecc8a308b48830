import { describe, expect, test } from 'vitest'
import { type Corrections, isUntouched, untouched, withoutColumn, withoutRows, withRows, withText } from './corrections.ts'
import { readCsv, savedRows } from './csv.ts'
import { faultyRows, listedRows, rowsAwaitingClasses, type Source } from './listing.ts'

const table = readCsv('last_name,first_name,gender\nKelly,Oisín,x\nChen,Mei,other\nDaly,Nóra,female\n', 'list.csv')
const source: Source = {
  file: new File([], 'list.csv'),
  table,
  pupils: new Map(),
  fileWith: () => new File([], 'list.csv'),
  send: () => Promise.reject(new Error('nothing is sent here')),
  columnsOf: (path) => [{ last_name: 0, first_name: 1, gender: 2, student_number: 3 }[path] ?? []].flat(),
  headingOf: (path) => path,
  headingAt: String,
}
const issue = (path: string, code?: string) => ({ path, message: 'is wrong', ...(code && { code }) })
type Action = 'create' | 'update' | 'unchanged' | 'error'
const report = (...rows: (readonly [row: number, action: Action, ...issues: ReturnType<typeof issue>[]])[]) => ({
  id: null,
  rows: rows.map(([row, action, ...issues]) => ({ row, action, issues })),
  created: 0,
  updated: 0,
  unchanged: 0,
  errors: 0,
})

describe('listedRows', () => {
  test('lists faults by their cells, then new rows; leaves out unchanged rows', () => {
    const of = report([2, 'error', issue('gender', 'gender')], [3, 'unchanged'], [4, 'create'])
    expect(listedRows(of, untouched, source)).toMatchObject([
      { row: 2, state: 'error', issues: [], fields: [{ column: 2, text: 'x', issue: { code: 'gender' } }] },
      { row: 4, state: 'create', fields: [] },
    ])
    expect(faultyRows(of)).toEqual([2])
  })

  test('a row that lacks only its class is not refused, and is not left out with those that are', () => {
    const noClass = issue('class', 'no_class')
    const of = report([2, 'error', noClass], [3, 'error', noClass, issue('gender', 'gender')], [4, 'create'])
    expect(listedRows(of, untouched, source).map(({ row, state }) => [row, state])).toEqual([
      [2, 'awaitsClass'],
      [3, 'error'],
      [4, 'create'],
    ])
    expect(rowsAwaitingClasses(of)).toBe(1)
    expect(faultyRows(of)).toEqual([3])
  })

  test('lists a row with a note before the others, with its cell', () => {
    const of = report([2, 'create'], [3, 'update'], [4, 'update', issue('student_number', 'renames')])
    expect(listedRows(of, untouched, source).map(({ row }) => row)).toEqual([4, 2, 3])
    expect(listedRows(of, untouched, source)[0]).toMatchObject({ state: 'update', fields: [{ column: 3, issue: { code: 'renames' } }] })
    const unchanged = report([1, 'unchanged', issue('x', 'not_read')], [2, 'unchanged'], [3, 'unchanged', issue('last_name', 'by_name')])
    expect(listedRows(unchanged, untouched, source).map(({ row, fields }) => [row, fields[0]?.issue?.code])).toEqual([[3, 'by_name']])
    expect(faultyRows(of)).toEqual([])
  })

  test('of two columns with one heading either can be left out, and the cells are those of the other', () => {
    const twins: Source = { ...source, columnsOf: () => [1, 2] }
    const [heading] = listedRows(report([1, 'error', issue('Quiz')]), untouched, twins)
    expect(heading?.columns).toEqual([1, 2])
    const [row] = listedRows(report([2, 'error', issue('Quiz')]), withoutColumn(untouched, 1), twins)
    expect(row?.fields).toMatchObject([{ column: 2, text: 'x' }])
  })

  test('keeps a corrected row in its place, with the typed text', () => {
    const corrections = withText(withText(untouched, { row: 2, column: 2, text: 'y' }), { row: 2, column: 2, text: 'male' })
    expect(listedRows(report([2, 'create'], [3, 'error', issue('last_name')]), corrections, source)).toMatchObject([
      { row: 2, state: 'create', fields: [{ column: 2, text: 'male', issue: null }] },
      { row: 3, state: 'error' },
    ])
  })

  test('offers a cell for the number that tells two pupils apart, also without such a column', () => {
    expect(listedRows(report([3, 'error', issue('last_name', 'two_alike')]), untouched, source)).toMatchObject([
      {
        fields: [
          { column: 0, text: 'Chen' },
          { column: 3, text: '', issue: null },
        ],
      },
    ])
  })

  test('for a fault in the headings a column can be left out, and not a row', () => {
    const of = report([1, 'error', issue('gender')])
    expect(listedRows(of, untouched, source)).toMatchObject([{ row: 1, fields: [], issues: [{ path: 'gender' }], columns: [2] }])
    expect(faultyRows(of)).toEqual([])
  })

  test('keeps rows that are left out in their places, so that they can be taken back', () => {
    const without = withoutRows(untouched, [3, 2])
    expect(
      listedRows(report([2, 'error', issue('gender')], [4, 'error', issue('gender')]), without, source).map(({ row, state }) => [
        row,
        state,
      ]),
    ).toEqual([
      [2, 'leftOut'],
      [3, 'leftOut'],
      [4, 'error'],
    ])
    expect(isUntouched(withRows(without, new Set([2, 3])))).toBe(true)
  })
})

describe('a corrected table', () => {
  const sent = async ({ texts, ...without }: Corrections) => (await table?.rewritten(texts, without).text())?.split('\r\n')

  test('is sent with its rows at their places; rows that are left out are empty', async () => {
    const corrections = withoutRows(withText(withText(untouched, { row: 2, column: 2, text: 'm' }), { row: 3, column: 2, text: 'f' }), [3])
    expect(await sent(corrections)).toEqual(['last_name,first_name,gender', 'Kelly,Oisín,m', '', 'Daly,Nóra,female'])
    expect(await sent(withoutColumn(untouched, 2))).toEqual(['last_name,first_name,', 'Kelly,Oisín,', 'Chen,Mei,', 'Daly,Nóra,'])
  })

  test('its left out rows are saved for a spreadsheet, without formulas that run', () => {
    const formulas = readCsv('name,score\n"=HYPERLINK(""x"")",-5\nb;c,1\n\'+1,2\n', 'list.csv')
    if (!formulas) throw new Error('not read')
    expect(savedRows(formulas, new Set([2, 3, 4]), [{ row: 3, column: 2, text: 'x' }], ';', () => '?')).toBe(
      '\ufeffname;score\r\n"\'=HYPERLINK(""x"")";\'-5\r\n"b;c";1;x\r\n\'+1;2\r\n',
    )
  })
})
