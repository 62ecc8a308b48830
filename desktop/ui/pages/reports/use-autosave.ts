import { Failure } from '@markbook/shared/failures'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { refresh } from '../../api/queries.ts'
import { Autosave, type FieldValues } from './autosave.ts'

/** All rows of the page with a function for their names. While one is unsaved, the browser asks before it closes the window. */
const rows = new Map<Pick<Autosave<string>, 'isUnsaved' | 'getSnapshot'>, () => string>()
const confirmUnload = (event: BeforeUnloadEvent) => {
  if ([...rows.keys()].some(({ isUnsaved }) => isUnsaved)) event.preventDefault()
}

/** A row that cannot be saved when the page is left. `failure` is null where its text is invalid. */
export type UnsavableRow = { name: string; failure: unknown }
export const unsavableRows = (): UnsavableRow[] =>
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
