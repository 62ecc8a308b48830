import type { Issue } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { categoriesOfYear } from '../assessment-categories/assessment-categories.policy.ts'
import { rollOverIssue } from './roll-over.issues.ts'
import { categoriesToRollOver } from './roll-over.queries.ts'

type Year = Row<'academic_year'>
type Category = Omit<Row<'assessment_category'>, 'id' | 'school_id' | 'academic_year_id' | 'created_at' | 'updated_at'>
type Scale = Pick<Year, 'scale_pass_mark' | 'scale_bands'>
/** The named earlier years; null where something is not copied. */
export type Sources = { categoriesFrom: Year | null; scaleFrom: Year | null }
export type Structure = { categories: Category[]; scale: Scale | null; issues: Issue[] }

const kindOf = ({ subject_id, assessment_type, name }: Category) => `${subject_id} ${assessment_type} ${name}`

/** What to copy into `year`: categories of active subjects that it lacks; a scale where it has none of its own. */
export async function structureToRollOver(tx: ReadTx, year: Year, { categoriesFrom, scaleFrom }: Sources): Promise<Structure> {
  const notEarlier = (path: string, from: Year | null): Issue[] =>
    from === null || from.start_date < year.start_date ? [] : [rollOverIssue(path, 'no_earlier_year')]
  const issues = [...notEarlier('categoriesFromYearId', categoriesFrom), ...notEarlier('scaleFromYearId', scaleFrom)]
  const existing = await categoriesOfYear(tx, { school: year.school_id, year: year.id })
  const known = new Set(existing.map(kindOf))
  const former = categoriesFrom ? await categoriesToRollOver(tx, { school: year.school_id, year: categoriesFrom.id }) : []
  const last = Math.max(0, ...existing.map(({ sort_order }) => sort_order))
  const categories = former.filter((one) => !known.has(kindOf(one))).map((one, at) => ({ ...one, sort_order: last + at + 1 }))
  const counts = new Map<string | null, number>()
  for (const { subject_id } of [...existing, ...categories]) counts.set(subject_id, (counts.get(subject_id) ?? 0) + 1)
  if ([...counts.values()].some((count) => count > limits.categoriesPerSubject)) {
    issues.push(rollOverIssue('categoriesFromYearId', 'too_many_categories', { max: limits.categoriesPerSubject }))
  }
  const isScaleNew = scaleFrom !== null && scaleFrom.scale_bands !== null && year.scale_bands === null
  const scale = isScaleNew ? { scale_pass_mark: scaleFrom.scale_pass_mark, scale_bands: scaleFrom.scale_bands } : null
  return { categories, scale, issues }
}

export async function writeStructure(tx: WriteTx, year: Year, { categories, scale }: Structure): Promise<void> {
  const { id: academic_year_id, school_id } = year
  await tx.insert(
    'assessment_category',
    categories.map((category) => ({ ...category, id: tx.newId(), school_id, academic_year_id })),
  )
  if (scale) await tx.update('academic_year', year, scale)
}
