import { importFailures } from '@markbook/shared/contract/imports'
import type { CellValue, Workbook, Worksheet } from 'exceljs'
import { type Sheet, type SheetRow, toSheet } from './table.ts'
import { extractSheet } from './xlsx-parts.ts'

/** All that a sheet may hold beside its cells; none of it is wanted, and ranges in it can be made to harm. */
const IGNORED = [
  'sheetPr dimension sheetViews sheetFormatPr cols autoFilter mergeCells rowBreaks hyperlinks pageMargins dataValidations pageSetup',
  'headerFooter printOptions picture drawing sheetProtection tableParts conditionalFormatting extLst',
].flatMap((names) => names.split(' '))

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
