import { type TermFigures, TermMarks, type TermWeights, termFigures } from '@markbook/shared/domain/averages'
import { meanOf, printed } from '@markbook/shared/domain/exact'
import { type GradingScale, letterFor } from '@markbook/shared/domain/letters'
import { type AssessmentType, counts } from '@markbook/shared/domain/marks'

/** What of an assessment its pupils' figures follow from. */
export type Weighed = { assessment_type: AssessmentType; max_score: number; weight: number | null; is_excluded: boolean }
/** A mark as it stands in the sheet, saved or not; null where there is none. */
export type Standing = { score: number; is_excluded: boolean } | null
export type RowFigures = TermFigures & { letter: string | null }

/** A pupil's figures from the marks of the sheet, by the rules of the server (decisions §5). Both lists are in the order of the columns. */
export function rowFigures(columns: readonly Weighed[], marks: readonly Standing[], weights: TermWeights, scale: GradingScale): RowFigures {
  const sums = new TermMarks()
  columns.forEach(({ assessment_type, max_score, weight, is_excluded }, at) => {
    const mark = marks[at]
    if (mark && counts(is_excluded, mark.is_excluded)) sums.add(assessment_type, mark.score, max_score, weight)
  })
  const figures = termFigures(sums.averages(), weights)
  return { ...figures, letter: letterFor(scale, figures.term_composite)?.letter ?? null }
}

/** The mean of what counts in a column, in the marks of that assessment. */
export const columnMean = (marks: readonly Standing[]): number | null =>
  printed(meanOf(marks.flatMap((mark) => (mark && !mark.is_excluded ? [mark.score] : []))))

/** The class's mean of one printed figure. */
export const classMean = (values: readonly (number | null)[]): number | null => printed(meanOf(values.filter((value) => value !== null)))
