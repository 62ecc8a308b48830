/* The parts of an .xlsx file besides its worksheets (ECMA-376, part 1, 18; part 2 for the package). Each has a path and its XML. */

export type Part = [path: string, xml: string]

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const PACKAGE_TYPE = 'application/vnd.openxmlformats-package'

export const worksheetStart = `${XML}<worksheet ${MAIN} xmlns:r="${OFFICE}">`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const SPECIAL = /[&<>"]/g
/** Characters that XML cannot hold or would change, and texts that look like their escape `_x000D_` (ECMA-376, part 1, 22.9.2.19). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-F]{4}_)/g

const escapeXml = (text: string): string =>
  text
    .replace(UNSAFE, (letter) => `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(SPECIAL, (letter) => ENTITIES[letter] as string)

const textElement = (text: string): string => `<t xml:space="preserve">${escapeXml(text)}</t>`

/** The relationships to other parts; the first is rId1. */
function relationsXml(targets: readonly (readonly [type: string, target: string])[]): string {
  const relations = targets.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`)
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}</Relationships>`
}

/** Worksheets are numbered from 1. */
export const worksheetPath = (index: number): string => `xl/worksheets/sheet${index + 1}.xml`

/** `madeAt` is in milliseconds. */
export function packageParts(sheets: readonly { name: string; hasNotes: boolean }[], madeAt: number): Part[] {
  const types = [
    ['/xl/workbook.xml', `${SHEET_TYPE}.sheet.main+xml`],
    ['/xl/styles.xml', `${SHEET_TYPE}.styles+xml`],
    ['/xl/sharedStrings.xml', `${SHEET_TYPE}.sharedStrings+xml`],
    ['/docProps/core.xml', `${PACKAGE_TYPE}.core-properties+xml`],
    ...sheets.map((_, index) => [`/${worksheetPath(index)}`, `${SHEET_TYPE}.worksheet+xml`]),
    ...sheets.flatMap(({ hasNotes }, index) => (hasNotes ? [[`/xl/comments${index + 1}.xml`, `${SHEET_TYPE}.comments+xml`]] : [])),
  ]
  const overrides = types.map(([name, type]) => `<Override PartName="${name}" ContentType="${type}"/>`)
  const names = sheets.map(({ name }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
  const time = `xsi:type="dcterms:W3CDTF">${new Date(madeAt).toISOString().slice(0, 19)}Z</dcterms:`
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="${PACKAGE_TYPE}.relationships+xml"/>` +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        `<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>${overrides.join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      relationsXml([
        [`${OFFICE}/officeDocument`, 'xl/workbook.xml'],
        [`${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'],
      ]),
    ],
    [
      'docProps/core.xml',
      `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
        'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
        '<dc:creator>Markbook</dc:creator><cp:lastModifiedBy>Markbook</cp:lastModifiedBy>' +
        `<dcterms:created ${time}created><dcterms:modified ${time}modified></cp:coreProperties>`,
    ],
    ['xl/workbook.xml', `${XML}<workbook ${MAIN} xmlns:r="${OFFICE}"><sheets>${names.join('')}</sheets></workbook>`],
    [
      'xl/_rels/workbook.xml.rels',
      relationsXml([
        ...sheets.map((_, index) => [`${OFFICE}/worksheet`, `/${worksheetPath(index)}`] as const),
        [`${OFFICE}/styles`, 'styles.xml'],
        [`${OFFICE}/sharedStrings`, 'sharedStrings.xml'],
      ]),
    ],
  ]
}

export function stringsPart(strings: Iterable<string>): Part {
  const items = Array.from(strings, (text) => `<si>${textElement(text)}</si>`)
  return ['xl/sharedStrings.xml', `${XML}<sst ${MAIN}>${items.join('')}</sst>`]
}

/** Number format ids; 164 is the first that a workbook may define. `signed`: numbers with two decimals, shown with † behind them. */
const FORMATS = { general: 0, integer: 1, hundredths: 2, text: 49, day: 164, signed: 165 }
const PLAIN_FONT = '<sz val="11"/><name val="Calibri"/><family val="2"/>'

/** The XML of one cell style; `alignment`: attributes. */
export const cellStyle = (format: keyof typeof FORMATS, look: { isBold?: boolean; isGrey?: boolean; alignment?: string }): string =>
  `<xf numFmtId="${FORMATS[format]}" fontId="${look.isBold ? 1 : 0}" fillId="${look.isGrey ? 2 : 0}" borderId="0" xfId="0" ` +
  `applyNumberFormat="1" applyFont="1" applyFill="1" applyAlignment="1">${look.alignment ? `<alignment ${look.alignment}/>` : ''}</xf>`

/** The first style applies to cells without one. The fills of a file must begin with these two. */
export const stylesPart = (styles: Iterable<string>): Part => [
  'xl/styles.xml',
  `${XML}<styleSheet ${MAIN}><numFmts count="2"><numFmt numFmtId="${FORMATS.day}" formatCode="yyyy-mm-dd"/>` +
    `<numFmt numFmtId="${FORMATS.signed}" formatCode="0.00&quot;†&quot;"/></numFmts>` +
    `<fonts count="2"><font>${PLAIN_FONT}</font><font><b/>${PLAIN_FONT}</font></fonts>` +
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
    '<fill><patternFill patternType="solid"><fgColor rgb="FFE4E4E4"/></patternFill></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs>${[...styles].join('')}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
]

/** At the end of a worksheet that has notes. */
export const NOTES_REFERENCE = '<legacyDrawing r:id="rId2"/>'

/**
 * The notes of a worksheet on cells of its first row, `column` from 0: their texts, and the shapes that show them, with Excel's file
 * names.
 */
export function notesParts(index: number, notes: readonly { cell: string; column: number; text: string }[]): Part[] {
  if (notes.length === 0) return []
  const comments = notes.map(({ cell, text }) => `<comment ref="${cell}" authorId="0"><text><r>${textElement(text)}</r></text></comment>`)
  const boxes = notes.map(
    ({ column }) =>
      `<v:shape type="#note" style="position:absolute;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><x:ClientData ObjectType="Note">` +
      `<x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${column + 1}, 6, 0, 14, ${column + 3}, 2, 4, 16</x:Anchor><x:AutoFill>False</x:AutoFill>` +
      `<x:Row>0</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  )
  const number = index + 1
  return [
    [
      `xl/worksheets/_rels/sheet${number}.xml.rels`,
      relationsXml([
        [`${OFFICE}/comments`, `../comments${number}.xml`],
        [`${OFFICE}/vmlDrawing`, `../drawings/vmlDrawing${number}.vml`],
      ]),
    ],
    [
      `xl/comments${number}.xml`,
      `${XML}<comments ${MAIN}><authors><author>Markbook</author></authors><commentList>${comments.join('')}</commentList></comments>`,
    ],
    [
      `xl/drawings/vmlDrawing${number}.vml`,
      '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">' +
        '<v:shapetype id="note" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/>' +
        `<v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${boxes.join('')}</xml>`,
    ],
  ]
}
