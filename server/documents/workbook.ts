import { columnLetters } from '@markbook/shared/spreadsheet/column-key'
import type { Cell } from '@markbook/shared/spreadsheet/table'
import { strToU8, Zip, ZipDeflate } from 'fflate'
import {
  cellStyle,
  NOTES_REFERENCE,
  notesParts,
  type Part,
  packageParts,
  stringsPart,
  stylesPart,
  worksheetPath,
  worksheetStart,
} from './workbook-parts.ts'

/**
 * `text` keeps leading zeros; `number` is a numeric cell, shown with `decimals` where given; `day` is YYYY-MM-DD and becomes a date cell.
 * Width in characters.
 */
export type WorkbookColumn = {
  head: string
  key: string
  width: number
  kind: 'text' | 'number' | 'day'
  decimals?: 0 | 2
  isHidden?: boolean
  isMuted?: boolean
}

/** Cells by column key; `muted`: keys of cells shown in grey; `signed`: keys of numbers shown with † behind them. */
export type WorkbookRow = {
  cells: Readonly<Record<string, Cell>>
  isHidden?: boolean
  muted?: readonly string[]
  signed?: readonly string[]
}

/**
 * `frozenColumns`: so many columns stay visible when scrolling, as the row of heads does; a note is shown at the head of its column.
 * `wrapsHeads`: heads may have several lines.
 */
export type WorkbookSheet<Rows = readonly WorkbookRow[]> = {
  name: string
  columns: readonly WorkbookColumn[]
  rows: Rows
  frozenColumns: number
  notes?: readonly { key: string; text: string }[]
  wrapsHeads?: boolean
  /** The first column is on the right. */
  isRightToLeft?: boolean
}

/** `madeAt` (milliseconds) is written as the time of creation and change, so equal input gives equal bytes. */
export type WorkbookInput<Rows = readonly WorkbookRow[]> = { sheets: readonly WorkbookSheet<Rows>[]; madeAt: number }

/** Rows in batches, so that they are never all in memory. */
export type RowBatches = Iterable<readonly WorkbookRow[]> | AsyncIterable<readonly WorkbookRow[]>

/** Characters of XML that are compressed at once. */
const CHUNK = 65_536
const LINE_HEIGHT = 15
/** Characters that fit in the width of a portrait page. */
const UPRIGHT_CHARACTERS = 95

