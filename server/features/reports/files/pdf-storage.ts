import type { ReportPdf } from '@markbook/shared/contract/reports'
import type { DocumentLanguage } from '@markbook/shared/domain/document-language'
import type { Row } from '@markbook/shared/tables/tables'
import type { PaperSize } from '../../../documents/report-card/report-card.input.ts'
import type { StoredObject } from '../../../files/storage.ts'
import type { Services } from '../../../http/services.ts'
import type { WriteTx } from '../../../store/tx.ts'
import { demandUnlocked } from '../reports.policy.ts'
import { BUCKET, contentTypes, pdfPath } from './paths.ts'

type Book = Row<'report_book'>
type Stored = Pick<StoredObject, 'path' | 'size' | 'etag'>

/** Paper size and language of a document; undefined: the school's language. */
export type Printing = { paper: PaperSize; language: DocumentLanguage | undefined }
type PrintingQuery = { paper?: 'A4' | 'Letter' | undefined; language?: DocumentLanguage | undefined }

export const printingOf = ({ paper, language }: PrintingQuery): Printing => ({ paper: paper === 'Letter' ? 'letter' : 'a4', language })

/** Inserts the row of a stored PDF. The caller has locked the book, so that it cannot be sent to the ministry meanwhile. */
export async function recordPdf(tx: WriteTx, book: Book, { path, size, etag }: Stored): Promise<ReportPdf> {
  demandUnlocked(book)
  return tx.insert('report_book_pdf', {
    id: tx.newId(),
    school_id: book.school_id,
    report_book_id: book.id,
    file_path: path,
    file_size: size,
    sha256: etag,
    generated_by: tx.actor,
    generated_at: tx.now,
  })
}

/** Stores a PDF of a report under a new path. */
export const storePdf = ({ files, clock }: Pick<Services, 'files' | 'clock'>, reportId: string, bytes: Uint8Array): Promise<StoredObject> =>
  files.put(BUCKET, pdfPath(reportId, clock.now()), bytes, { contentType: contentTypes.pdf })
