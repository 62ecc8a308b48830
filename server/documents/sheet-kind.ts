import { importFailures } from '@markbook/shared/contract/imports'
import type { Failure } from '@markbook/shared/failures'

export type SheetKind = 'csv' | 'xlsx'
export type Upload = { bytes: Uint8Array; type?: string | undefined; filename?: string | undefined }

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Browsers on Windows send `application/vnd.ms-excel` for .csv. */
const TYPES: Record<string, SheetKind | 'either'> = {
  [XLSX_TYPE]: 'xlsx',
  'application/zip': 'xlsx',
  'application/x-zip-compressed': 'xlsx',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/plain': 'csv',
  'text/tab-separated-values': 'csv',
  'application/vnd.ms-excel': 'csv',
  'application/octet-stream': 'either',
  '': 'either',
}
const EXTENSIONS: Record<string, SheetKind> = { xlsx: 'xlsx', csv: 'csv', tsv: 'csv', txt: 'csv' }

/** The first bytes of other kinds of files, and their names for the message. */
const OTHERS: [starts: string[], name: string][] = [
  [['\xd0\xcf\x11\xe0'], 'an old .xls workbook, or one protected by a password'],
  [['%PDF-'], 'a PDF'],
  [['\x89PNG', '\xff\xd8\xff', 'GIF8', 'RIFF'], 'a picture'],
  [['{\\rtf'], 'a text document'],
  [['\x1f\x8b', '7z\xbc\xaf', 'Rar!'], 'a compressed archive'],
]
const WEB_PAGE = /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|table|meta)\b/i
const XML = /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!doctype|\w+:)/i

const startsAs = (start: string, starts: string[]): boolean => starts.some((one) => start.startsWith(one))

function otherKind(start: string): string | undefined {
  if (WEB_PAGE.test(start)) return 'a web page, even if its name says otherwise'
  if (XML.test(start)) return 'an XML document'
  return OTHERS.find(([starts]) => startsAs(start, starts))?.[1]
}

const saveAs = (what: string): Failure => importFailures.wrongType({ message: `This is ${what}. Save it as .xlsx or .csv.` })

/**
 * Recognises by content whether an upload is CSV or XLSX, and refuses one whose declared type or name contradicts it. `type`: the
 * Content-Type of the part, possibly with parameters. Throws imports.wrong_type (415) with advice.
 */
export function sheetKind({ bytes, type, filename }: Upload): SheetKind {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 512)).toString('latin1')
  const other = otherKind(start)
  if (other) throw saveAs(other)
  const kind: SheetKind = startsAs(start, ['PK\x03\x04', 'PK\x05\x06']) ? 'xlsx' : 'csv'
  const extension = /\.([A-Za-z0-9]+)\s*$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? ''
  const named = EXTENSIONS[extension]
  if (extension !== '' && named === undefined) throw saveAs(`a .${extension} file`)
  const declared = TYPES[(type ?? '').split(';')[0]?.trim().toLowerCase() ?? '']
  if (declared === undefined) throw importFailures.wrongType()
  const isBelied = (said: SheetKind | 'either' | undefined) => said !== undefined && said !== 'either' && said !== kind
  if (isBelied(named) || isBelied(declared)) {
    throw saveAs(
      kind === 'xlsx' ? 'an Excel workbook or a zip, but it is called a text file' : 'not an Excel workbook, although it is called one',
    )
  }
  return kind
}
