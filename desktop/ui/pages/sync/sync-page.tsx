import type { RefusedWrite, SyncStatus, WaitingFile } from '@markbook/shared/contract/replication.rows'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Card, Facts, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { connectionSummary, type OpenWork, openWorkSummary } from '../../frame/sync-summary.ts'
import { useOpenWork } from '../../frame/use-sync-summary.ts'
import { enumerated, lasting, moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { HoldingsNotice } from '../sign-in/holdings-notice.tsx'
import { Join } from './join.tsx'
import { affectedResources, RecordedValue, useRowName, useTextsOf } from './labels.ts'
import styles from './sync.module.css'

export function SyncPage() {
  const { t } = useTranslation('sync')
  const profile = useProfile()
  const status = useQuery(ask('replication', 'status'))
  const needs = useOpenWork(status.data)
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
            <ToDo status={known} />
            <HoldingsNotice holds={known.holds} />
            {known.state === 'revoked' && <Notice>{t(mayJoinAgain(known) ? 'shutOut.here' : 'shutOut.ask')}</Notice>}
            {mayJoinAgain(known) && <Join status={known} />}
            {known.difference && <DifferenceCard difference={known.difference} parent={known.parent?.name ?? ''} />}
            {needs.copies > 0 && (
              <Notice>
                <span>{t('copiesLead')}</span>
                <ButtonLink to="/sync/nodes" size="small">
                  {t('toNodes')}
                </ButtonLink>
              </Notice>
            )}
            {known.refused + known.refused_below > 0 && needs.stuck + needs.below > 0 && <RefusedWrites />}
            <Waiting empty={t(waitsWord(known))} />
            {known.files_to_send + known.files_to_come > 0 && <WaitingFiles />}
            {known.held > 0 && isAdmin(profile) && <Held />}
          </>
        )}
      </Answer>
    </Page>
  )
}

/** What a person can do about an obstacle to replication. */
function ToDo({ status: { state, obstacle } }: { status: SyncStatus }) {
  const { t } = useTranslation('sync')
  const what = state === 'upgrade' ? state : obstacle
  return what && <Notice>{t(`toDo.${what}`)}</Notice>
}

function State({ status, needs }: { status: SyncStatus; needs: OpenWork }) {
  const { t } = useTranslation('sync')
  const connection = connectionSummary(t, status, Date.now())
  // With refused entries not everything has arrived.
  const isUntrue = needs.stuck > 0 && connection.tone === 'good'
  const summaries = [openWorkSummary(t, needs), isUntrue ? null : connection].filter((one) => one !== null)
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
      {summaries.map(({ text, tone }) => (
        <Notice key={text} tone={tone === 'none' ? 'info' : tone}>
          <strong>{text}</strong>
        </Notice>
      ))}
      <Facts of={facts} className={styles['facts']} />
    </Card>
  )
}

/** A smaller offset of the clock is not shown, in ms. */
const CLOCK_TOLERANCE_MS = 60_000

function Clock({ offset }: { offset: number | null }) {
  const { t } = useTranslation('sync')
  if (offset === null || Math.abs(offset) < CLOCK_TOLERANCE_MS) return t('clockRight')
  return t(offset > 0 ? 'clockAhead' : 'clockBehind', { time: lasting(Math.abs(offset)) })
}

/** Why no change waits: all are sent, or there is no server to send to. */
const waitsWord = ({ state, schools_below, laptops_below }: SyncStatus) =>
  state !== 'alone' ? 'waitsNothing' : schools_below + laptops_below > 0 ? 'waitsTop' : 'waitsAlone'

/** The status arrives by events; the lists are read again at this interval, in ms. */
const POLL_MS = 10_000

/** The columns that several tables have. */
function useColumns() {
  const { t } = useTranslation('sync')
  const entityName = useTextsOf('entity')
  const what: Column<{ entity: string; where: string }> = {
    head: t('what'),
    cell: ({ entity, where }) => <Named name={entityName(entity)} where={where} />,
  }
  const who: Column<Pick<RefusedWrite, 'actor'>> = { head: t('who'), cell: ({ actor }) => (actor ? nameOf(actor) : t('service')) }
  const when: Column<{ at: string }> = { head: t('when'), cell: ({ at }) => moment(at) }
  return { what, who, when }
}

