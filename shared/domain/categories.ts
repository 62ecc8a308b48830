import { compare, type Exact, exact, isZero, over, plus, ratio, times, zero } from './exact.ts'
import { compareText } from './fold.ts'
import type { AssessmentType } from './marks.ts'
import { WeightedMean } from './weighted-mean.ts'

/** A category of a year's assessments: of one subject, or of every subject where `subject_id` is null. */
export type Category = {
  id: string
  name: string
  subject_id: string | null
  assessment_type: AssessmentType
  /** Percent of the average of its type; for extra credit, the points that an average of 100 adds. */
  weight: number
  drop_lowest: number
  is_extra_credit: boolean
  sort_order: number
}

/** The fields of an assessment that an average by categories reads. */
export type Categorised = {
  id: string
  subject_id: string
  assessment_type: AssessmentType
  max_score: number
  weight: number | null
  category_id?: string | null
  sort_order?: number | null
}

/** The assessments of one category, in order; `category` null: assessments without one. */
export type CategoryGroup<A extends Categorised> = { category: Category | null; weight: number; assessments: readonly A[] }
/** By type of assessment; null where no assessment of that type has a category, so that the contract's formula applies. */
export type CategoryGroups<A extends Categorised> = Record<AssessmentType, readonly CategoryGroup<A>[] | null>

const LAST = Number.MAX_SAFE_INTEGER
const inOrder = (a: { id: string; sort_order?: number | null }, b: { id: string; sort_order?: number | null }) =>
  (a.sort_order ?? LAST) - (b.sort_order ?? LAST) || compareText(a.id, b.id)

/** Whether an assessment may be in a category, judged by the two rows alone. */
export const fitsCategory = (
  category: Pick<Category, 'assessment_type' | 'subject_id'>,
  assessment: { assessment_type: string; subject_id: string },
): boolean =>
  category.assessment_type === assessment.assessment_type && (category.subject_id === null || category.subject_id === assessment.subject_id)

/** 100 minus the weights of a subject's and type's categories: the weight of assessments without a category. Not below 0. */
export function weightLeft(categories: readonly Pick<Category, 'weight' | 'is_extra_credit'>[]): number {
  const sum = categories.reduce<Exact>((total, { weight, is_extra_credit }) => (is_extra_credit ? total : plus(total, exact(weight))), zero)
  const left = plus(ratio(100, 1), times(sum, ratio(-1, 1)))
  return compare(left, zero) <= 0 ? 0 : Number(left.n) / Number(left.d)
}

/** `assessments` of one subject and term, in any order; `categories` of the year. A category of another subject or type is ignored. */
export function categoryGroups<A extends Categorised>(assessments: readonly A[], categories: readonly Category[]): CategoryGroups<A> {
  const groupsOf = (type: AssessmentType) => {
    const own = assessments.filter(({ assessment_type }) => assessment_type === type).sort(inOrder)
    const [first] = own
    if (!first) return null
    const fitting = categories.filter((category) => fitsCategory(category, first)).sort(inOrder)
    const known = new Set(fitting.map(({ id }) => id))
    if (!own.some(({ category_id }) => category_id != null && known.has(category_id))) return null
    const groups: CategoryGroup<A>[] = fitting.map((category) => ({
      category,
      weight: category.weight,
      assessments: own.filter(({ category_id }) => category_id === category.id),
    }))
    const without = own.filter(({ category_id }) => category_id == null || !known.has(category_id))
    groups.push({ category: null, weight: weightLeft(fitting), assessments: without })
    return groups.filter((group) => group.assessments.length > 0)
  }
  return { coursework: groupsOf('coursework'), exam: groupsOf('exam') }
}

/** One category of a student: the assessments whose marks are dropped, and the exact average of the others; null without any. */
type CategoryAverage<A extends Categorised> = CategoryGroup<A> & { dropped: readonly A[]; average: Exact | null }
export type AverageByCategories<A extends Categorised> = {
  parts: readonly CategoryAverage<A>[]
  /** The weighted mean without extra credit. */
  base: Exact | null
  /** The points that extra credit adds, before the total is capped at 100. */
  extra: Exact
  average: Exact | null
  /** The weights of all categories that have an average are 0, so each counts equally. */
  isAlike: boolean
}

type Scored<A> = { assessment: A; score: number; percentage: Exact }

/**
 * The assessments with the lowest percentages, of equal ones the later, but never the last mark that counts. A mark of weight 0 is not
 * dropped, since dropping it would change nothing.
 */
function droppedOf<A extends Categorised>(marks: readonly Scored<A>[], count: number): ReadonlySet<A> {
  if (count === 0) return new Set()
  const weighing = marks.filter(({ assessment }) => assessment.weight !== 0)
  const place = new Map(weighing.map((mark, at) => [mark, at]))
  const lowestFirst = [...weighing].sort((a, b) => compare(a.percentage, b.percentage) || (place.get(b) ?? 0) - (place.get(a) ?? 0))
  return new Set(lowestFirst.slice(0, Math.min(count, Math.max(0, weighing.length - 1))).map(({ assessment }) => assessment))
}

/** A student's average in one type of assessment. `scoreOf` returns the usable score in an assessment, or null. */
export function averageByCategories<A extends Categorised>(
  groups: readonly CategoryGroup<A>[],
  scoreOf: (assessment: A) => number | null,
): AverageByCategories<A> {
  const parts = groups.map((group) => {
    const marks = group.assessments.flatMap((assessment): Scored<A>[] => {
      const score = scoreOf(assessment)
      return score === null ? [] : [{ assessment, score, percentage: over(exact(score), exact(assessment.max_score)) }]
    })
    const dropped = droppedOf(marks, group.category?.drop_lowest ?? 0)
    const mean = new WeightedMean()
    for (const { assessment, score } of marks) if (!dropped.has(assessment)) mean.add(score, assessment.max_score, assessment.weight)
    return { ...group, dropped: [...dropped].sort(inOrder), average: mean.mean() }
  })
  const counting = parts.filter(({ category, average }) => !category?.is_extra_credit && average !== null)
  const isAlike = counting.length > 0 && counting.every(({ weight }) => weight === 0)
  const weightOf = ({ weight }: CategoryGroup<A>) => (isAlike ? ratio(1, 1) : exact(weight))
  let [sum, weights, extra] = [zero, zero, zero]
  for (const part of counting) {
    sum = plus(sum, times(part.average ?? zero, weightOf(part)))
    weights = plus(weights, weightOf(part))
  }
  for (const { category, average, weight } of parts)
    if (category?.is_extra_credit && average !== null) extra = plus(extra, over(times(average, exact(weight)), HUNDRED))
  const base = isZero(weights) ? null : over(sum, weights)
  const whole = base && plus(base, extra)
  const average = whole && !isZero(extra) && compare(whole, HUNDRED) > 0 ? HUNDRED : whole
  return { parts, base, extra, average, isAlike }
}

const HUNDRED = ratio(100, 1)
