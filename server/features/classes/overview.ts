import type { ClassOverview } from '@markbook/shared/contract/overview'
import { byFoldedName } from '@markbook/shared/domain/fold'
import { isLocked, isSentBack, waitsForApproval } from '@markbook/shared/domain/report-moves'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { Row } from '@markbook/shared/tables/tables'
import type { SchoolCaller } from '../../http/caller.ts'
import { pick } from '../../store/conditions.ts'
import type { ReadTx } from '../../store/tx.ts'
import type { OutdatedBooks } from '../calculations/kept-results.policy.ts'
import { outdatedBooks, type Period } from '../reports/freshness.policy.ts'
import { changedReports } from '../reports/reports.policy.ts'
import { peopleOfSchool } from '../schools/schools.policy.ts'
import { classesFor, classesToRead } from './classes.queries.ts'
import { booksOfTerm, remarksOfBooks, reportingSchool } from './overview.queries.ts'
import { factsOf, progressOf } from './progress.handler.ts'

type Books = ClassOverview['books']
type Book = Awaited<ReturnType<typeof booksOfTerm>>[number] & { is_changed_since_sent_back: boolean }

/**
 * The progress of each class of a term's year, by name. The number of statements is independent of the number of classes. The caller is an
 * administrator, who may see all of them.
 */
export async function classesOfTerm(
  tx: ReadTx,
  caller: SchoolCaller,
  term: Row<'term'>,
  type: Row<'report_book'>['report_type'],
): Promise<ClassOverview[]> {
  const { school_id: school } = term
  const all = await classesFor(tx, caller)
  const groups = all.filter(({ academic_year_id }) => academic_year_id === term.academic_year_id).sort(byFoldedName)
  const facts = await factsOf(tx, term, groups)
  const ofTerm = { school, term: term.id, type }
  const made = await booksOfTerm(tx, ofTerm)
  const sentBack = made.flatMap(({ id, sent_back_at }) => (sent_back_at === null ? [] : [id]))
  const changed = await changedReports(tx, school, sentBack)
  const told = made.map((book) => ({ ...book, is_changed_since_sent_back: changed.has(book.id) }))
  const books = groupedBy(told, ({ student_group_id }) => student_group_id)
  const open = made.flatMap(({ id, status }) => (isLocked(status) ? [] : [id]))
  const remarks = await remarksOfBooks(tx, { school, books: JSON.stringify(open) })
  const [asking = { approves_reports: null }] = await reportingSchool(tx, { school })
  const people = new Map(
    (await peopleOfSchool(tx, { school })).map(({ user_id: id, first_name, last_name }) => [id, { id, first_name, last_name }]),
  )
  const personOf = (id: string) => people.get(id) ?? { id, first_name: null, last_name: null }
  return groups.map((group) => ({
    class: pick(group, 'id', 'name'),
    class_teacher: group.class_teacher_id === null ? null : personOf(group.class_teacher_id),
    students: facts.enrolled.filter(({ student_group_id }) => student_group_id === group.id).length,
    subjects: progressOf(facts, group, caller).map(({ subject, assessments, expected, recorded }) => {
      const inSubject = (row: { student_group_id: string; subject_id: string }) =>
        row.student_group_id === group.id && row.subject_id === subject.id
      const { entries = 0, remarks: written = 0 } = remarks.find(inSubject) ?? {}
      const teachers = facts.teachers.filter(inSubject).map(({ user_profile_id }) => personOf(user_profile_id))
      return { subject, teachers, assessments, expected, recorded, entries, remarks: written }
    }),
    books: counted(books.get(group.id) ?? [], asking),
  }))
}

/** The outdated books of the classes of a period, all or those in `isAsked`. This calculates all results of each of these classes. */
export async function outdatedInYear(tx: ReadTx, period: Period, isAsked = (_id: string) => true): Promise<OutdatedBooks> {
  const { school_id: school, academic_year_id: year } = period.term
  const counts: OutdatedBooks = []
  for (const group of await classesToRead(tx, { school, year }))
    if (isAsked(group.id)) counts.push({ student_group_id: group.id, outdated: await outdatedBooks(tx, group, period) })
  return counts
}

function counted(books: readonly Book[], asking: Pick<Row<'school'>, 'approves_reports'>): Books {
  const open = books.filter(({ status }) => !isLocked(status))
  const of = (is: (book: Book) => boolean) => open.filter(is).length
  return {
    made: books.length,
    without_remark: of(({ class_teacher_remark }) => class_teacher_remark === ''),
    to_approve: of((book) => waitsForApproval(asking, book)),
    sent_back: of((book) => isSentBack(asking, book)),
    approved: of(({ approved_at }) => approved_at !== null),
    published: of(({ status }) => status === 'published'),
    sent: books.length - open.length,
  }
}
