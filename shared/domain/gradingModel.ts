import { weightsSumTo100 } from './weights.ts'
import type { CalculationModel, YearModel } from './year.ts'

type GradingModel = 'term_based' | 'year_based'

/** The calculation models that a grading model allows; the first is the default (decisions §4, academic year). */
const modelsThatFit: Record<GradingModel, readonly [CalculationModel, ...CalculationModel[]]> = {
  term_based: ['weighted_cumulative'],
  year_based: ['weighted_continuous', 'weighted_cumulative', 'continuous_cumulative'],
}

/** The model columns of an academic year, complete. */
export type GradingModelColumns = YearModel & { grading_model: GradingModel }

/** The model fields of a request: undefined keeps, null clears. */
export type GradingModelInput = {
  grading_model?: GradingModel | undefined
  calculation_model?: CalculationModel | null | undefined
  year_exam_weight?: number | null | undefined
  year_coursework_weight?: number | null | undefined
}
export type GradingModelIssue = {
  path: 'gradingModel' | 'calculationModel' | 'yearExamWeight' | 'yearCourseworkWeight'
  message: string
}

/**
 * Computes the model columns of a year from a request and, on a change, the stored row. A `term_based` year has no weights: they become
 * null. Changing the grading model discards the stored calculation model.
 */
export function fillGradingModel(
  input: GradingModelInput,
  stored?: GradingModelColumns,
): { columns: GradingModelColumns } | { issues: GradingModelIssue[] } {
  const grading_model = input.grading_model ?? stored?.grading_model
  if (!grading_model)
    return {
      issues: [
        {
          path: 'gradingModel',
          message: 'Please choose how the year is graded.',
        },
      ],
    }
  const kept = stored?.grading_model === grading_model ? stored.calculation_model : undefined
  const calculation_model = input.calculation_model ?? kept ?? modelsThatFit[grading_model][0]
  if (!modelsThatFit[grading_model].includes(calculation_model))
    return {
      issues: [
        {
          path: 'calculationModel',
          message: 'This way of calculating does not fit a year that is graded by term.',
        },
      ],
    }
  if (grading_model === 'term_based')
    return {
      columns: {
        grading_model,
        calculation_model,
        year_exam_weight: null,
        year_coursework_weight: null,
      },
    }

  const year_exam_weight = input.year_exam_weight === undefined ? (stored?.year_exam_weight ?? null) : input.year_exam_weight
  const year_coursework_weight =
    input.year_coursework_weight === undefined ? (stored?.year_coursework_weight ?? null) : input.year_coursework_weight
  const issues = weightIssues(year_exam_weight, year_coursework_weight)
  return issues.length > 0
    ? { issues }
    : {
        columns: {
          grading_model,
          calculation_model,
          year_exam_weight,
          year_coursework_weight,
        },
      }
}

function weightIssues(exam: number | null, coursework: number | null): GradingModelIssue[] {
  const issues: GradingModelIssue[] = []
  if (exam === null)
    issues.push({
      path: 'yearExamWeight',
      message: 'A year that is graded as a whole needs an exam weight.',
    })
  if (coursework === null)
    issues.push({
      path: 'yearCourseworkWeight',
      message: 'A year that is graded as a whole needs a coursework weight.',
    })
  if (exam !== null && coursework !== null && !weightsSumTo100(exam, coursework))
    issues.push({
      path: 'yearExamWeight',
      message: 'The exam and coursework weights of the year must sum to 100.',
    })
  return issues
}
