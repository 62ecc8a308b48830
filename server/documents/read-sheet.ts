import { visibleText } from '@markbook/shared/domain/visible-text'
import { limits } from '@markbook/shared/limits'
import { emptyFile, type Sheet, tooManyBytes } from '@markbook/shared/spreadsheet/table'
import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import { readCsv } from './csv.ts'
import { sheetKind, type Upload } from './sheet-kind.ts'

/**
 * Reads an uploaded spreadsheet, XLSX or CSV, into a Sheet, and removes invisible characters. Of a workbook it reads the first worksheet
 * named in `preferred`, else the first. Throws imports.too_large (413), imports.wrong_type (415), imports.unreadable (400).
 */
export async function readSheet(upload: Upload, preferred: readonly string[] = []): Promise<Sheet> {
  if (upload.bytes.byteLength === 0) throw emptyFile()
  if (upload.bytes.byteLength > limits.body.importBytes) throw tooManyBytes()
  const { head, rows } = await (sheetKind(upload) === 'csv' ? readCsv(upload.bytes) : readWorkbook(upload.bytes, preferred))
  return { head: visible(head), rows: rows.map(({ row, cells }) => ({ row, cells: visible(cells) })) }
}

const visible = (cells: readonly string[]) => cells.map((cell) => visibleText(cell).trim())
