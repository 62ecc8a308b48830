import { reportFileFailures, reportFiles } from '@markbook/shared/contract/report-files'
import { common } from '@markbook/shared/failures'
import { type Handlers, on, onFile } from '../../../http/handler.ts'
import { startJob } from '../../jobs/jobs.policy.ts'
import { classPlace, studentOf } from '../reports.policy.ts'
import { archiveOf } from './archive.ts'
import { cardName, classFileName, titledOf } from './names.ts'
import { contentTypes } from './paths.ts'
import { printingOf } from './pdf-storage.ts'
import { cardsInput, readReportCards } from './report-card-data.ts'
import { booksOf } from './report-files.policy.ts'
import { latestPdfs } from './report-files.queries.ts'

export const classPdfHandlers = {
  archive: onFile(reportFiles.archive, {
    load: (context, { targets }) => classPlace(context, targets),
    run: async ({ tx }, { query }, place) => {
      const { group, term } = place
      const rows = await latestPdfs(tx, { school: group.school_id, group: group.id, term: term.id, type: query.reportType })
      if (rows.every(({ file_path }) => file_path === null))
        throw reportFileFailures.noPdf({ message: 'There are no PDFs of these reports yet. Please make them first.' })
      const titled = titledOf(place, query.reportType)
      const list = rows.map((row) => ({ name: cardName(row, titled), path: row.file_path }))
      return { list, filename: classFileName('reports', titled, 'zip'), madeAt: tx.nowMs }
    },
    finish: async ({ list, filename, madeAt }, { files }) => ({
      stream: archiveOf(files, list, madeAt),
      filename,
      contentType: 'application/zip',
    }),
  }),

  print: onFile(reportFiles.print, {
    load: (context, { targets }) => classPlace(context, targets),
    run: async ({ tx }, { query }, place) => {
      const all = await booksOf(tx, place, query.reportType)
      const titled = titledOf(place, query.reportType)
      const [own] = all.filter(({ student_id }) => student_id === query.studentId)
      if (query.studentId !== undefined && !own) throw common.notFound()
      const books = own ? [own] : all
      const gathered = await readReportCards(tx, { ...place, type: query.reportType }, books, printingOf(query))
      return {
        gathered,
        twoSided: query.twoSided ?? false,
        filename: own ? cardName(await studentOf(tx, own), titled) : classFileName('reports', titled, 'pdf'),
      }
    },
    finish: async ({ gathered, twoSided, filename }, { documents, files }) => {
      const options = { school: gathered.head.schoolId, twoSided }
      return {
        bytes: await documents.printRun(await cardsInput(gathered, files), options),
        contentType: contentTypes.pdf,
        filename,
      }
    },
  }),

  generatePdfs: on(reportFiles.generatePdfs, {
    load: (context, { targets }) => classPlace(context, targets),
    run: async (context, { body, query }, place) => {
      const books = await booksOf(context.tx, place, body.reportType)
      const job = await startJob(context, {
        student_group_id: place.group.id,
        term_id: place.term.id,
        report_type: body.reportType,
        paper: query.paper ?? 'A4',
        ...(query.language && { language: query.language }),
        reports: books.map(({ id }) => id),
      })
      context.after(() => context.services.jobs.wake())
      return { job_id: job }
    },
  }),
} satisfies Partial<Handlers<typeof reportFiles>>
