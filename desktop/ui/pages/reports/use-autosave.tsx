import { Failure } from '@markbook/shared/failures'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { refresh } from '../../api/queries.ts'
import { LeaveDialog } from '../../components/dialog.tsx'
import { guardTermChange } from '../../frame/chosen-term.ts'
import { sentenceOf } from '../../words/failure.ts'
import { Autosave, type FieldValues } from './autosave.ts'

/** All rows of the page with a function for their names. While one is unsaved, the browser asks before it closes the window. */
const rows = new Map<Pick<Autosave<string>, 'isUnsaved' | 'getSnapshot'>, () => string>()
const confirmUnload = (event: BeforeUnloadEvent) => {
  if ([...rows.keys()].some(({ isUnsaved }) => isUnsaved)) event.preventDefault()
}

/** A row that cannot be saved when the page is left. `failure` is null where its text is invalid. */
type UnsavableRow = { name: string; failure: unknown }
const unsavableRows = (): UnsavableRow[] =>
  [...rows].flatMap(([row, nameOf]) => {
    const { state, failure } = row.getSnapshot()
    const isStuck = row.isUnsaved && (state === 'wrong' || state === 'failed')
    return isStuck ? [{ name: nameOf(), failure: state === 'wrong' ? null : failure }] : []
  })

const isTemporary = (failure: unknown) => failure instanceof Failure && (failure.status === 0 || failure.status >= 500)

type RowOptions<F extends string> = {
  /** Name of the row in the warning before the page is left. */
  name: string
  save: (changed: Partial<Record<F, string>>) => Promise<unknown>
  isWrong?: (field: F, value: string) => boolean
}

/**
 * The autosave of a row, and `field` with what an input of the row needs. `stored` brings newer values from the server. Leaving the page
 * saves first. After a conflict with a change of somebody else the books are read again.
 */
export function useAutosave<F extends string>(stored: FieldValues<F>, options: RowOptions<F>) {
  const latest = useRef(options)
  latest.current = options
  const [row] = useState(
    () =>
      new Autosave<F>(stored, {
        save: (changed) =>
          latest.current.save(changed).catch((failure) => {
            if (failure instanceof Failure && failure.status === 409) void refresh(['reports'])
            throw failure
          }),
        isWrong: (field, value) => latest.current.isWrong?.(field, value) ?? false,
        isTemporary,
      }),
  )
  const snapshot = useSyncExternalStore(row.subscribe, row.getSnapshot)
  useEffect(() => row.mergeStored(stored), [row, stored])
  useEffect(() => {
    if (rows.size === 0) addEventListener('beforeunload', confirmUnload)
    rows.set(row, () => latest.current.name)
    return () => {
      void row.flush()
      rows.delete(row)
      if (rows.size === 0) removeEventListener('beforeunload', confirmUnload)
    }
  }, [row])
  const field = (key: F) => ({
    value: snapshot.values[key],
    onChange: (value: string) => row.edit(key, value),
    onEnter: () => row.setFocusedField(key),
    onLeave: () => {
      row.setFocusedField(null)
      void row.flush()
    },
  })
  return { snapshot, field, retry: () => void row.flush() }
}

/** Focuses the first invalid field, or else the first failed row. */
const focusUnsavedField = () => document.querySelector<HTMLElement>('li [aria-invalid="true"], li [role="alert"] button')?.focus()

/** Asks before the page is left with rows that cannot be saved. Rows that only wait are saved then, without a question. */
export function LeaveWarning() {
  const { t } = useTranslation('reports')
  const [choice, setChoice] = useState<{ choose: () => void } | null>(null)
  useEffect(() => {
    // Another term shows other rows.
    return guardTermChange((choose) => {
      const isStuck = unsavableRows().length > 0
      if (isStuck) setChoice({ choose })
      return isStuck
    })
  }, [])
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)) && unsavableRows().length > 0,
    // The rows themselves ask before the window closes.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (!choice && blocker.status !== 'blocked') return null
  const stuck = unsavableRows()
  const stay = () => {
    if (choice) setChoice(null)
    else blocker.reset?.()
    requestAnimationFrame(focusUnsavedField)
  }
  const leave = () => {
    setChoice(null)
    if (choice) choice.choose()
    else blocker.proceed?.()
  }
  return (
    <LeaveDialog
      lead={t('leave.text', { count: stuck.length })}
      unsaved={stuck.map(({ name, failure }) => ({ key: name, name, reason: failure === null ? t('leave.wrong') : sentenceOf(failure) }))}
      go={t('leave.go')}
      onStay={stay}
      onLeave={leave}
    />
  )
}
