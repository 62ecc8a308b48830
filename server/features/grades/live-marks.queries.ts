import type { Tables } from '@markbook/shared/tables/tables'
import { and, eq, gt, inArray } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** Marks of a subject and term written after the feed number `since`; -1 for all. */
type LiveMarksQuery = { school: string; term: string; subject: string; since: number }

const columnsOfMark = ({ grade, sync_row }: Tables) => ({
  ...pick(grade, 'id', 'assessment_id', 'student_id', 'score', 'status', 'remarks'),
  ...pick(grade, 'is_excluded', 'exclusion_reason', 'updated_by', 'updated_at'),
  ...pick(sync_row, 'seq', 'source_id'),
})

const marksOfPupilsIn = (list: 'enrolment' | 'teaching_set_member', column: 'student_group_id' | 'teaching_set_id') =>
  statement<LiveMarksQuery & { of: string }>()(({ db, t, p }) => {
    const { assessment, grade, sync_row } = t
    const pupils = t[list]
    return db
      .select(columnsOfMark(t))
      .from(assessment)
      .innerJoin(grade, matches(grade, { school_id: assessment.school_id, assessment_id: assessment.id }))
      .innerJoin(pupils, matches(pupils, { school_id: grade.school_id, student_id: grade.student_id, [column]: p.of }))
      .innerJoin(
        sync_row,
        and(matches(sync_row, { school_id: grade.school_id, table_name: 'grade', row_id: grade.id }), gt(sync_row.seq, p.since)),
      )
      .where(matches(assessment, { school_id: p.school, term_id: p.term, subject_id: p.subject }))
  })

/** Marks of the pupils of a class. */
export const marksSince = marksOfPupilsIn('enrolment', 'student_group_id')
/** Marks of the pupils of a teaching set. */
export const marksOfSetSince = marksOfPupilsIn('teaching_set_member', 'teaching_set_id')

/** The tables, among these names, with entries in the school's feed after a number. */
export async function tablesSince({ db, t }: ReadTx, school: string, since: number, names: readonly string[]): Promise<string[]> {
  const { sync_row } = t
  const rows = await db
    .selectDistinct({ name: sync_row.table_name })
    .from(sync_row)
    .where(and(eq(sync_row.school_id, school), gt(sync_row.seq, since), inArray(sync_row.table_name, [...names])))
  return rows.map(({ name }) => name)
}

/** The grades of a school that were deleted after a feed number, at most `limit`. */
export async function gradesGoneSince({ db, t }: ReadTx, school: string, since: number, limit: number): Promise<string[]> {
  const { sync_row } = t
  const rows = await db
    .select({ id: sync_row.row_id })
    .from(sync_row)
    .where(and(eq(sync_row.school_id, school), gt(sync_row.seq, since), matches(sync_row, { table_name: 'grade', deleted: true })))
    .limit(limit)
  return rows.map(({ id }) => id)
}
