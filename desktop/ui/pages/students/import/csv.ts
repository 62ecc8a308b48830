import type { CellEdit, ReadTable } from './table.ts'

/** Excel announces the separator in a line of its own, which it does not count as a row. */
const ANNOUNCED = /^sep=([,;\t])(?:\r\n|\n|\r)/i

/**
 * A table that was saved as text, or copied out of a spreadsheet: commas, semicolons or tabs, whichever its heading has most of. Rows are
 * counted as the server counts them. Null where a quotation mark is never closed; then the server says so.
 */
export function readCsv(text: string, name: string): ReadTable | null {
  const announced = ANNOUNCED.exec(text)
  const body = announced ? text.slice(announced[0].length) : text
  const records = recordsOf(body.trimEnd(), announced?.[1] ?? separatorOf(body))
  if (!records) return null
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

function separatorOf(text: string): string {
  const counts: Record<string, number> = { ',': 0, ';': 0, '\t': 0 }
  let isQuoted = false
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (sign === '\n' || sign === '\r') break
    else if (sign in counts) counts[sign] = (counts[sign] ?? 0) + 1
  }
  const [most = ','] = Object.keys(counts).sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0))
  return most
}

function recordsOf(text: string, separator: string): string[][] | null {
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

/** The cell that begins at `from`, and where it ends; null where its quotation mark is never closed. */
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
