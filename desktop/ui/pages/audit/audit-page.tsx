import type { AuditEntry } from '@markbook/shared/contract/audit'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, askWhole } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Options, Row, SelectField, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Card, Empty, FailureNotice, Loading, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { moment } from '../../words/format.ts'
import { listedName, nameOf } from '../../words/names.ts'
import { Author, Changes } from '../history/history-panel.tsx'
import { useTextsOf } from '../sync/labels.ts'
import styles from './audit.module.css'
import { Verdict } from './verdict.tsx'

type Search = { person?: string; pupil?: string; kind?: string; from?: string; to?: string }

/** For the head: what the last audit found, and who wrote what and when. */
export function AuditPage() {
  const { t } = useTranslation('audit')
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Verdict />
      <Entries />
    </Page>
  )
}

/** The kinds of rows to choose from, the most wanted first. */
const KINDS = [
  'grade',
  'assessment',
  'report_book',
  'report_book_entry',
  'student',
  'enrolment',
  'student_group',
  'subject',
  'term',
  'academic_year',
  'grading_scale',
  'teacher_subject_assignment',
  'class_teacher',
  'school_management',
  'school',
] as const

/** A complete day; undefined while it is being typed. */
const wholeDay = (text: string | undefined) => (text && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined)

function queryOf({ person, pupil, kind, from, to }: Search) {
  const [first, last] = [wholeDay(from), wholeDay(to)]
  return {
    ...(person && { actorId: person }),
    ...(pupil && { studentId: pupil }),
    ...(kind && { entity: kind }),
    ...(first && { from: first }),
    ...(last && { to: last }),
  }
}

function Entries() {
  const { t } = useTranslation('audit')
  const search: Search = useSearch({ from: '/school/audit' })
  const query = queryOf(search)
  const entries = useInfiniteQuery({
    queryKey: ['audit', 'entries', query],
    queryFn: ({ pageParam }) => client.audit.entries({ query: { ...query, ...(pageParam && { before: pageParam }) } }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: 0,
  })
  const pages = entries.data?.pages ?? []
  const rows = pages.flatMap((page) => page.entries)
  const backTo = pages.at(-1)?.back_to
  const csv = (
    <a href={`/api/audit/export?${new URLSearchParams(query)}`} download>
      {t('list.csv')}
    </a>
  )
  return (
    <Card title={t('list.title')} actions={csv}>
      <Filters search={search} />
      {entries.isLoading && <Loading />}
      <FailureNotice failure={entries.error} onRetry={() => void entries.refetch()} />
      {rows.length > 0 && <EntriesTable rows={rows} />}
      {entries.data && rows.length === 0 && (
        <Empty>{entries.hasNextPage && backTo ? t('list.noneYet', { at: moment(backTo) }) : t('list.none')}</Empty>
      )}
      {entries.hasNextPage && (
        <div>
          <Button busy={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
            {t(rows.length === 0 ? 'list.lookFurther' : 'list.older')}
          </Button>
        </div>
      )}
      {rows.length > 0 && !entries.hasNextPage && <p className={layout['note']}>{t('list.end')}</p>}
    </Card>
  )
}

function Filters({ search }: { search: Search }) {
  const { t } = useTranslation('audit')
  const navigate = useNavigate()
  const entityName = useTextsOf('entity')
  const members = useQuery(ask('schools', 'members'))
  const students = useQuery(askWhole('students', 'list', {}))
  const change = (own: Search) => {
    const all = Object.entries({ ...search, ...own }).filter(([, value]) => value)
    void navigate({ to: '/audit', search: Object.fromEntries(all) as Search, replace: true })
  }
  return (
    <Row>
      <SelectField label={t('list.person')} value={search.person ?? ''} onChange={({ target }) => change({ person: target.value })}>
        <option value="">{t('list.everybody')}</option>
        <Options of={(members.data ?? []).map(({ user_id, ...person }) => ({ id: user_id, name: nameOf(person) }))} />
      </SelectField>
      <SelectField label={t('list.pupil')} value={search.pupil ?? ''} onChange={({ target }) => change({ pupil: target.value })}>
        <option value="">{t('list.all')}</option>
        <Options of={(students.data ?? []).map((pupil) => ({ id: pupil.id, name: listedName(pupil) }))} />
      </SelectField>
      <SelectField label={t('list.kind')} value={search.kind ?? ''} onChange={({ target }) => change({ kind: target.value })}>
        <option value="">{t('list.everything')}</option>
        <Options of={KINDS.map((kind) => ({ id: kind, name: entityName(kind) }))} />
      </SelectField>
      <TextField label={t('list.from')} type="date" value={search.from ?? ''} onChange={({ target }) => change({ from: target.value })} />
      <TextField label={t('list.to')} type="date" value={search.to ?? ''} onChange={({ target }) => change({ to: target.value })} />
    </Row>
  )
}

/** The number of details shown for an entry: a created or deleted row has many. */
const MOST_DETAILS = 4

function EntriesTable({ rows }: { rows: readonly AuditEntry[] }) {
  const { t } = useTranslation('audit')
  const entityName = useTextsOf('entity')
  const noteOf = useNotes()
  return (
    <Table
      label={t('list.title')}
      rows={rows}
      keyOf={({ id }) => id}
      rowName={2}
      columns={[
        { head: t('list.when'), className: styles['when'], cell: ({ at }) => moment(at) },
        { head: t('list.who'), className: styles['who'], cell: (entry) => <Author entry={entry} /> },
        {
          head: t('list.what'),
          className: styles['what'],
          cell: (entry) => (
            <>
              {noteOf(entry) ?? entityName(entry.entity)}
              {entry.name && (
                <div className={layout['note']}>
                  <bdi>{entry.name}</bdi>
                </div>
              )}
            </>
          ),
        },
        { head: t('list.changes'), cell: (entry) => noteOf(entry) === null && <Changes entry={entry} most={MOST_DETAILS} /> },
      ]}
    />
  )
}

const NOTES = ['desk_code', 'console_code', 'sign_in_reset', 'school_invitation', 'reminder', 'sync_invitation', 'sync_peer'] as const

/** The sentence for an entry that is about no row, or about a conflict; null for one about another row. */
function useNotes(): (entry: AuditEntry) => string | null {
  const { t } = useTranslation('audit')
  return ({ entity, action, changes }) => {
    const note = NOTES.find((each) => each === entity)
    if (note) return t(`note.${note}`)
    if (entity === 'import') return t(action === 'delete' ? 'note.importUndone' : 'note.import')
    if (entity === 'sync_conflict') return t(changes['status']?.after === 'resolved' ? 'note.conflictDecided' : 'note.conflict')
    if (entity !== 'node') return null
    const from = changes['restored_from']?.after
    if (from !== undefined) return t('note.restored', { from: typeof from === 'string' ? moment(from) : '…' })
    if (changes['history_accepted']) return t('note.accepted')
    return t(changes['put_back'] ? 'note.putBack' : 'note.node')
  }
}
