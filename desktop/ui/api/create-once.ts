import { Failure } from '@markbook/shared/failures'
import { useRef } from 'react'
import { queryClient, type ResourceName, refresh } from './queries.ts'

/** Whether it is unknown if the server has handled the request. */
export const isUnknown = (failure: unknown): boolean => !(failure instanceof Failure) || failure.status === 0 || failure.status >= 500

type Row = { id: string }

/**
 * Creates a row from a form. Where the reply is lost and the person sends the form again, the row that the first request may have created
 * is looked for in `list`, by `isSame`; only a row that no page has shown before counts.
 */
export function useCreateOnce(resource: ResourceName) {
  /** The ids that pages showed before the first request; null where its outcome is known. */
  const before = useRef<ReadonlySet<string> | null>(null)
  return async <T extends Row>(create: () => Promise<T>, list: () => Promise<readonly T[]>, isSame: (row: T) => boolean): Promise<T> => {
    const known = before.current
    const made = known && (await list()).find((row) => !known.has(row.id) && isSame(row))
    before.current ??= shownIds(resource)
    try {
      const row = made || (await create())
      before.current = null
      if (made) await refresh([resource])
      return row
    } catch (failure) {
      if (!isUnknown(failure)) before.current = null
      throw failure
    }
  }
}

const shownIds = (resource: ResourceName): ReadonlySet<string> =>
  new Set(
    queryClient
      .getQueriesData<unknown>({ queryKey: [resource] })
      .flatMap(([, reply]) => (Array.isArray(reply) ? (reply as Row[]).map(({ id }) => id) : [])),
  )
