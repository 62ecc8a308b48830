import type { Conflict } from '@markbook/shared/contract/replication'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Answer, Badge, Card, FailureNotice, Page } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { useColumnName, useEntityName } from './naming.ts'
import styles from './sync.module.css'
import { TypedValue } from './typed-value.tsx'

/** The conflict desk: one at a time, both values side by side, one key to choose. */
export function ConflictsPage() {
  const { t } = useTranslation('sync')
  const open = useQuery({ ...ask('replication', 'conflicts', { query: { status: 'open' } }), refetchInterval: 10_000 })
  return (
    <Page title={t('conflicts')} lead={t('conflictsLead')}>
      <Answer of={open} empty={t('conflictsNone')}>
        {(conflicts) => <Desk conflicts={conflicts} />}
      </Answer>
    </Page>
  )
}

function Desk({ conflicts }: { conflicts: readonly Conflict[] }) {
  const { t } = useTranslation('sync')
  const [at, setAt] = useState(0)
  const resolve = useSave('replication', 'resolve', [
    'grades',
    'assessments',
    'reports',
    'students',
    'classes',
    'terms',
    'academicYears',
    'schools',
  ])
  const { tell } = useToasts()
  const place = Math.min(at, conflicts.length - 1)
  const conflict = conflicts[place] as Conflict
  const decide = (choice: 'current' | 'kept' | 'typed', value?: Record<string, unknown>) => {
    if (resolve.isPending) return
    const columns = choice === 'typed' ? value : conflict[choice]
    const what = conflict.where || t('conflicts')
    const said = columns && Object.values(columns).map((one) => shown(one, t('yes'), t('no'), t('empty')))
    const news = said ? t('decidedNow', { what, value: said.join(', ') }) : t('decided', { what })
    // Told though the last conflict leaves no desk behind; what was refused stands on the page.
    resolve.mutateAsync({ params: { id: conflict.id }, body: { choice, ...(value && { value }) } }).then(
      () => tell(news),
      () => null,
    )
  }
  const go = (to: number) => {
    resolve.reset()
    setAt(Math.max(0, Math.min(conflicts.length - 1, to)))
  }
  useKeys({
    ArrowLeft: () => decide('current'),
    ArrowRight: () => decide('kept'),
    ArrowDown: () => go(place + 1),
    ArrowUp: () => go(place - 1),
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
      <FailureNotice failure={resolve.error} />
      <Both key={conflict.id} conflict={conflict} isBusy={resolve.isPending} onDecide={decide} />
    </>
  )
}

/** Keys of the whole page, but not where somebody types or a button already has the focus of that key. */
function useKeys(keys: Readonly<Record<string, () => void>>) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = keys[event.key]
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea, [role=menu], [role=dialog]')
      if (!act || isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}

type Deciding = {
  conflict: Conflict
  isBusy: boolean
  onDecide: (choice: 'current' | 'kept' | 'typed', value?: Record<string, unknown>) => void
}

function Both({ conflict, isBusy, onDecide }: Deciding) {
  const { t } = useTranslation('sync')
  const entityName = useEntityName()
  const { entity, where, kind, kept, current, standing, actor, at, node } = conflict
  return (
    <Card title={`${entityName(entity)}${where ? `: ${where}` : ''}`}>
      {kind !== 'value' && (
        <p>
          <Badge tone="warn">{t('reason.label')}</Badge> {t(`reason.${kind}`)}
        </p>
      )}
      <div className={styles['sides']}>
        <section className={`${styles['side']} ${styles['stands']}`} aria-label={t('now')}>
          <h3>{t('now')}</h3>
          <Value columns={current} missing={t(kind === 'delete' ? 'empty' : 'gone')} />
          {standing && (
            <p className={styles['by']}>
              {standing.actor ? nameOf(standing.actor) : t('service')}
              <br />
              {t('at', { when: moment(standing.at), node: standing.node })}
            </p>
          )}
          <Button look="primary" disabled={isBusy} aria-keyshortcuts="ArrowLeft" onClick={() => onDecide('current')}>
            ← {t('keepNow')}
          </Button>
        </section>
        <section className={styles['side']} aria-label={t('other')}>
          <h3>{t('other')}</h3>
          <Value columns={kept} missing={t('deleted')} />
          <p className={styles['by']}>
            {actor ? nameOf(actor) : t('service')}
            <br />
            {t('at', { when: moment(at), node })}
          </p>
          <Button disabled={isBusy} aria-keyshortcuts="ArrowRight" onClick={() => onDecide('kept')}>
            {t('takeOther')} →
          </Button>
        </section>
      </div>
      {kept && <TypedValue columns={kept} isBusy={isBusy} onType={(value) => onDecide('typed', value)} />}
    </Card>
  )
}

function Value({ columns, missing }: { columns: Conflict['kept']; missing: string }) {
  const { t } = useTranslation('sync')
  const columnName = useColumnName()
  if (!columns) return <p className={styles['value']}>{missing}</p>
  return Object.entries(columns).map(([column, value]) => (
    <div key={column}>
      <p className={styles['column']}>{columnName(column)}</p>
      <p className={String(value).length > 12 ? styles['text'] : styles['value']}>{shown(value, t('yes'), t('no'), t('empty'))}</p>
    </div>
  ))
}

const shown = (value: unknown, yes: string, no: string, empty: string): string => {
  if (value === null || value === '') return empty
  if (typeof value === 'boolean') return value ? yes : no
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
