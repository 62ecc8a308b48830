import { and, asc, eq, inArray } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { statement } from '../../store/statement.ts'

/** `classes` and `students` are JSON lists of ids. */
type OfClasses = { school: string; classes: string }

/** The classes that are taken over, with the first day of their year. */
export const classesToRollOver = statement<OfClasses>()(({ db, t, p, dialect }) =>
  db
    .select({ id: t.student_group.id, year: t.academic_year.id, yearStarts: t.academic_year.start_date })
    .from(t.student_group)
    .innerJoin(t.academic_year, matches(t.academic_year, { school_id: t.student_group.school_id, id: t.student_group.academic_year_id }))
    .where(and(eq(t.student_group.school_id, p.school), dialect.inList(t.student_group.id, p.classes))),
)

/** Their pupils, those who have left included. */
export const pupilsOfClasses = statement<OfClasses>()(({ db, t, p, dialect }) =>
  db
    .select({
      classId: t.enrolment.student_group_id,
      id: t.student.id,
      firstName: t.student.first_name,
      lastName: t.student.last_name,
      isActive: t.student.is_active,
    })
    .from(t.enrolment)
    .innerJoin(t.student, matches(t.student, { school_id: t.enrolment.school_id, id: t.enrolment.student_id }))
    .where(and(eq(t.enrolment.school_id, p.school), dialect.inList(t.enrolment.student_group_id, p.classes)))
    .orderBy(asc(t.student.sort_key), asc(t.student.id)),
)

/** Which of these pupils already have a class in the year that receives them. */
export const placesInYear = statement<{ school: string; year: string; students: string }>()(({ db, t, p, dialect }) =>
  db
    .select({ studentId: t.enrolment.student_id, className: t.student_group.name })
    .from(t.enrolment)
    .innerJoin(t.student_group, matches(t.student_group, { school_id: t.enrolment.school_id, id: t.enrolment.student_group_id }))
    .where(
      and(matches(t.enrolment, { school_id: p.school, academic_year_id: p.year }), dialect.inList(t.enrolment.student_id, p.students)),
    ),
)

/** Their teachers who still teach at the school, and stay members until the commit; `classTeacher` is who the class's register names. */
export const teachersOfClasses = statement<OfClasses>({ lock: 'school_management' })(({ db, t, p, dialect }) =>
  db
    .select({
      classId: t.teacher_group_assignment.student_group_id,
      id: t.teacher_group_assignment.user_profile_id,
      classTeacher: t.class_teacher.user_profile_id,
    })
    .from(t.teacher_group_assignment)
    .innerJoin(
      t.school_management,
      and(
        matches(t.school_management, {
          school_id: t.teacher_group_assignment.school_id,
          user_id: t.teacher_group_assignment.user_profile_id,
          is_active: true,
        }),
        inArray(t.school_management.role, ['admin', 'teacher']),
      ),
    )
    .leftJoin(
      t.class_teacher,
      matches(t.class_teacher, {
        school_id: t.teacher_group_assignment.school_id,
        student_group_id: t.teacher_group_assignment.student_group_id,
      }),
    )
    .where(and(eq(t.teacher_group_assignment.school_id, p.school), dialect.inList(t.teacher_group_assignment.student_group_id, p.classes)))
    .orderBy(dialect.sorted(t.teacher_group_assignment.id)),
)

/** Who teaches which subject there; inactive subjects stay behind. */
export const subjectTeachersOfClasses = statement<OfClasses>()(({ db, t, p, dialect }) =>
  db
    .select({
      classId: t.teacher_subject_assignment.student_group_id,
      user_profile_id: t.teacher_subject_assignment.user_profile_id,
      subject_id: t.teacher_subject_assignment.subject_id,
    })
    .from(t.teacher_subject_assignment)
    .innerJoin(
      t.subject,
      matches(t.subject, {
        school_id: t.teacher_subject_assignment.school_id,
        id: t.teacher_subject_assignment.subject_id,
        is_active: true,
      }),
    )
    .where(
      and(eq(t.teacher_subject_assignment.school_id, p.school), dialect.inList(t.teacher_subject_assignment.student_group_id, p.classes)),
    ),
)

/** Which pupil takes which subject there; inactive subjects stay behind. */
export const takersInClasses = statement<OfClasses>()(({ db, t, p, dialect }) =>
  db
    .select({
      classId: t.student_subject.student_group_id,
      student_id: t.student_subject.student_id,
      subject_id: t.student_subject.subject_id,
    })
    .from(t.student_subject)
    .innerJoin(t.subject, matches(t.subject, { school_id: t.student_subject.school_id, id: t.student_subject.subject_id, is_active: true }))
    .where(and(eq(t.student_subject.school_id, p.school), dialect.inList(t.student_subject.student_group_id, p.classes))),
)
