import type { Row } from '@markbook/shared/tables/tables'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { activeYearOf } from './academic-years.policy.ts'

type Year = Row<'academic_year'>

const newestFirst = rowsBy('academic_year', { school: 'school_id' }, { orderBy: [{ desc: 'start_date' }, { desc: 'name' }, 'id'] })

/** A year as in replies; `is_active`: the register names it. */
export type ShownYear = Year & { is_active: boolean }

export async function shownYear(tx: ReadTx, year: Year): Promise<ShownYear> {
  const active = await activeYearOf(tx, year.school_id)
  return { ...year, is_active: active?.academic_year_id === year.id }
}

/** The years of a school, newest first by start date. */
export async function yearsOf(tx: ReadTx, school: string): Promise<ShownYear[]> {
  const active = await activeYearOf(tx, school)
  const years = await newestFirst(tx, { school })
  return years.map((year) => ({ ...year, is_active: active?.academic_year_id === year.id }))
}

/** The terms of a year; locked where the transaction writes, so that nothing is added to a term before it is deleted. */
export const termsOfYear = rowsBy('term', { school: 'school_id', year: 'academic_year_id' }, { lock: true })

/** A row whose term, or whose class, belongs to the year. */
const oneUnder = (table: 'assessment' | 'class_report_file', above: 'term' | 'student_group') =>
  statement<{ school: string; year: string }>()(({ db, t, p }) => {
    const [row, parent] = [t[table], t[above]]
    return db
      .select({ id: row.id })
      .from(row)
      .innerJoin(parent, matches(parent, { school_id: row.school_id, id: row[`${above}_id`] }))
      .where(matches(parent, { school_id: p.school, academic_year_id: p.year }))
      .limit(1)
  })
const ofYear = { school: 'school_id', year: 'academic_year_id' } as const

/** Queries for one row of each kind that prevents deleting a year; a grade always has its assessment. */
export const usesOfYear = [
  oneUnder('assessment', 'term'),
  // Of a class of the year, whatever year its term is in.
  oneUnder('assessment', 'student_group'),
  rowsBy('report_book', ofYear, { limit: 1 }),
  oneUnder('class_report_file', 'student_group'),
]

/** One year-end report book of the year, if there is any. */
export const aYearEndBook = rowsBy('report_book', ofYear, { columns: ['id'], where: { report_type: 'year_end' }, limit: 1 })
