import { openEarly } from './api/event-stream.ts'
import { ask, askWhole, queryClient } from './api/queries.ts'
import { knownTerm } from './frame/chosen-term.ts'
import { liveMarksUrl } from './pages/marks/live-marks-url.ts'
import { remindersQuery } from './pages/overview/reminders-query.ts'

/**
 * Prefetches the data of pages when the pointer is over their links, while the module of the page is loaded. The page makes the same
 * queries, and shows their failures.
 */

export function prefetchClasses(): void {
  const { yearId } = knownTerm()
  if (!yearId) return
  void queryClient.prefetchQuery(ask('classes', 'list', { query: { academicYearId: yearId } }))
  void queryClient.prefetchQuery(askWhole('classes', 'places', { query: { academicYearId: yearId } }))
}

export function prefetchStudents(): void {
  void queryClient.prefetchQuery(askWhole('students', 'list', { query: { isActive: 'true' } }))
  prefetchClasses()
}

export function prefetchOverview(): void {
  const { termId } = knownTerm()
  if (!termId) return
  const query = { termId, reportType: 'term' as const }
  void queryClient.prefetchQuery(askWhole('overview', 'read', { query }))
  void queryClient.prefetchQuery(remindersQuery(query))
}

export function prefetchPeople(): void {
  void queryClient.prefetchQuery(askWhole('schools', 'members'))
}

/** The data of a class's page of marks. `term`: from the address; undefined for the chosen one. */
export function prefetchSheet({ classId, subjectId }: { classId: string; subjectId: string }, term: string | undefined): void {
  const termId = term ?? knownTerm().termId
  void queryClient.prefetchQuery(ask('classes', 'mySubjects', { params: { classId } }))
  void queryClient.prefetchQuery(askWhole('classes', 'students', { params: { id: classId } }))
  void queryClient.prefetchQuery(ask('subjects', 'list'))
  void queryClient.prefetchQuery(ask('schools', 'mine'))
  if (termId) {
    const ofSheet = { termId, subjectId, studentGroupId: classId }
    void queryClient.prefetchQuery(ask('assessments', 'list', { query: ofSheet }))
    openEarly(liveMarksUrl({ ...ofSheet, isSet: false }))
  }
  const ofYear = ({ academic_year_id: academicYearId }: { academic_year_id: string }) => {
    void queryClient.prefetchQuery(ask('gradingScale', 'get', { query: { academicYearId } }))
    void queryClient.prefetchQuery(ask('assessmentCategories', 'list', { query: { academicYearId } }))
  }
  queryClient.ensureQueryData(ask('classes', 'get', { params: { classId } })).then(ofYear, () => {})
}
