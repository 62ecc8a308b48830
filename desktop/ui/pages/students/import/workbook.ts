import { limits } from '@markbook/shared/limits'
import type { CellEdit, Lines, ReadTable } from './table.ts'
import { type Entry, readZip, stored, unpack, writeZip } from './zip.ts'

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const CELL = /<((?:\w+:)?)c\b([^>]*?)(?:\/>|>([\s\S]*?)<\/\1c>)/g

/**
 * The first sheet of a workbook that is not hidden, as the server takes it. Cells are read as far as a person has to recognise them: a
 * day may be a number here. Null for what cannot be read; then the server says what is wrong with it.
 */
export async function readWorkbook(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<ReadTable | null> {
  const entries = readZip(bytes)
  if (!entries || entries.reduce((sum, { size }) => sum + size, 0) > limits.body.import * 8) return null
  const read = textsOf(entries)
  const relations = relationsIn(await read('xl/_rels/workbook.xml.rels'))
  const sheet = relations.get(firstSheet(await read('xl/workbook.xml')))
  const xml = sheet ? await read(sheet.target) : ''
  if (!sheet || !xml) return null
  const strings = [...relations.values()].find(({ type }) => type === 'sharedStrings')
  const lines = linesIn(xml, sharedIn(strings ? await read(strings.target) : ''))
  const rewritten = (edits: readonly CellEdit[]) => {
    const patched = stored(sheet.target, new TextEncoder().encode(withCells(xml, edits)))
    const zip = writeZip(entries.map((entry) => (entry.name === sheet.target ? patched : entry)))
    return new File([zip], name, { type: XLSX })
  }
  return { lines, rewritten }
}

/** A part as text; nothing where it is not there. */
const textsOf = (entries: readonly Entry[]) => async (name: string) => {
  const entry = entries.find((one) => one.name === name)
  return entry ? new TextDecoder().decode(await unpack(entry)) : ''
}

type Relation = { type: string; target: string }

const attribute = (tag: string, name: string): string => {
  const [, double, single] = new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? []
  return plain(double ?? single ?? '')
}

const tagsOf = (xml: string, name: string): string[] => xml.match(new RegExp(`<(?:\\w+:)?${name}\\b[^>]*>`, 'g')) ?? []

const relationsIn = (xml: string) =>
  new Map<string, Relation>(
    tagsOf(xml, 'Relationship').map((tag) => {
      const target = attribute(tag, 'Target')
      const type = attribute(tag, 'Type').split('/').at(-1) ?? ''
      return [attribute(tag, 'Id'), { type, target: target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}` }]
    }),
  )

function firstSheet(xml: string): string {
  const sheets = tagsOf(xml, 'sheet')
  const shown = sheets.find((tag) => ['', 'visible'].includes(attribute(tag, 'state'))) ?? sheets[0]
  return shown ? attribute(shown, 'id') : ''
}

/** The texts of an element, without how they are to be pronounced. */
const textIn = (xml: string): string =>
  [...xml.replace(/<((?:\w+:)?)rPh\b[\s\S]*?<\/\1rPh>/g, '').matchAll(/<((?:\w+:)?)t\b[^>]*?(?:\/>|>([\s\S]*?)<\/\1t>)/g)]
    .map(([, , text = '']) => plain(text))
    .join('')

const sharedIn = (xml: string): string[] =>
  [...xml.matchAll(/<((?:\w+:)?)si\b[^>]*?(?:\/>|>([\s\S]*?)<\/\1si>)/g)].map(([, , inner = '']) => textIn(inner))

function linesIn(xml: string, shared: readonly string[]): Lines {
  const lines = new Map<number, string[]>()
  for (const [, , attributes = '', inner = ''] of xml.matchAll(CELL)) {
    const place = placeOf(attribute(attributes, 'r'))
    const text = textOfCell(attribute(attributes, 't'), inner, shared).trim()
    if (!place || text === '') continue
    const cells = lines.get(place.row) ?? []
    while (cells.length <= place.column) cells.push('')
    cells[place.column] = text
    lines.set(place.row, cells)
  }
  return [...lines].map(([row, cells]) => ({ row, cells })).sort((a, b) => a.row - b.row)
}

function textOfCell(type: string, inner: string, shared: readonly string[]): string {
  if (type === 'inlineStr') return textIn(inner)
  const value = plain(/<(?:\w+:)?v\b[^>]*>([\s\S]*?)</.exec(inner)?.[1] ?? '')
  if (type === 's') return shared[Number(value)] ?? ''
  return type === 'e' ? '' : value
}

/** `C12` is column 2 of row 12. */
function placeOf(address: string): { row: number; column: number } | null {
  const [, letters, row] = /^([A-Z]{1,3})(\d{1,7})$/.exec(address) ?? []
  if (!letters || !row) return null
  return { row: Number(row), column: [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1 }
}

/** The sheet with other text in some of its cells. */
function withCells(xml: string, edits: readonly CellEdit[]): string {
  const missing = new Map(edits.map((edit) => [`${edit.row} ${edit.column}`, edit]))
  const changed = xml.replace(CELL, (whole, prefix: string, attributes: string) => {
    const place = placeOf(attribute(attributes, 'r'))
    const key = place ? `${place.row} ${place.column}` : ''
    const edit = missing.get(key)
    missing.delete(key)
    return edit ? cellOf(edit, prefix) : whole
  })
  return [...missing.values()].filter(({ text }) => text !== '').reduce(withCell, changed)
}

const cellOf = ({ row, column, text }: CellEdit, prefix: string): string =>
  `<${prefix}c r="${lettersOf(column)}${row}" t="inlineStr"><${prefix}is><${prefix}t>${escaped(text)}</${prefix}t></${prefix}is></${prefix}c>`

/** With one cell more, in its place among those of its row. */
function withCell(xml: string, edit: CellEdit): string {
  const row = new RegExp(`(<((?:\\w+:)?)row\\b[^>]*?\\sr=["']${edit.row}["'][^>]*?(?<!/)>)([\\s\\S]*?)(</\\2row>)`)
  return xml.replace(row, (_whole, open: string, prefix: string, cells: string, close: string) => {
    const after = [...cells.matchAll(CELL)].find(
      ([, , attributes = '']) => (placeOf(attribute(attributes, 'r'))?.column ?? 0) > edit.column,
    )
    const at = after?.index ?? cells.length
    return `${open}${cells.slice(0, at)}${cellOf(edit, prefix)}${cells.slice(at)}${close}`
  })
}

const lettersOf = (column: number): string =>
  (column >= 26 ? lettersOf(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26))

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const plain = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name) return NAMED[name] ?? whole
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
