import type { LiveMarks } from '@markbook/shared/contract/grades'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { ask, type ResourceName, refresh } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { type Followed, followMarks } from './model/follow-marks.ts'
import { Sheet } from './model/sheet.ts'
import { type Workplace, workplaceOf } from './model/workplace.ts'
import type { Above } from './place-of.ts'

/** How often it is looked whether another window left something behind, ms. */
const LOOK = 10_000

const concerned: Record<LiveMarks['touched'][number], ResourceName> = {
  assessment: 'assessments',
  student: 'classes',
  enrolment: 'classes',
  term: 'terms',
  grading_scale: 'gradingScale',
  sync_conflict: 'replication',
}

/** Where this server sends to, as far as the line above the pages has heard of it. */
export const useAbove = (): Above | undefined => useQuery(ask('replication', 'status')).data

export function useWorkplace(): Workplace {
  const { id, school_id } = useProfile()
  return workplaceOf({ userId: id, schoolId: school_id ?? '' })
}

/** The sheet of a class in a subject and term, followed for as long as the page is open. */
export function useSheet({ termId, subjectId, studentGroupId }: Followed): Sheet {
  const workplace = useWorkplace()
  const queries = useQueryClient()
  const sheet = useMemo(
    () => new Sheet(workplace.queue, workplace.owner.userId, (ms, then) => void setTimeout(then, ms), workplace.mistakes),
    [workplace],
  )
  useEffect(() => {
    if (!termId) return
    let stop = () => {}
    const follow = () => {
      stop()
      stop = followMarks({ termId, subjectId, studentGroupId }, { hear, unheard: () => sheet.unheard() })
    }
    const hear = (event: LiveMarks) => {
      const wasHeard = sheet.isLoaded
      sheet.hear(event)
      // Whoever tells of marks takes them too.
      if (!wasHeard) workplace.queue.retry()
      if (event.touched.length > 0) void refresh(queries, [...new Set(event.touched.map((table) => concerned[table]))])
      // Of a pupil who has just come to the class nothing was told so far.
      if (event.touched.includes('enrolment')) follow()
    }
    const hasParent = () => Boolean(queries.getQueryData(ask('replication', 'status').queryKey)?.parent)
    const close = sheet.open()
    const forget = workplace.onArrival((rows) => sheet.arrived(rows, hasParent()))
    follow()
    return () => {
      stop()
      forget()
      close()
    }
  }, [sheet, workplace, queries, termId, subjectId, studentGroupId])
  return sheet
}

/** Offers what earlier windows left of these assessments, as long as the page is open. */
export function useLeftBehind(assessmentIds: readonly string[]): void {
  const workplace = useWorkplace()
  const ids = assessmentIds.join(' ')
  useEffect(() => {
    const look = () => workplace.takeOver(ids.split(' ').filter(Boolean))
    look()
    const timer = setInterval(look, LOOK)
    return () => clearInterval(timer)
  }, [workplace, ids])
}

/** Grades of which two servers have different marks, and nobody has decided yet. */
export function useReviewed(sheet: Sheet): void {
  const conflicts = useQuery(ask('replication', 'conflicts', { query: { status: 'open' } }))
  const rows = conflicts.data
  useEffect(() => {
    if (rows) sheet.review(new Set(rows.filter(({ entity }) => entity === 'grade').map(({ row_id }) => row_id)))
  }, [sheet, rows])
}
