import type { Row } from '@markbook/shared/tables/tables'
import { and, asc, desc, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

type Year = Row<'academic_year'>
type OfYear = { school: string; year: string }

const register = statement<{ school: string }>({ lock: 'active_year' })(({ db, t, p }) =>
  db.select().from(t.active_year).where(eq(t.active_year.school_id, p.school)),
)

/** The register that names the school's active year; undefined where none was ever active. Locked where the transaction writes. */
export async function activeYearOf(tx: ReadTx, school: string): Promise<Row<'active_year'> | undefined> {
  const [row] = await register(tx, { school })
  return row
}

const newestFirst = statement<{ school: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.academic_year)
    .where(eq(t.academic_year.school_id, p.school))
    .orderBy(desc(t.academic_year.start_date), desc(t.academic_year.name), asc(t.academic_year.id)),
)

/** A year as answered: `is_active` says whether the register names it. */
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

/** The terms of a year; locked where the transaction writes, so that nothing is added to one that is about to go. */
export const termsOfYear = statement<OfYear>({ lock: 'term' })(({ db, t, p }) =>
  db
    .select()
    .from(t.term)
    .where(and(eq(t.term.school_id, p.school), eq(t.term.academic_year_id, p.year))),
)

/** The classes of a year; locked where the transaction writes. */
export const classesOfYear = statement<OfYear>({ lock: 'student_group' })(({ db, t, p }) =>
  db
    .select()
    .from(t.student_group)
    .where(and(eq(t.student_group.school_id, p.school), eq(t.student_group.academic_year_id, p.year))),
)

const anAssessment = statement<OfYear>()(({ db, t, p }) =>
  db
    .select({ id: t.assessment.id })
    .from(t.assessment)
    .innerJoin(t.term, and(eq(t.term.school_id, t.assessment.school_id), eq(t.term.id, t.assessment.term_id)))
    .where(and(eq(t.term.school_id, p.school), eq(t.term.academic_year_id, p.year)))
    .limit(1),
)

/** Of one class of the year, whichever year its term is in. */
const anAssessmentOfAClass = statement<OfYear>()(({ db, t, p }) =>
  db
    .select({ id: t.assessment.id })
    .from(t.assessment)
    .innerJoin(
      t.student_group,
      and(eq(t.student_group.school_id, t.assessment.school_id), eq(t.student_group.id, t.assessment.student_group_id)),
    )
    .where(and(eq(t.student_group.school_id, p.school), eq(t.student_group.academic_year_id, p.year)))
    .limit(1),
)

const aReportBook = statement<OfYear>()(({ db, t, p }) =>
  db
    .select({ id: t.report_book.id })
    .from(t.report_book)
    .where(and(eq(t.report_book.school_id, p.school), eq(t.report_book.academic_year_id, p.year)))
    .limit(1),
)

const aClassFile = statement<OfYear>()(({ db, t, p }) =>
  db
    .select({ id: t.class_report_file.id })
    .from(t.class_report_file)
    .innerJoin(
      t.student_group,
      and(eq(t.student_group.school_id, t.class_report_file.school_id), eq(t.student_group.id, t.class_report_file.student_group_id)),
    )
    .where(and(eq(t.student_group.school_id, p.school), eq(t.student_group.academic_year_id, p.year)))
    .limit(1),
)

/** One row of each kind that keeps a year from being deleted; a grade always has its assessment. */
export const usesOfYear = [anAssessment, anAssessmentOfAClass, aReportBook, aClassFile]

/** One year-end report book of the year, where there is any. */
export const aYearEndBook = statement<OfYear>()(({ db, t, p }) =>
  db
    .select({ id: t.report_book.id })
    .from(t.report_book)
    .where(
      and(eq(t.report_book.school_id, p.school), eq(t.report_book.academic_year_id, p.year), eq(t.report_book.report_type, 'year_end')),
    )
    .limit(1),
)
