import type { ClassYear } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { Answer } from '../../components/page.tsx'
import { figure, number } from '../../words/format.ts'
import { Equation } from './explain-dialog.tsx'
import styles from './results.module.css'
import { precise, yearWorking } from './year-working.ts'

type Subject = ClassYear['students'][number]['subjects'][number]
type Props = {
  name: string
  yearId: string
  model: ClassYear['calculation_model']
  subject: Subject
  scale: GradingScale
  onClose: () => void
}

/** Explains a year grade: the terms, their mean, the exam, and the rule of the calculation model. */
export function YearDialog({ name, yearId, model, subject, scale, onClose }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const year = useQuery(ask('academicYears', 'get', { params: { id: yearId } }))
  const band = scale.bands.find(({ letter }) => letter === subject.letter_grade)
  return (
    <Dialog open wide title={t('explain.title', { name, subject: subject.subject_name })} onClose={onClose}>
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
      <Actions>
        <Button onClick={onClose}>{t('app:action.close')}</Button>
      </Actions>
    </Dialog>
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
  return (
    <>
      {mean !== null && (
        <li>
          {t('year.mean')}: ({composites.map(figure).join(' + ')}) ÷ {composites.length} = {precise(mean)}
        </li>
      )}
      {exam !== null && rule !== 'mean' && (
        <li>
          {t('year.end_of_year_exam')}: {figure(exam)}
        </li>
      )}
      {mean !== null && courseworkTotal !== null && (
        <li>
          {t('year.coursework_total')}: {precise(mean)} × {number(courseworkWeight)} ÷ 100 = {figure(courseworkTotal)}
        </li>
      )}
      {exam !== null && examTotal !== null && (
        <li>
          {t('year.exam_total')}: {figure(exam)} × {number(examWeight)} ÷ 100 = {figure(examTotal)}
        </li>
      )}
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
