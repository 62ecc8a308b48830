import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Answer } from '../../components/page.tsx'
import { listName } from './names.ts'
import styles from './results.module.css'

/** The pupils of a class, each with the way to their results. */
export function PupilList({ classId }: { classId: string }) {
  const { t } = useTranslation('results')
  const pupils = useQuery(ask('classes', 'students', { params: { id: classId } }))
  return (
    <Answer of={pupils} empty={t('noPupils')}>
      {(list) => (
        <ul className={styles['classes']} aria-label={t('pupils')}>
          {list.map((pupil) => (
            <li key={pupil.id}>
              <Link to="/results/$classId/students/$studentId" params={{ classId, studentId: pupil.id }} className={styles['class']}>
                {listName(pupil)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Answer>
  )
}
