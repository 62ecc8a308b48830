import { assessmentCategories, assessmentCategoryFailures } from '@markbook/shared/contract/assessment-categories'
import { limits } from '@markbook/shared/limits'
import { type Handlers, on } from '../../http/handler.ts'
import { isReferenceViolation } from '../../store/errors.ts'
import { columnsOf } from '../columns.ts'
import { rowOf } from '../policy.ts'
import { failureFor } from '../references.ts'
import { categoriesOfYear } from './assessment-categories.policy.ts'
import { usesOfCategory } from './assessment-categories.queries.ts'

/** For an assessment that was put into the category after the check. */
const orInUse = failureFor(isReferenceViolation, assessmentCategoryFailures.inUse)

export const assessmentCategoryHandlers: Handlers<typeof assessmentCategories> = {
  list: on(assessmentCategories.list, {
    load: (context, { targets }) => rowOf(context, 'academic_year', targets['academicYearId']),
    run: ({ tx }, _input, year) => categoriesOfYear(tx, { school: year.school_id, year: year.id }),
  }),

  create: on(assessmentCategories.create, {
    load: async (context, { targets }) => {
      const year = await rowOf(context, 'academic_year', targets['academicYearId'])
      if (typeof targets['subjectId'] === 'string') await rowOf(context, 'subject', targets['subjectId'])
      return year
    },
    run: async ({ tx }, { body }, year) => {
      const all = await categoriesOfYear(tx, { school: year.school_id, year: year.id })
      const subject_id = body.subjectId ?? null
      if (all.filter((other) => other.subject_id === subject_id).length >= limits.categoriesPerSubject)
        throw assessmentCategoryFailures.tooMany()
      const sort_order = Math.max(0, ...all.map((other) => other.sort_order)) + 1
      const defaults = { drop_lowest: 0, is_extra_credit: false, sort_order }
      const row = { id: tx.newId(), ...defaults, ...columnsOf(body), school_id: year.school_id, subject_id }
      return tx.insert('assessment_category', row)
    },
  }),

  update: on(assessmentCategories.update, {
    load: (context, { params }) => rowOf(context, 'assessment_category', params.id),
    run: ({ tx }, { body }, category) => tx.update('assessment_category', category, columnsOf(body)),
  }),

  remove: on(assessmentCategories.remove, {
    load: (context, { params }) => rowOf(context, 'assessment_category', params.id),
    run: async ({ tx }, _input, category) => {
      if ((await usesOfCategory(tx, { school: category.school_id, category: category.id })).length > 0)
        throw assessmentCategoryFailures.inUse()
      await tx.remove('assessment_category', [category]).catch(orInUse)
      return { message: 'The category was deleted.' }
    },
  }),
}
