import { zipSync } from 'fflate'
import type { School } from '../../../testing/school.ts'
import { BUCKET } from './paths.ts'

/** A file with the first and last bytes of a PDF. */
export const pdfOf = (inside: string): Buffer => Buffer.from(`%PDF-1.7\n${inside}\n%%EOF\n`, 'latin1')

type Content = Uint8Array | string
/** An upload as a browser sends it. */
export function form(content: Content, type = 'application/pdf', fields: Record<string, string> = {}): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.set(name, value)
  made.set('file', new File([content as never], 'card.pdf', { type }))
  return made
}

const TYPES =
  '<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>'
const text = (content: string) => Buffer.from(content)

/** A minimal workbook. */
export const workbook = (more: Record<string, Uint8Array> = {}): Uint8Array =>
  zipSync({ '[Content_Types].xml': text(TYPES), 'xl/workbook.xml': text('<workbook/>'), ...more })

/** The paths of all stored files of reports and classes. */
export const storedPaths = async (st: School): Promise<string[]> =>
  (await st.services.files.list(BUCKET, { prefix: '', limit: 1_000 })).map(({ path }) => path)
