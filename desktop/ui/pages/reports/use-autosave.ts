import { Failure } from '@markbook/shared/failures'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Autosave, type SaveState, type Seen, type Texts } from './autosave.ts'

type Watched = { readonly isUnsaved: boolean; seen(): { state: SaveState; failure: unknown }; readonly name: string }

/** What of all rows on the page is not saved yet: leaving the window is asked about while there is something. */
const unsaved = new Set<Watched>()
const askFirst = (event: BeforeUnloadEvent) => {
  if ([...unsaved].some(({ isUnsaved }) => isUnsaved)) event.preventDefault()
}

/** A row that will not save itself when the page is left: of whom, and why not (null: it cannot be meant as it was typed). */
export type Stuck = { name: string; failure: unknown }
export const stuckRows = (): Stuck[] =>
  [...unsaved].flatMap(({ isUnsaved, seen, name }) => {
    const { state, failure } = seen()
    return isUnsaved && (state === 'wrong' || state === 'failed') ? [{ name, failure: state === 'wrong' ? null : failure }] : []
  })

function watch(row: Watched): () => void {
  if (unsaved.size === 0) addEventListener('beforeunload', askFirst)
  unsaved.add(row)
  return () => {
    unsaved.delete(row)
    if (unsaved.size === 0) removeEventListener('beforeunload', askFirst)
  }
}

const isPassing = (failure: unknown) => failure instanceof Failure && (failure.status === 0 || failure.status >= 500)

type Ways<F extends string> = {
  /** Whose row it is, for the question before the page is left. */
  name: string
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
    const leave = watch({
      get isUnsaved() {
        return row.isUnsaved
      },
      get name() {
        return latest.current.name
      },
      seen: row.seen,
    })
    return () => {
      void row.flush()
      leave()
    }
  }, [row])
  return { row, seen }
}
