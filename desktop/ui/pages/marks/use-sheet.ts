import type { LiveMark, LiveMarks } from '@markbook/shared/contract/grades'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { broughtEarly, followEvents } from '../../api/event-stream.ts'
import { keepSeen, lastSeen, notShown } from '../../api/last-seen.ts'
import { ask, queryClient, type ResourceName, refresh } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { liveMarksUrl, type SheetQuery } from './live-marks-url.ts'
import type { ParentStatus } from './model/mark-location.ts'
import { type MarkingSession, markingSessionOf } from './model/marking-session.ts'
import type { SheetScope } from './model/pending-mark-storage.ts'
import { marksOfSheet } from './model/seen-marks.ts'
import { Sheet } from './model/sheet.ts'

/** The delay before the marks are stored for when the server cannot be reached, in ms. */
const KEEP_AFTER = 500

const resourceOfTable: Record<LiveMarks['touched'][number], ResourceName> = {
  assessment: 'assessments',
  student: 'classes',
  enrolment: 'classes',
  teaching_set_member: 'teachingSets',
  academic_year: 'gradingScale',
  term: 'terms',
  assessment_category: 'assessmentCategories',
  grading_scale: 'gradingScale',
  sync_conflict: 'replication',
}

/** The parent of this server; undefined while it is unknown. */
export const useParentStatus = (): ParentStatus | undefined => useQuery(ask('replication', 'status')).data

export function useMarkingSession(): MarkingSession {
  const { id, school_id } = useProfile()
  return markingSessionOf({ userId: id, schoolId: school_id ?? '' })
}

/** The sheet of a class in a subject and term, which follows the server while the page is open. */
export function useSheet({ termId, subjectId, studentGroupId, isSet }: SheetQuery): Sheet {
  const session = useMarkingSession()
  const sheet = useMemo(() => {
    const made = new Sheet(session.queue, session.owner.userId, (ms, then) => void setTimeout(then, ms), session.invalidEntries)
    const [whole] = broughtEarly(liveMarksUrl({ termId, subjectId, studentGroupId, isSet })) as readonly LiveMarks[]
    // The page is drawn once, with its marks. Where marks wait to be sent they are compared with the server's after that, below.
    if (whole && session.queue.all().length === 0) made.receive(whole)
    return made
  }, [session, termId, subjectId, studentGroupId, isSet])
  useEffect(() => {
    let unsubscribe = () => {}
    const subscribe = () => {
      unsubscribe()
      unsubscribe = followEvents(liveMarksUrl({ termId, subjectId, studentGroupId, isSet }), {
        onEvent: receive,
        onError: () => void disconnect(),
      })
    }
    const seen = marksOfSheet({ termId, subjectId, studentGroupId })
    const disconnect = async () => {
      sheet.disconnect()
      if (hasLooked || sheet.hasLoadedOnce) return
      hasLooked = true
      sheet.begin((await lastSeen<LiveMark[]>(seen)) ?? null)
    }
    let hasLooked = false
    let keeping: ReturnType<typeof setTimeout> | undefined
    /** Also while the server is away: somebody who types over these marks later must have seen the newest ones. */
    const keep = () => {
      if (keeping === undefined) return
      clearTimeout(keeping)
      keeping = undefined
      keepSeen(seen, [...sheet.marks()])
    }
    const keepSoon = () => {
      if (!sheet.hasLoadedOnce) return
      clearTimeout(keeping)
      keeping = setTimeout(keep, KEEP_AFTER)
    }
    addEventListener('pagehide', keep)
    const receive = (event: LiveMarks) => {
      const wasConnected = sheet.isConnected
      sheet.receive(event)
      // The server is back: waiting marks can be sent.
      if (!wasConnected) session.queue.retry()
      if (event.touched.length > 0) {
        // The members of a teaching set are in its assessments.
        const isOfSets = event.touched.includes('teaching_set_member')
        void refresh([
          ...new Set([...event.touched.map((table) => resourceOfTable[table]), ...(isOfSets ? (['assessments'] as const) : [])]),
        ])
      }
      // A new stream begins with all marks, including those of pupils who have just joined the class or set.
      if (event.touched.includes(isSet ? 'teaching_set_member' : 'enrolment')) subscribe()
      keepSoon()
    }
    const hasParent = () => Boolean(queryClient.getQueryData(ask('replication', 'status').queryKey)?.parent)
    const close = sheet.open()
    const stopCounting = sheet.listenToQueue(session.count)
    const stopListening = session.onSaved((rows) => {
      sheet.applySaved(rows, hasParent())
      keepSoon()
    })
    const stopRemoving = session.onRemoved((mark) => {
      sheet.applyRemoved(mark)
      keepSoon()
    })
    subscribe()
    return () => {
      removeEventListener('pagehide', keep)
      keep()
      notShown(seen)
      unsubscribe()
      stopListening()
      stopCounting()
      stopRemoving()
      close()
    }
  }, [sheet, session, termId, subjectId, studentGroupId, isSet])
  return sheet
}

/** Notes in which sheet these assessments are entered, for the notice about unsaved marks on other pages. */
export function useEnteredHere({ classId, subjectId, termId, isSet = false }: SheetScope, assessmentIds: readonly string[]): void {
  const session = useMarkingSession()
  const ids = assessmentIds.join(' ')
  useEffect(
    () => session.enteredIn({ classId, subjectId, termId, ...(isSet && { isSet }) }, ids.split(' ').filter(Boolean)),
    [session, classId, subjectId, termId, isSet, ids],
  )
}

/** Marks the cells of the sheet that have an open replication conflict. */
export function useGradesInReview(sheet: Sheet): void {
  const conflicts = useQuery(ask('replication', 'conflicts', { query: { status: 'open' } }))
  const rows = conflicts.data
  useEffect(() => {
    if (rows) sheet.setInReview(new Set(rows.filter(({ entity }) => entity === 'grade').map(({ row_id }) => row_id)))
  }, [sheet, rows])
}
