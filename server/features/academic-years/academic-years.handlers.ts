import {
  type AcademicYearInput,
  academicYearFailures,
  academicYears,
  activeYearFailures,
  yearScaleIssues,
} from '@markbook/shared/contract/academic-years'
import { spanIssues } from '@markbook/shared/contract/scalars'
import { fillGradingModel } from '@markbook/shared/domain/gradingModel'
import { isSameYear } from '@markbook/shared/domain/same-year'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import { isReferenceViolation } from '../../store/errors.ts'
import type { WriteTx } from '../../store/tx.ts'
import { categoriesOfYear } from '../assessment-categories/assessment-categories.policy.ts'
import { columnsOf } from '../columns.ts'
import { type PolicyContext, rowOf } from '../policy.ts'
import { anyFound, failureFor } from '../references.ts'
import { setsOfYear } from '../teaching-sets/teaching-sets.policy.ts'
import { makeTerms } from '../terms/terms.policy.ts'
import { activeYearOf, classesOfYear } from './academic-years.policy.ts'
import { aYearEndBook, shownYear, termsOfYear, usesOfYear, yearsOf } from './academic-years.queries.ts'
import { rollOver } from './roll-over.ts'

type Year = Row<'academic_year'>

/** The model columns and days of a year after a request; throws 400 with all contradictions. */
function yearColumns(body: Partial<AcademicYearInput>, stored?: Year) {
  const { name = stored?.name ?? '', start_date = stored?.start_date ?? '', end_date = stored?.end_date ?? '', ...rest } = columnsOf(body)
  const { scale_pass_mark = stored?.scale_pass_mark ?? null, scale_bands = stored?.scale_bands ?? null, ...model } = rest
  const filled = fillGradingModel(model, stored)
  const issues = [
    ...spanIssues({ startDate: start_date, endDate: end_date }),
    ...('issues' in filled ? filled.issues : []),
    ...yearScaleIssues({ scalePassMark: scale_pass_mark, scaleBands: scale_bands }),
  ]
  if ('issues' in filled || issues.length > 0) throw common.validationFailed({ issues })
  return { name, start_date, end_date, ...filled.columns, scale_pass_mark, scale_bands }
}

/** Locks the school, so that its active year stays, and concurrent additions of a year are checked one after the other. */
const lockSchool = (tx: PolicyContext['tx'], school: string) => tx.find('school', school, school)

/** Loads and locks a year to activate, deactivate or delete it. */
async function yearUnderLock(context: PolicyContext, id: string): Promise<Year> {
  await lockSchool(context.tx, context.caller.school_id)
  return rowOf(context, 'academic_year', id)
}

async function nameActive(tx: WriteTx, school: string, academic_year_id: string | null) {
  const register = await activeYearOf(tx, school)
  if (register) await tx.update('active_year', register, { academic_year_id })
  else await tx.insert('active_year', { id: school, school_id: school, academic_year_id })
}

async function demandTermsInside(tx: WriteTx, year: Year, days: Pick<Year, 'start_date' | 'end_date'>) {
  const terms = await termsOfYear(tx, { school: year.school_id, year: year.id })
  const isOutside = terms.some((term) => term.start_date < days.start_date || term.end_date > days.end_date)
  if (isOutside) throw academicYearFailures.termsOutside()
}

/** Generating reports locks the class; with all classes of the year locked, none are being generated. */
async function demandNoYearEndBooks(tx: WriteTx, year: Year) {
  await classesOfYear(tx, { school: year.school_id, year: year.id })
  const books = await aYearEndBook(tx, { school: year.school_id, year: year.id })
  if (books.length > 0) throw academicYearFailures.hasYearReports()
}

/** For a row that was recorded in the year after the check. */
const orInUse = failureFor(isReferenceViolation, academicYearFailures.inUse)

