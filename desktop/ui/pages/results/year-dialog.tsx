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
import { precise } from './precise.ts'
import styles from './results.module.css'
import { type YearWorking, yearWorking } from './year-working.ts'

type Subject = ClassYear['students'][number]['subjects'][number]
type Props = {
  name: string
  yearId: string
  model: ClassYear['calculation_model']
  subject: Subject
  scale: GradingScale
  onClose: () => void
}

/** How a year grade came about: the terms, their mean, the exam, and what the model makes of them. */
export function YearDialog({ name, yearId, model, subject, scale, onClose }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const year = useQuery(ask('academicYears', 'get', { params: { id: yearId } }))
  const band = scale.bands.find(({ letter }) => letter === subject.letter_grade)
  return (
    <Dialog open wide title={t('explain.title', { name, subject: subject.subject_name })} onClose={onClose}>
      <Answer of={year}>
        {(found) => (
          <ol className={styles['steps']}>
            <Steps working={yearWorking(model, found, subject)} />
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

function Steps({ working }: { working: YearWorking }) {
  const { t } = useTranslation('results')
  const { composites, mean, exam, courseworkWeight, examWeight, courseworkTotal, examTotal } = working
  return (
    <>
      {mean !== null && (
        <li>
          {t('year.mean')}: ({composites.map(figure).join(' + ')}) ÷ {composites.length} = {precise(mean)}
        </li>
      )}
      {exam !== null && working.rule !== 'mean' && (
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
        <Grade working={working} />
      </li>
    </>
  )
}

function Grade({ working }: { working: YearWorking }) {
  const { t } = useTranslation('results')
  const { rule, mean, exam, courseworkWeight, examWeight, courseworkTotal, examTotal, grade } = working
  const name = t('year.grade')
  if (rule === 'nothing' || grade === null) return t('explain.noComposite', { name })
  const printed = <strong>{figure(grade)}</strong>
  if (rule === 'weighted')
    return (
      <>
        {name}: ({precise(mean ?? 0)} × {number(courseworkWeight)} + {figure(exam)} × {number(examWeight)}) ÷ 100 = {printed}
      </>
    )
  if (rule === 'totals')
    return (
      <>
        {name}: {figure(courseworkTotal)} + {figure(examTotal)} = {printed}
      </>
    )
  return (
    <>
      {t(`year.rule_${rule}`, { name })} {printed}
    </>
  )
}
