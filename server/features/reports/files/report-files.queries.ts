import { asc, sql } from 'drizzle-orm'
import { matches, pick } from '../../../store/conditions.ts'
import { rowsBy, statement } from '../../../store/statement.ts'

/** One PDF of a report; none where it belongs to another report. */
export const pdfOfBook = rowsBy('report_book_pdf', { school: 'school_id', book: 'report_book_id', id: 'id' })

/** The newest PDF of every report of a class and term, by the student's last name; null where a report has none. */
export const latestPdfs = statement<{ school: string; group: string; term: string; type: 'term' | 'year_end' }>()(({ db, t, p }) => {
  const { report_book, report_book_pdf, student } = t
  const newest = sql`(
    select p.id from ${report_book_pdf} p where p.school_id = ${report_book.school_id} and p.report_book_id = ${report_book.id}
    order by p.generated_at desc, p.id desc limit 1)`
  return db
    .select({
      report_id: report_book.id,
      ...pick(student, 'first_name', 'last_name'),
      pdf_id: report_book_pdf.id,
      ...pick(report_book_pdf, 'file_path', 'generated_at'),
    })
    .from(report_book)
    .innerJoin(student, matches(student, { school_id: report_book.school_id, id: report_book.student_id }))
    .leftJoin(report_book_pdf, matches(report_book_pdf, { school_id: report_book.school_id, id: newest }))
    .where(matches(report_book, { school_id: p.school, student_group_id: p.group, term_id: p.term, report_type: p.type }))
    .orderBy(asc(student.sort_key), asc(student.id))
})

/** Newest first. */
export const filesOfClass = rowsBy(
  'class_report_file',
  { school: 'school_id', group: 'student_group_id', term: 'term_id', type: 'report_type' },
  { orderBy: [{ desc: 'generated_at' }, { desc: 'id' }] },
)

export const groupById = rowsBy('student_group', { school: 'school_id', id: 'id' })

export const schoolById = rowsBy('school', { id: 'id' })

/** The students of a class's reports by id, whether or not they are still in the class. `ids` is a JSON array. */
export const studentsById = rowsBy('student', { school: 'school_id', ids: { in: 'id' } }, { orderBy: ['sort_key', 'id'] })
