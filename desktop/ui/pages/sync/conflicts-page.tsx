import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button, MoveButtons } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { Answer, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import type { HistoryEntity } from '../history/history-panel.tsx'
import { ConflictCard, type ConflictChoice } from './conflict-card.tsx'
import { useRowName, useValueText } from './labels.ts'
import styles from './sync.module.css'

/** Shows one conflict at a time, to be decided with a key. */
export function ConflictsPage() {
  const { t } = useTranslation('sync')
  const open = useQuery({ ...ask('replication', 'conflicts', { query: { status: 'open' } }), refetchInterval: 10_000 })
  const [last, setLast] = useState<LastDecision | null>(null)
  return (
    <Page title={t('conflicts')} lead={t('conflictsLead')}>
      {last && <UndoDecision key={last.conflict.id} last={last} onClose={() => setLast(null)} />}
      <Answer of={open} empty={t('conflictsNone')}>
        {(conflicts) => <Desk conflicts={conflicts} onDecided={setLast} />}
      </Answer>
    </Page>
  )
}

function Desk({ conflicts, onDecided }: { conflicts: readonly Conflict[]; onDecided: (last: LastDecision) => void }) {
  const { t } = useTranslation('sync')
  const [at, setAt] = useState(0)
  const resolve = useSave('replication', 'resolve', affectedResources)
  const shown = useValueText()
  const rowName = useRowName()
  const place = Math.min(at, conflicts.length - 1)
  const conflict = conflicts[place] as Conflict
  const [leaving, setLeaving] = useState<Conflict | null>(null)
  const send = async (conflict: Conflict, choice: ConflictChoice, value?: Record<string, unknown>) => {
    const columns = choice === 'typed' ? (value ?? null) : conflict[choice]
    const what = conflict.where || t('conflicts')
    const values = columns && Object.entries(columns).map(([column, one]) => shown(column, one, conflict.out_of))
    const message = values?.length ? t('decidedNow', { what, value: values.join(', ') }) : t('decided', { what })
    await resolve.mutateAsync({ params: { id: conflict.id }, body: { choice, ...(value && { value }) } })
    onDecided({ conflict, choice, message })
  }
  const decide = (choice: ConflictChoice, value?: Record<string, unknown>) => {
    if (resolve.isPending || !conflict.may_decide) return
    if (choice === 'kept' && !conflict.kept) setLeaving(conflict)
    // The page shows a refusal.
    else send(conflict, choice, value).catch(() => null)
  }
  const go = (to: number) => {
    resolve.reset()
    setAt(Math.max(0, Math.min(conflicts.length - 1, to)))
  }
  useConflictKeys(conflict.id, {
    decide: { ArrowLeft: () => decide('current'), ArrowRight: () => decide('kept') },
    walk: { ArrowDown: () => go(place + 1), ArrowUp: () => go(place - 1) },
  })
  return (
    <>
      <div className={styles['walk']}>
        <span role="status">{t('place', { at: place + 1, total: conflicts.length })}</span>
        <span className={`${layout['soft']} ${styles['keys']}`}>{t('keys')}</span>
        <span>
          <MoveButtons at={place} count={conflicts.length} label={{ up: '↑', down: '↓' }} onMove={go} />
        </span>
      </div>
      <FailureNotice failure={leaving ? null : resolve.error} />
      <ConflictCard key={conflict.id} conflict={conflict} isBusy={resolve.isPending} failure={resolve.error} onDecide={decide} />
      {leaving && (
        <ConfirmDialog
          title={t('deleteTitle')}
          text={t('deleteText', { what: rowName(leaving) })}
          action={t('delete')}
          onConfirm={() => send(leaving, 'kept')}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  )
}

/** Resources that a decision may change. */
const affectedResources = ['grades', 'assessments', 'reports', 'students', 'classes', 'terms', 'academicYears', 'schools'] as const

/** The last decision on this page, and the conflict before it. */
type LastDecision = { conflict: Conflict; choice: ConflictChoice; message: string }

/**
 * The request that undoes a decision: after «leave it» it writes the other value, else the value before. Null after a deletion, which left no
 * row to write to.
 */
function undoOf({ conflict: { kept, current }, choice }: LastDecision) {
  if (choice === 'current') return kept && { columns: kept, body: { choice: 'kept' as const, again: true } }
  if (choice === 'kept' && !kept) return null
  return current && { columns: current, body: { choice: 'typed' as const, value: current, again: true } }
}

/** Entities that can be in conflict and have a page of history. */
const WITH_HISTORY: readonly string[] = [
  'grade',
  'assessment',
  'student',
  'term',
  'subject',
  'student_group',
  'report_book',
  'report_book_entry',
]

/** Undoes the last decision while the page is open. Later the history of the row does. */
function UndoDecision({ last, onClose }: { last: LastDecision; onClose: () => void }) {
  const { t } = useTranslation(['sync', 'app'])
  const shown = useValueText()
  const resolve = useSave('replication', 'resolve', affectedResources)
  const { conflict, choice, message } = last
  const back = undoOf(last)
  const values = back && Object.entries(back.columns).map(([column, value]) => shown(column, value, conflict.out_of))
  const value = values?.join(', ')
  const undo = () => {
    if (!back) return
    const onSuccess = () => {
      tell(t('decidedNow', { what: conflict.where || t('conflicts'), value }))
      onClose()
    }
    resolve.mutate({ params: { id: conflict.id }, body: back.body }, { onSuccess })
  }
  return (
    <>
      <Notice tone="good">
        <span>{message}</span>
        <span className={styles['ways']}>
          {back && (
            <Button size="small" busy={resolve.isPending} busyWord={t('app:state.saving')} onClick={undo}>
              {t(choice === 'current' ? 'takeOtherAfterAll' : 'undoDecision', { value })}
            </Button>
          )}
          {WITH_HISTORY.includes(conflict.entity) && (
            <Link to="/history" search={{ entity: conflict.entity as HistoryEntity, id: conflict.row_id }}>
              {t('toHistory')}
            </Link>
          )}
        </span>
      </Notice>
      <FailureNotice failure={resolve.error} />
    </>
  )
}

type KeyHandlers = Readonly<Record<string, () => void>>

/** The time in which keys do not decide a new conflict: they were meant for the one before. */
const UNREAD_MS = 300

/**
 * Keys of the whole page, except in fields, menus and dialogs. A repeated key counts once. `about`: the id of the shown conflict; `decide`
 * waits until it can have been read, `walk` does not.
 */
function useConflictKeys(about: string, { decide, walk }: { decide: KeyHandlers; walk: KeyHandlers }): void {
  const shownSince = useRef(0)
  useEffect(() => {
    if (about) shownSince.current = performance.now()
  }, [about])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = decide[event.key] ?? walk[event.key]
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea, [role=menu], [role=dialog]')
      if (!act || isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      const isUnread = event.key in decide && performance.now() - shownSince.current < UNREAD_MS
      if (!event.repeat && !isUnread) act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}
