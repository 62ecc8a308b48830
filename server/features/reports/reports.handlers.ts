import { reportFailures, reports } from '@markbook/shared/contract/reports'
import { may } from '@markbook/shared/domain/access'
import { moveReport, type ReportMove } from '@markbook/shared/domain/report-moves'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on } from '../../http/handler.ts'
import { classAndTerm } from '../calculations/calculations.policy.ts'
import { columnsOf } from '../columns.ts'
import { gradingScaleOf, rowOfScale } from '../grading-scale/grading-scale.policy.ts'
import { factsAbout, rowOf } from '../policy.ts'
import { approve, changedSinceSentBack, demandApproved, entryWritten, sendBack, withoutApproval } from './approval.ts'
import { demandAsShown, freshnessOfReports, hasOtherResults, resultsNow } from './freshness.policy.ts'
import { generateReports, regenerateReport } from './generation.ts'
import { partialIn, weightsOf } from './partial.ts'
import { detailOf, shownEntry } from './report-detail.ts'
import { classPlace, demandUnlocked, entryOf, reportOf, reportsOfStudent, studentOf, takeBack } from './reports.policy.ts'
import { booksOfClass, booksOfType, entriesOfClass, entriesWithSubjects } from './reports.queries.ts'
import { sentSnapshot } from './snapshot.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>

function after(book: Book, move: ReportMove): Book['status'] {
  const status = moveReport(book.status, move)
  if (!status) throw reportFailures.invalidMove()
  return status
}

/** A typed letter equal to the calculated one is not stored: the entry keeps following the calculation. */
const letterColumn = (typed: string | null, { computed_letter }: Entry) => ({ manual_letter: typed === computed_letter ? null : typed })

export const reportHandlers: Handlers<typeof reports> = {
  generate: on(reports.generate, {
    load: (context, { targets }) => classPlace(context, targets),
    run: ({ tx }, { body }, { group, term, year }) => {
      if (body.reportType === 'year_end' && year.grading_model === 'term_based') throw reportFailures.noYearEnd()
      return generateReports(tx, group, { term, year, type: body.reportType })
    },
  }),

  list: on(reports.list, {
    load: (context, { targets }) => classAndTerm(context, targets),
    run: async ({ tx }, { query }, { group, term }) => {
      const rows = await booksOfClass(tx, { school: group.school_id, group: group.id, term: term.id })
      const asked = rows.filter(({ book }) => query.reportType === undefined || book.report_type === query.reportType)
      const books = asked.map(({ book }) => book)
      const changed = await changedSinceSentBack(tx, group.school_id, books)
      return asked.map(({ book, student }) => ({
        ...book,
        is_changed_since_sent_back: changed.has(book.id),
        student,
        attendance: book.snapshot.attendance ?? null,
      }))
    },
  }),

  ofStudent: on(reports.ofStudent, {
    load: (context, { targets }) => reportsOfStudent(context, targets),
    run: ({ tx }, { query }, { books, own }) => {
      const input = ({ report_type }: Book) => report_type === query.reportType
      const book = own.find(input)
      if (!book) throw books.some(input) ? common.forbidden() : common.notFound()
      return detailOf(tx, book)
    },
  }),

  standing: on(reports.standing, {
    load: (context, { targets }) => classPlace(context, targets),
    run: ({ tx }, { query }, { group, term, year }) => freshnessOfReports(tx, group, { term, year, type: query.reportType }),
  }),

  sent: on(reports.sent, {
    load: (context, { targets }) => classAndTerm(context, targets, 'readClass'),
    run: async ({ tx }, { query }, { group, term }) => {
      const all = await booksOfType(tx, { school: group.school_id, group: group.id, term: term.id }, query.reportType)
      return { sent: all.filter(({ status }) => status === 'sent_to_ministry').length }
    },
  }),

  get: on(reports.get, {
    load: (context, { params }) => reportOf(context, params.id),
    run: ({ tx }, _input, book) => detailOf(tx, book),
  }),

  update: on(reports.update, {
    load: (context, { params }) => reportOf(context, params.id),
    run: ({ tx }, { body }, book) => {
      demandUnlocked(book)
      return tx.update('report_book', book, withoutApproval(book, columnsOf(body)))
    },
  }),

  regenerate: on(reports.regenerate, {
    load: (context, { params }) => reportOf(context, params.id),
    run: async ({ tx }, _input, book) => {
      demandUnlocked(book)
      return detailOf(tx, await regenerateReport(tx, book))
    },
  }),

  publish: on(reports.publish, {
    load: (context, { params }) => reportOf(context, params.id),
    run: async ({ tx }, { query }, book) => {
      demandUnlocked(book)
      const status = after(book, 'publish')
      await demandApproved(tx, book)
      if (query.standingHash !== undefined) await demandAsShown(tx, book, await resultsNow(tx, book), query.standingHash)
      return tx.update('report_book', book, { status })
    },
  }),

  sendToMinistry: on(reports.sendToMinistry, {
    load: (context, { params }) => reportOf(context, params.id),
    run: async ({ tx }, { query }, book) => {
      const status = after(book, 'sendToMinistry')
      await demandApproved(tx, book)
      const now = await resultsNow(tx, book)
      if (query.standingHash !== undefined) await demandAsShown(tx, book, now, query.standingHash)
      const student = await studentOf(tx, book)
      const rows = await entriesWithSubjects(tx, { school: book.school_id, book: book.id })
      const entries = rows.map(({ entry, subject }) => ({ ...entry, subject }))
      const scale = rowOfScale(await gradingScaleOf(tx, book))
      const of = { sent_at: tx.now, scale, weights: await weightsOf(tx, book), was_behind: hasOtherResults(book, now) }
      return tx.update('report_book', book, { status, sent_snapshot: sentSnapshot(book, { student, entries }, of) })
    },
  }),

  approve: on(reports.approve, {
    load: (context, { params }) => rowOf(context, 'report_book', params.id),
    run: ({ tx, caller }, { body }, book) => {
      demandUnlocked(book)
      const { isApproved, reason, contentHash, expectedAt } = body
      if (isApproved) return approve(tx, book, contentHash, caller.user_id)
      return reason === undefined ? takeBack(tx, book, expectedAt) : sendBack(tx, book, { reason, contentHash }, caller.user_id)
    },
  }),

  entries: on(reports.entries, {
    load: (context, { targets }) => classAndTerm(context, targets, 'readClass'),
    run: async ({ tx, caller }, { query }, { group, facts, term }) => {
      const inClass = { school: group.school_id, group: group.id, term: term.id }
      const rows = await entriesOfClass(tx, { ...inClass, type: query.reportType })
      const partialOf = await partialIn(tx, await booksOfType(tx, inClass, query.reportType))
      return rows
        .filter(({ entry }) => may('writeReportEntry', factsAbout(caller, facts, entry.subject_id)))
        .map(({ entry, ...beside }) => ({ ...shownEntry(entry), ...partialOf(entry), ...beside }))
    },
  }),

  updateEntry: on(reports.updateEntry, {
    load: (context, { params }) => entryOf(context, params.entryId),
    run: async ({ tx }, { body }, { entry, book }) => {
      demandUnlocked(book)
      const patch = {
        ...(body.letterGrade !== undefined && letterColumn(body.letterGrade, entry)),
        ...(body.teacherRemark !== undefined && { teacher_remark: body.teacherRemark }),
      }
      const updated = await tx.update('report_book_entry', entry, patch)
      await entryWritten(tx, book, entry, updated)
      return shownEntry(updated)
    },
  }),
}
