import { importFailures } from '../contract/imports.ts'
import { limits } from '../limits.ts'
import { columnKey } from './column-key.ts'

/** One line of a table. `row` is the row number in the spreadsheet; the heading is row 1. */
export type SheetRow = { row: number; cells: string[] }

/** A table as text, from any kind of file. Every row has as many cells as `head`; empty rows are left out. */
export type Sheet = { head: string[]; rows: SheetRow[] }

/** The value of a written cell. Numbers are written as numbers; texts never run as formulas. */
export type Cell = string | number | null

export const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell === '')

/** The message contains the limit, so that a teacher can split the file. */
export const tooManyRows = () =>
  importFailures.tooLarge({
    message: `This file has more than ${limits.importRows.toLocaleString('en-GB')} rows. Split it into smaller files.`,
  })

export const tooManyColumns = () =>
  importFailures.tooLarge({ message: `This file has more than ${limits.importColumns} columns. Remove those that are not needed.` })

export const tooManyBytes = () =>
  importFailures.tooLarge({
    message: `This file is too large. A file of at most ${limits.body.importBytes / 1_048_576} MB can be imported.`,
  })

export const emptyFile = () => importFailures.unreadable({ message: 'This file is empty.' })

function widthOf(cells: readonly string[]): number {
  let width = cells.length
  while (width > 0 && cells[width - 1] === '') width -= 1
  return width
}

const toWidth = (cells: readonly string[], width: number) => Array.from({ length: width }, (_, index) => cells[index] ?? '')

/**
 * Builds a Sheet from lines in ascending order of `row`: trims cells, drops blank rows, pads rows to equal width. Throws
 * imports.unreadable when row 1 holds no names, imports.too_large beyond limits.importRows and limits.importColumns.
 */
export function toSheet(lines: readonly SheetRow[]): Sheet {
  const filled = lines.map(({ row, cells }) => ({ row, cells: cells.map((cell) => cell.trim()) })).filter(({ cells }) => !isBlank(cells))
  const [head, ...rows] = filled
  if (!head) throw emptyFile()
  if (head.row !== 1) throw importFailures.unreadable({ message: 'The first row must hold the names of the columns.' })
  if (rows.length > limits.importRows) throw tooManyRows()
  let width = 0
  for (const { cells } of filled) width = Math.max(width, widthOf(cells))
  if (width > limits.importColumns) throw tooManyColumns()
  return { head: toWidth(head.cells, width), rows: rows.map(({ row, cells }) => ({ row, cells: toWidth(cells, width) })) }
}

/** The index in `cells` of each wanted column that exists. Throws imports.duplicate_column when a wanted name occurs twice. */
export function findColumns<Name extends string>(sheet: Sheet, names: readonly Name[]): Map<Name, number> {
  const found = new Map<Name, number>()
  for (const [index, head] of sheet.head.entries()) {
    const name = names.find((wanted) => wanted === columnKey(head))
    if (name === undefined) continue
    if (found.has(name)) throw importFailures.duplicateColumn({ message: `Two columns of this file are named “${head}”.` })
    found.set(name, index)
  }
  return found
}
