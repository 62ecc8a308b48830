import { type ReadTable, tableOf } from './csv.ts'
import { guessColumns } from './headings.ts'
import { faultsOf } from './mapping.ts'

/** The number of filled lines above the headings that are skipped: the school's name, a title, a date. */
const MOST_ABOVE = 10

/** The index of the headings among the lines; below 0 where no line has words for a pupil's name. */
const headingsAt = ({ lines }: ReadTable): number =>
  lines.slice(0, MOST_ABOVE + 1).findIndex(({ cells }) => !faultsOf(guessColumns(cells)).isNobody)

export const hasHeadings = (table: ReadTable): boolean => headingsAt(table) >= 0

/**
 * Removes the lines above the headings, which are the first line with words for a pupil's name. If no line has such words, the first line
 * is taken, and the person chooses the columns. Every row keeps its number.
 */
export function fromHeadings(table: ReadTable, name: string): ReadTable {
  const at = headingsAt(table)
  const head = table.lines[at]
  if (at <= 0 || !head) return table
  const rows = table.lines.slice(at + 1)
  const records: (readonly string[])[] = Array.from({ length: rows.at(-1)?.row ?? 1 }, () => [])
  records[0] = head.cells
  for (const { row, cells } of rows) records[row - 1] = cells
  return tableOf(records, name)
}

/** The table of a list without headings: its first row is a pupil, and every row is one line below the empty headings that are added. */
export function belowNoHeadings({ lines }: ReadTable, name: string): ReadTable {
  const records: (readonly string[])[] = Array.from({ length: (lines.at(-1)?.row ?? 0) + 1 }, () => [])
  for (const { row, cells } of lines) records[row] = cells
  const { lines: pupils, rewritten } = tableOf(records, name)
  return { added: 1, lines: [{ row: 1, cells: [] }, ...pupils], rewritten }
}
