import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Badge, Card, FailureNotice } from '../../components/page.tsx'
import { useSpoken } from '../../frame/use-spoken.ts'
import styles from './home.module.css'

/** What waits for an administrator: people, and marks that two places wrote differently. */
export function Decisions() {
  const { t } = useTranslation('home')
  const requests = useQuery(ask('schools', 'joinRequests'))
  const sync = useQuery(ask('replication', 'status'))
  const people = requests.data?.length ?? 0
  const spoken = useSpoken(sync.data)
  const isSyncWaiting = spoken?.isWork ?? false
  return (
    <Card title={t('decide.title')}>
      <FailureNotice failure={requests.error} onRetry={() => void requests.refetch()} />
      {requests.data && people === 0 && !isSyncWaiting && <p>{t('decide.nothing')}</p>}
      <ul className={styles['items']}>
        {people > 0 && (
          <li>
            <span>
              <strong>{t('decide.people', { count: people })}</strong> {nameList(requests.data ?? [])}
            </span>
            <ButtonLink to="/people" look="primary" size="small">
              {t('decide.openPeople')}
            </ButtonLink>
          </li>
        )}
        {spoken && (isSyncWaiting || sync.data?.state !== 'alone') && (
          <li>
            <span className={styles['row']}>
              {t('decide.sync')} <Badge {...(spoken.tone !== 'none' && { tone: spoken.tone })}>{spoken.text}</Badge>
            </span>
            <ButtonLink to="/sync" size="small" look={isSyncWaiting ? 'primary' : 'plain'}>
              {t('decide.openSync')}
            </ButtonLink>
          </li>
        )}
      </ul>
    </Card>
  )
}

const NAMED = 3
type Asking = { user: { first_name: string | null; last_name: string | null; email: string } }
function nameList(requests: readonly Asking[]): string {
  const names = requests.slice(0, NAMED).map(({ user }) => [user.first_name, user.last_name].filter(Boolean).join(' ') || user.email)
  return `${names.join(', ')}${requests.length > NAMED ? ' …' : ''}`
}
