import { importFailures } from '@markbook/shared/contract/imports'
import { limits } from '@markbook/shared/limits'
import { strToU8, zipSync } from 'fflate'
import { tooManyColumns, tooManyRows } from './table.ts'
import { openZip, type Zip } from './zip.ts'

/*
 * A workbook holds much that a table does not need, and some of it can be made to harm the reader: a merged range or a
 * validation over every cell, a column list without end, a name for a million cells. So the reader never sees the file that
 * was sent, but a new one with a single sheet, its strings and its styles, whose cells have been counted.
 */

/** Cells with content. Enough for every row with forty columns; the reader takes about a kilobyte for each. */
const CELLS_MAX = limits.importRows * 40

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const EMPTY_STYLES = `<styleSheet xmlns="${MAIN}"><cellXfs count="1"><xf numFmtId="0"/></cellXfs></styleSheet>`
const EMPTY_STRINGS = `<sst xmlns="${MAIN}"/>`

const RELATIONS_XML = [
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">',
  `<Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>`,
  '</Relationships>',
].join('')

const workbookXml = (properties: string): string =>
  `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}">${properties}<sheets><sheet name="Sheet" sheetId="1" r:id="rId1"/></sheets></workbook>`

type Relation = { id: string; type: string; target: string }
type SheetName = { name: string; relation: string; isHidden: boolean }

const unreadable = () =>
  importFailures.unreadable({ message: 'The sheets of this workbook cannot be read. Save it again as .xlsx and send the new file.' })

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const plain = (text: string): string => text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')

function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag)
  return match ? plain(match[1] ?? match[2] ?? '') : undefined
}

/** Some programs write `<x:row>` for `<row>`; the reader knows only the latter. */
function unprefixed(xml: string, root: string): string {
  const prefix = new RegExp(`<(\\w+):${root}\\b`).exec(xml)?.[1]
  return prefix ? xml.replaceAll(`<${prefix}:`, '<').replaceAll(`</${prefix}:`, '</') : xml
}

async function readXml(zip: Zip, name: string, root: string): Promise<string | null> {
  const bytes = await zip.read(name)
  if (!bytes) return null
  try {
    return unprefixed(new TextDecoder('utf-8', { fatal: true }).decode(bytes), root)
  } catch {
    throw unreadable()
  }
}

const tags = (xml: string, name: string): string[] => xml.match(new RegExp(`<${name}\\b[^>]*>`, 'g')) ?? []

const toPath = (target: string): string => (target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`)

const relationsOf = (xml: string): Relation[] =>
  tags(xml, 'Relationship').map((tag) => ({
    id: attribute(tag, 'Id') ?? '',
    type: (attribute(tag, 'Type') ?? '').split('/').at(-1) ?? '',
    target: toPath(attribute(tag, 'Target') ?? ''),
  }))

const sheetsOf = (xml: string): SheetName[] =>
  tags(xml, 'sheet').map((tag) => ({
    name: attribute(tag, 'name') ?? '',
    relation: attribute(tag, 'id') ?? '',
    isHidden: (attribute(tag, 'state') ?? 'visible') !== 'visible',
  }))

function chooseSheet(workbook: string, relations: Relation[], preferred: readonly string[]): Relation {
  const worksheets = new Map(relations.filter(({ type }) => type === 'worksheet').map((relation) => [relation.id, relation]))
  const sheets = sheetsOf(workbook).filter(({ relation }) => worksheets.has(relation))
  const wanted = preferred.map((name) => name.toLowerCase())
  const chosen =
    sheets.find(({ name }) => wanted.includes(name.trim().toLowerCase())) ?? sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]
  const relation = chosen && worksheets.get(chosen.relation)
  if (!relation) throw unreadable()
  return relation
}

/** Formatting without content: whole columns of it are common, and cost the reader as much as marks do. */
const withoutEmpty = (xml: string): string => xml.replace(/<c\b[^>]*\/>/g, '').replace(/<row\b[^>]*(?:\/>|>\s*<\/row>)/g, '')

const columnOf = (letters: string): number => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

/** Every row and cell must say where it is; the reader would lose or misplace those that do not. */
function checkCells(xml: string): void {
  let rows = 0
  let cells = 0
  for (const [, name, rest] of xml.matchAll(/<(row|c)(\s[^>]*)?>/g)) {
    const where = /\sr=["']([A-Z]{0,3})(\d{1,7})["']/.exec(rest ?? '')
    if (!where || Number(where[2]) < 1 || Number(where[2]) > 1_048_576 || (name === 'c') === (where[1] === '')) throw unreadable()
    if (name === 'row') rows += 1
    else cells += 1
    if (rows > limits.importRows + 1) throw tooManyRows()
    if (cells > CELLS_MAX || columnOf(where[1] as string) > limits.importColumns) throw tooManyColumns()
  }
}

function checkIsWorkbook(types: string | null, workbook: string | null): void {
  if (types?.includes('spreadsheetml') && workbook !== null) return
  throw importFailures.wrongType({ message: 'This file is not an Excel workbook. Save it as .xlsx or .csv.' })
}

/**
 * The one sheet that is to be imported, as a small workbook of known shape: the first named in `preferred` (case ignored),
 * else the first that is not hidden. Throws imports.wrong_type (415), imports.unreadable (400), imports.too_large (413).
 */
export async function extractSheet(bytes: Uint8Array, preferred: readonly string[]): Promise<Uint8Array> {
  const zip = openZip(bytes)
  const workbook = await readXml(zip, 'xl/workbook.xml', 'workbook')
  checkIsWorkbook(await readXml(zip, '[Content_Types].xml', 'Types'), workbook)
  const relations = relationsOf((await readXml(zip, 'xl/_rels/workbook.xml.rels', 'Relationships')) ?? '')
  const read = async (type: string, root: string) => {
    const target = relations.find((relation) => relation.type === type)?.target
    return target === undefined ? null : readXml(zip, target, root)
  }
  const found = await readXml(zip, chooseSheet(workbook as string, relations, preferred).target, 'worksheet')
  if (found === null) throw unreadable()
  const sheet = withoutEmpty(found)
  checkCells(sheet)
  const is1904 = ['1', 'true'].includes(attribute(tags(workbook as string, 'workbookPr')[0] ?? '', 'date1904') ?? '')
  const parts = {
    'xl/workbook.xml': workbookXml(is1904 ? '<workbookPr date1904="1"/>' : '<workbookPr/>'),
    'xl/_rels/workbook.xml.rels': RELATIONS_XML,
    'xl/styles.xml': (await read('styles', 'styleSheet')) ?? EMPTY_STYLES,
    'xl/sharedStrings.xml': (await read('sharedStrings', 'sst')) ?? EMPTY_STRINGS,
    'xl/worksheets/sheet1.xml': sheet,
  }
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])), { level: 0 })
}