/** Names that Excel accepts: without some characters, at most 31 long, unique ignoring case. */
function sheetNames(sheets: readonly WorkbookSheet<unknown>[]): string[] {
  const taken = new Set<string>()
  return sheets.map(({ name }) => {
    const plain =
      name
        .replace(/[*?:\\/[\]]/g, ' ')
        .replace(/^'|'$/g, ' ')
        .trim()
        .slice(0, 31) || 'Sheet'
    let free = plain
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${plain.slice(0, 27)} ${count}`
    taken.add(free.toLowerCase())
    return free
  })
}

/** Numbers values in the order of first use, since cells refer to texts and styles by number. */
class Numbering {
  readonly values = new Map<string, number>()

  numberOf(value: string): number {
    const known = this.values.get(value)
    if (known !== undefined) return known
    this.values.set(value, this.values.size)
    return this.values.size - 1
  }
}

/** Shared by the sheets of a file: its texts, and the styles of its cells. */
type Shared = { strings: Numbering; styles: Numbering }

/** A column with the indices of its styles. */
type Shape = WorkbookColumn & { letters: string; headStyle: number; plainStyle: number; greyStyle: number; signedStyle: number }

function formatOf({ kind, decimals }: WorkbookColumn) {
  if (kind !== 'number') return kind
  if (decimals === undefined) return 'general'
  return decimals === 0 ? 'integer' : 'hundredths'
}

function shapesOf({ columns, wrapsHeads = false }: WorkbookSheet<unknown>, { styles }: Shared): Shape[] {
  return columns.map((column, index) => {
    const format = formatOf(column)
    // Text would touch a number in the column before it.
    const indent = column.kind === 'text' && columns[index - 1]?.kind === 'number' ? ' indent="1"' : ''
    const left = `horizontal="left"${indent}`
    const alignment = `${column.kind === 'number' ? 'horizontal="right"' : left}${wrapsHeads ? ' vertical="top" wrapText="1"' : ''}`
    const body = indent ? { alignment: left } : {}
    return {
      ...column,
      letters: columnLetters(index),
      headStyle: styles.numberOf(cellStyle(format, { isBold: true, isGrey: column.isMuted ?? false, alignment })),
      plainStyle: styles.numberOf(cellStyle(format, body)),
      greyStyle: styles.numberOf(cellStyle(format, { isGrey: true, ...body })),
      signedStyle: styles.numberOf(cellStyle('signed', body)),
    }
  })
}

/** The number in a cell, for a day the days since 1899-12-30; null for text. */
function numberIn(kind: WorkbookColumn['kind'], value: Cell): number | null {
  if (kind === 'number' && typeof value === 'number') return value
  if (kind === 'day' && /^\d{4}-\d\d-\d\d$/.test(String(value))) return Date.parse(`${value}T00:00:00Z`) / 86_400_000 + 25_569
  return null
}

function cellXml(name: string, style: number, kind: WorkbookColumn['kind'], value: Cell, { strings }: Shared): string {
  if (value === null) return `<c r="${name}" s="${style}"/>`
  const number = numberIn(kind, value)
  if (number !== null && Number.isFinite(number)) return `<c r="${name}" s="${style}"><v>${number}</v></c>`
  return `<c r="${name}" s="${style}" t="s"><v>${strings.numberOf(String(value))}</v></c>`
}

function rowXml(number: number, shapes: readonly Shape[], { cells, isHidden, muted, signed }: WorkbookRow, shared: Shared): string {
  let xml = `<row r="${number}"${isHidden ? ' hidden="1"' : ''}>`
  for (const { key, kind, letters, isMuted, plainStyle, greyStyle, signedStyle } of shapes) {
    const value = cells[key] ?? null
    const isGrey = isMuted || muted?.includes(key)
    const style = isGrey ? greyStyle : signed?.includes(key) ? signedStyle : plainStyle
    if (value !== null || isGrey) xml += cellXml(`${letters}${number}`, style, kind, value, shared)
  }
  return `${xml}</row>`
}

/** The number of lines of a wrapped head. */
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

/** Columns and frozen panes, then the row of heads. */
function headXml(sheet: WorkbookSheet<unknown>, shapes: readonly Shape[], shared: Shared): string {
  const { frozenColumns } = sheet
  const split = `${frozenColumns > 0 ? `xSplit="${frozenColumns}" ` : ''}ySplit="1"`
  const pane = frozenColumns > 0 ? 'bottomRight' : 'bottomLeft'
  const columns = shapes.map(
    ({ width, isHidden, plainStyle }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${width}" style="${plainStyle}"${isHidden ? ' hidden="1"' : ''} customWidth="1"/>`,
  )
  // With explicit row heights in the file, spreadsheets do not adjust them by themselves.
  const height = sheet.wrapsHeads ? ` ht="${LINE_HEIGHT * Math.max(...sheet.columns.map(linesOf))}" customHeight="1"` : ''
  const heads = shapes.map(({ letters, headStyle, head }) => cellXml(`${letters}1`, headStyle, 'text', head, shared))
  return (
    `${worksheetStart}<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView${sheet.isRightToLeft ? ' rightToLeft="1"' : ''} workbookViewId="0">` +
    `<pane ${split} topLeftCell="${columnLetters(frozenColumns)}2" activePane="${pane}" state="frozen"/>` +
    `<selection pane="${pane}"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="${LINE_HEIGHT}"/>` +
    `<cols>${columns.join('')}</cols><sheetData><row r="1"${height}>${heads.join('')}</row>`
  )
}

/** Page setup: one page wide; a wide sheet in landscape. */
function endXml({ columns, notes = [] }: WorkbookSheet<unknown>): string {
  const characters = columns.reduce((sum, { width, isHidden = false }) => sum + (isHidden ? 0 : width), 0)
  const orientation = characters > UPRIGHT_CHARACTERS ? 'landscape' : 'portrait'
  return (
    '</sheetData><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>' +
    `<pageSetup orientation="${orientation}" fitToWidth="1" fitToHeight="0"/>${notes.length > 0 ? NOTES_REFERENCE : ''}</worksheet>`
  )
}

async function* worksheetXml(sheet: WorkbookSheet<RowBatches>, shared: Shared): AsyncGenerator<string> {
  const shapes = shapesOf(sheet, shared)
  let xml = headXml(sheet, shapes, shared)
  let number = 1
  for await (const batch of sheet.rows) {
    for (const row of batch) {
      number += 1
      xml += rowXml(number, shapes, row, shared)
      if (xml.length < CHUNK) continue
      yield xml
      xml = ''
    }
  }
  yield xml + endXml(sheet)
}

/** The earliest time of a zip entry: equal content gives equal bytes. */
const ZIP_TIME = new Date(1980, 0, 1)

/** Writes an .xlsx workbook of any size; rows leave the memory as they are written. Text never becomes a formula. */
export async function writeBatches({ sheets, madeAt }: WorkbookInput<RowBatches>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    chunks.push(chunk)
  })
  const add = async (path: string, xml: AsyncIterable<string> | readonly string[]) => {
    const file = new ZipDeflate(path)
    file.mtime = ZIP_TIME
    zip.add(file)
    for await (const piece of xml) file.push(strToU8(piece))
    file.push(new Uint8Array(), true)
  }
  const addParts = async (parts: readonly Part[]) => {
    for (const [path, xml] of parts) await add(path, [xml])
  }
  const shared: Shared = { strings: new Numbering(), styles: new Numbering() }
  shared.styles.numberOf(cellStyle('general', {}))
  const notes = sheets.map(({ columns, notes = [] }) =>
    columns.flatMap(({ key }, column) =>
      notes.filter((note) => note.key === key).map(({ text }) => ({ cell: `${columnLetters(column)}1`, column, text })),
    ),
  )
  const named = sheetNames(sheets).map((name, index) => ({ name, hasNotes: notes[index]?.length !== 0 }))
  await addParts(packageParts(named, madeAt))
  for (const [index, sheet] of sheets.entries()) {
    await add(worksheetPath(index), worksheetXml(sheet, shared))
    await addParts(notesParts(index, notes[index] ?? []))
  }
  await addParts([stringsPart(shared.strings.values.keys()), stylesPart(shared.styles.values.keys())])
  zip.end()
  return Buffer.concat(chunks)
}

/** Writes an .xlsx workbook with frozen heads and numeric cells. */
export const writeWorkbook = ({ sheets, madeAt }: WorkbookInput): Promise<Uint8Array> =>
  writeBatches({ sheets: sheets.map((sheet) => ({ ...sheet, rows: [sheet.rows] })), madeAt })
