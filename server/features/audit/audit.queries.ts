import type { Tables } from '@markbook/shared/tables/tables'
import { and, desc, eq, gte, inArray, lt, lte, or, sql } from 'drizzle-orm'
import { pick } from '../../store/conditions.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** Where a page begins: the time and id of the entry before it. */
export type PagePosition = { at: string; id: string }

/** `from` and `until` are instants; `until` is exclusive. */
export type Span = { school: string; from: string | null; until: string | null; before: PagePosition | null; limit: number }

/** Repeats the condition of the index `history_by_time`; without it a database reads the whole school. */
const isInTime = (history: Tables['history']) => sql`${history.action} <> ''`

/** Entries of a school in the order of `history_by_time`, newest first. With `pupil`, each says whether its changes contain this id. */
export function entriesOfSpan(tx: ReadTx, { school, from, until, before, limit }: Span, pupil: string | null) {
  const { history } = tx.t
  const after = before && and(lte(history.at, before.at), or(lt(history.at, before.at), lt(history.id, before.id)))
  const namesPupil = pupil === null ? sql<boolean>`false` : sql<boolean>`${history.changes} like ${`%${pupil}%`}`
  return tx.db
    .select({
      ...pick(history, 'id', 'at', 'actor_id', 'entity', 'row_id'),
      names_pupil: namesPupil,
    })
    .from(history)
    .where(
      and(
        isInTime(history),
        eq(history.school_id, school),
        from === null ? undefined : gte(history.at, from),
        until === null ? undefined : lt(history.at, until),
        after ?? undefined,
      ),
    )
    .orderBy(desc(history.at), desc(history.id))
    .limit(limit)
}

/** `ids`: a JSON array. */
export const entriesByIds = rowsBy('history', { school: 'school_id', ids: { in: 'id' } })

/** Whether a student is or was at the school, by their row or their history. */
export const pastOfStudent = rowsBy('history', { school: 'school_id', near: 'near_id', row: 'row_id' }, { columns: ['id'], limit: 1 })
export const studentById = rowsBy('student', { school: 'school_id', id: 'id' }, { columns: ['id'] })

/** Tables with a column for the id of a student. */
const OF_STUDENTS = ['grade', 'enrolment', 'student_subject', 'teaching_set_member', 'attendance_mark', 'report_book'] as const
/** Tables with a column for the id of a report book. */
const OF_BOOKS = ['report_book_entry', 'report_book_pdf'] as const

/** Ids of the present rows of a student, including the student's own. */
export async function rowsOfStudent(tx: ReadTx, school: string, student: string): Promise<Set<string>> {
  const rows = new Set([student])
  const books: string[] = []
  for (const name of OF_STUDENTS) {
    const table = tx.t[name]
    const found: { id: string }[] = await tx.db
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.school_id, school), eq(table.student_id, student)))
    for (const { id } of found) rows.add(id)
    if (name === 'report_book') books.push(...found.map(({ id }) => id))
  }
  for (const name of books.length > 0 ? OF_BOOKS : []) {
    const table = tx.t[name]
    const found: { id: string }[] = await tx.db
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.school_id, school), inArray(table.report_book_id, books)))
    for (const { id } of found) rows.add(id)
  }
  return rows
}
