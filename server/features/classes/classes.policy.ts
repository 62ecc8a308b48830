import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Asker, rowOf } from '../policy.ts'
import { enrolmentsInClass } from './enrolment.queries.ts'
import { membershipOf } from './teachers.queries.ts'

/** 404 for anybody who is not an active teacher or administrator of the caller's school. */
export async function demandTeacher({ tx, caller }: Asker, userId: string | undefined): Promise<void> {
  if (userId === undefined) return
  const [membership] = await membershipOf(tx, { school: caller.school_id, user: userId })
  if (!membership?.is_active || membership.role === 'member') throw common.notFound()
}

/** A student's place in the class; 404 where the student is absent, another school's, or not in the class. */
export async function placeOf(asker: Asker, group: Row<'student_group'>, studentId: string): Promise<Row<'enrolment'>> {
  await rowOf(asker, 'student', studentId)
  const inClass = { school: group.school_id, group: group.id, ids: JSON.stringify([studentId]) }
  const [enrolment] = await enrolmentsInClass(asker.tx, inClass)
  if (!enrolment) throw common.notFound()
  return enrolment
}
