import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Badge, Card } from '../../components/page.tsx'
import { lasting, moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { useColumnName, useRowName, useShown } from './naming.ts'
import styles from './sync.module.css'
import { worthSaying } from './told-value.tsx'
import { TypedValue } from './typed-value.tsx'

export type Choice = 'current' | 'kept' | 'typed'
type Deciding = {
  conflict: Conflict
  isBusy: boolean
  /** Of the last choice, where it was refused. */
  failure: unknown
  onDecide: (choice: Choice, value?: Record<string, unknown>) => void
}

/** Two values for one thing, side by side: who wrote each, when and where, what stood before, and out of how many. */
export function Both({ conflict, isBusy, failure, onDecide }: Deciding) {
  const { t } = useTranslation('sync')
  const rowName = useRowName()
  const { kind, kept, current, before, out_of, standing, may_decide } = conflict
  // A deletion names no column: of the row that it would take, all that there is to say is told.
  const row = kept || !current ? null : Object.fromEntries(worthSaying(current))
  const missing = row ? 'stays' : kind === 'delete' ? 'empty' : 'gone'
  return (
    <Card title={rowName(conflict)}>
      {kind !== 'value' && (
        <p>
          <Badge tone="warn">{t('reason.label')}</Badge> {t(`reason.${kind}`)}
        </p>
      )}
      {before && <Before columns={before} outOf={out_of} />}
      <div className={styles['sides']}>
        <section className={`${styles['side']} ${styles['stands']}`} aria-label={t('now')}>
          <h3>{t('now')}</h3>
          <Value columns={kept ? current : row} outOf={out_of} missing={t(missing)} />
          {standing && <By {...standing} />}
          {may_decide && (
            <Button look="primary" disabled={isBusy} aria-keyshortcuts="ArrowLeft" onClick={() => onDecide('current')}>
              ← {t('keepNow')}
            </Button>
          )}
        </section>
        <section className={styles['side']} aria-label={t('other')}>
          <h3>{t('other')}</h3>
          <Value columns={kept} outOf={out_of} missing={t('deleted')} />
          <By {...conflict} />
          {may_decide && (
            <Button disabled={isBusy} aria-keyshortcuts="ArrowRight" onClick={() => onDecide('kept')}>
              {t('takeOther')} →
            </Button>
          )}
        </section>
      </div>
      {!may_decide && <p>{t('notYours')}</p>}
      {kept && may_decide && <TypedValue columns={kept} isBusy={isBusy} failure={failure} onType={(value) => onDecide('typed', value)} />}
    </Card>
  )
}

/** Who wrote it, when and where; and that the time is not to be trusted, where the clock there was wrong. */
function By({ actor, at, node, clock_off_ms }: NonNullable<Conflict['standing']>) {
  const { t } = useTranslation('sync')
  return (
    <p className={styles['by']}>
      {actor ? nameOf(actor) : t('service')}
      <br />
      {t('at', { when: moment(at), node: node ?? t('elsewhere') })}
      {clock_off_ms !== null && (
        <>
          <br />
          <strong>{t(clock_off_ms > 0 ? 'byClockAhead' : 'byClockBehind', { age: lasting(Math.abs(clock_off_ms)) })}</strong>
        </>
      )}
    </p>
  )
}

/** The value before both, in one line: which of the two is a slip is often seen from it. */
function Before({ columns, outOf }: { columns: NonNullable<Conflict['before']>; outOf: number | null }) {
  const { t } = useTranslation('sync')
  const shown = useShown()
  const values = Object.entries(columns).map(([column, value]) => shown(column, value, outOf))
  return <p>{t('before', { value: values.join(', ') })}</p>
}

type ValueProps = { columns: Conflict['kept']; outOf: number | null; missing: string }

function Value({ columns, outOf, missing }: ValueProps) {
  const columnName = useColumnName()
  const shown = useShown()
  if (!columns || Object.keys(columns).length === 0) return <p className={styles['value']}>{missing}</p>
  return Object.entries(columns).map(([column, value]) => (
    <div key={column}>
      <p className={styles['column']}>{columnName(column)}</p>
      <p className={String(value).length > 12 ? styles['text'] : styles['value']}>{shown(column, value, outOf)}</p>
    </div>
  ))
}
