import { byFoldedName } from './fold.ts'

export type Subject = {
  id: string
  name: string
  code: string
  sort_order: number
}

/** The order of subjects on every card and list: as the school sorted them, then by name. */
export const inSubjectOrder = <S extends Subject>(subjects: readonly S[]): S[] =>
  [...subjects].sort((a, b) => a.sort_order - b.sort_order || byFoldedName(a, b))

/**
 * The subjects of a student: those assigned to the student in the class. Without any assigned, every subject that has an assessment for
 * the class in the period (decisions §4, student subjects). Keeps the order of `subjects`.
 */
export function subjectsTaken<S extends Subject>(
  subjects: readonly S[],
  assignedIds: readonly string[],
  hasAssessment: (subjectId: string) => boolean,
): S[] {
  if (assignedIds.length === 0) return subjects.filter((subject) => hasAssessment(subject.id))
  const assigned = new Set(assignedIds)
  return subjects.filter((subject) => assigned.has(subject.id))
}
