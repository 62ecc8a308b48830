import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Answer, Card, Notice, Page, Table } from '../../components/page.tsx'
import { lineOf, type Needs, needOf } from '../../frame/spoken.ts'
import { useNeeds } from '../../frame/use-spoken.ts'
import { enumerated, lasting, moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { Differing } from './differing.tsx'
import { Join } from './join.tsx'
import { useEntityName } from './naming.ts'
import { NotTaken } from './not-taken.tsx'
import styles from './sync.module.css'
import { ToldValue } from './told-value.tsx'
import { EVERY, Head, WaitingFiles } from './waiting-files.tsx'

export function SyncPage() {
  const { t } = useTranslation('sync')
  const profile = useProfile()
  const status = useQuery(ask('replication', 'status'))
  const needs = useNeeds(status.data)
  const mayJoinAgain = ({ state, is_laptop }: SyncStatus) => state === 'revoked' && (is_laptop || isAdmin(profile))
  const actions = (
    <>
      {needs.decisions > 0 && (
        <ButtonLink to="/sync/conflicts" look="primary">
          {t('toConflicts')}
        </ButtonLink>
      )}
      {isAdmin(profile) && <ButtonLink to="/sync/nodes">{t('toNodes')}</ButtonLink>}
    </>
  )
  return (
    <Page title={t('title')} lead={t('lead')} actions={actions}>
      <Answer of={status}>
        {(known) => (
          <>
            <State status={known} needs={needs} />
            {known.state === 'revoked' && <Notice>{t(mayJoinAgain(known) ? 'shutOut.here' : 'shutOut.ask')}</Notice>}
            {mayJoinAgain(known) && <Join status={known} />}
            {known.difference && <Differing difference={known.difference} parent={known.parent?.name ?? ''} />}
            {known.refused + known.refused_below > 0 && needs.stuck + needs.below > 0 && <NotTaken />}
            <Waiting nothing={t(waitsWord(known))} />
            {known.files_to_send + known.files_to_come > 0 && <WaitingFiles />}
            {known.held > 0 && isAdmin(profile) && <Held />}
          </>
        )}
      </Answer>
    </Page>
  )
}

function State({ status, needs }: { status: SyncStatus; needs: Needs }) {
  const { t } = useTranslation('sync')
  const spoken = [needOf(t, needs), lineOf(t, status, Date.now())].filter((one) => one !== null)
  const { schools_below, laptops_below } = status
  const below = schools_below + laptops_below
  const receives = enumerated([
    ...(schools_below > 0 ? [t('below.schools', { count: schools_below })] : []),
    ...(laptops_below > 0 ? [t('below.laptops', { count: laptops_below })] : []),
  ])
  const facts: readonly [string, ReactNode][] = [
    [t('parent'), status.parent?.name ?? t(below > 0 ? 'isTop' : 'nowhere')],
    ...(below > 0 ? ([[t('receivesFrom'), receives]] as [string, ReactNode][]) : []),
    ...(status.parent
      ? ([
          [t('seen'), status.last_seen_at ? moment(status.last_seen_at) : t('never')],
          ...(status.compared_at ? [[t('compared'), moment(status.compared_at)] as const] : []),
          [t('waitingCount'), status.waiting],
          ...(status.oldest_waiting_at ? [[t('oldest'), moment(status.oldest_waiting_at)] as const] : []),
          [t('files'), t('filesShown', { send: status.files_to_send, come: status.files_to_come })],
          [t('clock'), <Clock key="clock" offset={status.clock_offset_ms} />],
        ] as [string, ReactNode][])
      : []),
    [t('undecided'), needs.decisions + needs.stuck + needs.below],
  ]
  return (
    <Card>
      {spoken.map(({ text, tone }) => (
        <Notice key={text} tone={tone === 'none' ? 'info' : tone}>
          <strong>{text}</strong>
        </Notice>
      ))}
      <dl className={styles['facts']}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** A minute apart is what computers of a school are; more is worth saying. */
const APART = 60_000

function Clock({ offset }: { offset: number | null }) {
  const { t } = useTranslation('sync')
  if (offset === null || Math.abs(offset) < APART) return t('clockRight')
  return t(offset > 0 ? 'clockAhead' : 'clockBehind', { time: lasting(Math.abs(offset)) })
}

/** Why nothing waits: it has been sent, or there is nowhere to send it to. */
const waitsWord = ({ state, schools_below, laptops_below }: SyncStatus) =>
  state !== 'alone' ? 'waitsNothing' : schools_below + laptops_below > 0 ? 'waitsTop' : 'waitsAlone'

function Waiting({ nothing }: { nothing: string }) {
  const { t } = useTranslation('sync')
  const entityName = useEntityName()
  const waiting = useQuery({ ...ask('replication', 'waiting'), refetchInterval: EVERY })
  return (
    <Card title={t('waits')}>
      <Answer of={waiting} empty={nothing}>
        {(rows) => (
          <Table label={t('waits')}>
            <Head columns={[t('what'), t('column.value'), t('who'), t('when')]} />
            <tbody>
              {rows.map(({ entity, row_id, where, value, out_of, deleted, actor, at }) => (
                <tr key={`${entity} ${row_id}`}>
                  <th scope="row">
                    {entityName(entity)} <span className={styles['where']}>{where}</span>
                  </th>
                  <td>{deleted ? t('deleted') : <ToldValue value={value} outOf={out_of} />}</td>
                  <td>{actor ? nameOf(actor) : t('service')}</td>
                  <td>{moment(at)}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Answer>
    </Card>
  )
}

function Held() {
  const { t } = useTranslation('sync')
  const entityName = useEntityName()
  const held = useQuery({ ...ask('replication', 'held'), refetchInterval: EVERY })
  return (
    <Card title={t('held')}>
      <p>{t('heldLead')}</p>
      <Answer of={held}>
        {(rows) => (
          <Table label={t('held')}>
            <Head columns={[t('what'), t('why'), t('when'), t('tries')]} />
            <tbody>
              {rows.map(({ entity, row_id, where, reason, since, tries }) => (
                <tr key={`${entity} ${row_id}`}>
                  <th scope="row">
                    {entityName(entity)} <span className={styles['where']}>{where}</span>
                  </th>
                  <td>{reason}</td>
                  <td>{moment(since)}</td>
                  <td>{tries}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Answer>
    </Card>
  )
}
