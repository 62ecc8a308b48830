import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { focusManager } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { followEvents } from '../api/event-stream.ts'
import { ask, askUnansweredAgain, followOthers, queryClient, refetchStale } from '../api/queries.ts'
import { showWordsAlone } from '../words/words.ts'

/** Whether nobody gets the report books that are sent, since this is a school's server without a centre. */
export const isSentNowhere = ({ state, may_join }: Pick<SyncStatus, 'state' | 'may_join'>): boolean => state === 'alone' && may_join

/**
 * The status of replication, from the event stream; null before the first event. `isReached` is false while no server answers; a refusal
 * counts as an answer.
 */
export function useSyncStatus(): { status: SyncStatus | null; isReached: boolean } {
  const [received, setReceived] = useState<{ status: SyncStatus | null; isReached: boolean }>({ status: null, isReached: true })
  useEffect(() => {
    let wasAway = false
    return followEvents<SyncStatus>('/api/sync/events', {
      onEvent: (status) => {
        const { queryKey } = ask('replication', 'status')
        const before = queryClient.getQueryData(queryKey)
        queryClient.setQueryData(queryKey, status)
        void showWordsAlone(isSentNowhere(status))
        if (before && hasNewCount(before, status)) void queryClient.invalidateQueries({ predicate: isListOfWork })
        if (wasAway) void Promise.all([askUnansweredAgain(), refetchStale()])
        wasAway = false
        setReceived({ status, isReached: true })
      },
      onError: (isRefused) => {
        wasAway ||= !isRefused
        setReceived(({ status }) => ({ status, isReached: isRefused }))
      },
    })
  }, [])
  return received
}

/** How often the shown replies are checked for their age, in ms. */
const CHECK_EVERY = 10_000
/** The pause before replies are read again when the window gets the focus, in ms: longer than a press, under which nothing may move. */
const FOCUS_PAUSE = 400

/**
 * Keeps what is shown up to date with the work of other people, while the server answers and the window is visible. The query client itself
 * reads again when a hidden window is shown, but not when one beside another gets the focus.
 */
export function useOthersWork(isReached: boolean): void {
  useEffect(() => {
    if (!isReached) return
    const check = () => document.visibilityState === 'visible' && void followOthers(Date.now())
    const checkAll = () => setTimeout(() => focusManager.onFocus(), FOCUS_PAUSE)
    const timer = setInterval(check, CHECK_EVERY)
    addEventListener('focus', checkAll)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', checkAll)
    }
  }, [isReached])
}

/** When one of these numbers changes, the lists of replication are read again. */
const COUNTED = ['waiting', 'files_to_send', 'files_to_come', 'open_conflicts', 'held', 'refused', 'refused_below', 'copies'] as const
const hasNewCount = (a: SyncStatus, b: SyncStatus) => COUNTED.some((number) => a[number] !== b[number])
const isListOfWork = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] === 'replication' && queryKey[1] !== 'status'
