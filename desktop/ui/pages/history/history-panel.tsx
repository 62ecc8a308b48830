import type { HistoryEntry } from '@markbook/shared/contract/history'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type AskedOf, ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Answer, FailureNotice, Table } from '../../components/page.tsx'
import { moment } from '../../words/format.ts'
import { type ShownChange, shownChanges } from './changes.ts'
import styles from './history.module.css'

export type HistoryEntity = NonNullable<NonNullable<AskedOf<'history', 'list'>[0]>['query']>['entity']
type Props = { entity: HistoryEntity; id: string }

/** Kinds of rows of which a change can be taken back. */
const UNDOABLE: readonly HistoryEntity[] = ['grade', 'assessment', 'student', 'term', 'subject', 'student_group', 'report_book_entry']

/** Everything that was ever written to a row: when, who, on which machine, before and after; the newest first. */
export function HistoryPanel({ entity, id }: Props) {
  const { t } = useTranslation('history')
  const entries = useQuery({ ...ask('history', 'list', { query: { entity, id, limit: 200 } }), staleTime: 0 })
  const undo = useSave('history', 'undo', ['grades', 'assessments', 'students', 'terms', 'subjects', 'classes', 'reports'])
  const [asked, setAsked] = useState<string | null>(null)
  const takeBack = (entry: HistoryEntry) => {
    setAsked(entry.id)
    undo.mutate({ params: { id: entry.id } })
  }
  return (
    <Answer of={entries} empty={t('empty')}>
      {(list) => (
        <>
          <FailureNotice failure={undo.error} />
          <Table label={t('title')}>
            <thead>
              <tr>
                <th scope="col">{t('when')}</th>
                <th scope="col">{t('who')}</th>
                <th scope="col">{t('what')}</th>
                <th scope="col">
                  <span className="hidden">{t('undo')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((entry) => (
                <Entry
                  key={entry.id}
                  entry={entry}
                  isBusy={undo.isPending && asked === entry.id}
                  onUndo={
                    UNDOABLE.includes(entity) && !(entity === 'grade' && entry.action === 'delete' && entry !== list[0]) ? takeBack : null
                  }
                />
              ))}
            </tbody>
          </Table>
        </>
      )}
    </Answer>
  )
}

function Entry({ entry, isBusy, onUndo }: { entry: HistoryEntry; isBusy: boolean; onUndo: ((entry: HistoryEntry) => void) | null }) {
  const { t } = useTranslation('history')
  const { at, actor, node_name, action } = entry
  const name = actor ? [actor.first_name, actor.last_name].filter(Boolean).join(' ') || t('unnamed') : t('nobody')
  const changes = shownChanges(entry)
  const back = useWayBack(entry)
  return (
    <tr>
      <td>{moment(at)}</td>
      <th scope="row">
        {name}
        <span className={styles['node']}>{node_name ? t('on', { node: node_name }) : t('elsewhere')}</span>
      </th>
      <td>
        {action !== 'update' && <p>{t(action)}</p>}
        <ul className={styles['changes']}>
          {changes.map((change) => (
            <Change key={change.field} change={change} isUpdate={action === 'update'} />
          ))}
        </ul>
      </td>
      <td>
        {onUndo && (
          <Button size="small" busy={isBusy} onClick={() => onUndo(entry)} aria-label={`${back} (${moment(at)})`}>
            {back}
          </Button>
        )}
      </td>
    </tr>
  )
}

/** What taking a change back would do, with the value that comes back: nobody presses it blindly. */
function useWayBack({ action, changes }: HistoryEntry): string {
  const { t } = useTranslation('history')
  const said = useSaid()
  const back = shownChanges({ changes }).filter(({ before }) => action === 'update' || before !== null)
  // A mark alone speaks for itself; of several things each is named.
  const named = ({ field, word, before }: ShownChange) =>
    back.length === 1 ? shortened(said(before)) : `${word ? t(`field.${word}`) : field} ${shortened(said(before))}`
  const value = `${back.slice(0, MOST_SAID).map(named).join(', ')}${back.length > MOST_SAID ? ' …' : ''}`
  if (action === 'create') return t('undoCreate')
  if (action === 'delete') return back.length > 0 ? t('undoDelete', { value }) : t('undo')
  return back.length > 0 ? t('undoTo', { value }) : t('undo')
}

const MOST_SAID = 2
const MOST_LETTERS = 24
const shortened = (text: string) => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text)

function useSaid(): (value: ShownChange['before']) => string {
  const { t } = useTranslation('history')
  return (value) => (value === null ? t('nothing') : typeof value === 'boolean' ? t(value ? 'yes' : 'no') : value)
}

function Change({ change: { field, word, before, after }, isUpdate }: { change: ShownChange; isUpdate: boolean }) {
  const { t } = useTranslation('history')
  const said = useSaid()
  return (
    <li>
      {word ? t(`field.${word}`) : field}: {isUpdate && <del>{said(before)}</del>} {isUpdate && <span aria-hidden="true">→</span>}{' '}
      <ins>{said(isUpdate || after !== null ? after : before)}</ins>
    </li>
  )
}
