import { and, asc, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/**
 * A year or subject as every participant may read it. Not `tx.find`: that locks, and Postgres lets nobody lock a row that
 * row-level security does not let them change, so that a teacher would find nothing.
 */
export const yearById = statement<{ school: string; id: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.academic_year)
    .where(and(eq(t.academic_year.school_id, p.school), eq(t.academic_year.id, p.id))),
)
/** `ids` is a JSON array; see `yearById`. */
export const subjectsById = statement<{ school: string; ids: string }>()(({ db, t, p, dialect }) =>
  db
    .select()
    .from(t.subject)
    .where(and(eq(t.subject.school_id, p.school), dialect.inList(t.subject.id, p.ids))),
)

export const subjectsOfSchool = statement<{ school: string }>()(({ db, t, p }) =>
  db.select().from(t.subject).where(eq(t.subject.school_id, p.school)).orderBy(asc(t.subject.sort_order)),
)

/** Classes with the first day of their year and their class teacher; of the whole school, or where a teacher is assigned. */
const classesBy = (by: { assigned: boolean }) =>
  statement<{ school: string; user: string }>()(({ db, t, p }) => {
    const { student_group, academic_year, class_teacher, teacher_group_assignment } = t
    const all = db
      .select({
        id: student_group.id,
        name: student_group.name,
        academic_year_id: student_group.academic_year_id,
        start_date: academic_year.start_date,
        class_teacher_id: class_teacher.user_profile_id,
      })
      .from(student_group)
      .innerJoin(
        academic_year,
        and(eq(academic_year.school_id, student_group.school_id), eq(academic_year.id, student_group.academic_year_id)),
      )
      .leftJoin(
        class_teacher,
        and(eq(class_teacher.school_id, student_group.school_id), eq(class_teacher.student_group_id, student_group.id)),
      )
      .$dynamic()
    const mine = and(
      eq(teacher_group_assignment.school_id, student_group.school_id),
      eq(teacher_group_assignment.student_group_id, student_group.id),
      eq(teacher_group_assignment.user_profile_id, p.user),
    )
    const chosen = by.assigned ? all.innerJoin(teacher_group_assignment, mine) : all
    return chosen.where(eq(student_group.school_id, p.school))
  })
export const classesOfSchool = classesBy({ assigned: false })
export const classesOfTeacher = classesBy({ assigned: true })

export const classesNamed = statement<{ school: string; year: string; name: string }>()(({ db, t, p }) =>
  db
    .select({ id: t.student_group.id })
    .from(t.student_group)
    .where(and(eq(t.student_group.school_id, p.school), eq(t.student_group.academic_year_id, p.year), eq(t.student_group.name, p.name))),
)

/** Locked, so that no report is sent while its class is being deleted. */
export const reportsOfClass = statement<{ school: string; group: string }>({ lock: 'report_book' })(({ db, t, p }) =>
  db
    .select({ id: t.report_book.id, status: t.report_book.status })
    .from(t.report_book)
    .where(and(eq(t.report_book.school_id, p.school), eq(t.report_book.student_group_id, p.group))),
)

/** Locked, so that no mark is saved in an assessment of a class that is being deleted. */
export const assessmentsOfClass = statement<{ school: string; group: string }>({ lock: 'assessment' })(({ db, t, p }) =>
  db
    .select({ id: t.assessment.id })
    .from(t.assessment)
    .where(and(eq(t.assessment.school_id, p.school), eq(t.assessment.student_group_id, p.group))),
)
