import { HAS_APOSTROPHE, NEEDS_APOSTROPHE, separatorOf, splitAnnounced } from '@markbook/shared/spreadsheet/csv-text'

/** The rows that are not empty, with the numbers that the server gives them. The first one has the headings. */
type Lines = readonly { row: number; cells: readonly string[] }[]
export type CellEdit = { row: number; column: number; text: string }
/** The rows and columns that are not sent. */
export type LeftOut = { rows: ReadonlySet<number>; columns: ReadonlySet<number> }

/**
 * A table that was read in the browser. `rewritten` returns it as CSV with edited cells; what is left out becomes blank, so that every row
 * keeps its number. `added`: the number of rows above that the spreadsheet does not have.
 */
export type ReadTable = { added?: number; lines: Lines; rewritten: (edits: readonly CellEdit[], without?: LeftOut) => File }

/** The number of a row in the spreadsheet, from the number that the server gives it. */
export const rowInSheet = (table: ReadTable | null, row: number): number => row - (table?.added ?? 0)

/**
 * Reads CSV or copied spreadsheet cells. The separator is the comma, semicolon or tab that occurs most in the headings, also below a title.
 * Rows have the numbers that the server gives them. Null for a quotation mark that is never closed, which the server then reports.
 */
export function readCsv(text: string, name: string): ReadTable | null {
  const { announced, body } = splitAnnounced(text)
  const records = recordsOf(body.trimEnd(), announced ?? separatorOf(body))
  return records && tableOf(records, name)
}

/** A table of records; the first is row 1. */
export function tableOf(records: readonly (readonly string[])[], name: string): ReadTable {
  const lines = records
    .map((cells, at) => ({ row: at + 1, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const rewritten = (edits: readonly CellEdit[], without?: LeftOut) => {
    const changed = records.map((cells, at) =>
      without?.rows.has(at + 1) ? [] : cells.map((cell, column) => (without?.columns.has(column) ? '' : cell)),
    )
    for (const { row, column, text: to } of edits) {
      const cells = without?.rows.has(row) ? undefined : changed[row - 1]
      while (cells && to !== '' && cells.length <= column) cells.push('')
      if (cells && column < cells.length) cells[column] = to
    }
    return new File([written(changed)], `${name.replace(/\.[^.]*$/, '')}.csv`, { type: 'text/csv' })
  }
  return { lines, rewritten }
}

/** The cells of each line; null for a quotation mark that is never closed. */
export function recordsOf(text: string, separator: string): string[][] | null {
  const records: string[][] = [[]]
  let at = 0
  for (;;) {
    const cell = cellAt(text, at, separator)
    if (!cell) return null
    records.at(-1)?.push(cell.text)
    if (cell.end >= text.length) return records
    if (text[cell.end] !== separator) records.push([])
    at = cell.end + (text.startsWith('\r\n', cell.end) ? 2 : 1)
  }
}

const endsCell = (sign: string | undefined, separator: string) => sign === undefined || sign === separator || sign === '\n' || sign === '\r'

/** The cell that begins at `from`, and its end; null for a quotation mark that is never closed. */
function cellAt(text: string, from: number, separator: string): { text: string; end: number } | null {
  const quoted = text[from] === '"' ? quotedAt(text, from, separator) : { text: '', end: from }
  if (!quoted) return null
  let { end } = quoted
  while (!endsCell(text[end], separator)) end += 1
  return { text: quoted.text + text.slice(quoted.end, end), end }
}

/** What is between quotation marks. Where the cell goes on after them, they are text, as the server's reader has it. */
function quotedAt(text: string, from: number, separator: string): { text: string; end: number } | null {
  let [found, at] = ['', from + 1]
  for (;;) {
    const close = text.indexOf('"', at)
    if (close < 0) return null
    found += text.slice(at, close)
    if (text[close + 1] !== '"') return { text: endsCell(text[close + 1], separator) ? found : `"${found}"`, end: close + 1 }
    found += '"'
    at = close + 2
  }
}

const written = (records: readonly (readonly string[])[], separator = ','): string =>
  records.map((cells) => cells.map(quoted).join(separator)).join('\r\n')

const quoted = (cell: string): string => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Puts an apostrophe before a cell that a spreadsheet would run as a formula; an import removes it. */
const inert = (cell: string): string => (NEEDS_APOSTROPHE.test(cell) && !HAS_APOSTROPHE.test(cell) ? `'${cell}` : cell)

/**
 * The headings and some rows of a table as CSV for a spreadsheet, with edited cells. `headingAt` names the columns of a list without
 * headings, so that it can be read again.
 */
export function savedRows(
  { lines }: Pick<ReadTable, 'lines'>,
  rows: ReadonlySet<number>,
  edits: readonly CellEdit[],
  separator: ',' | ';',
  headingAt: (column: number) => string,
): string {
  const chosen = lines.filter(({ row }, at) => at === 0 || rows.has(row))
  const records = chosen.map(({ row, cells }) => {
    const changed = [...cells]
    for (const edit of edits) {
      if (edit.row !== row) continue
      while (changed.length <= edit.column) changed.push('')
      changed[edit.column] = edit.text
    }
    return changed.map(inert)
  })
  const [head] = records
  if (head?.length === 0) {
    const width = Math.max(...records.map(({ length }) => length))
    for (let at = 0; at < width; at += 1) head.push(headingAt(at))
  }
  return `\ufeff${written(records, separator)}\r\n`
}
