import { and, asc, eq } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { statement } from '../../store/statement.ts'

/** The terms of a year by `sort_order`, equal ones by name. */
export const termsOfYear = statement<{ school: string; year: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.term)
    .where(and(eq(t.term.school_id, p.school), eq(t.term.academic_year_id, p.year)))
    .orderBy(asc(t.term.sort_order), asc(t.term.name)),
)

const first = (table: 'assessment' | 'grade' | 'report_book') =>
  statement<{ school: string; term: string }>()(({ db, t, p }) => {
    const { id, school_id, term_id } = t[table] as Record<'id' | 'school_id' | 'term_id', SQLiteColumn>
    return db
      .select({ id })
      .from(t[table] as never)
      .where(and(eq(school_id, p.school), eq(term_id, p.term)))
      .limit(1)
  })

/** One row of each kind that keeps a term from being deleted (decisions §4). */
export const usesOfTerm = [first('assessment'), first('grade'), first('report_book')]
