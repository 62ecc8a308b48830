import type { Row } from '@markbook/shared/tables/tables'
import { asc, getTableColumns } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/**
 * The books of these students for a term, locked in the order of ids, so that concurrent requests do not deadlock. `students` is a JSON
 * array.
 */
export const booksOfStudents = rowsBy(
  'report_book',
  { school: 'school_id', term: 'term_id', type: 'report_type', students: { in: 'student_id' } },
  { lock: true, orderBy: ['id'] },
)

/** `ids` is a JSON array. Not locked, for reading. */
export const booksById = rowsBy('report_book', { school: 'school_id', ids: { in: 'id' } })

/** The books of a class and term with their students, by last name, first name, id; a student's term report before the year-end one. */
export const booksOfClass = statement<{ school: string; group: string; term: string }>()(({ db, t, p }) => {
  const { report_book, student } = t
  return db
    .select({ book: getTableColumns(report_book), student: pick(student, 'id', 'first_name', 'last_name') })
    .from(report_book)
    .innerJoin(student, matches(student, { school_id: report_book.school_id, id: report_book.student_id }))
    .where(matches(report_book, { school_id: p.school, student_group_id: p.group, term_id: p.term }))
    .orderBy(asc(student.sort_key), asc(student.id), asc(report_book.report_type))
})

/** The books of one type, without their students. */
export async function booksOfType(tx: ReadTx, inClass: Parameters<typeof booksOfClass>[1], type: Row<'report_book'>['report_type']) {
  const rows = await booksOfClass(tx, inClass)
  return rows.map(({ book }) => book).filter(({ report_type }) => report_type === type)
}

/** The books of one student for a term: at most one of each type. */
export const booksOfStudent = rowsBy('report_book', { school: 'school_id', student: 'student_id', term: 'term_id' })

/** The entries of some books. Writers of entries have locked their books. `books` is a JSON array. */
export const entriesOfBooks = rowsBy('report_book_entry', { school: 'school_id', books: { in: 'report_book_id' } }, { orderBy: ['id'] })

/** The entries of a book with their subjects, in order; those without present figures come last, by code. */
export const entriesWithSubjects = statement<{ school: string; book: string }>()(({ db, t, p }) => {
  const { report_book_entry, subject } = t
  return db
    .select({ entry: getTableColumns(report_book_entry), subject: pick(subject, 'id', 'name', 'code') })
    .from(report_book_entry)
    .innerJoin(subject, matches(subject, { school_id: report_book_entry.school_id, id: report_book_entry.subject_id }))
    .where(matches(report_book_entry, { school_id: p.school, report_book_id: p.book }))
    .orderBy(asc(report_book_entry.sort_order), asc(subject.sort_order), asc(subject.code))
})

/** All entries of the books of a class and term, by last name of the student, then in the order of a book. */
export const entriesOfClass = statement<{ school: string; group: string; term: string; type: 'term' | 'year_end' }>()(({ db, t, p }) => {
  const { report_book, report_book_entry, student, subject } = t
  return db
    .select({
      entry: getTableColumns(report_book_entry),
      status: report_book.status,
      subject: pick(subject, 'id', 'name', 'code'),
      student: pick(student, 'id', 'first_name', 'last_name'),
    })
    .from(report_book)
    .innerJoin(student, matches(student, { school_id: report_book.school_id, id: report_book.student_id }))
    .innerJoin(report_book_entry, matches(report_book_entry, { school_id: report_book.school_id, report_book_id: report_book.id }))
    .innerJoin(subject, matches(subject, { school_id: report_book_entry.school_id, id: report_book_entry.subject_id }))
    .where(matches(report_book, { school_id: p.school, student_group_id: p.group, term_id: p.term, report_type: p.type }))
    .orderBy(asc(student.sort_key), asc(student.id), asc(report_book_entry.sort_order), asc(subject.sort_order), asc(subject.code))
})

/** Newest first. */
export const pdfsOfBook = rowsBy(
  'report_book_pdf',
  { school: 'school_id', book: 'report_book_id' },
  { orderBy: [{ desc: 'generated_at' }, { desc: 'id' }] },
)

/** The history entries of a report, the oldest first. */
export const writesTo = rowsBy(
  'history',
  { school: 'school_id', near: 'near_id', book: 'row_id' },
  { columns: ['at', 'changes'], where: { entity: 'report_book' }, orderBy: ['seq'] },
)

/** Not locked: the book of an entry is locked before the entry. */
export const entryById = rowsBy('report_book_entry', { school: 'school_id', id: 'id' })

export const studentById = rowsBy('student', { school: 'school_id', id: 'id' })
