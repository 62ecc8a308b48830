import { type TermFigures, TermMarks, type TermWeights, termFigures } from '@markbook/shared/domain/averages'
import type { Categorised, CategoryGroups } from '@markbook/shared/domain/categories'
import { withCategories } from '@markbook/shared/domain/class-marks'
import { meanOf, printed } from '@markbook/shared/domain/exact'
import { type GradingScale, letterFor } from '@markbook/shared/domain/letters'
import type { MarkValue } from '@markbook/shared/domain/mark-codes'
import { counts } from '@markbook/shared/domain/marks'

/** The columns of an assessment that the figures depend on. */
export type WeightedAssessment = Categorised & { is_excluded: boolean }
/** The mark that counts, saved or pending; null for none. */
export type EffectiveMark = (MarkValue & { is_excluded: boolean }) | null
export type RowFigures = TermFigures & { letter: string | null }

/** The figures of a pupil by the rules of the server (decisions §5). Both lists are in the order of the columns. */
export function rowFigures(
  columns: readonly WeightedAssessment[],
  marks: readonly EffectiveMark[],
  weights: TermWeights,
  scale: GradingScale,
  groups: CategoryGroups<WeightedAssessment>,
): RowFigures {
  const sums = new TermMarks()
  columns.forEach(({ assessment_type, max_score, weight, is_excluded }, at) => {
    const mark = marks[at]
    if (mark && mark.score !== null && counts(is_excluded, mark.is_excluded)) sums.add(assessment_type, mark.score, max_score, weight)
  })
  const scores = new Map(columns.map(({ id }, at) => [id, marks[at]]))
  const scoreOf = ({ id, is_excluded }: WeightedAssessment) => {
    const mark = scores.get(id)
    return mark && counts(is_excluded, mark.is_excluded) ? mark.score : null
  }
  const figures = termFigures(withCategories(sums.averages(), groups, scoreOf), weights)
  return { ...figures, letter: letterFor(scale, figures.term_composite)?.letter ?? null }
}

/** The mean of the marks in a column that count, in the points of the assessment. */
export const columnMean = (marks: readonly EffectiveMark[]): number | null =>
  printed(meanOf(marks.flatMap((mark) => (mark && mark.score !== null && !mark.is_excluded ? [mark.score] : []))))

/** The mean of one printed figure over the class. */
export const classMean = (values: readonly (number | null)[]): number | null => printed(meanOf(values.filter((value) => value !== null)))
