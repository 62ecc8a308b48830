import type { StudentTerm } from '@markbook/shared/contract/calculations'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { ExplainSteps } from './explain-steps.tsx'
import styles from './results.module.css'

/** In the address, in place of a subject: the overall average is explained. */
export const OVERALL = 'overall'
type Props = { name: string; student: StudentTerm; onClose: () => void }

/** How an overall average and a place in the class came about. */
export function OverallDialog({ name, student, onClose }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const composites = student.subjects.map(({ subject_id, subject_name, term_composite }) => ({ subject_id, subject_name, term_composite }))
  const without = composites.filter(({ term_composite }) => term_composite === null).map(({ subject_name }) => subject_name)
  const counted = composites.length - without.length
  const { position, total_students: total } = student
  const step = {
    step: 'overall_average' as const,
    composites,
    sum: 0,
    count: counted,
    exact: null,
    printed: student.overall_average,
    text: '',
  }
  return (
    <Dialog open wide title={t('explain.title', { name, subject: t('overall') })} onClose={onClose}>
      <ExplainSteps steps={[step]} />
      {without.length > 0 && <p>{t('explain.without', { subjects: without.join(', ') })}</p>}
      {position !== null && <p className={styles['pupil']}>{t('explain.place', { count: position - 1, position, total })}</p>}
      <Actions>
        <Button onClick={onClose}>{t('app:action.close')}</Button>
      </Actions>
    </Dialog>
  )
}