const Named = ({ name, where }: { name: string; where: string }) => (
  <>
    {name} <span className={styles['where']}>{where}</span>
  </>
)

type RowCardProps<Row> = {
  title: string
  lead?: string
  of: UseQueryResult<readonly Row[]>
  empty?: string
  columns: readonly Column<Row>[]
}

function RowCard<Row extends { entity: string; row_id: string }>({ title, lead, of, empty, columns }: RowCardProps<Row>) {
  return (
    <Card title={title}>
      {lead && <p>{lead}</p>}
      <Answer of={of} empty={empty}>
        {(rows) => <Table label={title} columns={columns} rows={rows} keyOf={({ entity, row_id }) => `${entity} ${row_id}`} />}
      </Answer>
    </Card>
  )
}

function Waiting({ empty }: { empty: string }) {
  const { t } = useTranslation('sync')
  const { what, who, when } = useColumns()
  const waiting = useQuery({ ...ask('replication', 'waiting'), refetchInterval: POLL_MS })
  const value: Column<ReplyOf<'replication', 'waiting'>[number]> = {
    head: t('value'),
    cell: ({ deleted, value, out_of }) => (deleted ? t('deleted') : <RecordedValue value={value} outOf={out_of} />),
  }
  return <RowCard title={t('waits')} of={waiting} empty={empty} columns={[what, value, who, when]} />
}

function Held() {
  const { t } = useTranslation('sync')
  const { what } = useColumns()
  const held = useQuery({ ...ask('replication', 'held'), refetchInterval: POLL_MS })
  const columns: Column<ReplyOf<'replication', 'held'>[number]>[] = [
    what,
    { head: t('why'), cell: ({ reason }) => reason },
    { head: t('when'), cell: ({ since }) => moment(since) },
    { head: t('tries'), cell: ({ tries }) => tries },
  ]
  return <RowCard title={t('held')} lead={t('heldLead')} of={held} columns={columns} />
}

/** The entities with files whose kind has a name. */
const FILE_KINDS = ['report_book_pdf', 'class_report_file', 'user_profile', 'school'] as const
const fileKindOf = ({ entity }: WaitingFile) => FILE_KINDS.find((kind) => kind === entity) ?? 'other'

/** Waiting PDFs and pictures, which are sent after the marks. */
function WaitingFiles() {
  const { t } = useTranslation('sync')
  const files = useQuery({ ...ask('replication', 'files'), refetchInterval: POLL_MS })
  const columns: Column<WaitingFile>[] = [
    { head: t('what'), cell: (file) => <Named name={t(`file.${fileKindOf(file)}`)} where={file.where} /> },
    { head: t('way'), cell: ({ way }) => t(way) },
    { head: t('tries'), cell: ({ tries }) => tries },
  ]
  return <RowCard title={t('files')} lead={t('filesLead')} of={files} empty={t('filesNone')} columns={columns} />
}

type Difference = NonNullable<SyncStatus['difference']>

/** Where this server and its parent differed, by entity; shown for some time after it was corrected. */
function DifferenceCard({ difference: { found_at, healed_at, tables }, parent }: { difference: Difference; parent: string }) {
  const { t } = useTranslation('sync')
  const entityName = useTextsOf('entity')
  const title = t(healed_at ? 'differs.titleMended' : 'differs.title')
  return (
    <Card title={title}>
      <p>
        {healed_at
          ? t('differs.leadMended', { found: moment(found_at), healed: moment(healed_at) })
          : t('differs.lead', { parent, at: moment(found_at) })}
      </p>
      <Table
        label={title}
        rows={tables}
        keyOf={({ entity }) => entity}
        columns={[
          { head: t('what'), cell: ({ entity }) => entityName(entity) },
          { head: t('differs.here'), cell: ({ here }) => here },
          { head: t('differs.there'), cell: ({ there }) => there },
        ]}
      />
    </Card>
  )
}

type SourceNode = RefusedWrite['from']

