import type { AuditReport } from '@markbook/shared/contract/audit'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, Facts, Notice } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { enumerated, moment, number } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { shownChanges } from '../history/changes.ts'
import { useChangeTexts } from '../history/history-panel.tsx'
import { useTextsOf } from '../sync/labels.ts'
import styles from './audit.module.css'

/** The result of the school's last audit, in words for the head. */
export function Verdict() {
  const { t } = useTranslation('audit')
  const report = useQuery(ask('audit', 'report'))
  return (
    <Answer of={report}>
      {(found) => (
        <>
          <Card title={t('verdict.title')}>
            <Summary found={found} />
          </Card>
          {found.findings.length > 0 && <Findings of={found.findings} />}
        </>
      )}
    </Answer>
  )
}

function Summary({ found }: { found: AuditReport }) {
  const { t } = useTranslation('audit')
  const status = useQuery(ask('replication', 'status'))
  const { state, at } = found
  if (state === 'never' || at === null) return <p>{t(status.data?.is_laptop ? 'verdict.neverHere' : 'verdict.never')}</p>
  const isBad = state === 'bad' || found.people === 'bad'
  return (
    <>
      <Notice tone={isBad ? 'bad' : 'good'}>
        <span>
          <strong>{t(isBad ? 'verdict.bad' : 'verdict.good')}</strong>{' '}
          {t(isBad ? 'verdict.badText' : 'verdict.goodText', { at: moment(at) })}
        </span>
      </Notice>
      <Reasons found={found} />
      {found.restored_at && <p>{restoredText(t, found.restored_at, found.restored_from)}</p>}
      <Known found={found} />
      {found.earlier.length > 0 && (
        <details>
          <summary>{t('verdict.earlier')}</summary>
          <ul className={styles['earlier']}>
            {found.earlier.map((run) => (
              <li key={run.at}>
                {moment(run.at)}{' '}
                <Badge tone={run.state === 'bad' ? 'bad' : 'good'}>
                  {t(run.state === 'bad' ? 'verdict.earlierBad' : 'verdict.earlierGood')}
                </Badge>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

type T = ReturnType<typeof useTranslation<'audit'>>['t']
const restoredText = (t: T, at: string, from: string | null) =>
  from === null ? t('verdict.restoredAt', { at: moment(at) }) : t('verdict.restored', { at: moment(at), from: moment(from) })

function Reasons({ found: { marks, others, files, broken, before, before_at, witnesses, people } }: { found: AuditReport }) {
  const { t } = useTranslation('audit')
  const counted = [
    ['marks', marks.contradicted],
    ['others', others.contradicted],
    ['files', files.swapped],
    ['broken', broken],
  ] as const
  const reasons = [
    ...counted.filter(([, count]) => count > 0).map(([what, count]) => t(`verdict.${what}`, { count })),
    ...(before === 'other' ? [t('verdict.before', { at: before_at ? moment(before_at) : '' })] : []),
    ...witnesses.filter(({ is }) => is === 'other').map(({ name }) => t('verdict.witness', { name })),
    ...(people === 'bad' ? [t('verdict.peopleBad')] : []),
  ]
  if (reasons.length === 0) return null
  return (
    <ul className={layout['bullets']}>
      {reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  )
}

function Known({ found: { marks, files, code, witnesses } }: { found: AuditReport }) {
  const { t } = useTranslation('audit')
  const all = marks.proved + marks.untold + marks.contradicted
  const same = files.same + files.unhashed
  const knowing = witnesses.filter(({ is }) => is === 'same').map(({ name }) => name)
  return (
    <Facts
      of={[
        [t('verdict.facts.marks'), t('verdict.of', { proved: number(marks.proved), all: number(all) })],
        [
          t('verdict.facts.documents'),
          files.absent > 0 ? t('verdict.absent', { same: number(same), absent: number(files.absent) }) : number(same),
        ],
        [t('verdict.facts.others'), knowing.length > 0 ? enumerated(knowing) : t('verdict.alone')],
        ...(code === null
          ? []
          : ([
              [
                t('verdict.facts.code'),
                <span key="code">
                  <code>{code}</code>
                  <br />
                  <span className={layout['note']}>{t('verdict.codeText')}</span>
                </span>,
              ],
            ] as const)),
      ]}
    />
  )
}

function Findings({ of }: { of: AuditReport['findings'] }) {
  const { t } = useTranslation(['audit', 'history', 'app'])
  const entityName = useTextsOf('entity')
  const { named, columnName, said } = useChangeTexts()
  const values = (own: Record<string, unknown> | null) =>
    own === null
      ? t('history:nothing')
      : shownChanges(
          { changes: Object.fromEntries(Object.entries(own).map(([name, after]) => [name, { before: null, after }])) },
          named,
        ).map((change) => (
          <div key={change.field}>
            {t('app:label', { label: columnName(change) })} {said(change, change.after)}
          </div>
        ))
  return (
    <Card title={t('finding.title')}>
      <Table
        label={t('finding.title')}
        rows={of}
        keyOf={({ entity, row_id }) => `${entity} ${row_id}`}
        columns={[
          {
            head: t('finding.what'),
            className: styles['what'],
            cell: ({ entity, name }) => (
              <>
                {entityName(entity)}
                {name && <div className={layout['note']}>{name}</div>}
              </>
            ),
          },
          { head: t('finding.here'), cell: ({ here }) => values(here) },
          { head: t('finding.history'), cell: ({ history }) => values(history) },
          {
            head: t('finding.who'),
            cell: ({ actor, at }) => (
              <>
                {actor && nameOf(actor)}
                {at && <div className={layout['note']}>{moment(at)}</div>}
              </>
            ),
          },
          { head: t('finding.why'), cell: ({ why }) => t(`finding.${why}`) },
        ]}
      />
    </Card>
  )
}
