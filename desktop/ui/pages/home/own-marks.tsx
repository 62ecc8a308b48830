import type { ClassProgress } from '@markbook/shared/contract/classes'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../components/button-link.tsx'
import { Badge, Card } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import styles from './home.module.css'
import { missingOf } from './progress.ts'

/** How many marks are there and how many are missing, in words. */
export function MarksState({ row }: { row: Pick<ClassProgress, 'assessments' | 'expected' | 'recorded'> }) {
  const { t } = useTranslation('home')
  const missing = missingOf(row)
  if (row.assessments === 0) return <Badge>{t('marks.noAssessments')}</Badge>
  if (missing === 0) return <Badge tone="good">{t('marks.complete', { count: row.recorded })}</Badge>
  return (
    <span className={styles['row']}>
      <Badge tone="warn">{t('marks.missing', { count: missing })}</Badge>
      <span>{t('marks.of', { recorded: row.recorded, expected: row.expected })}</span>
    </span>
  )
}

/** The own subjects, each a press away from its marks. */
export function OwnMarks({ rows }: { rows: readonly ClassProgress[] }) {
  const { t } = useTranslation(['home', 'app'])
  const { term } = useChosenTerm()
  const title = t('marks.title', { term: term && t(`app:term.${term.name}`) })
  return (
    <Card title={title}>
      <ul className={`${styles['items']} ${styles['ruled']}`}>
        {rows.map((row) => {
          const what = t('marks.what', { class: row.class.name, subject: row.subject.name })
          return (
            <li key={`${row.class.id} ${row.subject.id}`}>
              <span className={styles['row']}>
                <strong>{what}</strong>
                <MarksState row={row} />
              </span>
              <ButtonLink
                to="/marks/$classId/$subjectId"
                params={{ classId: row.class.id, subjectId: row.subject.id }}
                look={missingOf(row) > 0 ? 'primary' : 'plain'}
                size="small"
                aria-label={t('marks.enterFor', { what })}
              >
                {t('marks.enter')}
              </ButtonLink>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** A teacher who was given no class yet. */
export function NoClasses() {
  const { t } = useTranslation('home')
  const { year } = useChosenTerm()
  return (
    <Card title={t('noClasses.title', { year: year?.name })}>
      <p>{t('noClasses.text')}</p>
      <div>
        <ButtonLink to="/classes">{t('noClasses.open')}</ButtonLink>
      </div>
    </Card>
  )
}
