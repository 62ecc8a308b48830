import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { useEffect, useState } from 'react'
import { ask, queryClient } from '../api/queries.ts'

/** The pause after a refusal, before the stream is opened again. */
const RETRY_MS = 15_000

/**
 * The status of replication, from the server's event stream, which the browser reopens by itself after a lost connection. `isReached` is
 * false while the server does not answer; a refusal is an answer.
 */
export function useSyncStatus(): { status: SyncStatus | null; isReached: boolean } {
  const [received, setReceived] = useState<{ status: SyncStatus | null; isReached: boolean }>({ status: null, isReached: true })
  useEffect(() => {
    let stream: EventSource | undefined
    let retry: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      const opened = new EventSource('/api/sync/events')
      stream = opened
      opened.onmessage = ({ data }) => {
        const status = JSON.parse(data) as SyncStatus
        const { queryKey } = ask('replication', 'status')
        const before = queryClient.getQueryData(queryKey)
        queryClient.setQueryData(queryKey, status)
        if (before && hasNewCount(before, status)) void queryClient.invalidateQueries({ predicate: isListOfWork })
        setReceived({ status, isReached: true })
      }
      opened.onerror = () => {
        const isRefused = opened.readyState === EventSource.CLOSED
        setReceived(({ status }) => ({ status, isReached: isRefused }))
        if (isRefused) retry = setTimeout(open, RETRY_MS)
      }
    }
    const close = () => {
      clearTimeout(retry)
      stream?.close()
      stream = undefined
    }
    // A browser keeps six connections to a server: a hidden page must not hold one.
    const follow = () => (document.hidden ? close() : stream || open())
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      close()
    }
  }, [])
  return received
}

/** When one of these numbers changes, the lists behind it are read again. */
const COUNTED = ['waiting', 'files_to_send', 'files_to_come', 'open_conflicts', 'held', 'refused', 'refused_below', 'copies'] as const
const hasNewCount = (a: SyncStatus, b: SyncStatus) => COUNTED.some((number) => a[number] !== b[number])
const isListOfWork = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] === 'replication' && queryKey[1] !== 'status'
