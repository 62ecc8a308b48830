import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ask } from '../api/queries.ts'

/** After an answer that is no stream (not allowed, too many pages): it is asked for again, in ms. */
const AGAIN = 15_000

/**
 * How replication goes, as it goes: the server's own stream, which the browser takes up again by itself after a broken line. `isReached`
 * is false while this page cannot hear the server; a refusal is heard.
 */
export function useSyncStatus(): { status: SyncStatus | null; isReached: boolean } {
  const [heard, setHeard] = useState<{ status: SyncStatus | null; isReached: boolean }>({ status: null, isReached: true })
  const queries = useQueryClient()
  useEffect(() => {
    let stream: EventSource | undefined
    let again: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      const opened = new EventSource('/api/sync/events')
      stream = opened
      opened.onmessage = ({ data }) => {
        const status = JSON.parse(data) as SyncStatus
        const { queryKey } = ask('replication', 'status')
        const before = queries.getQueryData(queryKey)
        queries.setQueryData(queryKey, status)
        if (before && isOtherWork(before, status)) void queries.invalidateQueries({ predicate: isListOfWork })
        setHeard({ status, isReached: true })
      }
      opened.onerror = () => {
        const isRefused = opened.readyState === EventSource.CLOSED
        setHeard(({ status }) => ({ status, isReached: isRefused }))
        if (isRefused) again = setTimeout(open, AGAIN)
      }
    }
    const close = () => {
      clearTimeout(again)
      stream?.close()
      stream = undefined
    }
    // A browser keeps six connections to a server: a page that nobody looks at must not hold one.
    const follow = () => (document.hidden ? close() : stream || open())
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      close()
    }
  }, [queries])
  return heard
}

/** Where a number has changed, the lists behind it are read again: a list that says otherwise than the line above it would be no help. */
const COUNTED = ['waiting', 'files_to_send', 'files_to_come', 'open_conflicts', 'held', 'refused', 'refused_below'] as const
const isOtherWork = (a: SyncStatus, b: SyncStatus) => COUNTED.some((number) => a[number] !== b[number])
const isListOfWork = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] === 'replication' && queryKey[1] !== 'status'
