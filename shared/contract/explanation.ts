import { z } from 'zod'
import { AssessmentType } from './assessments.ts'
import { Flag, Id, row } from './scalars.ts'

/** A fraction as a calculator shows it: 6 decimals; `exact` is false where it goes on beyond them. */
const Decimal = z.object({ decimal: z.number(), exact: Flag })
const Figure = z.number().nullable()
/** Every step ends with these: the exact result, the printed one (2 decimals), and the step as one sentence for a teacher. */
const outcome = { exact: Decimal.nullable(), printed: Figure, text: z.string() }

const AverageStep = z.object({
  step: z.enum(['coursework_average', 'exam_average']),
  parts: z.array(z.object({ assessment_id: Id, percentage: Decimal, weight: z.number(), product: Decimal })),
  weighted_sum: Decimal,
  weight_sum: Decimal,
  /**
   * Present where assessments of the type have categories. Each has the average of the marks that remain, and the assessments whose marks
   * were dropped; `category_id` is null for assessments without a category. `counts`: it has an average and a weight above 0. The sums
   * above are then over categories.
   */
  categories: z
    .array(
      z.object({
        category_id: Id.nullable(),
        name: z.string().nullable(),
        weight: z.number(),
        is_extra_credit: Flag,
        average: Decimal.nullable(),
        dropped: z.array(Id),
        counts: Flag,
      }),
    )
    .optional(),
  /** The points that extra credit adds; absent without categories. */
  extra_points: Decimal.optional(),
  ...outcome,
})
export type AverageStep = z.infer<typeof AverageStep>

const CompositeStep = z.object({
  step: z.literal('term_composite'),
  coursework: Decimal.nullable(),
  coursework_weight: z.number(),
  exam: Decimal.nullable(),
  exam_weight: z.number(),
  exact: Decimal.nullable(),
  printed: Figure,
  is_partial: Flag,
  text: z.string(),
})
export type CompositeStep = z.infer<typeof CompositeStep>

const LetterStep = z.object({
  step: z.literal('letter_grade'),
  average: Figure,
  minimum: Figure,
  letter_grade: z.string().nullable(),
  remark: z.string().nullable(),
  text: z.string(),
})
export type LetterStep = z.infer<typeof LetterStep>

const OverallStep = z.object({
  step: z.literal('overall_average'),
  composites: z.array(z.object({ subject_id: Id, subject_name: z.string(), term_composite: Figure })),
  sum: z.number(),
  count: z.int(),
  ...outcome,
})
export type OverallStep = z.infer<typeof OverallStep>

/** In the order of the calculation (decisions §5). */
export const ExplanationStep = z.discriminatedUnion('step', [AverageStep, CompositeStep, LetterStep, OverallStep])

/** `weight`: the weight used, 1 where none is set. `left_out`: why a mark does not count. */
export const ExplainedMark = row('ExplainedMark', {
  assessment_id: Id,
  title: z.string(),
  assessment_type: AssessmentType,
  /** The assessment's category; absent without one. */
  category_id: Id.optional(),
  /** The id of the grade, whose history can be read; absent where nothing was recorded. */
  grade_id: Id.optional(),
  score: Figure,
  /** A code of the school; absent without one. */
  status: z.string().optional(),
  /** The mark itself is excluded, even where `left_out` names another reason first; absent otherwise. */
  is_excluded: z.literal(true).optional(),
  max_score: z.number(),
  weight: z.number(),
  percentage: Decimal.nullable(),
  used: Flag,
  left_out: z.enum(['excluded_assessment', 'excluded_grade', 'no_mark', 'dropped']).nullable(),
  exclusion_reason: z.string().nullable(),
  text: z.string(),
})
export type ExplainedMark = z.infer<typeof ExplainedMark>
