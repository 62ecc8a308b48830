import type { ListedAssessment as Assessment } from '@markbook/shared/contract/assessments'
import type { StudentName } from '@markbook/shared/contract/scalars'

/** `class`: the class of a pupil of a teaching set, null for none; undefined on the sheet of a class. */
export type Pupil = StudentName & { class?: { id: string; name: string } | null }

export const keyOf = (assessmentId: string, studentId: string) => `${assessmentId}/${studentId}`

/** The cells where the assessment is of another class than the pupil. */
export function closedCells(pupils: readonly Pupil[], columns: readonly Assessment[]): ReadonlySet<string> {
  const closed = new Set<string>()
  for (const { id, student_group_id } of columns)
    for (const pupil of pupils)
      if (pupil.class !== undefined && (pupil.class === null || (student_group_id !== null && student_group_id !== pupil.class.id)))
        closed.add(keyOf(id, pupil.id))
  return closed
}

/** The cells where the assessment is of a teaching set that the pupil is not in. */
export function cellsOutsideSets(pupils: readonly Pupil[], columns: readonly Assessment[]): ReadonlySet<string> {
  const outside = new Set<string>()
  for (const { id, teaching_set } of columns) {
    if (!teaching_set) continue
    const own = new Set(teaching_set.student_ids)
    for (const pupil of pupils) if (!own.has(pupil.id)) outside.add(keyOf(id, pupil.id))
  }
  return outside
}
