import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button, MoveButtons } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Form, SaveActions, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { isRightToLeft } from '../../words/direction.ts'
import { issueOf } from '../../words/failure.ts'
import { editable, lasting, moment, typedNumber } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { DecidedElsewhere, HistoryLink, useDecidedElsewhere } from './decided-elsewhere.tsx'
import { affectedResources, differing, shownColumns, useColumnName, useReasonText, useRowName, useValueText } from './labels.ts'
import styles from './sync.module.css'

/** Shows one conflict at a time, which one key decides. */
export function ConflictsPage() {
  const { t } = useTranslation('sync')
  const open = useQuery({ ...ask('replication', 'conflicts', { query: { status: 'open' } }), refetchInterval: 10_000 })
  const [last, setLast] = useState<LastDecision | null>(null)
  const { gone, decides } = useDecidedElsewhere(open.data)
  return (
    <Page title={t('conflicts')} lead={t('conflictsLead')}>
      {last && <UndoDecision key={last.conflict.id} last={last} onClose={() => setLast(null)} />}
      <DecidedElsewhere gone={gone} />
      <Answer of={open} empty={t('conflictsNone')}>
        {(conflicts) => <Desk conflicts={conflicts} decides={decides} onDecided={setLast} />}
      </Answer>
    </Page>
  )
}

type DeskProps = {
  conflicts: readonly Conflict[]
  decides: ReturnType<typeof useDecidedElsewhere>['decides']
  onDecided: (last: LastDecision) => void
}

function Desk({ conflicts, decides, onDecided }: DeskProps) {
  const { t } = useTranslation('sync')
  const [at, setAt] = useState(0)
  const resolve = useSave('replication', 'resolve', affectedResources)
  const shown = useValueText()
  const rowName = useRowName()
  const place = Math.min(at, conflicts.length - 1)
  const conflict = conflicts[place] as Conflict
  const [leaving, setLeaving] = useState<Conflict | null>(null)
  const isUnread = useUnread(conflict.id)
  const top = useRef<HTMLDivElement>(null)
  // Scrolls to the top, since the name of the row is above the buttons.
  useEffect(() => {
    if (conflict.id) top.current?.scrollIntoView({ block: 'nearest' })
  }, [conflict.id])
  const send = async (conflict: Conflict, choice: ConflictChoice, value?: Record<string, unknown>) => {
    const columns = choice === 'typed' ? (value ?? null) : conflict[choice]
    const what = conflict.where || t('conflicts')
    const asked = columns && differing(columns, choice === 'current' ? conflict.kept : conflict.current)
    const values = asked && Object.entries(asked).map(([column, one]) => shown(column, one, conflict.out_of))
    const message = values?.length ? t('decidedNow', { what, value: values.join(', ') }) : t('decided', { what })
    decides(conflict.id)
    await resolve.mutateAsync({ params: { id: conflict.id }, body: { choice, ...(value && { value }) } }).catch((failure) => {
      decides(conflict.id, true)
      throw failure
    })
    onDecided({ conflict, choice, message })
  }
  const decide = (choice: ConflictChoice, value?: Record<string, unknown>) => {
    // A person who typed a value has read the conflict.
    if (resolve.isPending || !conflict.may_decide || (choice !== 'typed' && isUnread())) return
    if (choice === 'kept' && !conflict.kept) setLeaving(conflict)
    // The page shows a refusal.
    else send(conflict, choice, value).catch(() => null)
  }
  const go = (to: number) => {
    resolve.reset()
    setAt(Math.max(0, Math.min(conflicts.length - 1, to)))
  }
  useConflictKeys({
    decide: { [keyTo('current')]: () => decide('current'), [keyTo('kept')]: () => decide('kept') },
    walk: { ArrowDown: () => go(place + 1), ArrowUp: () => go(place - 1) },
  })
  return (
    <>
      <div ref={top} className={styles['walk']}>
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

/** The last decision on this page, with the conflict as it was before. */
type LastDecision = { conflict: Conflict; choice: ConflictChoice; message: string }

/**
 * The request that undoes a decision: after «current» it writes the other value, else the value before. Null after a deletion, since the
 * row is gone.
 */
function undoOf({ conflict: { kept, current }, choice }: LastDecision) {
  if (choice === 'current') return kept && { columns: differing(kept, current), body: { choice: 'kept' as const, again: true } }
  if (choice === 'kept' && !kept) return null
  return current && { columns: kept ? differing(current, kept) : current, body: { choice: 'typed' as const, value: current, again: true } }
}

/** Undoes the last decision while the page is open; later the history of the row can. */
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
        <span className={layout['row']}>
          {back && (
            <Button size="small" busy={resolve.isPending} busyWord={t('app:state.saving')} onClick={undo}>
              {t(choice === 'current' ? 'takeOtherAfterAll' : 'undoDecision', { value })}
            </Button>
          )}
          <HistoryLink of={conflict} />
        </span>
      </Notice>
      <FailureNotice failure={resolve.error} />
    </>
  )
}

