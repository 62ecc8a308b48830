import type { SubjectTerm } from '../contract/calculations.ts'
import type { AverageStep, CompositeStep, LetterStep, OverallStep } from '../contract/explanation.ts'
import { type TermWeights, type TypeAverages, termComposite } from './averages.ts'
import type { AverageByCategories, Categorised } from './categories.ts'
import { type Exact, exact, isZero, over, plus, printed, ratio, times, zero } from './exact.ts'
import { type GradingScale, letterFor } from './letters.ts'
import { type AssessmentType, isUsable, type Mark } from './marks.ts'
import { meanOfPrinted } from './results.ts'
import { shown, shownText } from './shown.ts'

const NAMES = {
  coursework: 'Coursework average',
  exam: 'Exam average',
} as const

/** 100 × score ÷ max_score. */
export const percentageOf = (score: number, maxScore: number): Exact => over(times(ratio(100, 1), exact(score)), exact(maxScore))

/** `= 75`, `= 66.125, printed as 66.13` or `≈66.666667, printed as 66.67`. */
function equals(value: Exact): string {
  const result = shown(value)
  if (result.exact && result.decimal === printed(value)) return `= ${result.decimal}`
  return `${result.exact ? '= ' : ''}${shownText(result)}, printed as ${printed(value)}`
}

/** Σ(percentage × weight) ÷ Σ weight of one type; `exact` and `printed` are null without marks. */
export function averageStep(marks: readonly Mark[], type: AssessmentType, average: Exact | null): AverageStep {
  const used = marks.filter((mark) => mark.assessment_type === type).filter(isUsable)
  const parts = used.map((mark) => {
    const percentage = percentageOf(mark.score, mark.max_score)
    const weight = mark.weight ?? 1
    return {
      assessment_id: mark.assessment_id,
      percentage,
      weight,
      product: times(percentage, exact(weight)),
    }
  })
  const weightedSum = parts.reduce<Exact>((sum, part) => plus(sum, part.product), zero)
  const weightSum = parts.reduce<Exact>((sum, part) => plus(sum, exact(part.weight)), zero)
  return {
    step: `${type}_average`,
    parts: parts.map((part) => ({
      ...part,
      percentage: shown(part.percentage),
      product: shown(part.product),
    })),
    weighted_sum: shown(weightedSum),
    weight_sum: shown(weightSum),
    exact: average && shown(average),
    printed: printed(average),
    text: `${NAMES[type]}: ${averageText(parts, weightSum, average)}.`,
  }
}

function averageText(parts: readonly { percentage: Exact; weight: number }[], weightSum: Exact, average: Exact | null): string {
  if (parts.length === 0) return 'there is no mark to use'
  if (average === null || isZero(weightSum)) return 'every mark has weight 0, so there is none'
  const sum = parts.map(({ percentage, weight }) => `${shownText(shown(percentage))} × ${weight}`).join(' + ')
  return `(${sum}) ÷ ${shownText(shown(weightSum))} ${equals(average)}`
}

/** The step of a type whose assessments have categories: the average of each category, their mean, and the extra credit. */
export function categoryStep(marks: readonly Mark[], type: AssessmentType, by: AverageByCategories<Categorised>): AverageStep {
  const dropped = new Set(by.parts.flatMap((part) => part.dropped.map(({ id }) => id)))
  const { parts } = averageStep(
    marks.filter(({ assessment_id }) => !dropped.has(assessment_id)),
    type,
    null,
  )
  const categories = by.parts.map(({ category, weight, average, dropped }) => ({
    category_id: category?.id ?? null,
    name: category?.name ?? null,
    weight,
    is_extra_credit: category?.is_extra_credit ?? false,
    average: average && shown(average),
    dropped: dropped.map(({ id }) => id),
    counts: average !== null && (weight > 0 || (by.isAlike && !category?.is_extra_credit)),
  }))
  const counting = by.parts.filter(({ category, average }) => !category?.is_extra_credit && average !== null)
  const weightOf = ({ weight }: { weight: number }) => (by.isAlike ? ratio(1, 1) : exact(weight))
  const sum = counting.reduce<Exact>((total, part) => plus(total, times(part.average ?? zero, weightOf(part))), zero)
  const weights = counting.reduce<Exact>((total, part) => plus(total, weightOf(part)), zero)
  return {
    step: `${type}_average`,
    parts,
    weighted_sum: shown(sum),
    weight_sum: shown(weights),
    categories,
    extra_points: shown(by.extra),
    exact: by.average && shown(by.average),
    printed: printed(by.average),
    text: `${NAMES[type]}: ${categoryText(by, weights)}.`,
  }
}

