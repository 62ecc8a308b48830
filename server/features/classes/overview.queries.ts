import { and, count, eq, sql } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

type OfTerm = { school: string; term: string; type: 'term' | 'year_end' }

/** The first visible character of a text, or an empty one. Only whether there is one matters, and the texts are long. */
const firstOf = (column: unknown) => sql<string>`substr(ltrim(coalesce(${column}, ''), ' \t\r\n'), 1, 1)`

/** The report books of a term whose students are still in the book's class. */
export const booksOfTerm = statement<OfTerm>()(({ db, t: { report_book, enrolment }, p }) =>
  db
    .select({
      ...pick(report_book, 'id', 'student_group_id', 'status', 'approved_at', 'sent_back_at'),
      class_teacher_remark: firstOf(report_book.class_teacher_remark),
    })
    .from(report_book)
    .innerJoin(enrolment, matches(enrolment, pick(report_book, 'school_id', 'student_id', 'student_group_id')))
    .where(matches(report_book, { school_id: p.school, term_id: p.term, report_type: p.type })),
)

/**
 * For each class and subject, the number of entries in these books, and of those with a remark. `books` is a JSON array of ids: starting
 * from the year's enrolments, SQLite read every entry of the school.
 */
export const remarksOfBooks = statement<{ school: string; books: string }>()(({ db, t: { report_book, report_book_entry }, p, dialect }) =>
  db
    .select({
      ...pick(report_book, 'student_group_id'),
      ...pick(report_book_entry, 'subject_id'),
      entries: count(),
      remarks: count(sql`nullif(${firstOf(report_book_entry.teacher_remark)}, '')`),
    })
    .from(report_book_entry)
    .innerJoin(report_book, matches(report_book, { school_id: report_book_entry.school_id, id: report_book_entry.report_book_id }))
    .where(and(eq(report_book_entry.school_id, p.school), dialect.inList(report_book_entry.report_book_id, p.books)))
    .groupBy(report_book.student_group_id, report_book_entry.subject_id),
)

export const reportingSchool = rowsBy('school', { school: 'id' }, { columns: ['name', 'approves_reports'] })
