import type { TeachingSetProgress } from '@markbook/shared/contract/teaching-sets'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { askWhole } from '../../api/queries.ts'
import layout from '../../components/layout.module.css'
import { Card } from '../../components/page.tsx'
import { MarksEntered } from './class-progress.tsx'
import styles from './home.module.css'

/** The teacher's own teaching sets, each with a link to its marks and their progress; renders nothing without any. */
export function OwnSets({ termId }: { termId: string }) {
  const { t } = useTranslation('home')
  const progress = useQuery({ ...askWhole('teachingSets', 'progress', { query: { termId } }), staleTime: 0 })
  const own = progress.data?.filter(({ is_own }) => is_own) ?? []
  if (own.length === 0) return null
  return (
    <Card title={t('sets.title')}>
      <ul className={layout['ruled']}>
        {own.map((row) => (
          <OwnSet key={row.teaching_set.id} row={row} />
        ))}
      </ul>
    </Card>
  )
}

function OwnSet({ row }: { row: TeachingSetProgress }) {
  const { t } = useTranslation('home')
  const { teaching_set, subject, expected } = row
  const name = t('marks.what', { class: teaching_set.name, subject: subject.name })
  return (
    <li className={styles['subject']}>
      <Link to="/marks/sets/$setId" params={{ setId: teaching_set.id }}>
        {name}
      </Link>
      {expected === 0 ? <span className={layout['note']}>{t('marks.noAssessments')}</span> : <MarksEntered name={name} of={row} />}
    </li>
  )
}
