import type { ClassProgress } from '@markbook/shared/contract/classes'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Answer, Badge, Card } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { BehindLine } from './behind-line.tsx'
import styles from './home.module.css'
import { lacking, missingOf, unassessedIn } from './progress.ts'
import { useBehind } from './use-behind.ts'

const states = [
  ['draft', 'warn'],
  ['published', 'info'],
  ['sent_to_ministry', 'good'],
] as const

type OwnReportsProps = { group: { id: string; name: string }; termId: string; rows: readonly ClassProgress[] }

/** The own class: where its report books are, and whose marks they still wait for. */
export function OwnReports({ group, termId, rows }: OwnReportsProps) {
  const { t } = useTranslation('home')
  const reports = useQuery(ask('reports', 'list', { query: { studentGroupId: group.id, termId } }))
  const missing = lacking(rows, group.id)
  const unassessed = unassessedIn(rows, group.id)
  const behind = useBehind([group.id], useChosenTerm())
  const open = (
    <ButtonLink to="/reports/$classId" params={{ classId: group.id }} size="small">
      {t('reports.open')}
    </ButtonLink>
  )
  return (
    <Card title={t('reports.title', { class: group.name })} actions={open}>
      <Answer of={reports}>
        {(books) =>
          books.length === 0 ? (
            <p>{t('reports.none')}</p>
          ) : (
            <p className={styles['badges']}>
              {states.map(([status, tone]) => {
                const count = books.filter((book) => book.status === status).length
                return (
                  count > 0 && (
                    <Badge key={status} tone={tone}>
                      {t(`reports.${status}`, { count })}
                    </Badge>
                  )
                )
              })}
            </p>
          )
        }
      </Answer>
      {behind.map((one) => (
        <p key={one.type} className={styles['row']}>
          <Badge tone="warn">{t('behind.label')}</Badge> <BehindLine behind={one} name={group.name} />
        </p>
      ))}
      {unassessed.length > 0 && (
        <p>
          {t('reports.unassessed')} {unassessed.map((row) => row.subject.name).join(', ')}
        </p>
      )}
      {missing.length > 0 && (
        <p>
          {t('reports.lacking')}{' '}
          {missing.map((row) => t('reports.lackingOne', { subject: row.subject.name, count: missingOf(row) })).join(', ')}
        </p>
      )}
    </Card>
  )
}
