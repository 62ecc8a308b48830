import type { Row } from '@markbook/shared/tables/tables'
import { and, asc, eq, gt, gte, lt, or } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import { ownIn } from '../policy.ts'

/** The classes of a teacher; `class_teacher` is null where another person is class teacher. */
export const classesOfTeacher = statement<{ school: string; user: string }>()(({ db, t, p }) => {
  const { teacher_group_assignment: assigned, class_teacher } = t
  return db
    .select({ id: assigned.student_group_id, class_teacher: class_teacher.id })
    .from(assigned)
    .leftJoin(class_teacher, matches(class_teacher, ownIn(assigned)))
    .where(matches(assigned, { school_id: p.school, user_profile_id: p.user }))
})

/** The version of a row: its feed number, the writes by which it exists, and the values of a deleted one. */
export type Entry = Pick<Row<'sync_row'>, (typeof ENTRY)[number]>
const ENTRY = ['table_name', 'row_id', 'seq', 'vv', 'units', 'extra'] as const

/** Rows of one or two tables from a position in the feed on, in feed order. */
export const entriesFrom = statement<{ school: string; table: string; other: string; next: number; lastId: string; limit: number }>()(
  ({ db, t: { sync_row }, p }) =>
    db
      .select(pick(sync_row, ...ENTRY))
      .from(sync_row)
      .where(
        and(
          eq(sync_row.school_id, p.school),
          gte(sync_row.seq, p.next),
          or(gt(sync_row.seq, p.next), gt(sync_row.row_id, p.lastId)),
          or(eq(sync_row.table_name, p.table), eq(sync_row.table_name, p.other)),
        ),
      )
      .orderBy(asc(sync_row.seq), asc(sync_row.row_id))
      .limit(p.limit),
)

/** The first rows of a table by id: for a small table all of them, without scanning the feed. */
export const entriesOfTable = statement<{ school: string; table: string; limit: number }>()(({ db, t: { sync_row }, p }) =>
  db
    .select(pick(sync_row, ...ENTRY))
    .from(sync_row)
    .where(matches(sync_row, { school_id: p.school, table_name: p.table }))
    .orderBy(asc(sync_row.row_id))
    .limit(p.limit),
)

/** Rows of a table by id. */
export const entriesById = rowsBy('sync_row', { school: 'school_id', table: 'table_name', ids: { in: 'row_id' } }, { columns: ENTRY })

/** The rows among these that this node had before a feed number. */
export const knownBefore = statement<{ school: string; table: string; ids: string; next: number }>()(({ db, t: { history }, p, dialect }) =>
  db
    .selectDistinct({ row_id: history.row_id })
    .from(history)
    .where(and(matches(history, { school_id: p.school, entity: p.table }), dialect.inList(history.row_id, p.ids), lt(history.seq, p.next))),
)
