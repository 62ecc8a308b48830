import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { FailureNotice, Notice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import type { HistoryEntity } from '../history/history-panel.tsx'
import type { Choice } from './both-values.tsx'
import { useShown } from './naming.ts'
import styles from './sync.module.css'

/** What follows from rows that a decision may write. */
export const concerned = ['grades', 'assessments', 'reports', 'students', 'classes', 'terms', 'academicYears', 'schools'] as const

/** What was decided last on this page, with the conflict as it stood before. */
export type LastDecision = { conflict: Conflict; choice: Choice; news: string }

/**
 * What the other way would write: after «leave it», the other value; else what stood before. Null where that cannot be written so: after a
 * deletion there is no row to write it to.
 */
function wayBack({ conflict: { kept, current }, choice }: LastDecision) {
  if (choice === 'current') return kept && { columns: kept, body: { choice: 'kept' as const, again: true } }
  if (choice === 'kept' && !kept) return null
  return current && { columns: current, body: { choice: 'typed' as const, value: current, again: true } }
}

/** Kinds of rows that can be in conflict and have a past to be read. */
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

/** A decision can be taken back for as long as the desk is open; after that the row's history leads back. */
export function TakeBack({ last, onClose }: { last: LastDecision; onClose: () => void }) {
  const { t } = useTranslation(['sync', 'app'])
  const { tell } = useToasts()
  const shown = useShown()
  const resolve = useSave('replication', 'resolve', concerned)
  const { conflict, choice, news } = last
  const back = wayBack(last)
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
        <span>{news}</span>
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
