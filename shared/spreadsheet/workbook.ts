import { importFailures } from '../contract/imports.ts'
import { Failure } from '../failures.ts'
import { limits } from '../limits.ts'
import { type Sheet, type SheetRow, tooManyColumns, tooManyRows, toSheet } from './table.ts'
import { type Attributes, parseXml, type XmlHandlers } from './xml.ts'
import { openZip, type Zip } from './zip.ts'

/*
 * The reader of .xlsx (ECMA-376, part 1, 18.2 to 18.8) for the server and the app. It parses each part once, from start to end, and keeps
 * only the texts of cells. Merged ranges, validations, names and the rest are ignored.
 */

/** Cells with content: the greatest number of rows with forty columns each. */
const CELLS_MAX = limits.importRows * 40
/** Characters of all cells together. A shared string counts for each cell that shows it. */
const TEXT_MAX = limits.importUnpackedBytes
const ROW_MAX = 1_048_576

const unreadable = () =>
  importFailures.unreadable({ message: 'The sheets of this workbook cannot be read. Save it again as .xlsx and send the new file.' })

type Relation = { id: string; type: string; target: string }
type SheetName = { name: string; relation: string; isHidden: boolean }
type WorkbookPart = { sheets: SheetName[]; is1904: boolean }

/**
 * Reads one sheet of an .xlsx workbook: the first named in `preferred` (case ignored), else the first visible one. Dates become
 * YYYY-MM-DD, percentages 85%, formulas their saved result, errors ''. Throws imports.wrong_type (415), imports.unreadable (400),
 * imports.too_large (413).
 */
export async function readWorkbook(bytes: Uint8Array, preferred: readonly string[] = []): Promise<Sheet> {
  const zip = await openZip(bytes)
  const workbook = await zip.read('xl/workbook.xml')
  const types = await zip.read('[Content_Types].xml')
  if (!workbook || !types || !new TextDecoder().decode(types).includes('spreadsheetml'))
    throw importFailures.wrongType({ message: 'This file is not an Excel workbook. Save it as .xlsx or .csv.' })
  const { sheets, is1904 } = workbookIn(workbook)
  const relations = await relationsIn(zip)
  const sheet = await zip.read(chooseSheet(sheets, relations, preferred).target)
  if (!sheet) throw unreadable()
  const part = async (type: string) => {
    const target = relations.find((relation) => relation.type === type)?.target
    return target === undefined ? null : zip.read(target)
  }
  const styles = await part('styles')
  const strings = await part('sharedStrings')
  return toSheet(rowsIn(sheet, { strings: strings ? stringsIn(strings) : [], shows: styles ? formatsIn(styles) : [], is1904 }))
}

/** The names of the visible sheets, in order; empty for a file that is no workbook. */
export async function sheetNames(bytes: Uint8Array): Promise<string[]> {
  const zip = await openZip(bytes)
  const workbook = await zip.read('xl/workbook.xml')
  if (!workbook) return []
  const worksheets = new Set((await relationsIn(zip)).filter(({ type }) => type === 'worksheet').map(({ id }) => id))
  return workbookIn(workbook)
    .sheets.filter(({ relation, isHidden }) => !isHidden && worksheets.has(relation))
    .map(({ name }) => name)
}

/** Parses a part. Throws imports.unreadable where it is not well-formed. */
function parse(bytes: Uint8Array, handlers: XmlHandlers): void {
  try {
    parseXml(bytes, handlers)
  } catch (error) {
    throw error instanceof Failure ? error : unreadable()
  }
}

const isTrue = (flag: string | undefined) => flag === '1' || flag === 'true'

function workbookIn(bytes: Uint8Array): WorkbookPart {
  const found: WorkbookPart = { sheets: [], is1904: false }
  const open = (name: string, attributes: Attributes) => {
    if (name === 'workbookPr') found.is1904 = isTrue(attributes['date1904'])
    if (name !== 'sheet') return
    const relation = Object.entries(attributes).find(([key]) => key === 'id' || key.endsWith(':id'))?.[1] ?? ''
    found.sheets.push({ name: attributes['name'] ?? '', relation, isHidden: (attributes['state'] ?? 'visible') !== 'visible' })
  }
  parse(bytes, { open })
  return found
}

