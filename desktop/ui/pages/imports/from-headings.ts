import { type ReadTable, tableOf } from './csv.ts'
import { guessColumns } from './headings.ts'
import { faultsOf } from './mapping.ts'

/** Filled lines above the headings that are passed over: the name of the school, a title, a day. */
const MOST_ABOVE = 10

/**
 * A list without what stands above its headings: they are the first line whose words name a pupil. Where no line does, a person says what the
 * columns of the first one are. Every row keeps its number.
 */
export function fromHeadings(table: ReadTable, name: string): ReadTable {
  const at = table.lines.slice(0, MOST_ABOVE + 1).findIndex(({ cells }) => !faultsOf(guessColumns(cells)).isNobody)
  const head = table.lines[at]
  if (at <= 0 || !head) return table
  const rows = table.lines.slice(at + 1)
  const records: (readonly string[])[] = Array.from({ length: rows.at(-1)?.row ?? 1 }, () => [])
  records[0] = head.cells
  for (const { row, cells } of rows) records[row - 1] = cells
  return tableOf(records, name)
}
