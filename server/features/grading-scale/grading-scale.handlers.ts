import { gradingScale } from '@markbook/shared/contract/grading-scale'
import type { GradingScale } from '@markbook/shared/domain/letters'
import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { activeYearOf } from '../academic-years/academic-years.policy.ts'
import { type PolicyContext, rowOf } from '../policy.ts'
import { gradingScaleOf, gradingScaleOfSchool, rowOfScale, storedScale, yearsToWrite } from './grading-scale.policy.ts'

type Year = Row<'academic_year'>
type Context = PolicyContext & { targets: Readonly<Record<string, string | undefined>> }

/** The requested year; null for the school's scale. */
const yearAsked = async (context: PolicyContext, { targets }: Pick<Context, 'targets'>): Promise<Year | null> =>
  targets['academicYearId'] === undefined ? null : rowOf(context, 'academic_year', targets['academicYearId'])

/**
 * Keeps the letters of past years: those that used the school's scale get it as their own, in the transaction that changes it. Returns
 * their names.
 */
async function keepInPastYears(tx: WriteTx, school: string, standing: GradingScale): Promise<string[]> {
  const active = await activeYearOf(tx, school)
  const today = tx.now.slice(0, 10)
  const isOver = (year: Year) => year.end_date < today && year.id !== active?.academic_year_id
  const years = (await yearsToWrite(tx, { school })).filter((year) => isOver(year) && year.scale_bands === null)
  const { pass_mark, bands } = rowOfScale(standing)
  await tx.update(
    'academic_year',
    years.map((before) => ({ before, patch: { scale_pass_mark: pass_mark, scale_bands: bands } })),
  )
  return years.map(({ name }) => name)
}

export const gradingScaleHandlers: Handlers<typeof gradingScale> = {
  get: on(gradingScale.get, {
    load: yearAsked,
    run: async ({ tx, caller: { school_id } }, _input, year) =>
      rowOfScale(await (year ? gradingScaleOf(tx, { school_id, academic_year_id: year.id }) : gradingScaleOfSchool(tx, school_id))),
  }),

  put: on(gradingScale.put, {
    load: yearAsked,
    run: async ({ tx, caller: { school_id } }, { body }, year) => {
      const scale = rowOfScale(body)
      if (year) {
        await tx.update('academic_year', year, { scale_pass_mark: scale.pass_mark, scale_bands: scale.bands })
        return scale
      }
      const [before] = await storedScale(tx, { school: school_id })
      const standing = await gradingScaleOfSchool(tx, school_id)
      const isChanged = JSON.stringify(rowOfScale(standing)) !== JSON.stringify(scale)
      const kept_years = isChanged ? await keepInPastYears(tx, school_id, standing) : []
      if (before) await tx.update('grading_scale', before, scale)
      else await tx.insert('grading_scale', { id: naturalId('grading_scale', school_id), school_id, ...scale })
      return { ...scale, ...(kept_years.length > 0 && { kept_years }) }
    },
  }),
}
