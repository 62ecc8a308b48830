import type { Row, Tables } from '@markbook/shared/tables/tables'
import { and, desc, eq, exists, getTableColumns, gte, inArray, or, sql } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** The entity name of imports in the history: who made one, and what it wrote. */
export const IMPORT = 'import'

/** Every student of a school, locked until the commit in the order of ids. */
export const studentsOfSchool = rowsBy('student', { school: 'school_id' }, { lock: true, orderBy: ['id'] })

export const placesOfYear = rowsBy('enrolment', { school: 'school_id', year: 'academic_year_id' })

/** Every student of a school, with the class in the year of a term where there is one. */
export const studentsOfSchoolInYear = statement<{ school: string; term: string }>()(({ db, t, p }) => {
  const { student, term, enrolment } = t
  return db
    .select({ ...pick(student, 'id', 'student_number', 'last_name', 'first_name'), group_id: enrolment.student_group_id })
    .from(student)
    .innerJoin(term, matches(term, { school_id: student.school_id, id: p.term }))
    .leftJoin(
      enrolment,
      matches(enrolment, { school_id: student.school_id, student_id: student.id, academic_year_id: term.academic_year_id }),
    )
    .where(eq(student.school_id, p.school))
})

/** The students of a teaching set, and those with a mark in an assessment of it, with their class in the year of a term, if any. */
export const studentsOfSetInYear = statement<{ school: string; term: string; set: string }>()(({ db, t, p }) => {
  const { student, term, enrolment, teaching_set_member: member, assessment, grade } = t
  const inSet = db
    .select({ id: member.id })
    .from(member)
    .where(matches(member, { school_id: student.school_id, student_id: student.id, teaching_set_id: p.set }))
  const marked = db
    .select({ id: grade.id })
    .from(grade)
    .innerJoin(assessment, matches(assessment, { school_id: grade.school_id, id: grade.assessment_id, teaching_set_id: p.set }))
    .where(matches(grade, { school_id: student.school_id, student_id: student.id, term_id: p.term }))
  return db
    .select({ ...pick(student, 'id', 'student_number', 'last_name', 'first_name'), group_id: enrolment.student_group_id })
    .from(student)
    .innerJoin(term, matches(term, { school_id: student.school_id, id: p.term }))
    .leftJoin(
      enrolment,
      matches(enrolment, { school_id: student.school_id, student_id: student.id, academic_year_id: term.academic_year_id }),
    )
    .where(and(eq(student.school_id, p.school), or(exists(inSet), exists(marked))))
})

/** The grades of these assessments. `ids` is a JSON array. */
export const gradesOfAssessments = rowsBy('grade', { school: 'school_id', ids: { in: 'assessment_id' } }, { lock: true, orderBy: ['id'] })

/** The entries about imports and their undoing since an instant, newest first, with the names of their actors. Clustered by the school. */
export const importNotesSince = statement<{ school: string; since: string }>()(({ db, t, p }) => {
  const { history, user_profile } = t
  return db
    .select({ ...getTableColumns(history), ...pick(user_profile, 'first_name', 'last_name') })
    .from(history)
    .leftJoin(user_profile, eq(user_profile.id, history.actor_id))
    .where(and(matches(history, { school_id: p.school, near_id: p.school, entity: IMPORT }), gte(history.at, p.since)))
    .orderBy(desc(history.at), desc(history.id))
})

/** The entries about one import. */
export const notesOfImport = rowsBy('history', { school: 'school_id', near: 'near_id', id: 'row_id' }, { where: { entity: IMPORT } })

/** Repeats the condition of the index `history_by_time`. */
const isInTime = (history: Tables['history']) => sql`${history.action} <> ''`

/** The written pupils, places and marks of one transaction, which has one time for all its entries. */
export const entriesAt = statement<{ school: string; at: string }>()(({ db, t: { history }, p }) =>
  db
    .select()
    .from(history)
    .where(
      and(
        isInTime(history),
        eq(history.school_id, p.school),
        eq(history.at, p.at),
        inArray(history.entity, ['student', 'enrolment', 'grade']),
      ),
    ),
)

const byIds = { school: 'school_id', ids: { in: 'id' } } as const
type Kind = 'student' | 'enrolment' | 'grade'

/** The present rows of the kinds that an import writes. `ids` is a JSON array. */
export const rowsWritten: { [T in Kind]: (tx: ReadTx, of: { school: string; ids: string }) => Promise<Row<T>[]> } = {
  student: rowsBy('student', byIds),
  enrolment: rowsBy('enrolment', byIds),
  grade: rowsBy('grade', byIds),
}
