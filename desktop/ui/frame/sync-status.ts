import type { SyncStatus } from '@markbook/shared/contract/replication'
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
        queries.setQueryData(ask('replication', 'status').queryKey, status)
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

export type Spoken = {
  word: 'alone' | 'conflicts' | 'waiting' | 'sending' | 'up_to_date' | 'revoked' | 'upgrade' | 'unreached'
  count: number
  tone: 'none' | 'good' | 'warn' | 'bad'
}

/** The one thing of a status that matters most, as a word of the catalogue with its number. */
export function spokenOf({ state, waiting, open_conflicts, held, refused }: SyncStatus): Spoken {
  if (state === 'revoked' || state === 'upgrade') return { word: state, count: 0, tone: 'bad' }
  const undecided = open_conflicts + held + refused
  if (undecided > 0) return { word: 'conflicts', count: undecided, tone: 'warn' }
  if (state === 'alone') return { word: 'alone', count: 0, tone: 'none' }
  if (state === 'offline' || waiting > 0)
    return { word: state === 'offline' ? 'waiting' : 'sending', count: waiting, tone: state === 'offline' ? 'warn' : 'none' }
  return { word: 'up_to_date', count: 0, tone: 'good' }
}
