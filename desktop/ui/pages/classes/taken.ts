import type { StudentSubject } from '@markbook/shared/contract/classes'

type Named = { id: string; name: string }

/**
 * Whom giving subjects concerns, of those ticked. Who takes every subject of the class takes the given ones too, and would lose the
 * others by it: they are left alone (`everything`) unless the given ones are to be all that they take.
 */
export function givenTo(ticked: ReadonlySet<string>, taken: ReadonlyMap<string, unknown>, isOnlyThese: boolean) {
  const everything = [...ticked].filter((id) => !taken.has(id))
  return { everything, given: isOnlyThese ? [...ticked] : [...ticked].filter((id) => taken.has(id)) }
}

/** What was given to each pupil, in the order of `subjects`; who is not in it takes every subject of the class (decisions §4). */
export function subjectsByStudentId<S extends Named>(
  given: readonly Pick<StudentSubject, 'student_id' | 'subject_id'>[],
  subjects: readonly S[],
): ReadonlyMap<string, readonly S[]> {
  const idsOf = new Map<string, Set<string>>()
  for (const { student_id, subject_id } of given) idsOf.set(student_id, (idsOf.get(student_id) ?? new Set()).add(subject_id))
  return new Map([...idsOf].map(([studentId, ids]) => [studentId, subjects.filter(({ id }) => ids.has(id))]))
}