/** The refused writes that are not put aside: those of this computer, and those of each computer that sends to it. */
function RefusedWrites() {
  const refused = useQuery({ ...ask('replication', 'refused'), refetchInterval: POLL_MS })
  return (
    <Answer of={refused}>
      {(rows) =>
        byComputer(rows.filter(isUnseen)).map(([from, own]) => <RefusedWritesFrom key={from?.id ?? 'here'} from={from} rows={own} />)
      }
    </Answer>
  )
}

const isUnseen = ({ seen_at }: RefusedWrite) => seen_at === null

function byComputer(rows: readonly RefusedWrite[]): [SourceNode, RefusedWrite[]][] {
  const groups = new Map<string | null, [SourceNode, RefusedWrite[]]>()
  for (const row of rows) {
    const key = row.from?.id ?? null
    const group = groups.get(key) ?? [row.from, []]
    group[1].push(row)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function RefusedWritesFrom({ from, rows }: { from: SourceNode; rows: readonly RefusedWrite[] }) {
  const { t } = useTranslation('sync')
  const { what, who, when } = useColumns()
  const seen = useSave('replication', 'seen')
  const enter = useSave('replication', 'enter', affectedResources)
  const [leaving, setLeaving] = useState<RefusedWrite | null>(null)
  const rowName = useRowName()
  const refusal = useTextsOf(from ? 'refusalHere' : 'refusal')
  const title = useTitle(from)
  const isBusy = seen.isPending || enter.isPending
  const named = ({ id }: RefusedWrite) => ({ params: { id } })
  const columns: Column<RefusedWrite>[] = [
    what,
    { head: t('notTaken.written'), cell: (row) => <WrittenValue row={row} /> },
    { head: t('now'), cell: (row) => <PresentValue row={row} /> },
    who,
    when,
    { head: t('why'), cell: ({ code }) => refusal(code) },
    {
      head: t('putAside'),
      cell: (row) => (
        <span className={layout['row']}>
          {row.may_enter && (
            <Button size="small" disabled={isBusy} onClick={() => (row.value ? enter.mutate(named(row)) : setLeaving(row))}>
              {t(row.value ? 'notTaken.enter' : 'notTaken.delete')}
            </Button>
          )}
          <Button size="small" disabled={isBusy} onClick={() => seen.mutate(named(row))}>
            {t('seenIt')}
          </Button>
        </span>
      ),
    },
  ]
  return (
    <Card title={title}>
      <p>{from ? t('notTaken.lead', { node: from.name ?? t('elsewhere') }) : t('refusedLead')}</p>
      <FailureNotice failure={seen.error ?? (leaving ? null : enter.error)} />
      <Table label={title} columns={columns} rows={rows} keyOf={({ id }) => id} />
      {leaving && (
        <ConfirmDialog
          title={t('deleteTitle')}
          text={t('deleteText', { what: rowName(leaving) })}
          action={t('delete')}
          onConfirm={() => enter.mutateAsync(named(leaving))}
          onClose={() => setLeaving(null)}
        />
      )}
    </Card>
  )
}

/** The title for a source; a laptop is named by its owner. */
function useTitle(from: SourceNode): string {
  const { t } = useTranslation('sync')
  if (!from) return t('refused')
  return from.user ? t('notTaken.ofLaptop', { name: nameOf(from.user) }) : t('notTaken.ofServer', { node: from.name ?? t('elsewhere') })
}

/** What stands in the place of a refused write, where the viewer may see that. */
function PresentValue({ row: { current, may_enter, out_of } }: { row: RefusedWrite }) {
  const { t } = useTranslation('sync')
  if (current) return <RecordedValue value={current} outOf={out_of} />
  return may_enter ? t('gone') : null
}

/** The value of a refused write; nothing for an unreadable one, or for a row that stands for several. */
function WrittenValue({ row: { code, value, out_of } }: { row: RefusedWrite }) {
  const { t } = useTranslation('sync')
  if (code === 'malformed' || code === 'more') return null
  if (value === null) return t('deleted')
  return Object.keys(value).length === 0 ? t('notTaken.tooLong') : <RecordedValue value={value} outOf={out_of} />
}
