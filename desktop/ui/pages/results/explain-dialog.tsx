import type { ClassYear, Explanation, StudentTerm } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { InfoDialog } from '../../components/dialog.tsx'
import { Answer, Badge, Empty, Notice } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { figure, number, precise } from '../../words/format.ts'
import styles from './results.module.css'
import { yearWorking } from './year-working.ts'

type Props = { studentId: string; termId: string; subjectId: string; name: string; onClose: () => void }

/** Explains a result: every mark with its use, and each step of the calculation. */
export function ExplainDialog({ studentId, termId, subjectId, name, onClose }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const explained = useQuery(ask('calculations', 'explain', { query: { studentId, termId, subjectId } }))
  const subject = explained.data?.result.subject_name ?? ''
  return (
    <InfoDialog wide title={t('explain.title', { name, subject })} onClose={onClose}>
      <Answer of={explained}>
        {(explanation) => (
          <>
            {explanation.result.under_review && <Notice tone="warn">{t('explain.review')}</Notice>}
            <Marks marks={explanation.marks} />
            <ol className={styles['steps']}>
              {explanation.steps.map((step) => (
                <li key={step.step}>
                  <StepText step={step} />
                </li>
              ))}
            </ol>
          </>
        )}
      </Answer>
    </InfoDialog>
  )
}

type Mark = Explanation['marks'][number]

function Marks({ marks }: { marks: readonly Mark[] }) {
  const { t } = useTranslation('results')
  if (marks.length === 0) return <Empty>{t('explain.noAssessments')}</Empty>
  const columns: Column<Mark>[] = [
    { head: t('explain.assessment'), cell: ({ title }) => title },
    { head: t('explain.kind'), cell: ({ assessment_type }) => t(`explain.${assessment_type}`) },
    {
      head: t('explain.mark'),
      look: 'number',
      cell: ({ score, max_score }) => `${score === null ? '–' : number(score)} / ${number(max_score)}`,
    },
    { head: '%', look: 'number', cell: ({ percentage }) => (percentage ? number(percentage.decimal) : '–') },
    { head: t('explain.weight'), look: 'number', cell: ({ weight }) => number(weight) },
    {
      head: t('explain.counts'),
      cell: ({ left_out, exclusion_reason }) =>
        left_out ? (
          <>
            <Badge tone="warn">{t(`explain.${left_out}`)}</Badge> {exclusion_reason}
          </>
        ) : (
          <Badge tone="good">{t('explain.used')}</Badge>
        ),
    },
  ]
  return <Table label={t('explain.marks')} columns={columns} rows={marks} keyOf={({ assessment_id }) => assessment_id} />
}

type Step = Explanation['steps'][number]
type StepNumber = { decimal: number; exact: boolean }

/** To 4 decimals, with ≈ where it is not exact. */
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

/** The mean of the categories with what extra credit adds, then the average of each. */
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

function OverallStep({ composites, printed }: OverallStepProps) {
  const { t } = useTranslation('results')
  if (printed === null) return t('explain.noOverall')
  const counted = composites.filter(({ term_composite }) => term_composite !== null)
  const sum = counted.map(({ term_composite }) => figure(term_composite)).join(' + ')
  const lead = t('explain.overall', { subjects: counted.map(({ subject_name }) => subject_name).join(', ') })
  return <Equation start={`${lead}: (${sum}) ÷ ${counted.length} =`} result={printed} />
}

/** A calculation and its printed result. */
const Equation = ({ start, result }: { start: string; result: number }) => (
  <>
    {start} <strong>{figure(result)}</strong>
  </>
)

/** Value of the search parameter `explain` for the overall average. */
export const OVERALL = 'overall'
type OverallProps = { name: string; student: StudentTerm; onClose: () => void }

/** Explains an overall average and the position in the class. */
export function OverallDialog({ name, student, onClose }: OverallProps) {
  const { t } = useTranslation(['results', 'app'])
  const { subjects, overall_average: average, position, total_students: total } = student
  const without = subjects.filter(({ term_composite }) => term_composite === null).map(({ subject_name }) => subject_name)
  return (
    <InfoDialog wide title={t('explain.title', { name, subject: t('overall') })} onClose={onClose}>
      <ol className={styles['steps']}>
        <li>
          <OverallStep composites={subjects} printed={average} />
        </li>
      </ol>
      {without.length > 0 && <p>{t('explain.without', { subjects: without.join(', ') })}</p>}
      {position !== null && <p className={styles['pupil']}>{t('explain.place', { count: position - 1, position, total })}</p>}
    </InfoDialog>
  )
}

type Subject = ClassYear['students'][number]['subjects'][number]
type YearDialogProps = {
  name: string
  yearId: string
  model: ClassYear['calculation_model']
  subject: Subject
  scale: GradingScale
  onClose: () => void
}

/** Explains a year grade: the terms, their mean, the exam, and the rule of the calculation model. */
export function YearDialog({ name, yearId, model, subject, scale, onClose }: YearDialogProps) {
  const { t } = useTranslation(['results', 'app'])
  const year = useQuery(ask('academicYears', 'get', { params: { id: yearId } }))
  const band = scale.bands.find(({ letter }) => letter === subject.letter_grade)
  return (
    <InfoDialog wide title={t('explain.title', { name, subject: subject.subject_name })} onClose={onClose}>
      <Answer of={year}>
        {(found) => (
          <ol className={styles['steps']}>
            <Steps working={yearWorking(model, found, subject)} subject={subject} />
            {band && subject.year_grade !== null && (
              <li>
                {t('explain.letter', {
                  average: figure(subject.year_grade),
                  minimum: number(band.minimum),
                  letter: band.letter,
                  remark: band.remark,
                })}
              </li>
            )}
          </ol>
        )}
      </Answer>
    </InfoDialog>
  )
}

type StepsProps = { working: ReturnType<typeof yearWorking>; subject: Subject }

function Steps({ working, subject }: StepsProps) {
  const { t } = useTranslation('results')
  const { composites, mean, courseworkWeight, examWeight, rule } = working
  const { end_of_year_exam: exam, coursework_total: courseworkTotal, exam_total: examTotal, year_grade: grade } = subject
  const name = t('year.grade')
  const formulas = {
    weighted: `${name}: (${precise(mean ?? 0)} × ${number(courseworkWeight)} + ${figure(exam)} × ${number(examWeight)}) ÷ 100 =`,
    totals: `${name}: ${figure(courseworkTotal)} + ${figure(examTotal)} =`,
  }
  const sum = composites.map(figure).join(' + ')
  const steps: readonly (string | false)[] = [
    mean !== null && `${t('year.mean')}: (${sum}) ÷ ${composites.length} = ${precise(mean)}`,
    exam !== null && rule !== 'mean' && `${t('year.end_of_year_exam')}: ${figure(exam)}`,
    mean !== null &&
      courseworkTotal !== null &&
      `${t('year.coursework_total')}: ${precise(mean)} × ${number(courseworkWeight)} ÷ 100 = ${figure(courseworkTotal)}`,
    exam !== null && examTotal !== null && `${t('year.exam_total')}: ${figure(exam)} × ${number(examWeight)} ÷ 100 = ${figure(examTotal)}`,
  ]
  return (
    <>
      {steps.map((step) => step && <li key={step}>{step}</li>)}
      <li>
        {rule === 'nothing' || grade === null ? (
          t('explain.noComposite', { name })
        ) : (
          <Equation start={rule === 'weighted' || rule === 'totals' ? formulas[rule] : t(`year.rule_${rule}`, { name })} result={grade} />
        )}
      </li>
    </>
  )
}
