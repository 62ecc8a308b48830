import { defaultGradingScale, type GradingScale } from '@markbook/shared/domain/letters'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** The stored scale, locked for writing, so only an administrator finds it. */
export const storedScale = rowsBy('grading_scale', { school: 'school_id' }, { lock: true })

/** The stored scale for reading, also in a teacher's writing transaction. */
const readableScale = rowsBy('grading_scale', { school: 'school_id' })
const scaleOfYear = rowsBy('academic_year', { school: 'school_id', year: 'id' }, { columns: ['scale_pass_mark', 'scale_bands'] })

/** The years of a school, locked. */
export const yearsToWrite = rowsBy('academic_year', { school: 'school_id' }, { lock: true, orderBy: ['start_date', 'id'] })

const ownScale = (year: Pick<Row<'academic_year'>, 'scale_pass_mark' | 'scale_bands'> | undefined): GradingScale | null =>
  year && year.scale_pass_mark !== null && year.scale_bands !== null ? { passMark: year.scale_pass_mark, bands: year.scale_bands } : null

/** The scale for the school's years without their own; the default one where the school has not stored any (decisions §4). */
export async function gradingScaleOfSchool(tx: ReadTx, schoolId: string): Promise<GradingScale> {
  const [row] = await readableScale(tx, { school: schoolId })
  return row ? { passMark: row.pass_mark, bands: row.bands } : defaultGradingScale
}

/** The scale for letters of a year: its own, or the school's. */
export async function gradingScaleOf(tx: ReadTx, of: { school_id: string; academic_year_id: string }): Promise<GradingScale> {
  const [year] = await scaleOfYear(tx, { school: of.school_id, year: of.academic_year_id })
  return ownScale(year) ?? gradingScaleOfSchool(tx, of.school_id)
}

/** The scales of a term's year and of the school in one statement, since every write of a mark reads them. */
const scalesOfTerm = statement<{ school: string; term: string }>()(({ db, t, p }) => {
  const { term, academic_year, grading_scale } = t
  return db
    .select({
      scale_pass_mark: academic_year.scale_pass_mark,
      scale_bands: academic_year.scale_bands,
      pass_mark: grading_scale.pass_mark,
      bands: grading_scale.bands,
    })
    .from(term)
    .innerJoin(academic_year, matches(academic_year, { school_id: term.school_id, id: term.academic_year_id }))
    .leftJoin(grading_scale, matches(grading_scale, { school_id: term.school_id }))
    .where(and(eq(term.school_id, p.school), eq(term.id, p.term)))
})

/** The scale for letters of a term; null where the term does not exist. */
export async function gradingScaleOfTerm(tx: ReadTx, of: { school_id: string; term_id: string }): Promise<GradingScale | null> {
  const [found] = await scalesOfTerm(tx, { school: of.school_id, term: of.term_id })
  if (!found) return null
  const { pass_mark, bands } = found
  return ownScale(found) ?? (pass_mark === null || bands === null ? defaultGradingScale : { passMark: pass_mark, bands })
}

/** A scale in the form of replies, rows and snapshots. */
export const rowOfScale = ({ passMark, bands }: GradingScale) => ({ pass_mark: passMark, bands: [...bands] })
