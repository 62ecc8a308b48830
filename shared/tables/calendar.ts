import { sql } from 'drizzle-orm'
import { type Columns, timestamps } from './columns.sqlite.ts'
import { always, isRecord, ofSchool } from './describe.ts'
import type { School } from './people.ts'

const gradingModels = ['term_based', 'year_based'] as const
export const calculationModels = ['weighted_cumulative', 'weighted_continuous', 'continuous_cumulative'] as const

export type Band = { letter: string; minimum: number; remark: string }
const isBand = (value: unknown) =>
  isRecord(value) && typeof value['letter'] === 'string' && Number.isFinite(value['minimum']) && typeof value['remark'] === 'string'
export const areBands = (value: unknown): boolean => Array.isArray(value) && value.every(isBand)

/** `scale_…`: the year's own grading scale; both null where the school's scale applies. */
export const academicYear = (c: Columns, { school }: School) =>
  c.ofSchool('public', 'academic_year', {
    columns: {
      name: c.text().notNull(),
      start_date: c.day().notNull(),
      end_date: c.day().notNull(),
      grading_model: c.choice(gradingModels).notNull(),
      calculation_model: c.choice(calculationModels).notNull(),
      year_exam_weight: c.decimal(),
      year_coursework_weight: c.decimal(),
      scale_pass_mark: c.decimal(),
      scale_bands: c.json<Band[]>(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.foreign('academic_year_school', [t.school_id], [school.id]),
      c.check('academic_year_dates', sql`${t.end_date} > ${t.start_date}`),
      c.check('academic_year_model', sql`${t.grading_model} in ('term_based', 'year_based')`),
      c.check(
        'academic_year_calculation',
        sql`${t.calculation_model} in ('weighted_cumulative', 'weighted_continuous', 'continuous_cumulative')`,
      ),
      c.check('academic_year_weights', sql`${t.year_exam_weight} between 0 and 100 and ${t.year_coursework_weight} between 0 and 100`),
      c.check('academic_year_scale', sql`${t.scale_pass_mark} between 0 and 100`),
    ],
  })

export const academicYearDescription = ofSchool({
  identity: ['created_at'],
  units: {
    name: ['name'],
    dates: ['start_date', 'end_date'],
    model: ['grading_model', 'calculation_model', 'year_exam_weight', 'year_coursework_weight'],
    scale: ['scale_pass_mark', 'scale_bands'],
  },
  audit: ['updated_at'],
  json: { scale_bands: (value) => value === null || areBands(value) },
})

export type Year = { academic_year: ReturnType<typeof academicYear> }

/** Register: the one row of a school that names its active year, so that there cannot be two. */
export const activeYear = (c: Columns, { school, academic_year }: School & Year) =>
  c.ofSchool('public', 'active_year', {
    columns: { academic_year_id: c.uuid(), updated_at: c.instant().notNull() },
    rules: (t) => [
      c.unique('active_year_once', [t.school_id]),
      c.foreign('active_year_school', [t.school_id], [school.id]),
      c.foreign('active_year_year', [t.school_id, t.academic_year_id], [academic_year.school_id, academic_year.id]),
    ],
  })

export const activeYearDescription = ofSchool({
  identity: [],
  natural: { of: ['school_id'] },
  notDeletedAlone: always,
  units: { winner: ['academic_year_id'] },
  audit: ['updated_at'],
})

export const term = (c: Columns, { academic_year }: Year) =>
  c.ofSchool('public', 'term', {
    columns: {
      academic_year_id: c.uuid().notNull(),
      name: c.text().notNull(),
      start_date: c.day().notNull(),
      end_date: c.day().notNull(),
      exam_weight: c.decimal().notNull(),
      coursework_weight: c.decimal().notNull(),
      is_ministry_reporting: c.flag().notNull(),
      sort_order: c.int().notNull(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('term_name_once', [t.school_id, t.academic_year_id, t.name]),
      c.foreign('term_year', [t.school_id, t.academic_year_id], [academic_year.school_id, academic_year.id]),
      // `~` and an id: a temporary name while terms exchange names within a page of replication (store/replica/rivals.ts).
      c.check('term_name', sql`length(${t.name}) between 1 and 40`),
      c.check('term_dates', sql`${t.end_date} > ${t.start_date}`),
      c.check('term_weights', sql`${t.exam_weight} between 0 and 100 and ${t.coursework_weight} between 0 and 100`),
    ],
  })

export type Term = { term: ReturnType<typeof term> }

export const termDescription = ofSchool({
  identity: ['created_at'],
  units: {
    year: ['academic_year_id'],
    name: ['name'],
    dates: ['start_date', 'end_date'],
    weights: ['exam_weight', 'coursework_weight'],
    is_ministry_reporting: ['is_ministry_reporting'],
    sort_order: ['sort_order'],
  },
  audit: ['updated_at'],
})

export const subject = (c: Columns, { school }: School) =>
  c.ofSchool('public', 'subject', {
    columns: {
      name: c.text().notNull(),
      code: c.text().notNull(),
      sort_order: c.int().notNull(),
      is_active: c.flag().notNull(),
      ...timestamps(c),
    },
    rules: (t) => [c.unique('subject_code_once', [t.school_id, t.code]), c.foreign('subject_school', [t.school_id], [school.id])],
  })

export type Subject = { subject: ReturnType<typeof subject> }

export const subjectDescription = ofSchool({
  identity: ['created_at'],
  units: { name: ['name'], code: ['code'], sort_order: ['sort_order'], is_active: ['is_active'] },
  audit: ['updated_at'],
})
