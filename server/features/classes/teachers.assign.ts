import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import type { WriteTx } from '../../store/tx.ts'
import { orNotFound } from '../references.ts'
import { groupAssignmentOf, subjectAssignmentsOf } from './teachers.queries.ts'

type Group = Row<'student_group'>

/** Assigns a teacher to a class, whose row is locked; does nothing where they are already assigned. */
export async function assignTeacher(tx: WriteTx, { id: group, school_id, academic_year_id }: Group, user: string): Promise<void> {
  const [assigned] = await groupAssignmentOf(tx, { school: school_id, group, user })
  if (assigned) return
  const id = naturalId('teacher_group_assignment', user, group)
  await tx.insert('teacher_group_assignment', { id, school_id, user_profile_id: user, student_group_id: group, academic_year_id })
}

/** Sets the teacher's subjects in the class; writes only the differences. */
export async function setSubjects(tx: WriteTx, group: Group, user: string, subjects: readonly { id: string }[]): Promise<void> {
  const { id: student_group_id, school_id, academic_year_id } = group
  const current = await subjectAssignmentsOf(tx, { school: school_id, group: student_group_id, user })
  const [had, wanted] = [new Set(current.map((row) => row.subject_id)), new Set(subjects.map(({ id }) => id))]
  const rows = subjects
    .filter(({ id }) => !had.has(id))
    .map(({ id: subject_id }) => {
      const id = naturalId('teacher_subject_assignment', user, subject_id, student_group_id)
      return { id, school_id, user_profile_id: user, subject_id, student_group_id, academic_year_id }
    })
  const gone = current.filter((row) => !wanted.has(row.subject_id))
  await tx.remove('teacher_subject_assignment', gone)
  await tx.insert('teacher_subject_assignment', rows).catch(orNotFound)
}
