import { strToU8, type Zippable, zipSync } from 'fflate'

/* Workbooks written by hand for tests, so that the reader is tested independently of the library that writes workbooks. */

const XMLNS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

type FixtureSheet = { name: string; xml: string; state?: string }
export type FixtureWorkbook = { sheets: FixtureSheet[]; strings?: string; styles?: string; properties?: string; names?: string }

/** The worksheet around the given `<row>` elements; `after` follows the rows, `before` goes before them. */
export const worksheet = (rows: string, { before = '', after = '' } = {}): string =>
  `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${XMLNS}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`

/** A row of inline strings from column A. */
export const row = (number: number, ...cells: string[]): string =>
  `<row r="${number}">${cells.map((cell, index) => `<c r="${String.fromCharCode(65 + index)}${number}" t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`

/** The parts of a workbook, ready for zipSync. A test may damage one of them first. */
export function workbookParts({ sheets, strings, styles, properties = '', names = '' }: FixtureWorkbook): Record<string, Uint8Array> {
  const relation = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
  const list = sheets.map(
    ({ name, state }, index) => `<sheet name="${name}" sheetId="${index + 1}" ${state ? `state="${state}" ` : ''}r:id="rId${index + 1}"/>`,
  )
  const relations = sheets.map((_, index) => relation(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`))
  if (strings) relations.push(relation('rId91', 'sharedStrings', 'sharedStrings.xml'))
  if (styles) relations.push(relation('rId92', 'styles', 'styles.xml'))
  const parts: Record<string, string> = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    'xl/workbook.xml': `<workbook xmlns="${XMLNS}" xmlns:r="${RELATIONS}">${properties}<sheets>${list.join('')}</sheets>${names}</workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}</Relationships>`,
  }
  if (strings) parts['xl/sharedStrings.xml'] = `<sst xmlns="${XMLNS}">${strings}</sst>`
  if (styles) parts['xl/styles.xml'] = styles
  for (const [index, { xml }] of sheets.entries()) parts[`xl/worksheets/sheet${index + 1}.xml`] = xml
  return Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))
}

export const workbook = (fixture: FixtureWorkbook): Uint8Array => zipSync(workbookParts(fixture) as Zippable)

/** One date format (style 1) beside the general one (style 0). */
export const DATE_STYLES = `<styleSheet xmlns="${XMLNS}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`
