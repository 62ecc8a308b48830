import type { MarkCode } from '@markbook/shared/domain/mark-codes'
import { recordsOf } from '../../imports/csv.ts'
import type { CellValue } from './cell-value.ts'
import type { CellPosition } from './navigation.ts'
import { type ParsedMark, parseMark } from './parse-mark.ts'

/** More than any class and sheet have. Rows beyond are counted, and not read. */
const MOST_ROWS = 5_000
const MOST_COLUMNS = 200

/**
 * Parses tab-separated text as spreadsheets copy it. A quoted cell may contain tabs, line breaks and doubled quotes; a quote that is never
 * closed is an ordinary character. A line break at the end makes no row.
 */
export function readBlock(text: string): string[][] {
  const rows = recordsOf(text, '\t') ?? text.split(/\r\n?|\n/).map((line) => line.split('\t'))
  const last = rows.at(-1)
  if (rows.length > 1 && last?.length === 1 && last[0] === '') rows.pop()
  return rows.map((cells) => cells.map((cell) => cell.trim()))
}

/** The inverse of `readBlock`. */
export const writeBlock = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map((cell) => (/["\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join('\t')).join('\n')

/** A block repeated to fill `rows` × `cols` cells where it fits a whole number of times; else once. */
export function repeated(block: readonly (readonly string[])[], rows: number, cols: number): string[][] {
  const width = Math.max(1, ...block.map((cells) => cells.length))
  const down = rows % block.length === 0 ? rows / block.length : 1
  const across = cols % width === 0 ? cols / width : 1
  const wide = block.map((cells) => Array.from({ length: across }, () => padded(cells, width)).flat())
  return down === 1 && across === 1 ? block.map((cells) => [...cells]) : Array.from({ length: down }, () => wide).flat()
}
const padded = (cells: readonly string[], width: number) => Array.from({ length: width }, (_, at) => cells[at] ?? '')

/** A cell of the block at its position in the sheet. `before`: the mark there, null for none. */
export type PastedCell = CellPosition & { text: string; typed: ParsedMark; before: CellValue }
export type PastePlan = ReturnType<typeof planPaste>
/** `isFor`: whether the assessment is for the pupil. */
type Sheet = {
  rows: number
  maxScores: readonly number[]
  codes: readonly MarkCode[]
  valueAt: (row: number, col: number) => CellValue
  isFor: (row: number, col: number) => boolean
}

/** A pasted text over the mark that is there. */
export function pastedCell(text: string, { row, col }: CellPosition, sheet: Omit<Sheet, 'rows'>): PastedCell {
  const before = sheet.valueAt(row, col)
  const typed = parseMark(text, sheet.maxScores[col] ?? 0, sheet.codes, before)
  const isNowhere = typed.kind !== 'empty' && !sheet.isFor(row, col)
  return { row, col, text, typed: isNowhere ? { kind: 'wrong', reason: 'not_for_pupil' } : typed, before }
}

/**
 * Places a block with its first cell at `at`. Leaves out empty cells and unchanged marks. Also counts marks to save, invalid cells, and
 * rows and columns beyond the sheet.
 */
export function planPaste(block: readonly (readonly string[])[], at: CellPosition, sheet: Sheet) {
  const { rows, maxScores } = sheet
  const width = Math.max(0, ...block.map((cells) => cells.length))
  const fitting = block.slice(0, Math.min(MOST_ROWS, Math.max(0, rows - at.row)))
  const cells = fitting.flatMap((texts, down) =>
    texts.slice(0, Math.min(MOST_COLUMNS, maxScores.length - at.col)).map((text, across): PastedCell => {
      return pastedCell(text, { row: at.row + down, col: at.col + across }, sheet)
    }),
  )
  return {
    cells,
    marks: cells.filter(isChange).length,
    wrong: cells.filter(({ typed }) => typed.kind === 'wrong').length,
    outsideRows: Math.max(0, block.length - fitting.length),
    outsideColumns: Math.max(0, width - (maxScores.length - at.col)),
  }
}

export const isChange = ({ typed, before }: PastedCell): boolean => typed.kind === 'mark' && typed.score !== before