const toPath = (target: string): string => (target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`)

async function relationsIn(zip: Zip): Promise<Relation[]> {
  const bytes = await zip.read('xl/_rels/workbook.xml.rels')
  const relations: Relation[] = []
  const open = (name: string, { Id = '', Type = '', Target = '' }: Attributes) => {
    if (name === 'Relationship') relations.push({ id: Id, type: Type.split('/').at(-1) ?? '', target: toPath(Target) })
  }
  if (bytes) parse(bytes, { open })
  return relations
}

function chooseSheet(all: readonly SheetName[], relations: readonly Relation[], preferred: readonly string[]): Relation {
  const worksheets = new Map(relations.filter(({ type }) => type === 'worksheet').map((relation) => [relation.id, relation]))
  const sheets = all.filter(({ relation }) => worksheets.has(relation))
  const wanted = preferred.map((name) => name.toLowerCase())
  const chosen =
    sheets.find(({ name }) => wanted.includes(name.trim().toLowerCase())) ?? sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]
  const relation = chosen && worksheets.get(chosen.relation)
  if (!relation) throw unreadable()
  return relation
}

/** Characters that XML cannot hold are escaped as `_x000D_` (ECMA-376, part 1, 22.9.2.19). */
const unescaped = (text: string): string =>
  text.includes('_x') ? text.replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : text

/** Collects the text of `<si>` or `<is>`: its runs in order, without phonetic hints. */
function textCollector() {
  let text = ''
  let inText = false
  let inPhonetic = false
  return {
    open: (name: string) => {
      if (name === 'rPh') inPhonetic = true
      if (name === 't') inText = !inPhonetic
    },
    text: (piece: string) => {
      if (inText) text += piece
    },
    close: (name: string) => {
      if (name === 'rPh') inPhonetic = false
      if (name === 't') inText = false
    },
    /** Returns the text so far, and starts a new one. */
    take: () => {
      const taken = unescaped(text)
      text = ''
      return taken
    },
  }
}

function stringsIn(bytes: Uint8Array): string[] {
  const strings: string[] = []
  const texts = textCollector()
  const close = (name: string) => {
    texts.close(name)
    if (name === 'si') strings.push(texts.take())
  }
  parse(bytes, { open: texts.open, text: texts.text, close })
  return strings
}

/** The date formats among the built-in number formats (ECMA-376, part 1, 18.8.30). */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])
const PERCENT_FORMATS = new Set([9, 10])
type CellFormat = 'date' | 'percent' | 'number'

/** The kind of a number format, ignoring colours and quoted text. */
function shownBy(format: string): CellFormat {
  const plain = format.replace(/\[[^\][]*]/g, '').replace(/"[^"]*"/g, '')
  if (/[ymdhMsb]/.test(plain)) return 'date'
  return plain.replace(/\\./g, '').includes('%') ? 'percent' : 'number'
}

function shownByNumber(id: number): CellFormat {
  if (DATE_FORMATS.has(id)) return 'date'
  return PERCENT_FORMATS.has(id) ? 'percent' : 'number'
}

/** The number format of each cell style. */
function formatsIn(bytes: Uint8Array): CellFormat[] {
  const formats = new Map<string, CellFormat>()
  const styles: CellFormat[] = []
  let inCells = false
  const open = (name: string, { numFmtId = '0', formatCode = '' }: Attributes) => {
    if (name === 'numFmt') formats.set(numFmtId, shownBy(formatCode))
    if (name === 'cellXfs') inCells = true
    if (name !== 'xf' || !inCells) return
    styles.push(formats.get(numFmtId) ?? shownByNumber(Number(numFmtId)))
  }
  const close = (name: string) => {
    if (name === 'cellXfs') inCells = false
  }
  parse(bytes, { open, close })
  return styles
}

type Context = { strings: readonly string[]; shows: readonly CellFormat[]; is1904: boolean }

const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

function toDay(serial: number, is1904: boolean): string {
  const day = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.round(serial * 86_400_000))
  return Number.isNaN(day.getTime()) ? '' : day.toISOString().slice(0, 10)
}

/** A spreadsheet shows 15 digits and stores more: 8.2 + 3.1 is stored as 11.299999999999999. */
const digits = (number: number): string => String(Number(number.toPrecision(15)))

/** The text of a cell from its `t` and `s` and its `<v>` (ECMA-376, part 1, 18.18.11). */
function valueText({ t, s }: Attributes, value: string, { strings, shows, is1904 }: Context): string {
  if (value === '' || t === 'e') return ''
  if (t === 's') {
    const text = strings[Number.parseInt(value, 10)]
    if (text === undefined) throw unreadable()
    return text
  }
  if (t === 'str') return unescaped(value)
  if (t === 'b') return Number.parseInt(value, 10) !== 0 ? 'TRUE' : 'FALSE'
  if (t === 'd') return value.slice(0, 10)
  const number = Number.parseFloat(value)
  if (!Number.isFinite(number)) return ''
  const shown = shows[Number(s ?? 0)]
  if (shown === 'date') return toDay(number, is1904)
  // The user sees 85%, not the stored 0.85.
  return shown === 'percent' ? `${digits(number * 100)}%` : digits(number)
}

function rowNumber({ r = '' }: Attributes): number {
  const number = /^\d{1,7}$/.test(r) ? Number(r) : 0
  if (number < 1 || number > ROW_MAX) throw unreadable()
  return number
}

/** Column A is 1. */
function columnNumber({ r = '' }: Attributes): number {
  const [, letters, row] = /^([A-Z]{1,3})(\d{1,7})$/.exec(r) ?? []
  if (!letters || Number(row) < 1 || Number(row) > ROW_MAX) throw unreadable()
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
  if (column > limits.importColumns) throw tooManyColumns()
  return column
}

/** Collects the rows of a sheet that have cells with content. Formatted empty cells are common, and cost nothing here. */
class Rows {
  private readonly rows = new Map<number, string[]>()
  private readonly texts = textCollector()
  private row: Attributes = {}
  private cells: string[] | null = null
  private cell: Attributes | null = null
  private column = 0
  private value = ''
  private inValue = false
  private cellCount = 0
  private rowCount = 0
  private characters = 0

  constructor(private readonly context: Context) {}

  open = (name: string, attributes: Attributes): void => {
    if (name === 'row') this.beginRow(attributes)
    else if (name === 'c') this.beginCell(attributes)
    else if (this.cell) {
      if (this.column === 0) this.countCell(this.cell)
      if (name === 'v') this.inValue = true
      this.texts.open(name)
    }
  }

  text = (piece: string): void => {
    if (this.inValue) this.value += piece
    else if (this.cell) this.texts.text(piece)
  }

  close = (name: string): void => {
    if (name === 'v') this.inValue = false
    else if (name === 'c') this.endCell()
    else this.texts.close(name)
  }

  /** In ascending order of rows, regardless of the order in the file. */
  sorted = (): SheetRow[] => [...this.rows].map(([row, cells]) => ({ row, cells })).sort((a, b) => a.row - b.row)

  private beginRow(attributes: Attributes): void {
    this.row = attributes
    this.cells = null
  }

  private beginCell(attributes: Attributes): void {
    this.cell = attributes
    this.column = 0
    this.value = ''
  }

  /** Called at the first element inside a cell. Throws where the row or cell does not state its position. */
  private countCell(cell: Attributes): void {
    if (!this.cells) {
      const number = rowNumber(this.row)
      this.rowCount += 1
      if (this.rowCount > limits.importRows + 1) throw tooManyRows()
      this.cells = this.rows.get(number) ?? []
      this.rows.set(number, this.cells)
    }
    this.cellCount += 1
    this.column = columnNumber(cell)
    if (this.cellCount > CELLS_MAX) throw tooManyColumns()
  }

  private endCell(): void {
    const { cell, cells, column } = this
    this.cell = null
    if (!cell || !cells || column === 0) return
    const inline = this.texts.take()
    const text = cell['t'] === 'inlineStr' ? inline : valueText(cell, this.value, this.context)
    this.characters += text.length
    if (this.characters > TEXT_MAX) throw tooManyColumns()
    while (cells.length < column) cells.push('')
    cells[column - 1] = text
  }
}

function rowsIn(bytes: Uint8Array, context: Context): SheetRow[] {
  const rows = new Rows(context)
  parse(bytes, rows)
  return rows.sorted()
}