type KeyHandlers = Readonly<Record<string, () => void>>

/** The arrow key for the side of a choice: the present value is at the start of the line. */
const keyTo = (choice: 'current' | 'kept') => ((choice === 'current') === isRightToLeft() ? 'ArrowRight' : 'ArrowLeft')

/** A new conflict cannot be decided for this time, in ms: a second tap or key press was meant for the one before. */
const UNREAD_MS = 300

/** Whether the shown conflict, with this id, appeared too recently to have been read. */
function useUnread(about: string): () => boolean {
  const shownSince = useRef(0)
  useEffect(() => {
    if (about) shownSince.current = performance.now()
  }, [about])
  return () => performance.now() - shownSince.current < UNREAD_MS
}

/** Handles keys of the whole page, except in fields, menus and dialogs. A repeated key counts once. */
function useConflictKeys({ decide, walk }: { decide: KeyHandlers; walk: KeyHandlers }): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = decide[event.key] ?? walk[event.key]
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea, [role=menu], [role=dialog]')
      if (!act || isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      if (!event.repeat) act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}

type ConflictChoice = 'current' | 'kept' | 'typed'
type ConflictCardProps = {
  conflict: Conflict
  isBusy: boolean
  /** The failure of the last choice. */
  failure: unknown
  onDecide: (choice: ConflictChoice, value?: Record<string, unknown>) => void
}

/** The two values of a conflict side by side: who wrote each, when and where, and the value before both. */
function ConflictCard({ conflict, isBusy, failure, onDecide }: ConflictCardProps) {
  const { t } = useTranslation('sync')
  const rowName = useRowName()
  const reasonText = useReasonText()
  const { kind, kept, current, before, out_of, standing, may_decide } = conflict
  // A deletion names no column: all columns of the row are shown.
  const row = kept || !current ? null : Object.fromEntries(shownColumns(current))
  const missing = row ? 'stays' : kind === 'delete' ? 'empty' : 'gone'
  return (
    <Card title={rowName(conflict)}>
      {kind !== 'value' && (
        <p>
          <Badge tone="warn">{t('reason')}</Badge> {reasonText(conflict)}
        </p>
      )}
      {before && <Before columns={before} outOf={out_of} />}
      <div className={styles['sides']}>
        <section className={`${layout['list']} ${styles['side']} ${styles['stands']}`} aria-label={t('now')}>
          <h3>{t('now')}</h3>
          <Value columns={kept ? current && differing(current, kept) : row} outOf={out_of} missing={t(missing)} />
          {standing && <By {...standing} />}
          {may_decide && (
            <Button look="primary" disabled={isBusy} aria-keyshortcuts={keyTo('current')} onClick={() => onDecide('current')}>
              {isRightToLeft() ? '→' : '←'} {t('keepNow')}
            </Button>
          )}
        </section>
        <section className={`${layout['list']} ${styles['side']}`} aria-label={t('other')}>
          <h3>{t('other')}</h3>
          <Value columns={kept && differing(kept, current)} outOf={out_of} missing={t(kept ? 'entered' : 'deleted')} />
          <By {...conflict} />
          {may_decide && (
            <Button disabled={isBusy} aria-keyshortcuts={keyTo('kept')} onClick={() => onDecide('kept')}>
              {t('takeOther')} {isRightToLeft() ? '←' : '→'}
            </Button>
          )}
        </section>
      </div>
      {!may_decide && <p>{t('notYours')}</p>}
      {kept && may_decide && (
        <TypedValue
          columns={differing(kept, current)}
          isBusy={isBusy}
          failure={failure}
          onType={(value) => onDecide('typed', { ...kept, ...value })}
        />
      )}
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
  const values = shownColumns(columns).map(([column, value]) => shown(column, value, outOf))
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

type TypedValueProps = { columns: Columns; isBusy: boolean; failure: unknown; onType: (value: Record<string, unknown>) => void }

/** A form for a third value, filled with the other one. Numbers stay numbers. */
function TypedValue({ columns, isBusy, failure, onType }: TypedValueProps) {
  const { t } = useTranslation(['sync', 'app'])
  const columnName = useColumnName()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, asText(value)])),
  )
  const values = Object.values(columns)
  if (values.length === 0 || !values.every(isTypable)) return null
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
      <SaveActions action={t('typedSave')} disabled={!isWhole} busy={isBusy} onCancel={() => setOpen(false)} />
    </Form>
  )
}
