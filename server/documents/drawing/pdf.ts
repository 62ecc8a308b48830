import type { PaperSize } from '../report-card/report-card.input.ts'
import { type Fonts, newDocument, registerFonts } from './fonts.ts'
import { printable } from './lines.ts'

/** In points (1/72 in). */
export type PageSize = { width: number; height: number }

const PORTRAIT: Record<PaperSize, PageSize> = { a4: { width: 595.28, height: 841.89 }, letter: { width: 612, height: 792 } }

export const portrait = (paper: PaperSize): PageSize => PORTRAIT[paper]
export const landscape = (paper: PaperSize): PageSize => ({ width: PORTRAIT[paper].height, height: PORTRAIT[paper].width })

/** `madeAt` (ms) is the only time in the file, so equal input gives equal bytes. `locale`: the language for screen readers. */
export type PdfMetadata = { title: string; author: string; subject: string; madeAt: number; locale: string }
export type OpenPdf = { document: PDFKit.PDFDocument; finish(): Promise<Uint8Array> }

/** A tagged PDF with embedded fonts and no page yet. */
export function openPdf({ title, author, subject, madeAt, locale }: PdfMetadata, sheet: PageSize, fonts: Fonts): OpenPdf {
  const document = newDocument({
    size: [sheet.width, sheet.height],
    margin: 0,
    autoFirstPage: false,
    font: '',
    pdfVersion: '1.7',
    tagged: true,
    lang: locale,
    displayTitle: true,
    info: {
      Title: printable(title),
      Author: printable(author),
      Subject: printable(subject),
      Creator: 'Markbook',
      Producer: 'Markbook',
      CreationDate: new Date(madeAt),
    },
  } as PDFKit.PDFDocumentOptions)
  const chunks: Buffer[] = []
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk))
    document.on('end', () => resolve(ownBytes(Buffer.concat(chunks))))
    document.on('error', reject)
  })
  registerFonts(document, fonts)
  return {
    document,
    finish: () => {
      document.end()
      return whole
    },
  }
}

/** The bytes in a buffer of their own, which can be transferred to another thread. */
export const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer, 0, bytes.byteLength) : new Uint8Array(bytes)
