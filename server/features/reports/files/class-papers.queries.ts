import { asc, eq, getTableColumns, isNotNull, sql } from 'drizzle-orm'
import { matches } from '../../../store/conditions.ts'
import { rowsBy, statement } from '../../../store/statement.ts'

/** For the console, which asks as the service: the schools of this database. */
export const schoolsNamed = statement<Record<never, never>>()(({ db, t }) =>
  db.select({ id: t.school.id, name: t.school.name }).from(t.school).orderBy(asc(t.school.name)),
)

/** Years by start date; whether a year is the active one. */
export const yearsNamed = statement<{ school: string }>()(({ db, t, p }) => {
  const { academic_year, active_year } = t
  return db
    .select({ ...getTableColumns(academic_year), is_active: sql<boolean>`${isNotNull(active_year.id)}`.mapWith(Boolean) })
    .from(academic_year)
    .leftJoin(active_year, matches(active_year, { school_id: academic_year.school_id, academic_year_id: academic_year.id }))
    .where(eq(academic_year.school_id, p.school))
    .orderBy(asc(academic_year.start_date))
})

export const classesNamed = rowsBy('student_group', { school: 'school_id', year: 'academic_year_id' }, { orderBy: ['name'] })
