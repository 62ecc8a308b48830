import { separatorOf, splitAnnounced } from '@markbook/shared/spreadsheet/csv-text'

/** The rows that are not empty, with their numbers in the spreadsheet. The first is the heading. */
type Lines = readonly { row: number; cells: readonly string[] }[]
export type CellEdit = { row: number; column: number; text: string }

/** A table that was read before sending. `rewritten` is the table as CSV with edited cells. */
export type ReadTable = { lines: Lines; rewritten: (edits: readonly CellEdit[]) => File }

/**
 * Reads CSV or copied spreadsheet cells. The separator is the comma, semicolon or tab that the heading has most of. Rows are numbered as the
 * server numbers them. Null where a quotation mark is never closed, which the server then reports.
 */
export function readCsv(text: string, name: string): ReadTable | null {
  const { announced, body } = splitAnnounced(text)
  const records = recordsOf(body.trimEnd(), announced ?? separatorOf(body))
  return records && tableOf(records, name)
}

/** A table of these records, the first of which is row 1. */
export function tableOf(records: readonly (readonly string[])[], name: string): ReadTable {
  const lines = records
    .map((cells, at) => ({ row: at + 1, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const rewritten = (edits: readonly CellEdit[]) => {
    const changed = records.map((cells) => [...cells])
    for (const { row, column, text: to } of edits) {
      const cells = changed[row - 1]
      while (cells && to !== '' && cells.length <= column) cells.push('')
      if (cells && column < cells.length) cells[column] = to
    }
    return new File([written(changed)], `${name.replace(/\.[^.]*$/, '')}.csv`, { type: 'text/csv' })
  }
  return { lines, rewritten }
}

/** The cells of each line; null where a quotation mark is never closed. */
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

/** The cell that begins at `from`, and its end; null where its quotation mark is never closed. */
function cellAt(text: string, from: number, separator: string): { text: string; end: number } | null {
  if (text[from] === '"') {
    let [found, at] = ['', from + 1]
    for (;;) {
      const close = text.indexOf('"', at)
      if (close < 0) return null
      found += text.slice(at, close)
      if (text[close + 1] !== '"') {
        if (endsCell(text[close + 1], separator)) return { text: found, end: close + 1 }
        break
      }
      found += '"'
      at = close + 2
    }
  }
  let end = from
  while (!endsCell(text[end], separator)) end += 1
  return { text: text.slice(from, end), end }
}

const written = (records: readonly (readonly string[])[]): string =>
  records.map((cells) => cells.map((cell) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')).join('\r\n')
