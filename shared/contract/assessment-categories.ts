import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { AssessmentType } from './assessments.ts'
import { endpoint } from './endpoint.ts'
import { Done, decimal, Flag, Id, Instant, input, label, Percentage, row, SortOrder } from './scalars.ts'

/**
 * `subject_id` null: for every subject. `weight`: percent of the average of the type; for extra credit, the points that an average of 100
 * adds.
 */
export const AssessmentCategory = row('AssessmentCategory', {
  id: Id,
  academic_year_id: Id,
  subject_id: Id.nullable(),
  assessment_type: AssessmentType,
  name: z.string(),
  weight: z.number(),
  drop_lowest: z.int(),
  is_extra_credit: Flag,
  sort_order: z.int(),
  created_at: Instant,
  updated_at: Instant,
})
export type AssessmentCategory = z.infer<typeof AssessmentCategory>

const changeable = {
  name: label(limits.text.categoryName),
  weight: Percentage,
  dropLowest: decimal({ min: 0, max: limits.dropLowest, decimals: 0 }).optional(),
  isExtraCredit: Flag.optional(),
  sortOrder: SortOrder.optional(),
}
const AssessmentCategoryInput = input({
  academicYearId: Id,
  subjectId: Id.nullish(),
  assessmentType: AssessmentType,
  ...changeable,
})

export const assessmentCategoryFailures = failures('assessment_categories', {
  tooMany: [409, `A year has at most ${limits.categoriesPerSubject} categories of a subject.`],
  inUse: [409, 'Assessments are in this category. Take them out of it first.'],
})

export const assessmentCategories = {
  list: endpoint('GET /api/assessment-categories', 'school', 'List the categories of assessments of a year in order', {
    query: z.object({ academicYearId: Id }),
    reply: z.array(AssessmentCategory),
  }),
  create: endpoint('POST /api/assessment-categories', 'admin', 'Create a category of assessments', {
    status: 201,
    body: AssessmentCategoryInput,
    reply: AssessmentCategory,
    fails: ['assessment_categories.too_many'],
  }),
  update: endpoint('PATCH /api/assessment-categories/:id', 'admin', 'Change a category; its year, subject and type stay', {
    body: input(changeable).partial(),
    reply: AssessmentCategory,
  }),
  remove: endpoint('DELETE /api/assessment-categories/:id', 'admin', 'Delete a category that no assessment is in', {
    reply: Done,
    fails: ['assessment_categories.in_use'],
  }),
}
