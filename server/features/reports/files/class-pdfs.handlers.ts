import { reportFileFailures, reportFiles } from '@markbook/shared/contract/report-files'
import { type Handlers, on, onFile } from '../../../http/handler.ts'
import { startJob } from '../../jobs/jobs.start.ts'
import { archiveOf } from './archive.ts'
import { cardsInput, gatherCards } from './gather-cards.ts'
import { paperSize } from './keep.ts'
import { cardName, classFileName } from './names.ts'
import { booksOf, type ClassPlace, classPlace } from './report-files.policy.ts'
import { latestPdfs } from './report-files.queries.ts'

type Type = 'term' | 'year_end'
const titledOf = ({ group, term, year }: ClassPlace, type: Type) => ({ class_name: group.name, year: year.name, term: term.name, type })

export const classPdfHandlers: Pick<Handlers<typeof reportFiles>, 'archive' | 'print' | 'generatePdfs'> = {
  archive: onFile(reportFiles.archive, {
    load: (scene, { targets }) => classPlace(scene, targets),
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
    load: (scene, { targets }) => classPlace(scene, targets),
    run: async ({ tx }, { query }, place) => {
      const books = await booksOf(tx, place, query.reportType)
      const gathered = await gatherCards(tx, { ...place, type: query.reportType }, books, paperSize(query.paper))
      return { gathered, twoSided: query.twoSided ?? false, filename: classFileName('reports', titledOf(place, query.reportType), 'pdf') }
    },
    finish: async ({ gathered, twoSided, filename }, { papers, files }) => {
      const { bytes, contentType } = await papers.printRun(await cardsInput(gathered, files), { twoSided })
      return { bytes, contentType, filename }
    },
  }),

  generatePdfs: on(reportFiles.generatePdfs, {
    load: (scene, { targets }) => classPlace(scene, targets),
    run: async (scene, { body, query }, place) => {
      const books = await booksOf(scene.tx, place, body.reportType)
      const job = await startJob(scene, {
        student_group_id: place.group.id,
        term_id: place.term.id,
        report_type: body.reportType,
        paper: query.paper ?? 'A4',
        reports: books.map(({ id }) => id),
      })
      scene.after(() => scene.services.jobs.wake())
      return { job_id: job }
    },
  }),
}
