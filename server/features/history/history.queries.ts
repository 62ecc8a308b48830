import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { and, desc, eq, getTableColumns } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** One row's entries, newest first, with the names of who wrote them. `near`: a JSON array of where they may lie (docs/design/store.md). */
export const entriesOfRow = statement<{ school: string; entity: string; row: string; near: string }>()(({ db, t, p, dialect }) => {
  const { history, user_profile } = t
  return db
    .select({ ...getTableColumns(history), first_name: user_profile.first_name, last_name: user_profile.last_name })
    .from(history)
    .leftJoin(user_profile, eq(user_profile.id, history.actor_id))
    .where(
      and(eq(history.school_id, p.school), dialect.inList(history.near_id, p.near), matches(history, { row_id: p.row, entity: p.entity })),
    )
    .orderBy(desc(history.at), desc(history.seq), desc(history.id))
})

/** Where entries of a row lie of which nothing is known any more: every entry of the school is looked at. */
export const placesOfRow = statement<{ school: string; row: string }>()(({ db, t: { history }, p }) =>
  db
    .selectDistinct({ near: history.near_id })
    .from(history)
    .where(matches(history, { school_id: p.school, row_id: p.row })),
)

export const entryById = rowsBy('history', { school: 'school_id', id: 'id' })

const inSchool = <T extends Exclude<Replicated, 'school' | 'user_profile' | 'user_totp' | 'recovery_code'>>(table: T) =>
  rowsBy(table, { school: 'school_id', id: 'id' })

/** Kinds of rows whose past can be read, each with a query for the row as it is now, with nothing locked. */
export const liveRows = {
  school: rowsBy('school', { school: 'id', id: 'id' }),
  active_year: inSchool('active_year'),
  academic_year: inSchool('academic_year'),
  term: inSchool('term'),
  subject: inSchool('subject'),
  student: inSchool('student'),
  student_group: inSchool('student_group'),
  class_teacher: inSchool('class_teacher'),
  enrolment: inSchool('enrolment'),
  teacher_group_assignment: inSchool('teacher_group_assignment'),
  teacher_subject_assignment: inSchool('teacher_subject_assignment'),
  student_subject: inSchool('student_subject'),
  assessment: inSchool('assessment'),
  grade: inSchool('grade'),
  grading_scale: inSchool('grading_scale'),
  report_book: inSchool('report_book'),
  report_book_entry: inSchool('report_book_entry'),
}

export type Entity = keyof typeof liveRows
export type Entry = Row<'history'>