export const academicYearHandlers: Handlers<typeof academicYears> = {
  list: onGuard(academicYears.list, ({ tx, caller }) => yearsOf(tx, caller.school_id)),

  active: onGuard(academicYears.active, async ({ tx, caller }) => {
    const { academic_year_id } = (await activeYearOf(tx, caller.school_id)) ?? { academic_year_id: null }
    const year = academic_year_id && (await tx.find('academic_year', caller.school_id, academic_year_id))
    if (!year) throw activeYearFailures.noActiveYear()
    return { ...year, is_active: true }
  }),

  get: on(academicYears.get, {
    load: (context, { params }) => rowOf(context, 'academic_year', params.id),
    run: ({ tx }, _input, year) => shownYear(tx, year),
  }),

  create: onGuard(academicYears.create, async ({ tx, caller }, { body: { terms = [], isActive = false, mayRepeat = true, ...body } }) => {
    const { school_id } = caller
    const wanted = yearColumns(body)
    // Of two concurrent requests that add one year, the second finds the first one's.
    if (isActive || !mayRepeat) await lockSchool(tx, school_id)
    if (!mayRepeat && (await yearsOf(tx, school_id)).some((year) => isSameYear(year, wanted))) throw academicYearFailures.repeated()
    const year = await tx.insert('academic_year', { id: tx.newId(), school_id, ...wanted })
    await makeTerms(tx, year, terms, [])
    if (isActive) await nameActive(tx, school_id, year.id)
    return { ...year, is_active: isActive }
  }),

  update: on(academicYears.update, {
    load: (context, { params }) => rowOf(context, 'academic_year', params.id),
    run: async ({ tx }, { body }, year) => {
      const patch = yearColumns(body, year)
      if (patch.start_date !== year.start_date || patch.end_date !== year.end_date) await demandTermsInside(tx, year, patch)
      if (patch.grading_model !== year.grading_model) await demandNoYearEndBooks(tx, year)
      const updated = await tx.update('academic_year', year, patch)
      return shownYear(tx, updated)
    },
  }),

  activate: on(academicYears.activate, {
    load: (context, { params }) => yearUnderLock(context, params.id),
    run: async ({ tx }, _input, year) => {
      await nameActive(tx, year.school_id, year.id)
      return { ...year, is_active: true }
    },
  }),

  deactivate: on(academicYears.deactivate, {
    load: (context, { params }) => yearUnderLock(context, params.id),
    run: async ({ tx }, _input, year) => {
      const register = await activeYearOf(tx, year.school_id)
      if (register?.academic_year_id === year.id) await nameActive(tx, year.school_id, null)
      return { ...year, is_active: false }
    },
  }),

  remove: on(academicYears.remove, {
    load: (context, { params }) => yearUnderLock(context, params.id),
    run: async ({ tx }, _input, year) => {
      const place = { school: year.school_id, year: year.id }
      if ((await shownYear(tx, year)).is_active) throw academicYearFailures.isActive()
      const [classes, terms] = [await classesOfYear(tx, place), await termsOfYear(tx, place)]
      if (await anyFound(usesOfYear, tx, place)) throw academicYearFailures.inUse()
      await tx.remove('student_group', classes).catch(orInUse)
      await tx.remove('term', terms).catch(orInUse)
      await tx.remove('teaching_set', await setsOfYear(tx, place))
      await tx.remove('assessment_category', await categoriesOfYear(tx, place))
      await tx.remove('academic_year', [year]).catch(orInUse)
      return { message: 'The academic year was deleted.' }
    },
  }),

  rollOver: on(academicYears.rollOver, {
    load: async (context, { params, targets }) => {
      const year = await rowOf(context, 'academic_year', params.id)
      const named = async (id: string | undefined) => (id === undefined ? null : rowOf(context, 'academic_year', id))
      const sources = {
        categoriesFrom: await named(targets['categoriesFromYearId']),
        scaleFrom: await named(targets['scaleFromYearId']),
        setsFrom: await named(targets['setsFromYearId']),
      }
      return { year, sources }
    },
    run: (context, { body, query }, { year, sources }) => rollOver(context, year, body, sources, query.dryRun),
  }),
}
