import { importFailures } from '@markbook/shared/contract/imports'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import {
  decodeText,
  HAS_APOSTROPHE,
  NEEDS_APOSTROPHE,
  type Separator,
  separatorOf,
  splitAnnounced,
} from '@markbook/shared/spreadsheet/csv-text'
import {
  type Cell,
  emptyFile,
  isBlank,
  type Sheet,
  type SheetRow,
  tooManyBytes,
  tooManyRows,
  toSheet,
} from '@markbook/shared/spreadsheet/table'
import { CsvError, parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'

/** Blank lines are allowed up to this number. */
const LINES_MAX = limits.importRows * 10

/** The longest line in characters: every column with the longest text of any field. */
const LINE_MAX = limits.importColumns * limits.text.remark

const withoutApostrophe = (cell: string): string => (HAS_APOSTROPHE.test(cell) ? cell.slice(1) : cell)

/**
 * Removes the thousands of empty rows that spreadsheets write at the end. A loop, because a regular expression would take quadratic time.
 */
function withoutTail(text: string): string {
  let end = text.length
  while (end > 0 && ' ,;\t\r\n'.includes(text[end - 1] as string)) end -= 1
  return text.slice(0, end)
}

function toFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof CsvError)) return error
  const { code, lines } = error
  if (code === 'CSV_MAX_RECORD_SIZE')
    return importFailures.tooLarge({ message: `Line ${lines} of this file is too long. A quotation mark may be missing there.` })
  const isOpen = code === 'CSV_QUOTE_NOT_CLOSED'
  const message = isOpen ? 'A quotation mark in this file is opened and never closed.' : `Line ${lines} of this file cannot be read.`
  return importFailures.unreadable({ message })
}

function parseLines(text: string, delimiter: Separator): SheetRow[] {
  const lines: SheetRow[] = []
  let row = 0
  const keep = (record: string[]) => {
    row += 1
    const cells = record.map(withoutApostrophe)
    if (!isBlank(cells)) lines.push({ row, cells })
    if (lines.length > limits.importRows + 1 || row > LINES_MAX) throw tooManyRows()
    return null
  }
  parse(text, {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: LINE_MAX,
    on_record: keep,
  })
  return lines
}

/**
 * Reads a CSV file: UTF-8, UTF-16 with a byte-order mark or Windows-1252; comma, semicolon or tab (`separatorOf`). Removes the apostrophe
 * that writeCsv puts before a formula. Throws imports.unreadable (400) and imports.too_large (413).
 */
export function readCsv(bytes: Uint8Array): Sheet {
  if (bytes.byteLength > limits.body.importBytes) throw tooManyBytes()
  const { announced, body } = splitAnnounced(toText(bytes))
  const text = withoutTail(body)
  if (text === '') throw emptyFile()
  try {
    return toSheet(parseLines(text, announced ?? separatorOf(text)))
  } catch (error) {
    throw toFailure(error)
  }
}

/** Reads the cells that `writeCsv` wrote, unchanged and without limits. Throws a plain Error for malformed CSV. */
export function readExactCsv(bytes: Uint8Array): string[][] {
  const lines: string[][] = parse(Buffer.from(bytes), { bom: true, relax_column_count: true })
  return lines.map((cells) => cells.map(withoutApostrophe))
}

/** The separator of cells and the decimal mark. A French spreadsheet reads a line with commas as one cell, and 91.4 as text. */
type Signs = { separator: ',' | ';'; decimal: string }
const inEnglish: Signs = { separator: ',', decimal: '.' }

const inert = (cell: Cell, { decimal }: Signs): string => {
  if (typeof cell === 'number') return String(cell).replace('.', decimal)
  return NEEDS_APOSTROPHE.test(cell ?? '') ? `'${cell}` : (cell ?? '')
}

/**
 * Writes a CSV file that Excel opens with the right accents: UTF-8 with a byte-order mark, CRLF, texts that never run as formulas, and,
 * without other `signs`, commas and decimal points.
 */
export function writeCsv(table: { head: readonly string[]; rows: readonly (readonly Cell[])[] }, signs = inEnglish): Uint8Array {
  return csvLines([table.head, ...table.rows], { isFirst: true, signs })
}

/** A part of such a file; `isFirst`: the first part. */
export function csvLines(
  lines: readonly (readonly Cell[])[],
  { isFirst, signs = inEnglish }: { isFirst: boolean; signs?: Signs },
): Uint8Array {
  const texts = lines.map((cells) => cells.map((cell) => inert(cell, signs)))
  const form = { delimiter: signs.separator, record_delimiter: 'windows', quoted_match: /[\r\n\t;]/ }
  return Buffer.from(stringify(texts, { bom: isFirst, ...form }), 'utf8')
}

/** See `decodeText`. Throws imports.unreadable for control characters, which no spreadsheet writes into text. */
function toText(bytes: Uint8Array): string {
  let text: string
  try {
    text = decodeText(bytes)
  } catch {
    throw importFailures.unreadable()
  }
  if (/(?![\t\n\r])\p{Cc}/u.test(text)) {
    throw importFailures.unreadable({ message: 'This file holds characters that are not text. Save it again as .xlsx or .csv.' })
  }
  return text
}
