import { defaultGradingScale, type GradingScale } from '@markbook/shared/domain/letters'
import type { Row } from '@markbook/shared/tables/tables'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** The stored scale, to be written; locked, so only an administrator finds it. */
export const storedScale = rowsBy('grading_scale', { school: 'school_id' }, { lock: true })

/** The stored scale, to be read: also by a teacher who is writing grades. */
const readableScale = rowsBy('grading_scale', { school: 'school_id' })
const scaleOfYear = rowsBy('academic_year', { school: 'school_id', year: 'id' }, { columns: ['scale_pass_mark', 'scale_bands'] })

/** The years of a school, locked. */
export const yearsToWrite = rowsBy('academic_year', { school: 'school_id' }, { lock: true, orderBy: ['start_date', 'id'] })

const ownScale = (year: Pick<Row<'academic_year'>, 'scale_pass_mark' | 'scale_bands'> | undefined): GradingScale | null =>
  year && year.scale_pass_mark !== null && year.scale_bands !== null ? { passMark: year.scale_pass_mark, bands: year.scale_bands } : null

/** The scale that the school's years without their own go by; the default one where it has not written any (decisions §4). */
export async function gradingScaleOfSchool(tx: ReadTx, schoolId: string): Promise<GradingScale> {
  const [row] = await readableScale(tx, { school: schoolId })
  return row ? { passMark: row.pass_mark, bands: row.bands } : defaultGradingScale
}

/** The scale that letters of a year are read from: its own, or the school's. */
export async function gradingScaleOf(tx: ReadTx, of: { school_id: string; academic_year_id: string }): Promise<GradingScale> {
  const [year] = await scaleOfYear(tx, { school: of.school_id, year: of.academic_year_id })
  return ownScale(year) ?? gradingScaleOfSchool(tx, of.school_id)
}

/** A scale as replies, rows and snapshots hold it. */
export const rowOfScale = ({ passMark, bands }: GradingScale) => ({ pass_mark: passMark, bands: [...bands] })
