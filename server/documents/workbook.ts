import { PassThrough } from 'node:stream'
import type { Cell as ExcelCell, PageSetup, Style, stream, Worksheet } from 'exceljs'
import type { Cell } from './table.ts'
import { withoutTimes } from './zip.ts'

/**
 * `text` keeps leading zeros, `number` stays a number that can be summed, shown with so many `decimals` where they are given, `day` is
 * YYYY-MM-DD and becomes a date. Width in characters.
 */
export type WorkbookColumn = {
  head: string
  key: string
  width: number
  kind: 'text' | 'number' | 'day'
  decimals?: number
  isHidden?: boolean
  isMuted?: boolean
}

/** Cells by column key; `muted` are the keys of cells shown in grey. */
export type WorkbookRow = { cells: Readonly<Record<string, Cell>>; isHidden?: boolean; muted?: readonly string[] }

/** `frozen` counts the rows and columns that stay in sight; a note is shown at the head of its column. `wrapsHeads`: heads in several lines. */
export type WorkbookSheet<Rows = readonly WorkbookRow[]> = {
  name: string
  columns: readonly WorkbookColumn[]
  rows: Rows
  frozen: { rows: number; columns: number }
  notes?: readonly { key: string; text: string }[]
  wrapsHeads?: boolean
}

/** `madeAt` (milliseconds) is written as the time of creation and change: the same input gives the same bytes. */
export type WorkbookInput<Rows = readonly WorkbookRow[]> = { sheets: readonly WorkbookSheet<Rows>[]; madeAt: number }

/** Rows that come in portions, so that they never all have to be there at once. */
export type Portions = Iterable<readonly WorkbookRow[]> | AsyncIterable<readonly WorkbookRow[]>

const GREY = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFE4E4E4' } } as const
const DAY_FORMAT = 'yyyy-mm-dd'
/** The font of the cells, named once more: a spreadsheet may take another for a font without a name. */
const HEAD_FONT = { name: 'Calibri', family: 2, size: 11, bold: true } as const
const LINE_HEIGHT = 15
/** Characters that stand beside each other on a sheet of paper that is held upright. */
const UPRIGHT_CHARACTERS = 95

/** Loaded on first use: it is large, and a server that nobody asks for a workbook should start quickly. */
const excel = async () => (await import('exceljs')).default

/** Excel refuses some characters in the name of a sheet, and more than 31 of them. */
const sheetName = (name: string): string =>
  name
    .replace(/[*?:\\/[\]]/g, ' ')
    .replace(/^'|'$/g, ' ')
    .trim()
    .slice(0, 31) || 'Sheet'

function formatOf({ kind, decimals }: WorkbookColumn): string | null {
  if (kind === 'day') return DAY_FORMAT
  if (kind === 'text') return '@'
  if (decimals === undefined) return null
  return decimals === 0 ? '0' : `0.${'0'.repeat(decimals)}`
}

function written({ kind }: WorkbookColumn, value: Cell): string | number | Date {
  if (kind === 'number' && typeof value === 'number') return value
  if (kind === 'day' && /^\d{4}-\d\d-\d\d$/.test(String(value))) return new Date(`${value}T00:00:00Z`)
  return String(value)
}

/** How many lines a head takes when it is wrapped between its words. */
function linesOf({ head, width }: WorkbookColumn): number {
  let [lines, used] = [1, 0]
  for (const word of head.split(/\s+/)) {
    if (used > 0 && used + 1 + word.length > width - 1) [lines, used] = [lines + 1, 0]
    used += (used > 0 ? 1 : 0) + word.length
    lines += Math.ceil(used / width) - 1
    used %= width
  }
  return lines
}

/** One page wide; a wide sheet across. */
function pageSetup(columns: readonly WorkbookColumn[]): Partial<PageSetup> {
  const characters = columns.reduce((sum, { width, isHidden = false }) => sum + (isHidden ? 0 : width), 0)
  const orientation = characters > UPRIGHT_CHARACTERS ? 'landscape' : 'portrait'
  return { orientation, fitToPage: true, fitToWidth: 1, fitToHeight: 0 }
}

