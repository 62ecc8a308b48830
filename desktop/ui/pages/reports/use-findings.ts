import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask, askWhole } from '../../api/queries.ts'
import { type Checked, type Finding, findingsOf } from './checks.ts'
import { liveOfTerm, liveOfYear } from './live.ts'
import { isBehind } from './standings.ts'
import { type OfBooks, useBooks, useEntries } from './use-books.ts'
import { useStanding } from './use-standing.ts'

/** What is computed now: of the term, or of the year where year-end books are looked at. */
function useLive(of: OfBooks, yearId: string) {
  const ofTerm = { studentGroupId: of.classId, termId: of.termId }
  const term = useQuery({ ...ask('calculations', 'classTerm', { query: ofTerm }), enabled: of.type === 'term' })
  const year = useQuery({
    ...ask('calculations', 'classYear', { query: { studentGroupId: of.classId, academicYearId: yearId } }),
    enabled: of.type === 'year_end' && yearId !== '',
  })
  const live = useMemo(
    () => (of.type === 'term' ? term.data && liveOfTerm(term.data) : year.data && liveOfYear(year.data)),
    [of.type, term.data, year.data],
  )
  return { live, error: term.error ?? year.error }
}

/** The subjects of the class without any assessment that counts in the term. */
function useUnassessed(of: OfBooks) {
  const progress = useQuery({ ...askWhole('classes', 'progress', { query: { termId: of.termId } }), staleTime: 0 })
  const subjects = useMemo(
    () =>
      progress.data
        ?.filter((row) => row.class.id === of.classId && row.assessments === 0)
        .map(({ subject: { id, name, code } }) => ({ id, name, code })),
    [progress.data, of.classId],
  )
  return { subjects, error: progress.error }
}

/** Everything to look at before the books of a class are published (decision 335); `findings` is null until all that it rests on is here. */
export function useFindings(
  of: OfBooks,
  yearId: string,
): { findings: readonly Finding[] | null; books: number | undefined; error: unknown } {
  const books = useBooks(of)
  const entries = useEntries(of)
  const standing = useStanding(of)
  const missing = useQuery({
    ...askWhole('calculations', 'missingMarks', { query: { studentGroupId: of.classId, termId: of.termId } }),
    staleTime: 0,
  })
  const { live, error } = useLive(of, yearId)
  const unassessed = useUnassessed(of)
  const findings = useMemo(() => {
    if (!books.data || !entries.data || !standing.data || !missing.data || !live || !unassessed.subjects) return null
    const marks = missing.data.map(({ subject_id: id, subject_name: name, subject_code: code, title, students }) => ({
      subject: { id, name, code },
      title,
      students,
    }))
    const behind = new Set(standing.data.filter(isBehind).map(({ report_id }) => report_id))
    const result: Checked['result'] = of.type === 'term' ? 'term_composite' : 'year_grade'
    return findingsOf({ books: books.data, entries: entries.data, live, missing: marks, behind, unassessed: unassessed.subjects, result })
  }, [books.data, entries.data, standing.data, missing.data, live, unassessed.subjects, of.type])
  return {
    findings,
    books: books.data?.length,
    error: books.error ?? entries.error ?? standing.error ?? missing.error ?? error ?? unassessed.error,
  }
}
