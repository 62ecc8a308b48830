import { importFailures } from '@markbook/shared/contract/imports'
import type { CellValue, Cell as ExcelCell, Workbook, Worksheet } from 'exceljs'
import { type Cell, type Sheet, type SheetRow, toSheet } from './table.ts'
import { extractSheet } from './xlsx-parts.ts'
import { withoutTimes } from './zip.ts'

/** `text` keeps leading zeros, `number` stays a number that can be summed, `day` is YYYY-MM-DD and becomes a date. Width in characters. */
export type WorkbookColumn = {
  head: string
  key: string
  width: number
  kind: 'text' | 'number' | 'day'
  isHidden?: boolean
  isMuted?: boolean
}

/** Cells by column key; `muted` are the keys of cells shown in grey. */
export type WorkbookRow = { cells: Readonly<Record<string, Cell>>; isHidden?: boolean; muted?: readonly string[] }

/** `frozen` counts the rows and columns that stay in sight; a note is shown at the head of its column. */
export type WorkbookSheet = {
  name: string
  columns: readonly WorkbookColumn[]
  rows: readonly WorkbookRow[]
  frozen: { rows: number; columns: number }
  notes?: readonly { key: string; text: string }[]
}

/** `madeAt` (milliseconds) is written as the time of creation and change: the same input gives the same bytes. */
export type WorkbookInput = { sheets: readonly WorkbookSheet[]; madeAt: number }

/** All that a sheet may hold beside its cells; none of it is wanted, and ranges in it can be made to harm. */
const IGNORED = [
  'sheetPr dimension sheetViews sheetFormatPr cols autoFilter mergeCells rowBreaks hyperlinks pageMargins dataValidations pageSetup',
  'headerFooter printOptions picture drawing sheetProtection tableParts conditionalFormatting extLst',
].flatMap((names) => names.split(' '))

const GREY = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFE4E4E4' } } as const
const DAY_FORMAT = 'yyyy-mm-dd'

/** Loaded on first use: it is large, and a server that nobody asks for a workbook should start quickly. */
const openExcel = async (): Promise<Workbook> => new (await import('exceljs')).default.Workbook()

function toText(value: CellValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  // A spreadsheet shows 15 digits and keeps more: 8.2 + 3.1 is stored as 11.299999999999999.
  if (typeof value === 'number') return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : ''
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString().slice(0, 10)
  if ('error' in value) return ''
  if ('richText' in value) return value.richText.map((run) => run.text).join('')
  if ('formula' in value || 'sharedFormula' in value) return toText(value.result as CellValue)
  return ''
}

function linesOf(worksheet: Worksheet): SheetRow[] {
  const lines: SheetRow[] = []
  worksheet.eachRow((row, number) => {
    const cells: string[] = []
    row.eachCell((cell, column) => {
      while (cells.length < column) cells.push('')
      cells[column - 1] = toText(cell.value)
    })
    lines.push({ row: number, cells })
  })
  return lines
}

/**
 * Reads one sheet of an .xlsx workbook: the first named in `preferred` (case ignored), else the first that is not hidden.
 * Dates become YYYY-MM-DD, formulas the result that was saved with them, errors ''.
 * Throws imports.wrong_type (415), imports.unreadable (400), imports.too_large (413).
 */
export async function readWorkbook(bytes: Uint8Array, preferred: readonly string[] = []): Promise<Sheet> {
  const sheet = await extractSheet(bytes, preferred)
  const workbook = await openExcel()
  try {
    await workbook.xlsx.load(sheet as never, { ignoreNodes: IGNORED })
  } catch {
    throw importFailures.unreadable()
  }
  const worksheet = workbook.worksheets[0]
  if (!worksheet) throw importFailures.unreadable()
  return toSheet(linesOf(worksheet))
}

/** Excel refuses some characters in the name of a sheet, and more than 31 of them. */
const sheetName = (name: string): string =>
  name
    .replace(/[*?:\\/[\]]/g, ' ')
    .replace(/^'|'$/g, ' ')
    .trim()
    .slice(0, 31) || 'Sheet'

function writeCell(target: ExcelCell, column: WorkbookColumn, value: Cell): void {
  if (value === null) return
  if (column.kind === 'number' && typeof value === 'number') target.value = value
  else if (column.kind === 'day' && /^\d{4}-\d\d-\d\d$/.test(String(value))) target.value = new Date(`${value}T00:00:00Z`)
  else target.value = String(value)
}

function addSheet(workbook: Workbook, { name, columns, rows, frozen, notes = [] }: WorkbookSheet): void {
  const worksheet = workbook.addWorksheet(sheetName(name), { views: [{ state: 'frozen', ySplit: frozen.rows, xSplit: frozen.columns }] })
  worksheet.columns = columns.map(({ head, key, width, kind, isHidden = false }) => ({
    header: head,
    key,
    width,
    hidden: isHidden,
    style: kind === 'day' ? { numFmt: DAY_FORMAT } : kind === 'text' ? { numFmt: '@' } : {},
  }))
  worksheet.getRow(1).font = { bold: true }
  for (const [index, { cells, isHidden = false, muted = [] }] of rows.entries()) {
    const row = worksheet.getRow(index + 2)
    for (const [position, column] of columns.entries()) {
      const target = row.getCell(position + 1)
      writeCell(target, column, cells[column.key] ?? null)
      if (column.isMuted || muted.includes(column.key)) target.fill = GREY
    }
    row.hidden = isHidden
  }
  for (const [position, column] of columns.entries()) {
    const head = worksheet.getCell(1, position + 1)
    if (column.isMuted) head.fill = GREY
    const note = notes.find(({ key }) => key === column.key)
    if (note) head.note = note.text
  }
}

/** Writes an .xlsx workbook with frozen heads and real numbers. Text is never a formula, whatever it begins with. */
export async function writeWorkbook({ sheets, madeAt }: WorkbookInput): Promise<Uint8Array> {
  const workbook = await openExcel()
  workbook.creator = 'Markbook'
  workbook.lastModifiedBy = 'Markbook'
  workbook.created = new Date(madeAt)
  workbook.modified = new Date(madeAt)
  for (const sheet of sheets) addSheet(workbook, sheet)
  return withoutTimes(Buffer.from((await workbook.xlsx.writeBuffer()) as ArrayBuffer))
}
