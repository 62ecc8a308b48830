import { common } from '@markbook/shared/failures'
import type { PDFDocument } from 'pdf-lib'

const unreadable = (at: number) => common.wrongType({ message: `The stored file ${at + 1} is no PDF that can be read.` })

async function opened(bytes: Uint8Array, at: number): Promise<PDFDocument> {
  const { PDFDocument } = await import('pdf-lib')
  try {
    const file = await PDFDocument.load(bytes, { updateMetadata: false })
    // A file that is cut off is found out here.
    file.getPageCount()
    return file
  } catch {
    throw unreadable(at)
  }
}

/**
 * Stored PDFs one after the other. `twoSided`: where one ends on the front of a sheet, a blank page of its size follows, so that no file
 * begins on the back of another. The same files give the same bytes. Throws `wrong_type` (415) for what cannot be read.
 */
export async function mergePdfs(
  files: readonly Uint8Array[],
  { twoSided = false, onProgress }: { twoSided?: boolean; onProgress?: (done: number, total: number) => void | Promise<void> } = {},
): Promise<Uint8Array> {
  const { PDFDocument } = await import('pdf-lib')
  const whole = await PDFDocument.create({ updateMetadata: false })
  for (const [at, bytes] of files.entries()) {
    const file = await opened(bytes, at)
    const pages = await whole.copyPages(file, file.getPageIndices())
    for (const page of pages) whole.addPage(page)
    const last = pages.at(-1)
    if (twoSided && last && pages.length % 2 === 1 && at < files.length - 1) whole.addPage([last.getWidth(), last.getHeight()])
    await onProgress?.(at + 1, files.length)
  }
  return whole.save({ addDefaultPage: files.length === 0 })
}
