import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Card } from '../../components/page.tsx'
import { issueOf } from '../../words/failure.ts'
import { editable, lasting, moment, typedNumber } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { shownColumns, useColumnName, useRowName, useValueText } from './labels.ts'
import styles from './sync.module.css'

export type ConflictChoice = 'current' | 'kept' | 'typed'
type ConflictCardProps = {
  conflict: Conflict
  isBusy: boolean
  /** Of the last choice, where it was refused. */
  failure: unknown
  onDecide: (choice: ConflictChoice, value?: Record<string, unknown>) => void
}

/** The two values of a conflict side by side: who wrote each, when and where, and the value before both. */
export function ConflictCard({ conflict, isBusy, failure, onDecide }: ConflictCardProps) {
  const { t } = useTranslation('sync')
  const rowName = useRowName()
  const { kind, kept, current, before, out_of, standing, may_decide } = conflict
  // A deletion names no column: all columns of the row are shown.
  const row = kept || !current ? null : Object.fromEntries(shownColumns(current))
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

/** Who wrote a value, when and where, with a warning where the clock of that computer was wrong. */
function By({ actor, at, node, clock_off_ms }: NonNullable<Conflict['standing']>) {
  const { t } = useTranslation('sync')
  return (
    <p className={layout['soft']}>
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

/** The value before both, in one line. */
function Before({ columns, outOf }: { columns: NonNullable<Conflict['before']>; outOf: number | null }) {
  const { t } = useTranslation('sync')
  const shown = useValueText()
  const values = Object.entries(columns).map(([column, value]) => shown(column, value, outOf))
  return <p>{t('before', { value: values.join(', ') })}</p>
}

type ValueProps = { columns: Conflict['kept']; outOf: number | null; missing: string }

function Value({ columns, outOf, missing }: ValueProps) {
  const columnName = useColumnName()
  const shown = useValueText()
  if (!columns || Object.keys(columns).length === 0) return <p className={styles['value']}>{missing}</p>
  return Object.entries(columns).map(([column, value]) => (
    <div key={column}>
      <p className={layout['note']}>{columnName(column)}</p>
      <p className={String(value).length > 12 ? styles['text'] : styles['value']}>{shown(column, value, outOf)}</p>
    </div>
  ))
}

type Columns = Readonly<Record<string, unknown>>
const isTypable = (value: unknown) => typeof value === 'number' || typeof value === 'string' || value === null
const asText = (value: unknown) => (typeof value === 'number' ? editable(value) : typeof value === 'string' ? value : '')

/** A form for a third value, filled with the other one. Numbers stay numbers. */
function TypedValue({
  columns,
  isBusy,
  failure,
  onType,
}: {
  columns: Columns
  isBusy: boolean
  failure: unknown
  onType: (value: Record<string, unknown>) => void
}) {
  const { t } = useTranslation(['sync', 'app'])
  const columnName = useColumnName()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, asText(value)])),
  )
  if (!Object.values(columns).every(isTypable)) return null
  if (!isOpen) {
    return (
      <div>
        <Button look="quiet" onClick={() => setOpen(true)}>
          {t('type')}
        </Button>
      </div>
    )
  }
  const value = Object.fromEntries(
    Object.entries(columns).map(([column, before]) => {
      const text = typed[column] ?? ''
      return [column, typeof before === 'number' ? typedNumber(text) : text.trim() === '' ? null : text]
    }),
  )
  const isWrong = (column: string) => typeof columns[column] === 'number' && value[column] === null
  const isWhole = !Object.keys(columns).some(isWrong)
  return (
    <Form onSend={() => isWhole && onType(value)}>
      {Object.entries(columns).map(([column, before], at) => (
        <TextField
          key={column}
          label={columnName(column)}
          error={isWrong(column) ? t('typedNumber', { example: editable(24.5) }) : issueOf(failure, `value.${column}`)}
          autoFocus={at === 0}
          onFocus={({ target }) => target.select()}
          inputMode={typeof before === 'number' ? 'decimal' : undefined}
          value={typed[column] ?? ''}
          onChange={({ target }) => setTyped({ ...typed, [column]: target.value })}
        />
      ))}
      <Actions>
        <Button onClick={() => setOpen(false)}>{t('app:action.cancel')}</Button>
        <Button type="submit" look="primary" disabled={!isWhole} busy={isBusy} busyWord={t('app:state.saving')}>
          {t('typedSave')}
        </Button>
      </Actions>
    </Form>
  )
}
