import { reportFileFailures, reportFiles } from '@markbook/shared/contract/report-files'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { chargeUpload } from '../../../files/quota.ts'
import { type Handlers, on, onFile, onStaged } from '../../../http/handler.ts'
import type { ReadTx } from '../../../store/tx.ts'
import { demandAsDrawn } from '../approval.ts'
import { demandUnlocked, reportOf, studentOf } from '../reports.policy.ts'
import { pdfsOfBook } from '../reports.queries.ts'
import { demandContent, demandSaidPdf } from './content.ts'
import { cardName, titledOf } from './names.ts'
import { BUCKET, contentTypes, folderOf } from './paths.ts'
import { printingOf, recordPdf, storePdf } from './pdf-storage.ts'
import { cardsInput, readReportCards } from './report-card-data.ts'
import { periodOf } from './report-files.policy.ts'
import { pdfOfBook } from './report-files.queries.ts'

type Book = Row<'report_book'>

async function nameOf(tx: ReadTx, book: Book): Promise<string> {
  const period = await periodOf(tx, book)
  return cardName(await studentOf(tx, book), titledOf(period, period.type))
}

export const pdfHandlers = {
  recordPdf: onStaged(reportFiles.recordPdf, {
    load: (context, { params }) => reportOf(context, params.id),
    gather: async (_context, { body }, book) => {
      demandUnlocked(book)
      if (!body.filePath.startsWith(folderOf(book.id))) throw reportFileFailures.noSuchFile()
      return body
    },
    make: async ({ files }, { filePath, fileSize }) => {
      const object = await files.head(BUCKET, filePath)
      if (object?.size !== fileSize || object.contentType !== contentTypes.pdf) throw reportFileFailures.noSuchFile()
      return object
    },
    save: ({ tx }, object, book) => recordPdf(tx, book, object),
  }),

  uploadPdf: onStaged(reportFiles.uploadPdf, {
    load: (context, { params }) => reportOf(context, params.id),
    gather: async ({ caller }, { upload }, book) => {
      demandSaidPdf(upload.contentType)
      demandUnlocked(book)
      return { upload, reportId: book.id, userId: caller.user_id }
    },
    make: async (services, { upload, reportId, userId }) => {
      await chargeUpload(services, userId, 'files', upload.bytes.length)
      await demandContent('pdf', upload.bytes)
      return storePdf(services, reportId, upload.bytes)
    },
    save: ({ tx }, object, book) => recordPdf(tx, book, object),
  }),

  generatePdf: onStaged(reportFiles.generatePdf, {
    load: (context, { params }) => reportOf(context, params.id),
    gather: async ({ tx }, { query }, book) => {
      demandUnlocked(book)
      return { reportId: book.id, gathered: await readReportCards(tx, await periodOf(tx, book), [book], printingOf(query)) }
    },
    make: async (services, { reportId, gathered }) => {
      const { cards, failures } = await services.documents.reportCards(await cardsInput(gathered, services.files), {
        school: gathered.head.schoolId,
      })
      const [card] = cards
      if (!card) throw new Error(`the card of ${reportId} could not be drawn: ${failures[0]?.message}`)
      return { object: await storePdf(services, reportId, card.bytes), drawn: gathered.contents.get(reportId) }
    },
    save: async ({ tx }, { object, drawn }, book) => {
      await demandAsDrawn(tx, book, drawn)
      return recordPdf(tx, book, object)
    },
  }),

  pdfs: on(reportFiles.pdfs, {
    load: (context, { params }) => reportOf(context, params.id),
    run: ({ tx }, _input, book) => pdfsOfBook(tx, { school: book.school_id, book: book.id }),
  }),

  latestPdf: on(reportFiles.latestPdf, {
    load: (context, { params }) => reportOf(context, params.id),
    run: async ({ tx }, _input, book) => {
      const [latest] = await pdfsOfBook(tx, { school: book.school_id, book: book.id })
      if (!latest) throw reportFileFailures.noPdf()
      return latest
    },
  }),

  downloadPdf: onFile(reportFiles.downloadPdf, {
    load: async (context, { params }) => {
      const book = await reportOf(context, params.id)
      const [pdf] = await pdfOfBook(context.tx, { school: book.school_id, book: book.id, id: params.pdfId })
      if (!pdf) throw common.notFound()
      return { book, pdf }
    },
    run: async ({ tx }, _input, { book, pdf }) => ({ path: pdf.file_path, filename: await nameOf(tx, book) }),
    // The stored path is used unchanged: PDFs of an earlier system have flat paths.
    finish: async ({ path, filename }) => ({ stored: { bucket: BUCKET, path }, filename, missing: reportFileFailures.fileAway() }),
  }),
} satisfies Partial<Handlers<typeof reportFiles>>
