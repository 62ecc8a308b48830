import type { HistoryEntry } from '@markbook/shared/contract/history'
import { fullName } from '@markbook/shared/domain/full-name'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ask, type RequestOf, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Empty, FailureNotice, Page } from '../../components/page.tsx'
import { AnswerTable } from '../../components/table.tsx'
import { isRightToLeft } from '../../words/direction.ts'
import { firstOf, moment } from '../../words/format.ts'
import { useColumnName } from '../sync/labels.ts'
import { type ShownChange, shownChanges } from './changes.ts'
import styles from './history.module.css'
import { isRestored } from './restoration.ts'
import { valueText } from './value-text.ts'

export type HistoryEntity = NonNullable<NonNullable<RequestOf<'history', 'list'>[0]>['query']>['entity']
type Props = { entity: HistoryEntity; id: string }

/** The entities whose changes can be undone. */
const UNDOABLE: readonly HistoryEntity[] = [
  'grade',
  'assessment',
  'student',
  'term',
  'subject',
  'student_group',
  'report_book_entry',
  'attendance_mark',
]

/** `/history?entity=grade&id=…`: the history of one row. */
export function HistoryPage() {
  const { t } = useTranslation('history')
  const { entity, id } = useSearch({ from: '/school/history' })
  return (
    <Page title={t('title')} lead={t('lead')}>
      {entity && id ? <HistoryPanel entity={entity} id={id} /> : <Empty>{t('noRow')}</Empty>}
    </Page>
  )
}

/** The entries of a row, and the mutation that undoes one. */
function useEntries({ entity, id }: Props) {
  const entries = useQuery({ ...ask('history', 'list', { query: { entity, id, limit: 200 } }), staleTime: 0 })
  const undo = useSave('history', 'undo', ['grades', 'assessments', 'students', 'terms', 'subjects', 'classes', 'reports', 'attendance'])
  const undoButton = (entry: HistoryEntry, at: number) =>
    UNDOABLE.includes(entity) &&
    !(entity === 'grade' && entry.action === 'delete' && at > 0) && (
      <UndoButton entry={entry} isBusy={undo.isPending && undo.variables?.params.id === entry.id} onUndo={undo.mutate} />
    )
  return { entries, undo, undoButton }
}

/** All changes of a row, the newest first: when, who, on which server, before and after. */
export function HistoryPanel(row: Props) {
  const { t } = useTranslation('history')
  const { entries, undo, undoButton } = useEntries(row)
  return (
    <>
      <FailureNotice failure={undo.error} />
      <AnswerTable
        of={entries}
        empty={t('empty')}
        label={t('title')}
        rowName={1}
        columns={[
          { head: t('when'), cell: ({ at }) => moment(at) },
          { head: t('who'), cell: (entry) => <Author entry={entry} /> },
          { head: t('what'), cell: (entry, at) => <Changes entry={entry} before={entries.data?.[at + 1]} /> },
          { head: t('undo'), look: 'hidden', cell: undoButton },
        ]}
      />
    </>
  )
}

/** The same as a list, for narrow places. */
export function HistoryEntries(row: Props) {
  const { t } = useTranslation('history')
  const { entries, undo, undoButton } = useEntries(row)
  return (
    <>
      <FailureNotice failure={undo.error} />
      <Answer of={entries} empty={t('empty')}>
        {(found) => (
          <ol className={`${layout['ruled']} ${styles['entries']}`} aria-label={t('title')}>
            {found.map((entry, at) => (
              <li key={entry.id} className={layout['stack']}>
                <div className={layout['note']}>{moment(entry.at)}</div>
                <Author entry={entry} />
                <Changes entry={entry} before={found[at + 1]} />
                <div>{undoButton(entry, at)}</div>
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </>
  )
}

/** Who wrote an entry, and on which computer. */
export function Author({ entry: { actor, node_name } }: { entry: Pick<HistoryEntry, 'actor' | 'node_name'> }) {
  const { t } = useTranslation('history')
  return (
    <>
      {actor ? fullName(actor) || t('unnamed') : t('nobody')}
      <div className={layout['note']}>{node_name ? t('on', { node: node_name }) : t('elsewhere')}</div>
    </>
  )
}

type ChangesProps = { entry: Written; before?: Written | undefined; most?: number }
type Written = Pick<HistoryEntry, 'action' | 'changes'>

/** The changes of an entry by column, at most `most` of them. `before`: the entry before it of the same row. */
export function Changes({ entry, before, most = Number.MAX_SAFE_INTEGER }: ChangesProps) {
  const { t } = useTranslation(['history', 'app'])
  const { named, columnName, said } = useChangeTexts()
  const isUpdate = entry.action === 'update'
  const changes = shownChanges(entry, named)
  return (
    <>
      {entry.action !== 'update' && <p>{t(isRestored(entry, before) ? 'restored' : entry.action)}</p>}
      <ul className={styles['changes']}>
        {changes.slice(0, most).map((change) => (
          <li key={change.field}>
            {t('app:label', { label: columnName(change) })} {isUpdate && <del>{said(change, change.before)}</del>}{' '}
            {isUpdate && <span aria-hidden="true">{isRightToLeft() ? '←' : '→'}</span>}{' '}
            <ins>{said(change, isUpdate || change.after !== null ? change.after : change.before)}</ins>
          </li>
        ))}
        {changes.length > most && <li className={layout['note']}>{t('more', { count: changes.length - most })}</li>}
      </ul>
    </>
  )
}

type UndoButtonProps = { entry: HistoryEntry; isBusy: boolean; onUndo: (request: { params: { id: string } }) => void }

/** A button whose text names the values that it restores. */
function UndoButton({ entry: { id, at, action, changes }, isBusy, onUndo }: UndoButtonProps) {
  const { t } = useTranslation('history')
  const { named, columnName, said } = useChangeTexts()
  const back = shownChanges({ changes }, named).filter(({ before }) => action === 'update' || before !== null)
  // A single value is shown without the name of its column.
  const textOf = (change: ShownChange) =>
    back.length === 1 ? shortened(said(change, change.before)) : `${columnName(change)} ${shortened(said(change, change.before))}`
  const value = firstOf(back.map(textOf), 2)
  const undo = back.length > 0 ? t(action === 'delete' ? 'undoDelete' : 'undoTo', { value }) : t('undo')
  const words = action === 'create' ? t('undoCreate') : undo
  return (
    <Button size="small" busy={isBusy} onClick={() => onUndo({ params: { id } })} aria-label={`${words} (${moment(at)})`}>
      {words}
    </Button>
  )
}

const MOST_LETTERS = 24
const shortened = (text: string) => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text)

/** Functions for the names of columns and for their values as text. */
export function useChangeTexts() {
  const { t, i18n } = useTranslation(['history', 'columns'])
  const nameOfColumn = useColumnName()
  return {
    /** The columns that have a name, in the order of the English `columns.json`. */
    named: Object.keys(i18n.getResourceBundle('en', 'columns') as object),
    columnName: ({ field }: ShownChange) => nameOfColumn(field),
    said: ({ field }: Pick<ShownChange, 'field'>, value: ShownChange['before']) =>
      value === null ? t('nothing') : typeof value === 'boolean' ? t(value ? 'yes' : 'no') : valueText(field, value),
  }
}
