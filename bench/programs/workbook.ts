import { type WorkbookColumn, type WorkbookRow, writeBatches } from '@markbook/server/documents/workbook'
import { strToU8, Zip, ZipDeflate } from 'fflate'
import { meter, type Spent, serveCommands } from '../program.ts'

/** A workbook of 100,000 rows, by the server's writer or by the control, each in a process of its own. */
export type Written = Spent & { peakBytes: number; bytes: number }

const ROWS = 100_000
const PORTION = 500
const heads = ['Last name', 'First name', 'Student number', 'Subject', 'Assessment', 'Day', 'Score', 'Maximum', 'Percent', 'Remark']
const cellsOf = (at: number): (string | number)[] => [
  `Ó Briain ${at % 900}`,
  `Élan ${at % 400}`,
  `SB-${at % 4000}`,
  ['Mathematics', 'English', 'Irish', 'Science'][at % 4] as string,
  `Test ${at % 8}`,
  `2025-1${at % 3}-1${at % 10}`,
  (at * 7) % 100,
  100,
  ((at * 7) % 10_000) / 100,
  at % 10 === 0 ? 'Lively, but hurried & late' : '',
]

const columns: WorkbookColumn[] = heads.map((head, at) => ({
  head,
  key: head,
  width: 14,
  kind: at === 5 ? 'day' : at >= 6 && at <= 8 ? 'number' : 'text',
}))
function* portions(): Generator<WorkbookRow[]> {
  for (let from = 0; from < ROWS; from += PORTION) {
    yield Array.from({ length: PORTION }, (_, at) => {
      const cells = cellsOf(from + at)
      return { cells: Object.fromEntries(heads.map((head, column) => [head, cells[column] === '' ? null : (cells[column] ?? null)])) }
    })
  }
}
const ours = () => writeBatches({ madeAt: 0, sheets: [{ name: 'Marks', columns, rows: portions(), frozenColumns: 2 }] })

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const KIND = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const parts: Record<string, string> = {
  '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${TYPE}.sharedStrings+xml"/></Types>`,
  '_rels/.rels': `<Relationships ${RELATIONS}><Relationship Id="rId1" Type="${KIND}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `<Relationships ${RELATIONS}><Relationship Id="rId1" Type="${KIND}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${KIND}/styles" Target="styles.xml"/><Relationship Id="rId3" Type="${KIND}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${KIND}"><sheets><sheet name="Marks" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/styles.xml': `<styleSheet ${MAIN}><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
}
const escaped = (text: string) => (/[&<>]/.test(text) ? text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;') : text)

/** The control: the same cells with shared strings and dates, as text that is compressed while it is written. */
async function control(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    chunks.push(chunk)
  })
  const entry = (name: string) => {
    const file = new ZipDeflate(name, { level: 6 })
    zip.add(file)
    return file
  }
  for (const [name, xml] of Object.entries(parts)) entry(name).push(strToU8(xml), true)
  const strings = new Map<string, number>()
  const shared = (text: string) => {
    const known = strings.get(text)
    if (known !== undefined) return known
    strings.set(text, strings.size)
    return strings.size - 1
  }
  const cell = (value: string | number, at: number, row: number) => {
    const where = String.fromCharCode(65 + at) + row
    if (value === '') return ''
    if (typeof value === 'number') return `<c r="${where}"><v>${value}</v></c>`
    if (at === 5 && row > 1) return `<c r="${where}" s="1"><v>${Date.parse(value) / 86_400_000 + 25_569}</v></c>`
    return `<c r="${where}" t="s"><v>${shared(value)}</v></c>`
  }
  const line = (cells: readonly (string | number)[], row: number) =>
    `<row r="${row}">${cells.map((value, at) => cell(value, at, row)).join('')}</row>`
  const sheet = entry('xl/worksheets/sheet1.xml')
  let text = `<worksheet ${MAIN}><sheetData>${line(heads, 1)}`
  for (let at = 0; at < ROWS; at += 1) {
    text += line(cellsOf(at), at + 2)
    if (at % PORTION === 0) {
      sheet.push(strToU8(text))
      text = ''
    }
  }
  sheet.push(strToU8(`${text}</sheetData></worksheet>`), true)
  entry('xl/sharedStrings.xml').push(
    strToU8(`<sst ${MAIN}>${[...strings.keys()].map((one) => `<si><t>${escaped(one)}</t></si>`).join('')}</sst>`),
    true,
  )
  zip.end()
  return Buffer.concat(chunks)
}

serveCommands({
  write: async (): Promise<Written> => {
    const measured = meter()
    const { length } = await (process.argv[2] === 'ours' ? ours() : control())
    return { ...measured(), peakBytes: process.resourceUsage().maxRSS * 1_024, bytes: length }
  },
})
