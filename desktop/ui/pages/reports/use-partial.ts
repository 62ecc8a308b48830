import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'
import { type Figures, isPartialTerm } from './book-partial.ts'
import type { BookScope } from './book-queries.ts'

/**
 * Tells of the entries of a class's books which results rest on coursework or exam alone. A year's book does not say what its grades are made
 * of, so that the marks of now tell it, to those who may see all of the class (`owns`).
 */
export function usePartial(of: BookScope, owns: boolean): (studentId: string, entry: Figures) => boolean {
  const term = useQuery(ask('terms', 'get', { params: { id: of.termId } }))
  const isYear = of.type === 'year_end'
  const academicYearId = term.data?.academic_year_id ?? ''
  const year = useQuery({
    ...ask('calculations', 'classYear', { query: { studentGroupId: of.classId, academicYearId } }),
    enabled: isYear && owns && academicYearId !== '',
  })
  if (!isYear) return (_, entry) => term.data !== undefined && isPartialTerm(entry, term.data)
  const partial = new Set(
    year.data?.students.flatMap(({ student_id, subjects }) =>
      subjects.filter(({ is_partial }) => is_partial).map(({ subject_id }) => `${student_id} ${subject_id}`),
    ),
  )
  return (studentId, { subject_id, year_grade }) => year_grade !== null && partial.has(`${studentId} ${subject_id}`)
}