function categoryText(by: AverageByCategories<Categorised>, weights: Exact): string {
  const text = (value: Exact) => shownText(shown(value))
  const named = by.parts.map(({ category, average, weight, dropped }) => {
    const name = category?.name ?? 'without a category'
    const without = dropped.length > 0 ? `, ${dropped.length} lowest dropped` : ''
    const value = average === null ? 'no mark to use' : text(average)
    if (category?.is_extra_credit) return `${name} ${value}${without}, extra credit of ${weight}`
    const isIdle = weight === 0 && !by.isAlike
    return `${name} ${value}${without}, ${isIdle ? 'weight 0, so it does not count' : `weight ${by.isAlike ? 1 : weight}`}`
  })
  const told = named.join('; ')
  if (by.base === null || by.average === null) return `${told}; so there is none`
  const counting = by.parts.filter(
    ({ category, average, weight }) => !category?.is_extra_credit && average !== null && (by.isAlike || weight > 0),
  )
  const sum = counting.map(({ average, weight }) => `${text(average ?? zero)} × ${by.isAlike ? 1 : weight}`).join(' + ')
  const mean = `(${sum}) ÷ ${text(weights)}`
  if (isZero(by.extra)) return `${told}; ${mean} ${equals(by.average)}`
  return `${told}; ${mean} + ${text(by.extra)} of extra credit, at most 100, ${equals(by.average)}`
}

/** (coursework × its weight + exam × its weight) ÷ 100, from the unrounded averages. */
export function compositeStep(averages: TypeAverages, weights: TermWeights): CompositeStep {
  const { coursework, exam } = averages
  const { composite, is_partial } = termComposite(averages, weights)
  return {
    step: 'term_composite',
    coursework: coursework && shown(coursework),
    coursework_weight: weights.coursework_weight,
    exam: exam && shown(exam),
    exam_weight: weights.exam_weight,
    exact: composite && shown(composite),
    printed: printed(composite),
    is_partial,
    text: `Term composite: ${compositeText(averages, weights, composite)}.`,
  }
}

function compositeText({ coursework, exam }: TypeAverages, weights: TermWeights, composite: Exact | null): string {
  const text = (value: Exact) => shownText(shown(value))
  if (coursework !== null && exam !== null && composite !== null) {
    const sum = `${text(coursework)} × ${weights.coursework_weight} + ${text(exam)} × ${weights.exam_weight}`
    return `(${sum}) ÷ 100 ${equals(composite)}`
  }
  if (coursework === null && exam === null) return 'there is neither a coursework nor an exam average'
  const [present, missing] = coursework !== null ? ['coursework', 'exam'] : ['exam', 'coursework']
  if (composite === null)
    return `there is only ${present === 'exam' ? 'an exam' : 'a coursework'} average, which has weight 0 in this term, so there is none`
  return `there is no ${missing} average, so the ${present} average counts alone: ${equals(composite).replace('= ', '')}`
}

/** The band whose minimum the printed composite reaches. */
export function letterStep(result: SubjectTerm, scale: GradingScale): LetterStep {
  const average = result.term_composite
  const band = average === null ? undefined : scale.bands.find(({ letter }) => letter === letterFor(scale, average)?.letter)
  return {
    step: 'letter_grade',
    average,
    minimum: band?.minimum ?? null,
    letter_grade: result.letter_grade,
    remark: result.remark,
    text: band
      ? `Letter: ${average} reaches ${band.minimum}, which is ${band.letter} (${band.remark}).`
      : 'Letter: without a composite there is none.',
  }
}

/** The mean of the student's printed composites; subjects without a composite (null) are ignored. */
export function overallStep(subjects: readonly Pick<SubjectTerm, 'subject_id' | 'subject_name' | 'term_composite'>[]): OverallStep {
  const composites = subjects.map(({ subject_id, subject_name, term_composite }) => ({
    subject_id,
    subject_name,
    term_composite,
  }))
  const counted = composites.map((subject) => subject.term_composite).filter((composite) => composite !== null)
  const sum = counted.reduce<Exact>((total, composite) => plus(total, exact(composite)), zero)
  const mean = counted.length === 0 ? null : over(sum, ratio(counted.length, 1))
  const text = mean === null ? 'no subject has a composite yet' : `(${counted.join(' + ')}) ÷ ${counted.length} ${equals(mean)}`
  return {
    step: 'overall_average',
    composites,
    sum: printed(sum) ?? 0,
    count: counted.length,
    exact: mean && shown(mean),
    printed: meanOfPrinted(counted),
    text: `Overall average: ${text}.`,
  }
}
