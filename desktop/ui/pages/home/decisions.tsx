import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Card, FailureNotice, Notice } from '../../components/page.tsx'
import { useOpenWork, useSyncSummary } from '../../frame/use-sync-summary.ts'
import { firstOf, moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { useWaitingLines, WaitingLines } from './waiting-lines.tsx'

/** The open decisions of an administrator: join requests and conflicts. */
export function Decisions() {
  const { t } = useTranslation('home')
  const requests = useQuery(ask('schools', 'joinRequests'))
  const sync = useQuery(ask('replication', 'status'))
  const people = requests.data?.length ?? 0
  const { decisions } = useOpenWork(sync.data)
  const summary = useSyncSummary(sync.data)
  const waiting = useWaitingLines()
  const isSyncWaiting = summary?.isWork ?? false
  return (
    <Card title={t('decide.title')}>
      <FailureNotice failure={requests.error} onRetry={() => void requests.refetch()} />
      {requests.data && people === 0 && !isSyncWaiting && decisions === 0 && waiting.lines.length === 0 && <p>{t('decide.nothing')}</p>}
      <ul className={layout['stack']}>
        <WaitingLines {...waiting} />
        {people > 0 && (
          <li className={layout['split']}>
            <span>
              <strong>{t('decide.people', { count: people })}</strong>{' '}
              {firstOf(
                (requests.data ?? []).map(({ user }) => nameOf(user)),
                3,
              )}
            </span>
            <ButtonLink to="/people" look="primary" size="small">
              {t('decide.openPeople')}
            </ButtonLink>
          </li>
        )}
        <ConflictsLine count={decisions} />
        <BackupsLine />
        <DuplicatesLine />
        {summary && decisions === 0 && (isSyncWaiting || sync.data?.state !== 'alone') && (
          <li className={layout['split']}>
            <span className={layout['row']}>
              {t('decide.sync')} <Badge {...(summary.tone !== 'none' && { tone: summary.tone })}>{summary.text}</Badge>
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

/** How this server's marks are backed up; renders nothing where the server does not say, as an older one or one without backups. */
function BackupsLine() {
  const { t } = useTranslation('home')
  const { data } = useQuery(ask('schools', 'backups'))
  if (!data?.newest_at && !data?.overdue) return null
  const { newest_at, proved_at, trial_failed, overdue } = data
  return (
    <li className={layout['stack']}>
      {newest_at && (
        <span>
          {t('decide.backedUp', { at: moment(newest_at) })}{' '}
          {!trial_failed && t(proved_at ? 'decide.proved' : 'decide.notProved', { at: proved_at ? moment(proved_at) : '' })}
        </span>
      )}
      {overdue && <Notice tone="bad">{t('decide.overdue')}</Notice>}
      {trial_failed && <Notice tone="bad">{t('decide.trialFailed')}</Notice>}
    </li>
  )
}

/** That another server has the same database; renders nothing where there is none. */
function DuplicatesLine() {
  const { t } = useTranslation('home')
  const { data } = useQuery(ask('schools', 'addresses'))
  if (!data || data.duplicates.length === 0) return null
  return (
    <li>
      <Notice tone="bad">{t('decide.duplicates', { at: data.duplicates.join(' · ') })}</Notice>
    </li>
  )
}

/** What a teacher must do: conflicts of their own marks, dates, refused writes; renders nothing without any. */
export function OwnDecisions() {
  const { t } = useTranslation('home')
  const { decisions } = useOpenWork(useQuery(ask('replication', 'status')).data)
  const waiting = useWaitingLines()
  if (decisions === 0 && waiting.lines.length === 0) return null
  return (
    <Card title={t('decide.title')}>
      <ul className={layout['stack']}>
        <WaitingLines {...waiting} />
        <ConflictsLine count={decisions} />
      </ul>
    </Card>
  )
}

/** The number of conflicts, with a link to them. */
function ConflictsLine({ count }: { count: number }) {
  const { t } = useTranslation('home')
  const open = useQuery({ ...ask('replication', 'conflicts', { query: { status: 'open' } }), enabled: count > 0 })
  if (count === 0) return null
  const where = (open.data ?? []).flatMap((one) => one.where || [])
  return (
    <li className={layout['split']}>
      <span>
        <strong>{t('decide.conflicts', { count })}</strong> {firstOf(where, 2, '; ')}
      </span>
      <ButtonLink to="/sync/conflicts" look="primary" size="small">
        {t('decide.openConflicts')}
      </ButtonLink>
    </li>
  )
}
