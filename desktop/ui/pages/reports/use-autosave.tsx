import { Failure } from '@markbook/shared/failures'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { useProfile } from '../../api/session.ts'
import { LeaveDialog } from '../../components/dialog.tsx'
import { guardTermChange } from '../../frame/chosen-term.ts'
import { useQueueChanges } from '../marks/use-kept-queue.ts'
import { Autosave, type FieldValues } from './autosave.ts'
import type { TextField } from './pending-text.ts'
import { type RowPlace, rowQueue } from './row-queue.ts'
import { areTextsSaved, type TextSession, textSessionOf } from './text-session.ts'

/** All rows of the page, each with a function that returns its name. While one is unsaved, the browser asks before it closes the window. */
const rows = new Map<{ isUnsaved: boolean; isWrong: boolean }, () => string>()
const confirmUnload = (event: BeforeUnloadEvent) => {
  if ([...rows.keys()].some(({ isUnsaved }) => isUnsaved)) event.preventDefault()
}

/** The names of the rows with an invalid value, which would be lost when the page is left. Everything else is stored. */
const wrongRows = (): string[] => [...rows].flatMap(([row, nameOf]) => (row.isWrong ? [nameOf()] : []))

function useTextSession(): TextSession {
  const { id, school_id } = useProfile()
  return textSessionOf({ userId: id, schoolId: school_id ?? '' })
}

/** The session; the component renders again when one of its texts changes. */
export function useUnsavedTexts(): TextSession {
  const session = useTextSession()
  useQueueChanges(session.queue)
  return session
}

/**
 * Returns a function that waits until what was typed into these report books, or into any, is saved, for an action that takes them as they
 * are saved. It throws where that fails, or where a value is invalid.
 */
export function useSavedTexts(): (books?: readonly { id: string }[]) => Promise<void> {
  const session = useTextSession()
  return async (books) => {
    if (wrongRows().length > 0 || !(await areTextsSaved(session, books && new Set(books.map(({ id }) => id)))))
      throw new Failure(409, 'reports.unsaved', 'Something that was typed into a report book is not saved yet.')
  }
}

/** `name`: that of the row in the question before the page is left. */
type RowOptions<F extends TextField> = RowPlace & { name: string; isWrong?: (field: F, value: string) => boolean }

/**
 * The texts of a row, and `field`, which returns the properties of an input. `stored`: the values of the server, which may become newer.
 */
export function useAutosave<F extends TextField>(stored: FieldValues<F>, options: RowOptions<F>) {
  const session = useTextSession()
  const latest = useRef(options)
  latest.current = options
  const [row] = useState(
    () => new Autosave<F>(stored, rowQueue(session, options), (field, value) => latest.current.isWrong?.(field, value) ?? false),
  )
  const snapshot = useSyncExternalStore(row.subscribe, row.getSnapshot)
  useEffect(() => row.mergeStored(stored), [row, stored])
  const isWrong = snapshot.state === 'wrong'
  useEffect(() => (isWrong ? session.countWrong(row) : undefined), [isWrong, session, row])
  useEffect(() => {
    const stop = row.follow()
    if (rows.size === 0) addEventListener('beforeunload', confirmUnload)
    rows.set(row, () => latest.current.name)
    return () => {
      stop()
      row.flush()
      rows.delete(row)
      if (rows.size === 0) removeEventListener('beforeunload', confirmUnload)
    }
  }, [row])
  const field = (key: F) => ({
    value: snapshot.values[key],
    onChange: (value: string) => row.edit(key, value),
    onEscape: () => row.revert(key),
    onEnter: () => row.setFocusedField(key),
    onLeave: () => {
      row.setFocusedField(null)
      row.flush()
    },
  })
  const decide: Autosave<F>['decide'] = (text, choice) => row.decide(text, choice)
  return { snapshot, field, decide }
}

/** Focuses the first invalid field. */
const focusWrongField = () => document.querySelector<HTMLElement>('li [aria-invalid="true"]')?.focus()

/**
 * Asks before the page is left with invalid values. Texts that wait, were refused or need a decision are stored, and shown on every page.
 */
export function LeaveWarning() {
  const { t } = useTranslation('reports')
  const [choice, setChoice] = useState<{ choose: () => void } | null>(null)
  useEffect(() => {
    // Another term has other rows.
    return guardTermChange((choose) => {
      const isStuck = wrongRows().length > 0
      if (isStuck) setChoice({ choose })
      return isStuck
    })
  }, [])
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)) && wrongRows().length > 0,
    // The rows ask themselves before the window closes.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (!choice && blocker.status !== 'blocked') return null
  const wrong = wrongRows()
  const stay = () => {
    if (choice) setChoice(null)
    else blocker.reset?.()
    requestAnimationFrame(focusWrongField)
  }
  const leave = () => {
    setChoice(null)
    if (choice) choice.choose()
    else blocker.proceed?.()
  }
  return (
    <LeaveDialog
      lead={t('leave.text', { count: wrong.length })}
      unsaved={wrong.map((name) => ({ key: name, name, reason: t('leave.wrong') }))}
      go={t('leave.go')}
      onStay={stay}
      onLeave={leave}
    />
  )
}
