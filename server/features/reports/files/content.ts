import { setImmediate } from 'node:timers/promises'
import { reportFileFailures } from '@markbook/shared/contract/report-files'
import { common, Failure } from '@markbook/shared/failures'
import { openZip } from '@markbook/shared/spreadsheet/zip'
import { sheetKind } from '../../../documents/sheet-kind.ts'
import type { FileType } from './paths.ts'

/** The types that browsers send for a PDF; without a suitable program they send a generic one. */
const SAID_FOR_PDF = ['application/pdf', 'application/x-pdf', 'application/octet-stream', '']
/** A PDF may be followed by a few bytes of other data. */
const TAIL_BYTES = 1_024
/** Bytes that are examined without yielding to the event loop. */
const PIECE_BYTES = 262_144

const wrong = (message: string) => reportFileFailures.wrongContent({ message })

/**
 * Checks that an upload has the content of its type. A PDF must begin with its signature, so that no file is a PDF and a web page at once;
 * a page hidden inside is harmless, because downloads have the recorded type. Throws 415 `reports.wrong_content`, 413 `too_large` for a
 * workbook that is too large when unpacked.
 */
export async function demandContent(type: FileType, content: Uint8Array): Promise<void> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (type === 'pdf') demandPdf(bytes)
  else if (type === 'xlsx') await demandWorkbook(bytes)
  else await demandText(bytes)
}

/** The browser's declared type must agree, where there is one. */
export function demandSaidPdf(contentType: string): void {
  if (!SAID_FOR_PDF.includes(contentType)) throw wrong('This needs a PDF.')
}

function demandPdf(bytes: Buffer): void {
  if (!/^%PDF-[12]\.\d/.test(bytes.toString('latin1', 0, 8))) throw wrong('This file is not a PDF.')
  if (!bytes.subarray(-TAIL_BYTES).includes('%%EOF')) throw wrong('This PDF is not whole. Save it again and send the new file.')
}

async function demandWorkbook(bytes: Buffer): Promise<void> {
  const isWorkbook = await orWrong(async () => {
    if (sheetKind({ bytes }) !== 'xlsx') return false
    const zip = await openZip(bytes)
    const types = await zip.read('[Content_Types].xml')
    if (zip.names.some((name) => /vbaProject|macrosheets/i.test(name)))
      throw wrong('This workbook holds macros. Save it as .xlsx without them.')
    return zip.names.includes('xl/workbook.xml') && types !== null && Buffer.from(types).includes('spreadsheetml.sheet.main+xml')
  })
  if (!isWorkbook) throw wrong('This file is not an Excel workbook (.xlsx).')
}

async function demandText(bytes: Buffer): Promise<void> {
  await orWrong(async () => {
    const isMarkup = /^(\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 256))
    if (bytes.length === 0 || isMarkup || sheetKind({ bytes }) !== 'csv') throw wrong('This file is not a CSV table.')
  })
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  const decoder = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8')
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const text = decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true })
    if (/(?![\t\n\r])\p{Cc}/u.test(text)) throw wrong('This file holds characters that are not text. Save it again as .csv.')
    await setImmediate()
  }
}

/** Turns the failures of the import's reader into those of reports. */
async function orWrong<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Failure) || !error.code.startsWith('imports.')) throw error
    throw error.status === 413 ? common.tooLarge({ message: error.message }) : wrong(error.message)
  }
}
