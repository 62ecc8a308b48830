import { and, asc, desc, eq, getTableColumns } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** The books of these students for a term, in the order of ids, so that two who lock them cannot wait for each other. `students` is a JSON array. */
export const booksOfStudents = statement<{ school: string; term: string; type: 'term' | 'year_end'; students: string }>({
  lock: 'report_book',
})(({ db, t, p, dialect }) => {
  const { report_book } = t
  return db
    .select()
    .from(report_book)
    .where(
      and(
        eq(report_book.school_id, p.school),
        eq(report_book.term_id, p.term),
        eq(report_book.report_type, p.type),
        dialect.inList(report_book.student_id, p.students),
      ),
    )
    .orderBy(asc(report_book.id))
})

/** `ids` is a JSON array. Not locked: to be read. */
export const booksById = statement<{ school: string; ids: string }>()(({ db, t, p, dialect }) =>
  db
    .select()
    .from(t.report_book)
    .where(and(eq(t.report_book.school_id, p.school), dialect.inList(t.report_book.id, p.ids))),
)

/** The books of a class and term with their students, by last name, first name, id; a student's term report before the year-end one. */
export const booksOfClass = statement<{ school: string; group: string; term: string }>()(({ db, t, p }) => {
  const { report_book, student } = t
  return db
    .select({
      book: getTableColumns(report_book),
      student: { id: student.id, first_name: student.first_name, last_name: student.last_name },
    })
    .from(report_book)
    .innerJoin(student, and(eq(student.school_id, report_book.school_id), eq(student.id, report_book.student_id)))
    .where(and(eq(report_book.school_id, p.school), eq(report_book.student_group_id, p.group), eq(report_book.term_id, p.term)))
    .orderBy(asc(student.sort_key), asc(student.id), asc(report_book.report_type))
})

/** The books of one student for a term: at most one of each type. */
export const booksOfStudent = statement<{ school: string; student: string; term: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.report_book)
    .where(and(eq(t.report_book.school_id, p.school), eq(t.report_book.student_id, p.student), eq(t.report_book.term_id, p.term))),
)

/** The entries of some books. Whoever writes them holds their books. `books` is a JSON array. */
export const entriesOfBooks = statement<{ school: string; books: string }>()(({ db, t, p, dialect }) =>
  db
    .select()
    .from(t.report_book_entry)
    .where(and(eq(t.report_book_entry.school_id, p.school), dialect.inList(t.report_book_entry.report_book_id, p.books)))
    .orderBy(asc(t.report_book_entry.id)),
)

/** The entries of a book with their subjects, in order; those without figures of now share a place and go by code. */
export const entriesWithSubjects = statement<{ school: string; book: string }>()(({ db, t, p }) => {
  const { report_book_entry, subject } = t
  return db
    .select({ entry: getTableColumns(report_book_entry), subject: { id: subject.id, name: subject.name, code: subject.code } })
    .from(report_book_entry)
    .innerJoin(subject, and(eq(subject.school_id, report_book_entry.school_id), eq(subject.id, report_book_entry.subject_id)))
    .where(and(eq(report_book_entry.school_id, p.school), eq(report_book_entry.report_book_id, p.book)))
    .orderBy(asc(report_book_entry.sort_order), asc(subject.sort_order), asc(subject.code))
})

/** All entries of the books of a class and term, by last name of the student, then in the order of a book. */
export const entriesOfClass = statement<{ school: string; group: string; term: string; type: 'term' | 'year_end' }>()(({ db, t, p }) => {
  const { report_book, report_book_entry, student, subject } = t
  return db
    .select({
      entry: getTableColumns(report_book_entry),
      status: report_book.status,
      subject: { id: subject.id, name: subject.name, code: subject.code },
      student: { id: student.id, first_name: student.first_name, last_name: student.last_name },
    })
    .from(report_book)
    .innerJoin(student, and(eq(student.school_id, report_book.school_id), eq(student.id, report_book.student_id)))
    .innerJoin(
      report_book_entry,
      and(eq(report_book_entry.school_id, report_book.school_id), eq(report_book_entry.report_book_id, report_book.id)),
    )
    .innerJoin(subject, and(eq(subject.school_id, report_book_entry.school_id), eq(subject.id, report_book_entry.subject_id)))
    .where(
      and(
        eq(report_book.school_id, p.school),
        eq(report_book.student_group_id, p.group),
        eq(report_book.term_id, p.term),
        eq(report_book.report_type, p.type),
      ),
    )
    .orderBy(asc(student.sort_key), asc(student.id), asc(report_book_entry.sort_order), asc(subject.sort_order), asc(subject.code))
})

/** Newest first. */
export const pdfsOfBook = statement<{ school: string; book: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.report_book_pdf)
    .where(and(eq(t.report_book_pdf.school_id, p.school), eq(t.report_book_pdf.report_book_id, p.book)))
    .orderBy(desc(t.report_book_pdf.generated_at), desc(t.report_book_pdf.id)),
)

/** Not locked: the book of an entry is locked before the entry is. */
export const bookOfEntry = statement<{ school: string; id: string }>()(({ db, t, p }) =>
  db
    .select({ report_book_id: t.report_book_entry.report_book_id })
    .from(t.report_book_entry)
    .where(and(eq(t.report_book_entry.school_id, p.school), eq(t.report_book_entry.id, p.id))),
)

export const studentById = statement<{ school: string; id: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.student)
    .where(and(eq(t.student.school_id, p.school), eq(t.student.id, p.id))),
)
