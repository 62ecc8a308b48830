import { asc, desc, eq, getTableColumns } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** The classes of a pupil with their years and class teachers, the latest year first. */
export const classesOfStudent = statement<{ school: string; student: string }>()(({ db, t, p }) => {
  const { enrolment, student_group, academic_year, class_teacher, user_profile } = t
  return db
    .select({
      group: getTableColumns(student_group),
      year: getTableColumns(academic_year),
      leader: pick(user_profile, 'id', 'first_name', 'last_name'),
    })
    .from(enrolment)
    .innerJoin(student_group, matches(student_group, { school_id: enrolment.school_id, id: enrolment.student_group_id }))
    .innerJoin(academic_year, matches(academic_year, { school_id: enrolment.school_id, id: enrolment.academic_year_id }))
    .leftJoin(class_teacher, matches(class_teacher, { school_id: enrolment.school_id, student_group_id: enrolment.student_group_id }))
    .leftJoin(user_profile, eq(user_profile.id, class_teacher.user_profile_id))
    .where(matches(enrolment, { school_id: p.school, student_id: p.student }))
    .orderBy(desc(academic_year.start_date), asc(academic_year.id))
})

export const booksOfStudent = rowsBy('report_book', { school: 'school_id', student: 'student_id' })

/** The PDFs of these books, the oldest first. */
export const pdfsOfBooks = rowsBy(
  'report_book_pdf',
  { school: 'school_id', books: { in: 'report_book_id' } },
  { orderBy: ['generated_at', 'id'] },
)
