import { Failure } from '@markbook/shared/failures'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Autosave, type Seen, type Texts } from './autosave.ts'

/** What of all rows on the page is not saved yet: leaving the window is asked about while there is something. */
const unsaved = new Set<{ readonly isUnsaved: boolean }>()
const askFirst = (event: BeforeUnloadEvent) => {
  if ([...unsaved].some(({ isUnsaved }) => isUnsaved)) event.preventDefault()
}

function watch(row: { readonly isUnsaved: boolean }): () => void {
  if (unsaved.size === 0) addEventListener('beforeunload', askFirst)
  unsaved.add(row)
  return () => {
    unsaved.delete(row)
    if (unsaved.size === 0) removeEventListener('beforeunload', askFirst)
  }
}

const isPassing = (failure: unknown) => failure instanceof Failure && (failure.status === 0 || failure.status >= 500)

type Ways<F extends string> = {
  save: (changed: Partial<Record<F, string>>) => Promise<unknown>
  isWrong?: (field: F, value: string) => boolean
}

/** The texts of a row that save themselves; what the server says meanwhile comes in with `stored`. A page that is left saves first. */
export function useAutosave<F extends string>(stored: Texts<F>, ways: Ways<F>): { row: Autosave<F>; seen: Seen<F> } {
  const latest = useRef(ways)
  latest.current = ways
  const [row] = useState(
    () =>
      new Autosave<F>(stored, {
        save: (changed) => latest.current.save(changed),
        isWrong: (field, value) => latest.current.isWrong?.(field, value) ?? false,
        isPassing,
      }),
  )
  const seen = useSyncExternalStore(row.subscribe, row.seen)
  useEffect(() => row.adopt(stored), [row, stored])
  useEffect(() => {
    const leave = watch(row)
    return () => {
      void row.flush()
      leave()
    }
  }, [row])
  return { row, seen }
}
