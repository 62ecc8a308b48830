type Model = 'weighted_cumulative' | 'weighted_continuous' | 'continuous_cumulative'
type Results = { terms: readonly { term_composite: number | null }[]; end_of_year_exam: number | null }
type Weights = { year_coursework_weight: number | null; year_exam_weight: number | null }

/**
 * The calculation of a year grade (decisions §5). `mean`: that of the printed results of the terms, with 4 decimals. `rule`: how the grade
 * is made by the grading model: from the mean alone, from both parts by weight, or from both totals; from one part where the other is
 * missing.
 */
export function yearWorking(model: Model, weights: Weights, { terms, end_of_year_exam }: Results) {
  const composites = terms.map(({ term_composite }) => term_composite).filter((composite) => composite !== null)
  const sum = composites.reduce((total, composite) => total + Math.round(composite * 100), 0)
  const mean = composites.length === 0 ? null : Math.round((sum * 100) / composites.length) / 10_000
  return {
    composites,
    mean,
    courseworkWeight: weights.year_coursework_weight ?? 100,
    examWeight: weights.year_exam_weight ?? 0,
    rule: ruleOf(model, mean, end_of_year_exam),
  }
}

function ruleOf(
  model: Model,
  mean: number | null,
  exam: number | null,
): 'mean' | 'weighted' | 'totals' | 'only_terms' | 'only_exam' | 'nothing' {
  if (model === 'weighted_cumulative') return mean === null ? 'nothing' : 'mean'
  if (mean !== null && exam !== null) return model === 'weighted_continuous' ? 'weighted' : 'totals'
  if (mean !== null) return 'only_terms'
  return exam === null ? 'nothing' : 'only_exam'
}
