import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Answer, FailureNotice, Page } from '../../components/page.tsx'
import { Both, type Choice } from './both-values.tsx'
import { useKeys } from './keys.ts'
import { useRowName, useShown } from './naming.ts'
import styles from './sync.module.css'
import { concerned, type LastDecision, TakeBack } from './take-back.tsx'

/** The conflict desk: one at a time, both values side by side, one key to choose. */
export function ConflictsPage() {
  const { t } = useTranslation('sync')
  const open = useQuery({ ...ask('replication', 'conflicts', { query: { status: 'open' } }), refetchInterval: 10_000 })
  const [last, setLast] = useState<LastDecision | null>(null)
  return (
    <Page title={t('conflicts')} lead={t('conflictsLead')}>
      {last && <TakeBack key={last.conflict.id} last={last} onClose={() => setLast(null)} />}
      <Answer of={open} empty={t('conflictsNone')}>
        {(conflicts) => <Desk conflicts={conflicts} onDecided={setLast} />}
      </Answer>
    </Page>
  )
}

function Desk({ conflicts, onDecided }: { conflicts: readonly Conflict[]; onDecided: (last: LastDecision) => void }) {
  const { t } = useTranslation('sync')
  const [at, setAt] = useState(0)
  const resolve = useSave('replication', 'resolve', concerned)
  const shown = useShown()
  const rowName = useRowName()
  const place = Math.min(at, conflicts.length - 1)
  const conflict = conflicts[place] as Conflict
  const [leaving, setLeaving] = useState<Conflict | null>(null)
  const send = async (conflict: Conflict, choice: Choice, value?: Record<string, unknown>) => {
    const columns = choice === 'typed' ? (value ?? null) : conflict[choice]
    const what = conflict.where || t('conflicts')
    const said = columns && Object.entries(columns).map(([column, one]) => shown(column, one, conflict.out_of))
    const news = said?.length ? t('decidedNow', { what, value: said.join(', ') }) : t('decided', { what })
    await resolve.mutateAsync({ params: { id: conflict.id }, body: { choice, ...(value && { value }) } })
    onDecided({ conflict, choice, news })
  }
  const decide = (choice: Choice, value?: Record<string, unknown>) => {
    if (resolve.isPending || !conflict.may_decide) return
    if (choice === 'kept' && !conflict.kept) setLeaving(conflict)
    // What was refused stands on the page.
    else send(conflict, choice, value).catch(() => null)
  }
  const go = (to: number) => {
    resolve.reset()
    setAt(Math.max(0, Math.min(conflicts.length - 1, to)))
  }
  useKeys(conflict.id, {
    decide: { ArrowLeft: () => decide('current'), ArrowRight: () => decide('kept') },
    walk: { ArrowDown: () => go(place + 1), ArrowUp: () => go(place - 1) },
  })
  return (
    <>
      <div className={styles['walk']}>
        <span role="status">{t('place', { at: place + 1, total: conflicts.length })}</span>
        <span className={`${styles['by']} ${styles['keys']}`}>{t('keys')}</span>
        <span>
          <Button size="small" aria-label="↑" disabled={place === 0} onClick={() => go(place - 1)}>
            ↑
          </Button>{' '}
          <Button size="small" aria-label="↓" disabled={place === conflicts.length - 1} onClick={() => go(place + 1)}>
            ↓
          </Button>
        </span>
      </div>
      <FailureNotice failure={leaving ? null : resolve.error} />
      <Both key={conflict.id} conflict={conflict} isBusy={resolve.isPending} failure={resolve.error} onDecide={decide} />
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
