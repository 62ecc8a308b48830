import { and, asc, eq, inArray, isNull, lt, or } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** `classes` and `students` are JSON lists of ids. */
type OfClasses = { school: string; classes: string }

/** The classes that are rolled over, with the first day of their year. */
export const classesToRollOver = statement<OfClasses>()(({ db, t, p, dialect }) =>
  db
    .select({ id: t.student_group.id, year: t.academic_year.id, yearStarts: t.academic_year.start_date })
    .from(t.student_group)
    .innerJoin(t.academic_year, matches(t.academic_year, { school_id: t.student_group.school_id, id: t.student_group.academic_year_id }))
    .where(and(eq(t.student_group.school_id, p.school), dialect.inList(t.student_group.id, p.classes))),
)

/** Their pupils, including those who have left. */
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

/**
 * Their teachers who still teach at the school; the memberships stay locked until the commit. `classTeacher`: the one in the class's
 * register.
 */
export const teachersOfClasses = statement<OfClasses>({ lock: 'school_management' })(({ db, t, p, dialect }) => {
  const { teacher_group_assignment: assigned, school_management: member, class_teacher } = t
  const isTeacher = and(
    matches(member, { school_id: assigned.school_id, user_id: assigned.user_profile_id, is_active: true }),
    inArray(member.role, ['admin', 'teacher']),
  )
  return db
    .select({ classId: assigned.student_group_id, id: assigned.user_profile_id, classTeacher: class_teacher.user_profile_id })
    .from(assigned)
    .innerJoin(member, isTeacher)
    .leftJoin(class_teacher, matches(class_teacher, { school_id: assigned.school_id, student_group_id: assigned.student_group_id }))
    .where(and(eq(assigned.school_id, p.school), dialect.inList(assigned.student_group_id, p.classes)))
    .orderBy(dialect.sorted(assigned.id))
})

/** The subject teachers of these classes; without inactive subjects. */
export const subjectTeachersOfClasses = statement<OfClasses>()(({ db, t, p, dialect }) => {
  const { teacher_subject_assignment: taught, subject } = t
  return db
    .select({ classId: taught.student_group_id, ...pick(taught, 'user_profile_id', 'subject_id') })
    .from(taught)
    .innerJoin(subject, matches(subject, { school_id: taught.school_id, id: taught.subject_id, is_active: true }))
    .where(and(eq(taught.school_id, p.school), dialect.inList(taught.student_group_id, p.classes)))
})

/** The subjects of the pupils in these classes; without inactive subjects. */
export const takersInClasses = statement<OfClasses>()(({ db, t, p, dialect }) => {
  const { student_subject: taken, subject } = t
  return db
    .select({ classId: taken.student_group_id, ...pick(taken, 'student_id', 'subject_id') })
    .from(taken)
    .innerJoin(subject, matches(subject, { school_id: taken.school_id, id: taken.subject_id, is_active: true }))
    .where(and(eq(taken.school_id, p.school), dialect.inList(taken.student_group_id, p.classes)))
})

/** Pupils by id, locked until the commit. */
export const pupilsNamed = rowsBy('student', { school: 'school_id', ids: { in: 'id' } }, { lock: true })

/** The classes of these pupils in years that began before a day, the latest last. */
export const formerClasses = statement<{ school: string; ids: string; before: string }>()(({ db, t, p, dialect }) => {
  const { enrolment, academic_year } = t
  return db
    .select(pick(enrolment, 'student_id', 'student_group_id'))
    .from(enrolment)
    .innerJoin(academic_year, matches(academic_year, { school_id: enrolment.school_id, id: enrolment.academic_year_id }))
    .where(and(eq(enrolment.school_id, p.school), dialect.inList(enrolment.student_id, p.ids), lt(academic_year.start_date, p.before)))
    .orderBy(asc(academic_year.start_date), asc(academic_year.id))
})

/** The active pupils who have a class in one of these years. */
export const activeInYears = statement<{ school: string; years: string }>()(({ db, t, p, dialect }) => {
  const { enrolment, student } = t
  return db
    .selectDistinct({ id: student.id })
    .from(enrolment)
    .innerJoin(student, matches(student, { school_id: enrolment.school_id, id: enrolment.student_id, is_active: true }))
    .where(and(eq(enrolment.school_id, p.school), dialect.inList(enrolment.academic_year_id, p.years)))
})

/** The pupils who have a class in a year. */
export const placedInYear = rowsBy('enrolment', { school: 'school_id', year: 'academic_year_id' }, { columns: ['student_id'] })

/** The draft report books of these pupils. */
export const draftsOfPupils = rowsBy(
  'report_book',
  { school: 'school_id', ids: { in: 'student_id' } },
  { where: { status: 'draft' }, columns: ['student_id'] },
)

/** The categories of a year in order, with the columns to copy; without those of inactive subjects. */
export const categoriesToRollOver = statement<{ school: string; year: string }>()(
  ({ db, t: { assessment_category: category, subject }, p }) =>
    db
      .select(pick(category, 'subject_id', 'assessment_type', 'name', 'weight', 'drop_lowest', 'is_extra_credit', 'sort_order'))
      .from(category)
      .leftJoin(subject, matches(subject, { school_id: category.school_id, id: category.subject_id }))
      .where(
        and(
          matches(category, { school_id: p.school, academic_year_id: p.year }),
          or(isNull(category.subject_id), eq(subject.is_active, true)),
        ),
      )
      .orderBy(asc(category.sort_order), asc(category.id)),
)

type InYear = { school: string; year: string }

/** The teaching sets of a year; without those of inactive subjects. */
export const setsToRollOver = statement<InYear>()(({ db, t: { teaching_set, subject }, p }) =>
  db
    .select(pick(teaching_set, 'id', 'subject_id', 'name'))
    .from(teaching_set)
    .innerJoin(subject, matches(subject, { school_id: teaching_set.school_id, id: teaching_set.subject_id, is_active: true }))
    .where(matches(teaching_set, { school_id: p.school, academic_year_id: p.year }))
    .orderBy(asc(teaching_set.name), asc(teaching_set.id)),
)

/** The teachers of a year's sets who still teach at the school; the memberships stay locked until the commit. */
export const teachersOfSetsWhoStay = statement<InYear>({ lock: 'school_management' })(({ db, t, p, dialect }) => {
  const { teaching_set, teaching_set_teacher: taught, school_management: member } = t
  const isTeacher = and(
    matches(member, { school_id: taught.school_id, user_id: taught.user_profile_id, is_active: true }),
    inArray(member.role, ['admin', 'teacher']),
  )
  return db
    .select({ set: taught.teaching_set_id, teacher: taught.user_profile_id })
    .from(teaching_set)
    .innerJoin(taught, matches(taught, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .innerJoin(member, isTeacher)
    .where(matches(teaching_set, { school_id: p.school, academic_year_id: p.year }))
    .orderBy(dialect.sorted(taught.id))
})

/** The active pupils in the sets of a year. */
export const activeMembersOfSets = statement<InYear>()(({ db, t, p, dialect }) => {
  const { teaching_set, teaching_set_member: member, student } = t
  return db
    .select({ set: member.teaching_set_id, student: member.student_id })
    .from(teaching_set)
    .innerJoin(member, matches(member, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .innerJoin(student, matches(student, { school_id: member.school_id, id: member.student_id, is_active: true }))
    .where(matches(teaching_set, { school_id: p.school, academic_year_id: p.year }))
    .orderBy(dialect.sorted(member.id))
})
