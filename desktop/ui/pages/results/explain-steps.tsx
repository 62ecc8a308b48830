import type { Explanation } from '@markbook/shared/contract/calculations'
import { useTranslation } from 'react-i18next'
import { figure, number } from '../../words/format.ts'
import { precise } from './precise.ts'
import styles from './results.module.css'

type Step = Explanation['steps'][number]
type StepOf<K extends Step['step']> = Extract<Step, { step: K }>
type Shown = { decimal: number; exact: boolean }

/** As a calculator shows it; with the sign of what goes on. */
const shown = ({ decimal, exact }: Shown): string => (exact ? precise(decimal) : `≈ ${precise(decimal)}`)

/** The working, step by step, in sentences that anybody can follow with a calculator. */
export const ExplainSteps = ({ steps }: { steps: readonly Step[] }) => (
  <ol className={styles['steps']}>
    {steps.map((step) => (
      <li key={step.step}>
        <StepText step={step} />
      </li>
    ))}
  </ol>
)

function StepText({ step }: { step: Step }) {
  switch (step.step) {
    case 'coursework_average':
    case 'exam_average':
      return <AverageText step={step} />
    case 'term_composite':
      return <CompositeText step={step} />
    case 'letter_grade':
      return <LetterText step={step} />
    case 'overall_average':
      return <OverallText step={step} />
  }
}

function AverageText({ step }: { step: StepOf<'coursework_average' | 'exam_average'> }) {
  const { t } = useTranslation('results')
  const name = t(`explain.${step.step}`)
  if (step.parts.length === 0) return t('explain.noMarks', { name })
  if (step.printed === null) return t('explain.noWeight', { name })
  const sum = step.parts.map(({ percentage, weight }) => `${shown(percentage)} × ${precise(weight)}`).join(' + ')
  return (
    <>
      {name}: ({sum}) ÷ {shown(step.weight_sum)} = <strong>{figure(step.printed)}</strong>
    </>
  )
}

function CompositeText({ step }: { step: StepOf<'term_composite'> }) {
  const { t } = useTranslation('results')
  const { coursework, exam, coursework_weight, exam_weight, printed } = step
  const name = t('explain.term_composite')
  if (printed === null) return t('explain.noComposite', { name })
  if (coursework && exam)
    return (
      <>
        {name}: ({shown(coursework)} × {coursework_weight} + {shown(exam)} × {exam_weight}) ÷ 100 = <strong>{figure(printed)}</strong>
      </>
    )
  return (
    <>
      {t(coursework ? 'explain.onlyCoursework' : 'explain.onlyExam', { name })} <strong>{figure(printed)}</strong>
    </>
  )
}

function LetterText({ step }: { step: StepOf<'letter_grade'> }) {
  const { t } = useTranslation('results')
  const { average, minimum, letter_grade, remark } = step
  if (average === null || minimum === null) return t('explain.noLetter')
  return t('explain.letter', { average: figure(average), minimum: number(minimum), letter: letter_grade, remark })
}

function OverallText({ step }: { step: StepOf<'overall_average'> }) {
  const { t } = useTranslation('results')
  if (step.printed === null) return t('explain.noOverall')
  const counted = step.composites.filter(({ term_composite }) => term_composite !== null)
  const sum = counted.map(({ term_composite }) => figure(term_composite)).join(' + ')
  return (
    <>
      {t('explain.overall', { subjects: counted.map(({ subject_name }) => subject_name).join(', ') })}: ({sum}) ÷ {step.count} ={' '}
      <strong>{figure(step.printed)}</strong>
    </>
  )
}
