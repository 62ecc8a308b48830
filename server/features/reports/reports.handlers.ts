import { type Report, reportFailures, reports } from '@markbook/shared/contract/reports'
import { may } from '@markbook/shared/domain/access'
import { moveReport, type ReportMove } from '@markbook/shared/domain/report-moves'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { classAndTerm, yearOf } from '../calculations/calculations.policy.ts'
import { factsAbout } from '../policy.ts'
import { generateReports, regenerateReport } from './generation.ts'
import { detailOf, shownEntry } from './report-detail.ts'
import { demandUnlocked, entryOf, reportOf, reportsOfStudent } from './reports.policy.ts'
import { booksOfClass, entriesOfClass, entriesWithSubjects, studentById } from './reports.queries.ts'
import { sentSnapshot } from './snapshot.ts'
import { standingOf } from './standing.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>

function after(book: Book, move: ReportMove): Book['status'] {
  const status = moveReport(book.status, move)
  if (!status) throw reportFailures.invalidMove()
  return status
}

async function changed(tx: WriteTx, before: Book, patch: Partial<Book>): Promise<Report> {
  const [book] = await tx.update('report_book', [{ before, patch }])
  return book as Book
}

/** A letter that says the same as the calculated one is no change by hand: the entry goes on following the calculation. */
const letterColumn = (typed: string | null, { computed_letter }: Entry) => ({ manual_letter: typed === computed_letter ? null : typed })

export const reportHandlers: Handlers<typeof reports> = {
  generate: on(reports.generate, {
    load: async (scene, { targets }) => {
      const { group, term } = await classAndTerm(scene, targets)
      return { group, term, year: await yearOf(scene, term.academic_year_id) }
    },
    run: ({ tx }, { body }, { group, term, year }) => {
      if (body.reportType === 'year_end' && year.grading_model === 'term_based') throw reportFailures.noYearEnd()
      return generateReports(tx, group, { term, year, type: body.reportType })
    },
  }),

  list: on(reports.list, {
    load: (scene, { targets }) => classAndTerm(scene, targets),
    run: async ({ tx }, { query }, { group, term }) => {
      const rows = await booksOfClass(tx, { school: group.school_id, group: group.id, term: term.id })
      return rows
        .filter(({ book }) => query.reportType === undefined || book.report_type === query.reportType)
        .map(({ book, student }) => ({ ...book, student }))
    },
  }),

  ofStudent: on(reports.ofStudent, {
    load: (scene, { targets }) => reportsOfStudent(scene, targets),
    run: ({ tx }, { query }, { books, own }) => {
      const asked = ({ report_type }: Book) => report_type === query.reportType
      const book = own.find(asked)
      if (!book) throw books.some(asked) ? common.forbidden() : common.notFound()
      return detailOf(tx, book)
    },
  }),

  standing: on(reports.standing, {
    load: async (scene, { targets }) => {
      const { group, term } = await classAndTerm(scene, targets)
      return { group, term, year: await yearOf(scene, term.academic_year_id) }
    },
    run: ({ tx }, { query }, { group, term, year }) => standingOf(tx, group, { term, year, type: query.reportType }),
  }),

  get: on(reports.get, {
    load: (scene, { params }) => reportOf(scene, params.id),
    run: ({ tx }, _asked, book) => detailOf(tx, book),
  }),

  update: on(reports.update, {
    load: (scene, { params }) => reportOf(scene, params.id),
    run: ({ tx }, { body }, book) => {
      demandUnlocked(book)
      return changed(tx, book, {
        ...(body.classTeacherRemark !== undefined && { class_teacher_remark: body.classTeacherRemark }),
        ...(body.conduct !== undefined && { conduct: body.conduct }),
        ...(body.attendancePercentage !== undefined && { attendance_percentage: body.attendancePercentage }),
      })
    },
  }),

  regenerate: on(reports.regenerate, {
    load: (scene, { params }) => reportOf(scene, params.id),
    run: async ({ tx }, _asked, book) => {
      demandUnlocked(book)
      return detailOf(tx, await regenerateReport(tx, book))
    },
  }),

  publish: on(reports.publish, {
    load: (scene, { params }) => reportOf(scene, params.id),
    run: ({ tx }, _asked, book) => {
      demandUnlocked(book)
      return changed(tx, book, { status: after(book, 'publish') })
    },
  }),

  sendToMinistry: on(reports.sendToMinistry, {
    load: (scene, { params }) => reportOf(scene, params.id),
    run: async ({ tx }, _asked, book) => {
      const status = after(book, 'sendToMinistry')
      const [student] = await studentById(tx, { school: book.school_id, id: book.student_id })
      if (!student) throw common.notFound()
      const rows = await entriesWithSubjects(tx, { school: book.school_id, book: book.id })
      const entries = rows.map(({ entry, subject }) => ({ ...entry, subject }))
      return changed(tx, book, { status, sent_snapshot: sentSnapshot(book, { student, entries }, tx.now) })
    },
  }),

  entries: on(reports.entries, {
    load: (scene, { targets }) => classAndTerm(scene, targets, 'readClass'),
    run: async ({ tx, caller }, { query }, { group, facts, term }) => {
      const rows = await entriesOfClass(tx, { school: group.school_id, group: group.id, term: term.id, type: query.reportType })
      return rows
        .filter(({ entry }) => may('writeReportEntry', factsAbout(caller, facts, entry.subject_id)))
        .map(({ entry, ...beside }) => ({ ...shownEntry(entry), ...beside }))
    },
  }),

  updateEntry: on(reports.updateEntry, {
    load: (scene, { params }) => entryOf(scene, params.entryId),
    run: async ({ tx }, { body }, { entry, book }) => {
      demandUnlocked(book)
      const patch = {
        ...(body.letterGrade !== undefined && letterColumn(body.letterGrade, entry)),
        ...(body.teacherRemark !== undefined && { teacher_remark: body.teacherRemark }),
      }
      const [updated] = await tx.update('report_book_entry', [{ before: entry, patch }])
      return shownEntry(updated as Entry)
    },
  }),
}
