import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Badge, Card, FailureNotice } from '../../components/page.tsx'
import { useNeeds, useSpoken } from '../../frame/use-spoken.ts'
import styles from './home.module.css'

/** What waits for an administrator: people, and marks that two places wrote differently. */
export function Decisions() {
  const { t } = useTranslation('home')
  const requests = useQuery(ask('schools', 'joinRequests'))
  const sync = useQuery(ask('replication', 'status'))
  const people = requests.data?.length ?? 0
  const { decisions } = useNeeds(sync.data)
  const spoken = useSpoken(sync.data)
  const isSyncWaiting = spoken?.isWork ?? false
  return (
    <Card title={t('decide.title')}>
      <FailureNotice failure={requests.error} onRetry={() => void requests.refetch()} />
      {requests.data && people === 0 && !isSyncWaiting && decisions === 0 && <p>{t('decide.nothing')}</p>}
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
        <ConflictsLine count={decisions} />
        {spoken && decisions === 0 && (isSyncWaiting || sync.data?.state !== 'alone') && (
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

/** For a teacher: what of theirs was written differently at two places; nothing where nothing was. */
export function OwnDecisions() {
  const { t } = useTranslation('home')
  const { decisions } = useNeeds(useQuery(ask('replication', 'status')).data)
  if (decisions === 0) return null
  return (
    <Card title={t('decide.title')}>
      <ul className={styles['items']}>
        <ConflictsLine count={decisions} />
      </ul>
    </Card>
  )
}

/** How many values wait for a decision, of what, and the way to decide them. */
function ConflictsLine({ count }: { count: number }) {
  const { t } = useTranslation('home')
  const open = useQuery({ ...ask('replication', 'conflicts', { query: { status: 'open' } }), enabled: count > 0 })
  if (count === 0) return null
  const where = (open.data ?? []).flatMap((one) => one.where || [])
  return (
    <li>
      <span>
        <strong>{t('decide.conflicts', { count })}</strong> {where.slice(0, 2).join('; ')}
        {where.length > 2 && ' …'}
      </span>
      <ButtonLink to="/sync/conflicts" look="primary" size="small">
        {t('decide.openConflicts')}
      </ButtonLink>
    </li>
  )
}

const NAMED = 3
type Asking = { user: { first_name: string | null; last_name: string | null; email: string } }
function nameList(requests: readonly Asking[]): string {
  const names = requests.slice(0, NAMED).map(({ user }) => [user.first_name, user.last_name].filter(Boolean).join(' ') || user.email)
  return `${names.join(', ')}${requests.length > NAMED ? ' …' : ''}`
}
