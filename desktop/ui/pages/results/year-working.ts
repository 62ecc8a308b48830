type Model = 'weighted_cumulative' | 'weighted_continuous' | 'continuous_cumulative'
type Subject = {
  terms: readonly { term_composite: number | null }[]
  coursework_total: number | null
  exam_total: number | null
  end_of_year_exam: number | null
  year_grade: number | null
}
type Weights = { year_coursework_weight: number | null; year_exam_weight: number | null }

/**
 * How a year grade comes about (decisions §5), as numbers for sentences. `mean` is of the printed results of the terms, to 4 decimals.
 * `rule`: which of them make the grade: the mean alone because the model says so, both by weight, both totals, or one for want of the other.
 */
export type YearWorking = {
  composites: number[]
  mean: number | null
  exam: number | null
  courseworkWeight: number
  examWeight: number
  courseworkTotal: number | null
  examTotal: number | null
  rule: 'mean' | 'weighted' | 'totals' | 'only_terms' | 'only_exam' | 'nothing'
  grade: number | null
}

export function yearWorking(model: Model, weights: Weights, subject: Subject): YearWorking {
  const composites = subject.terms.map(({ term_composite }) => term_composite).filter((composite) => composite !== null)
  const sum = composites.reduce((total, composite) => total + Math.round(composite * 100), 0)
  const mean = composites.length === 0 ? null : Math.round((sum * 100) / composites.length) / 10_000
  const exam = subject.end_of_year_exam
  return {
    composites,
    mean,
    exam,
    courseworkWeight: weights.year_coursework_weight ?? 100,
    examWeight: weights.year_exam_weight ?? 0,
    courseworkTotal: subject.coursework_total,
    examTotal: subject.exam_total,
    rule: ruleOf(model, mean, exam),
    grade: subject.year_grade,
  }
}

function ruleOf(model: Model, mean: number | null, exam: number | null): YearWorking['rule'] {
  if (model === 'weighted_cumulative') return mean === null ? 'nothing' : 'mean'
  if (mean !== null && exam !== null) return model === 'weighted_continuous' ? 'weighted' : 'totals'
  if (mean !== null) return 'only_terms'
  return exam === null ? 'nothing' : 'only_exam'
}
