import type { Place } from './moves.ts'
import { readMark, type Typed } from './typed-mark.ts'

/** More than the largest class and the widest sheet; what lies beyond is counted, not read. */
const MOST_ROWS = 5_000
const MOST_COLUMNS = 200

/**
 * A block as spreadsheets put it on the clipboard: cells between tabs, lines between rows; a cell in quotation marks may hold both, and
 * doubles the marks that it contains. One line end at the end is no row.
 */
export function readBlock(text: string): string[][] {
  const rows: string[][] = [['']]
  const row = () => rows.at(-1) as string[]
  const add = (part: string) => {
    row()[row().length - 1] += part
  }
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string
    if (sign === '"' && row().at(-1) === '') at = quoted(text, at, add)
    else if (sign === '\t') row().push('')
    else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && text[at + 1] === '\n') at += 1
      rows.push([''])
    } else add(sign)
  }
  if (rows.length > 1 && row().length === 1 && row()[0] === '') rows.pop()
  return rows.map((cells) => cells.map((cell) => cell.trim()))
}

/** Reads to the closing mark, and answers where that stands. A mark that nothing closes is a mark like any other sign. */
function quoted(text: string, from: number, add: (part: string) => void): number {
  let found = ''
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] !== '"') found += text[at]
    else if (text[at + 1] === '"') {
      found += '"'
      at += 1
    } else {
      add(found)
      return at
    }
  }
  add('"')
  return from
}

/** The other way round: what Ctrl+C puts on the clipboard. */
export const writeBlock = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map((cell) => (/["\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join('\t')).join('\n')

/** What a pasted cell would do there. `before` null: nothing is recorded. */
export type PastedCell = Place & { text: string; typed: Typed; before: number | null }
export type PastePlan = {
  cells: PastedCell[]
  /** Marks that would be saved, cells that cannot be, and how much lies outside of the sheet. */
  marks: number
  wrong: number
  outsideRows: number
  outsideColumns: number
}
type Sheet = { rows: number; maxScores: readonly number[]; scoreAt: (row: number, col: number) => number | null }

/** Where a block would go whose first cell is put at `at`. Empty cells leave what is there, and what is there already is not saved again. */
export function planPaste(block: readonly (readonly string[])[], at: Place, { rows, maxScores, scoreAt }: Sheet): PastePlan {
  const width = Math.max(0, ...block.map((cells) => cells.length))
  const fitting = block.slice(0, Math.min(MOST_ROWS, Math.max(0, rows - at.row)))
  const cells = fitting.flatMap((texts, down) =>
    texts.slice(0, Math.min(MOST_COLUMNS, maxScores.length - at.col)).map((text, across): PastedCell => {
      const place = { row: at.row + down, col: at.col + across }
      return { ...place, text, typed: readMark(text, maxScores[place.col] ?? 0), before: scoreAt(place.row, place.col) }
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
