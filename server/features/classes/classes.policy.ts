import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { asSystem, asUser } from '../../store/tx.ts'
import { type Asker, rowOf } from '../policy.ts'
import { enrolmentsInClass } from './enrolment.queries.ts'
import { membershipOf } from './teachers.queries.ts'

/**
 * Whether somebody is an active teacher or administrator of the caller's school, and stays a member until the commit: nobody who has left
 * teaches in a class or leads it. The service takes the lock, for Postgres locks for nobody who may not change a membership.
 */
export async function staysTeacher({ tx, caller }: Asker, userId: string): Promise<boolean> {
  await tx.actAs(asSystem(caller.user_id))
  const [membership] = await membershipOf(tx, { school: caller.school_id, user: userId })
  await tx.actAs(asUser(caller.user_id))
  return membership?.is_active === true && membership.role !== 'member'
}

/** 404 for anybody else. */
export async function demandTeacher(asker: Asker, userId: string | undefined): Promise<void> {
  if (userId !== undefined && !(await staysTeacher(asker, userId))) throw common.notFound()
}

/** A student's place in the class; 404 where the student is absent, another school's, or not in the class. */
export async function placeOf(asker: Asker, group: Row<'student_group'>, studentId: string): Promise<Row<'enrolment'>> {
  await rowOf(asker, 'student', studentId)
  const inClass = { school: group.school_id, group: group.id, ids: JSON.stringify([studentId]) }
  const [enrolment] = await enrolmentsInClass(asker.tx, inClass)
  if (!enrolment) throw common.notFound()
  return enrolment
}
