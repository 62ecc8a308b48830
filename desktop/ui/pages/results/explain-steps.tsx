import type { Explanation } from '@markbook/shared/contract/calculations'
import { useTranslation } from 'react-i18next'
import { figure, number, precise } from '../../words/format.ts'
import styles from './results.module.css'

/** Each step of a calculation as a sentence. */
export const Steps = ({ steps }: { steps: readonly Step[] }) => (
  <ol className={styles['steps']}>
    {steps.map((step) => (
      <li key={step.step}>
        <StepText step={step} />
      </li>
    ))}
  </ol>
)

type Step = Explanation['steps'][number]
type StepNumber = { decimal: number; exact: boolean }

/** A number with at most 4 decimals; with ≈ where it is rounded. */
const stepNumber = ({ decimal, exact }: StepNumber): string => (exact ? precise(decimal) : `≈ ${precise(decimal)}`)

/** A step of the calculation as a sentence. */
function StepText({ step }: { step: Step }) {
  const { t } = useTranslation('results')
  switch (step.step) {
    case 'coursework_average':
    case 'exam_average': {
      const name = t(`explain.${step.step}`)
      if (step.categories) return <CategoryStep {...step} categories={step.categories} name={name} />
      if (step.parts.length === 0) return t('explain.noMarks', { name })
      if (step.printed === null) return t('explain.noWeight', { name })
      const sum = step.parts.map(({ percentage, weight }) => `${stepNumber(percentage)} × ${precise(weight)}`).join(' + ')
      return <Equation start={`${name}: (${sum}) ÷ ${stepNumber(step.weight_sum)} =`} result={step.printed} />
    }
    case 'term_composite': {
      const { coursework, exam, coursework_weight, exam_weight, printed } = step
      const name = t('explain.term_composite')
      if (printed === null) return t('explain.noComposite', { name })
      const sum = coursework && exam && `${stepNumber(coursework)} × ${coursework_weight} + ${stepNumber(exam)} × ${exam_weight}`
      const single = t(coursework ? 'explain.onlyCoursework' : 'explain.onlyExam', { name })
      return <Equation start={sum ? `${name}: (${sum}) ÷ 100 =` : single} result={printed} />
    }
    case 'letter_grade': {
      const { average, minimum, letter_grade, remark } = step
      if (average === null || minimum === null) return t('explain.noLetter')
      return t('explain.letter', { average: figure(average), minimum: number(minimum), letter: letter_grade, remark })
    }
    case 'overall_average':
      return <OverallStep {...step} />
  }
}

type AverageStep = Extract<Step, { step: 'exam_average' | 'coursework_average' }>
type CategoryStepProps = Pick<AverageStep, 'printed' | 'weight_sum' | 'extra_points'> & {
  categories: NonNullable<AverageStep['categories']>
  name: string
}

/** The mean of the categories with the points of extra credit, then the average of each category. */
function CategoryStep({ name, categories, printed, weight_sum, extra_points }: CategoryStepProps) {
  const { t } = useTranslation('results')
  const called = (category: (typeof categories)[number]) => category.name ?? t('explain.withoutCategory')
  const counting = categories.filter(({ counts, is_extra_credit }) => counts && !is_extra_credit)
  const isAlike = counting.every(({ weight }) => weight === 0)
  const sum = counting.map(({ average, weight }) => `${average ? stepNumber(average) : ''} × ${precise(isAlike ? 1 : weight)}`).join(' + ')
  const extra = extra_points && extra_points.decimal > 0 ? ` + ${stepNumber(extra_points)}` : ''
  return (
    <>
      {printed === null ? (
        t('explain.noMarks', { name })
      ) : (
        <Equation start={`${name}: (${sum}) ÷ ${stepNumber(weight_sum)}${extra} =`} result={printed} />
      )}
      <ul>
        {categories.map((category) => (
          <li key={category.category_id ?? ''}>
            {t(category.average ? 'explain.category' : 'explain.categoryEmpty', {
              name: called(category),
              average: category.average ? stepNumber(category.average) : '',
            })}{' '}
            {category.dropped.length > 0 && t('explain.droppedCount', { count: category.dropped.length })}{' '}
            {category.is_extra_credit && t('explain.extraCredit', { weight: precise(category.weight) })}
            {category.average && !category.counts && t('explain.countsNot')}
          </li>
        ))}
      </ul>
    </>
  )
}

type OverallStepProps = Pick<Extract<Step, { step: 'overall_average' }>, 'composites' | 'printed'>

export function OverallStep({ composites, printed }: OverallStepProps) {
  const { t } = useTranslation('results')
  if (printed === null) return t('explain.noOverall')
  const counted = composites.filter(({ term_composite }) => term_composite !== null)
  const sum = counted.map(({ term_composite }) => figure(term_composite)).join(' + ')
  const lead = t('explain.overall', { subjects: counted.map(({ subject_name }) => subject_name).join(', ') })
  return <Equation start={`${lead}: (${sum}) ÷ ${counted.length} =`} result={printed} />
}

/** A calculation and its printed result. */
export const Equation = ({ start, result }: { start: string; result: number }) => (
  <>
    {start} <strong>{figure(result)}</strong>
  </>
)
