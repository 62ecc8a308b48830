import { and, eq } from 'drizzle-orm'
import type { SchoolCaller } from '../../http/caller.ts'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** Columns of a pupil that not every teacher sees (docs/design/school.md, «Birth dates and genders»). */
export const PERSONAL = ['gender', 'date_of_birth'] as const

/** Who asks. */
type Asking = { tx: ReadTx; caller: Pick<SchoolCaller, 'role' | 'user_id' | 'school_id'> }

/** Whether the caller sees these columns of a pupil. */
export type MaySeeStudent = (studentId: string) => boolean
const always: MaySeeStudent = () => true

const wishOf = rowsBy('school', { school: 'id' }, { columns: ['personal_data_for'] })

/** The pupils who are, or were, in a class of which this person is class teacher. */
const ownPupils = statement<{ school: string; user: string }>()(({ db, t, p }) => {
  const { class_teacher, enrolment } = t
  return db
    .selectDistinct({ id: enrolment.student_id })
    .from(class_teacher)
    .innerJoin(enrolment, matches(enrolment, { school_id: class_teacher.school_id, student_group_id: class_teacher.student_group_id }))
    .where(and(eq(class_teacher.school_id, p.school), eq(class_teacher.user_profile_id, p.user)))
})

/** Whether all who teach at the school see them of every pupil. An unknown setting counts as no. */
async function isForAllStaff(tx: ReadTx, school: string): Promise<boolean> {
  const [own] = await wishOf(tx, { school })
  return own?.personal_data_for === 'all_staff'
}

/** Whether the caller sees them of every pupil. */
export async function seesAllPersonalData({ tx, caller }: Asking): Promise<boolean> {
  return caller.role === 'admin' || (caller.role === 'teacher' && (await isForAllStaff(tx, caller.school_id)))
}

export async function personalDataSeenBy(context: Asking): Promise<MaySeeStudent> {
  const { tx, caller } = context
  if (await seesAllPersonalData(context)) return always
  if (caller.role !== 'teacher') return () => false
  const own = new Set((await ownPupils(tx, { school: caller.school_id, user: caller.user_id })).map(({ id }) => id))
  return (id) => own.has(id)
}

type Pupil = { id: string; gender: string; date_of_birth: string | null }
/** A pupil without what the caller does not see. */
export const seenPupil =
  (sees: MaySeeStudent) =>
  <P extends Pupil>(pupil: P) =>
    sees(pupil.id) ? pupil : { ...pupil, gender: null, date_of_birth: null }

type Values = Readonly<Record<string, unknown>>
/** Written values of a row, without what the caller does not see. */
export const seenValues = <V extends Values | null>(sees: MaySeeStudent, entity: string, id: string, values: V): V =>
  values === null || entity !== 'student' || sees(id)
    ? values
    : (Object.fromEntries(Object.entries(values).filter(([name]) => !PERSONAL.some((hidden) => hidden === name))) as V)
