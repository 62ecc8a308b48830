import { searchTerm } from '@markbook/shared/domain/fold'
import { and, asc, eq, exists, or, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** A student number for searching, without case: `sb-001` finds SB-001. */
const lowered = (column: SQLiteColumn) => sql`lower(coalesce(${column}, ''))`

type Filter = { isActive: boolean | undefined; group: string | undefined }

/**
 * One text for each combination of filters, so that each stays prepared. An empty search matches every name; a number matches by a part of
 * it, folded like a name or as it was typed.
 */
const listing = ({ isActive, inGroup }: { isActive: boolean | undefined; inGroup: boolean }) =>
  statement<{ school: string; search: string; typed: string; group: string }>()(({ db, t, p, dialect }) => {
    const { student, enrolment } = t
    const place = db
      .select({ id: enrolment.id })
      .from(enrolment)
      .where(matches(enrolment, { school_id: p.school, student_id: student.id, student_group_id: p.group }))
    return db
      .select()
      .from(student)
      .where(
        and(
          eq(student.school_id, p.school),
          or(
            dialect.contains(student.search_key, p.search),
            dialect.contains(lowered(student.student_number), p.search),
            dialect.contains(student.student_number, p.typed),
          ),
          isActive === undefined ? undefined : eq(student.is_active, isActive),
          inGroup ? exists(place) : undefined,
        ),
      )
      .orderBy(asc(student.sort_key), asc(student.id))
  })

const keyOf = ({ isActive, group }: Filter) => `${isActive} ${group !== undefined}`
const listings = new Map(
  [undefined, true, false].flatMap((isActive) =>
    [undefined, ''].map((group) => [keyOf({ isActive, group }), listing({ isActive, inGroup: group !== undefined })] as const),
  ),
)

/** Students by last name, first name, id. Absent filters are ignored. */
export async function studentsFound(tx: ReadTx, { school, search, ...filter }: Filter & { school: string; search: string }) {
  const find = listings.get(keyOf(filter)) as ReturnType<typeof listing>
  return find(tx, { school, search: searchTerm(search), typed: search.trim(), group: filter.group ?? '' })
}

export const holdersOfNumber = rowsBy('student', { school: 'school_id', number: 'student_number' })

const ofStudent = { school: 'school_id', student: 'student_id' } as const

/** Queries for one row of each kind that prevents deleting a student (decisions §4). */
export const resultsOfStudent = [rowsBy('grade', ofStudent, { limit: 1 }), rowsBy('report_book', ofStudent, { limit: 1 })]
