import type { StudentSubject } from '@markbook/shared/contract/classes'

type SubjectName = { id: string; name: string }

/**
 * Which of the checked pupils get an assignment of subjects (`assigned`). A pupil who takes every subject of the class would lose the
 * others, and is left out (`everything`) unless `isOnlyThese`: the subjects are to be all that they take.
 */
export function assignmentOf(ticked: ReadonlySet<string>, taken: ReadonlyMap<string, unknown>, isOnlyThese: boolean) {
  const everything = [...ticked].filter((id) => !taken.has(id))
  return { everything, assigned: isOnlyThese ? [...ticked] : [...ticked].filter((id) => taken.has(id)) }
}

/** The assigned subjects of each pupil, in the order of `subjects`. A pupil without an entry takes every subject (decisions §4). */
export function subjectsByStudentId<S extends SubjectName>(
  assigned: readonly Pick<StudentSubject, 'student_id' | 'subject_id'>[],
  subjects: readonly S[],
): ReadonlyMap<string, readonly S[]> {
  const idsOf = new Map<string, Set<string>>()
  for (const { student_id, subject_id } of assigned) idsOf.set(student_id, (idsOf.get(student_id) ?? new Set()).add(subject_id))
  return new Map([...idsOf].map(([studentId, ids]) => [studentId, subjects.filter(({ id }) => ids.has(id))]))
}
