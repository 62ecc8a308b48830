import { eq } from 'drizzle-orm'
import type { SchoolCaller } from '../../http/caller.ts'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

export const subjectsOfSchool = rowsBy('subject', { school: 'school_id' }, { orderBy: ['sort_order'] })

/**
 * Classes with the first day of their year and their class teacher: of the whole school, or those to which a teacher is assigned. The
 * teacher has a name only while they have a membership, since row-level security shows nobody else to colleagues.
 */
const classesBy = (by: { assigned: boolean }) =>
  statement<{ school: string; user: string }>()(({ db, t, p }) => {
    const { student_group, academic_year, class_teacher, school_management, user_profile, teacher_group_assignment } = t
    const all = db
      .select({
        ...pick(student_group, 'id', 'name', 'academic_year_id'),
        start_date: academic_year.start_date,
        class_teacher_id: class_teacher.user_profile_id,
        leader_id: user_profile.id,
        ...pick(user_profile, 'first_name', 'last_name'),
      })
      .from(student_group)
      .innerJoin(academic_year, matches(academic_year, { school_id: student_group.school_id, id: student_group.academic_year_id }))
      .leftJoin(class_teacher, matches(class_teacher, { school_id: student_group.school_id, student_group_id: student_group.id }))
      .leftJoin(
        school_management,
        matches(school_management, { school_id: class_teacher.school_id, user_id: class_teacher.user_profile_id }),
      )
      .leftJoin(user_profile, eq(user_profile.id, school_management.user_id))
      .$dynamic()
    const mine = matches(teacher_group_assignment, {
      school_id: student_group.school_id,
      student_group_id: student_group.id,
      user_profile_id: p.user,
    })
    const chosen = by.assigned ? all.innerJoin(teacher_group_assignment, mine) : all
    return chosen.where(eq(student_group.school_id, p.school))
  })
const [ofSchool, ofTeacher] = [classesBy({ assigned: false }), classesBy({ assigned: true })]

/** The classes in a person's list: every class for an administrator, else those to which they are assigned. */
export const classesFor = (tx: ReadTx, { role, school_id: school, user_id: user }: SchoolCaller) =>
  (role === 'admin' ? ofSchool : ofTeacher)(tx, { school, user })

/** Not locked, since readers of them do not write them. */
export const classesToRead = rowsBy('student_group', { school: 'school_id', year: 'academic_year_id' })

export const classesNamed = rowsBy('student_group', { school: 'school_id', year: 'academic_year_id', name: 'name' })

/** Locked, so that no report is sent while its class is being deleted. */
export const reportsOfClass = rowsBy('report_book', { school: 'school_id', group: 'student_group_id' }, { lock: true })

/** Locked, so that no mark is saved in an assessment of a class that is being deleted. */
export const assessmentsOfClass = rowsBy('assessment', { school: 'school_id', group: 'student_group_id' }, { lock: true })
