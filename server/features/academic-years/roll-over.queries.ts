import { and, asc, eq, inArray } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** `classes` and `students` are JSON lists of ids. */
type OfClasses = { school: string; classes: string }

/** The classes that are taken over, with the first day of their year. */
export const classesToRollOver = statement<OfClasses>()(({ db, t, p, dialect }) =>
  db
    .select({ id: t.student_group.id, year: t.academic_year.id, yearStarts: t.academic_year.start_date })
    .from(t.student_group)
    .innerJoin(
      t.academic_year,
      and(eq(t.academic_year.school_id, t.student_group.school_id), eq(t.academic_year.id, t.student_group.academic_year_id)),
    )
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
    .innerJoin(t.student, and(eq(t.student.school_id, t.enrolment.school_id), eq(t.student.id, t.enrolment.student_id)))
    .where(and(eq(t.enrolment.school_id, p.school), dialect.inList(t.enrolment.student_group_id, p.classes)))
    .orderBy(asc(t.student.sort_key), asc(t.student.id)),
)

/** Which of these pupils already have a class in the year that receives them. */
export const placesInYear = statement<{ school: string; year: string; students: string }>()(({ db, t, p, dialect }) =>
  db
    .select({ studentId: t.enrolment.student_id, className: t.student_group.name })
    .from(t.enrolment)
    .innerJoin(
      t.student_group,
      and(eq(t.student_group.school_id, t.enrolment.school_id), eq(t.student_group.id, t.enrolment.student_group_id)),
    )
    .where(
      and(
        eq(t.enrolment.school_id, p.school),
        eq(t.enrolment.academic_year_id, p.year),
        dialect.inList(t.enrolment.student_id, p.students),
      ),
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
        eq(t.school_management.school_id, t.teacher_group_assignment.school_id),
        eq(t.school_management.user_id, t.teacher_group_assignment.user_profile_id),
        eq(t.school_management.is_active, true),
        inArray(t.school_management.role, ['admin', 'teacher']),
      ),
    )
    .leftJoin(
      t.class_teacher,
      and(
        eq(t.class_teacher.school_id, t.teacher_group_assignment.school_id),
        eq(t.class_teacher.student_group_id, t.teacher_group_assignment.student_group_id),
      ),
    )
    .where(and(eq(t.teacher_group_assignment.school_id, p.school), dialect.inList(t.teacher_group_assignment.student_group_id, p.classes)))
    .orderBy(asc(t.teacher_group_assignment.id)),
)

/** Who teaches which subject there; inactive subjects stay behind. */
export const subjectTeachersOfClasses = statement<OfClasses>()(({ db, t, p, dialect }) =>
  db
    .select({
      classId: t.teacher_subject_assignment.student_group_id,
      teacherId: t.teacher_subject_assignment.user_profile_id,
      subjectId: t.teacher_subject_assignment.subject_id,
    })
    .from(t.teacher_subject_assignment)
    .innerJoin(
      t.subject,
      and(
        eq(t.subject.school_id, t.teacher_subject_assignment.school_id),
        eq(t.subject.id, t.teacher_subject_assignment.subject_id),
        eq(t.subject.is_active, true),
      ),
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
      studentId: t.student_subject.student_id,
      subjectId: t.student_subject.subject_id,
    })
    .from(t.student_subject)
    .innerJoin(
      t.subject,
      and(
        eq(t.subject.school_id, t.student_subject.school_id),
        eq(t.subject.id, t.student_subject.subject_id),
        eq(t.subject.is_active, true),
      ),
    )
    .where(and(eq(t.student_subject.school_id, p.school), dialect.inList(t.student_subject.student_group_id, p.classes))),
)
