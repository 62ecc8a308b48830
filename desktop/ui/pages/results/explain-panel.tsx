import type { ClassYear, StudentTerm } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Answer } from '../../components/page.tsx'
import { SidePanel } from '../../components/side-panel.tsx'
import { figure, number, precise } from '../../words/format.ts'
import { Equation, OverallStep } from './explain-steps.tsx'
import styles from './results.module.css'
import { Working } from './working.tsx'
import { yearWorking } from './year-working.ts'

export type PanelProps = Pick<ComponentProps<typeof SidePanel>, 'about' | 'find' | 'onClose' | 'isInAddress'>
type Props = { studentId: string; term: Term; subjectId: string; name: string; panel: PanelProps }

/** Explains a result of a subject in a term: its marks, which can be tried with other values, and each step of the calculation. */
export function ExplainPanel({ studentId, term, subjectId, name, panel }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const explained = useQuery(ask('calculations', 'explain', { query: { studentId, termId: term.id, subjectId } }))
  const subject = explained.data?.result.subject_name ?? ''
  return (
    <SidePanel title={t('explain.title', { name, subject })} {...panel}>
      <Answer of={explained}>{(explanation) => <Working key={panel.about} present={explanation} yearId={term.academic_year_id} />}</Answer>
    </SidePanel>
  )
}

type OverallProps = { name: string; student: StudentTerm; panel: PanelProps }

/** Explains an overall average and the position in the class. */
export function OverallPanel({ name, student, panel }: OverallProps) {
  const { t } = useTranslation(['results', 'app'])
  const { subjects, overall_average: average, position, total_students: total } = student
  const without = subjects.filter(({ term_composite }) => term_composite === null).map(({ subject_name }) => subject_name)
  return (
    <SidePanel title={t('explain.title', { name, subject: t('overall') })} {...panel}>
      <ol className={styles['steps']}>
        <li>
          <OverallStep composites={subjects} printed={average} />
        </li>
      </ol>
      {without.length > 0 && <p>{t('explain.without', { subjects: without.join(', ') })}</p>}
      {position !== null && <p className={styles['pupil']}>{t('explain.place', { count: position - 1, position, total })}</p>}
    </SidePanel>
  )
}

type Subject = ClassYear['students'][number]['subjects'][number]
type YearPanelProps = {
  name: string
  yearId: string
  model: ClassYear['calculation_model']
  subject: Subject
  scale: GradingScale
  panel: PanelProps
}

/** Explains a year grade: the terms, their mean, the exam, and the rule of the grading model. */
export function YearPanel({ name, yearId, model, subject, scale, panel }: YearPanelProps) {
  const { t } = useTranslation(['results', 'app'])
  const year = useQuery(ask('academicYears', 'get', { params: { id: yearId } }))
  const band = scale.bands.find(({ letter }) => letter === subject.letter_grade)
  return (
    <SidePanel title={t('explain.title', { name, subject: subject.subject_name })} {...panel}>
      <Answer of={year}>
        {(found) => (
          <ol className={styles['steps']}>
            <YearSteps working={yearWorking(model, found, subject)} subject={subject} />
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
    </SidePanel>
  )
}

type YearStepsProps = { working: ReturnType<typeof yearWorking>; subject: Subject }

function YearSteps({ working, subject }: YearStepsProps) {
  const { t } = useTranslation(['results', 'app'])
  const { composites, mean, courseworkWeight, examWeight, rule } = working
  const { end_of_year_exam: exam, coursework_total: courseworkTotal, exam_total: examTotal, year_grade: grade } = subject
  const name = t('year.grade')
  const titled = (label: string, formula: string) => `${t('app:label', { label })} ${formula}`
  const formulas = {
    weighted: titled(name, `(${precise(mean ?? 0)} × ${number(courseworkWeight)} + ${figure(exam)} × ${number(examWeight)}) ÷ 100 =`),
    totals: titled(name, `${figure(courseworkTotal)} + ${figure(examTotal)} =`),
  }
  const sum = composites.map(figure).join(' + ')
  const steps: readonly (string | false)[] = [
    mean !== null && titled(t('year.mean'), `(${sum}) ÷ ${composites.length} = ${precise(mean)}`),
    exam !== null && rule !== 'mean' && titled(t('year.end_of_year_exam'), figure(exam)),
    mean !== null &&
      courseworkTotal !== null &&
      titled(t('year.coursework_total'), `${precise(mean)} × ${number(courseworkWeight)} ÷ 100 = ${figure(courseworkTotal)}`),
    exam !== null &&
      examTotal !== null &&
      titled(t('year.exam_total'), `${figure(exam)} × ${number(examWeight)} ÷ 100 = ${figure(examTotal)}`),
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