function writeHead(worksheet: Worksheet, { columns, notes = [], wrapsHeads = false }: WorkbookSheet<unknown>): void {
  const row = worksheet.getRow(1)
  for (const [position, column] of columns.entries()) {
    const head = row.getCell(position + 1)
    head.font = HEAD_FONT
    const horizontal = column.kind === 'number' ? 'right' : 'left'
    head.alignment = wrapsHeads ? { horizontal, wrapText: true, vertical: 'top' } : { horizontal }
    if (column.isMuted) head.fill = GREY
    const note = notes.find(({ key }) => key === column.key)
    if (note) head.note = note.text
  }
  // No spreadsheet makes a row higher by itself once the file says how high rows are.
  if (wrapsHeads) row.height = LINE_HEIGHT * Math.max(...columns.map(linesOf))
  row.commit()
}

/** How the cells of a column look. exceljs knows a style that it has seen by its object, and takes long to find out for any other. */
type Look = { plain: Partial<Style>; grey: Partial<Style> }
function lookOf(column: WorkbookColumn): Look {
  const numFmt = formatOf(column)
  const plain = numFmt === null ? {} : { numFmt }
  return { plain, grey: { ...plain, fill: GREY } }
}

type Shape = { column: WorkbookColumn; look: Look }

function writeRow(worksheet: Worksheet, number: number, shapes: readonly Shape[], { cells, isHidden, muted }: WorkbookRow): void {
  const row = worksheet.getRow(number)
  for (const [position, { column, look }] of shapes.entries()) {
    const value = cells[column.key] ?? null
    const isGrey = column.isMuted || muted?.includes(column.key)
    if (value === null && !isGrey) continue
    const target: ExcelCell = row.getCell(position + 1)
    if (value !== null) target.value = written(column, value)
    target.style = isGrey ? look.grey : look.plain
  }
  if (isHidden) row.hidden = true
  row.commit()
}

async function writeSheet(workbook: stream.xlsx.WorkbookWriter, sheet: WorkbookSheet<Portions>): Promise<void> {
  const { name, columns, rows, frozen } = sheet
  const worksheet = workbook.addWorksheet(sheetName(name), {
    views: [{ state: 'frozen', ySplit: frozen.rows, xSplit: frozen.columns }],
    pageSetup: pageSetup(columns),
  })
  const shapes = columns.map((column): Shape => ({ column, look: lookOf(column) }))
  worksheet.columns = shapes.map(({ column: { head, key, width, isHidden = false }, look }) => {
    return { header: head, key, width, hidden: isHidden, style: look.plain }
  })
  writeHead(worksheet, sheet)
  let number = 1
  for await (const portion of rows) {
    for (const row of portion) {
      number += 1
      writeRow(worksheet, number, shapes, row)
    }
  }
  worksheet.commit()
}

/** Writes an .xlsx workbook of any size: rows leave the memory as they are written. Text is never a formula, whatever it begins with. */
export async function writePortions({ sheets, madeAt }: WorkbookInput<Portions>): Promise<Uint8Array> {
  const out = new PassThrough()
  const chunks: Buffer[] = []
  const whole = new Promise<void>((resolve, reject) =>
    out
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', resolve)
      .on('error', reject),
  )
  const { stream } = await excel()
  const workbook = new stream.xlsx.WorkbookWriter({ stream: out, useStyles: true, useSharedStrings: true })
  workbook.creator = 'Markbook'
  workbook.lastModifiedBy = 'Markbook'
  workbook.created = new Date(madeAt)
  workbook.modified = new Date(madeAt)
  for (const sheet of sheets) await writeSheet(workbook, sheet)
  await workbook.commit()
  await whole
  return withoutTimes(Buffer.concat(chunks))
}

/** Writes an .xlsx workbook with frozen heads and real numbers. */
export const writeWorkbook = ({ sheets, madeAt }: WorkbookInput): Promise<Uint8Array> =>
  writePortions({ sheets: sheets.map((sheet) => ({ ...sheet, rows: [sheet.rows] })), madeAt })
