import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { and, type Column, desc, eq, getTableColumns } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** One row's entries, newest first, with the names of who wrote them. `near`: a JSON array of where they may lie (decision 358). */
export const entriesOfRow = statement<{ school: string; entity: string; row: string; near: string }>()(({ db, t, p, dialect }) => {
  const { history, user_profile } = t
  return db
    .select({ ...getTableColumns(history), first_name: user_profile.first_name, last_name: user_profile.last_name })
    .from(history)
    .leftJoin(user_profile, eq(user_profile.id, history.actor_id))
    .where(
      and(
        eq(history.school_id, p.school),
        dialect.inList(history.near_id, p.near),
        eq(history.row_id, p.row),
        eq(history.entity, p.entity),
      ),
    )
    .orderBy(desc(history.at), desc(history.seq), desc(history.id))
})

/** Where entries of a row lie of which nothing is known any more: every entry of the school is looked at. */
export const placesOfRow = statement<{ school: string; row: string }>()(({ db, t: { history }, p }) =>
  db
    .selectDistinct({ near: history.near_id })
    .from(history)
    .where(and(eq(history.school_id, p.school), eq(history.row_id, p.row))),
)

export const entryById = statement<{ school: string; id: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.history)
    .where(and(eq(t.history.school_id, p.school), eq(t.history.id, p.id))),
)

const liveIn = (table: Replicated) =>
  statement<{ school: string; id: string }>()(({ db, t, p }) => {
    const columns = getTableColumns(t[table]) as Record<string, Column>
    const byId = eq(columns['id'] as Column, p.id)
    const scoped =
      table === 'school' ? and(byId, eq(columns['id'] as Column, p.school)) : and(byId, eq(columns['school_id'] as Column, p.school))
    return db
      .select()
      .from(t[table] as never)
      .where(scoped) as never as PromiseLike<Record<string, unknown>[]> & { prepare(): unknown }
  })

/** Kinds of rows whose past can be read, each with a query for the row as it is now, with nothing locked. */
export const liveRows = {
  school: liveIn('school'),
  academic_year: liveIn('academic_year'),
  active_year: liveIn('active_year'),
  term: liveIn('term'),
  subject: liveIn('subject'),
  student: liveIn('student'),
  student_group: liveIn('student_group'),
  class_teacher: liveIn('class_teacher'),
  enrolment: liveIn('enrolment'),
  teacher_group_assignment: liveIn('teacher_group_assignment'),
  teacher_subject_assignment: liveIn('teacher_subject_assignment'),
  student_subject: liveIn('student_subject'),
  assessment: liveIn('assessment'),
  grade: liveIn('grade'),
  grading_scale: liveIn('grading_scale'),
  report_book: liveIn('report_book'),
  report_book_entry: liveIn('report_book_entry'),
} satisfies Partial<Record<Replicated, unknown>>

export type Entity = keyof typeof liveRows
export type Entry = Row<'history'>
