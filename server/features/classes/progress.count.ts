import { groupedBy } from '@markbook/shared/grouped-by'

type Enrolled = { student_id: string; student_group_id: string }
/** `marked`: a JSON array of assessment ids. */
type Marked = { student_id: string; marked: string }
/** `studentsOfSet`: for an assessment of a teaching set, its students. */
type CountedAssessment = { id: string; subject_id: string; student_group_id: string | null; studentsOfSet?: ReadonlySet<string> }
export type Facts = {
  assessments: readonly CountedAssessment[]
  enrolled: readonly Enrolled[]
  given: readonly (Enrolled & { subject_id: string })[]
  marked: readonly Marked[]
}

/**
 * The number of students of a class who take a subject, and of their marks in the assessments that expect one there. `ofSets`: by
 * assessment of a teaching set, the number of its students from the class.
 */
export type Tally = { takers: number; recorded: number; ofSets: Map<string, number> }
export const keyOf = (groupId: string, subjectId: string) => `${groupId} ${subjectId}`

/** Students and marks by class and subject, for these subjects. A student without assigned subjects takes every one (decisions §4). */
export function countMarks({ assessments, enrolled, given, marked }: Facts, subjectIds: readonly string[]): Map<string, Tally> {
  const assessmentById = new Map(assessments.map((one) => [one.id, one]))
  const markedByStudent = new Map(marked.map((row) => [row.student_id, row.marked]))
  const ownSubjects = groupedBy(given, ({ student_group_id, student_id }) => keyOf(student_group_id, student_id))
  const setAssessments = groupedBy(
    assessments.filter(({ studentsOfSet }) => studentsOfSet !== undefined),
    ({ subject_id }) => subject_id,
  )
  const tallies = new Map<string, Tally>()
  const tallyOf = (group: string, subject: string) => {
    const key = keyOf(group, subject)
    const tally = tallies.get(key) ?? { takers: 0, recorded: 0, ofSets: new Map<string, number>() }
    tallies.set(key, tally)
    return tally
  }
  for (const { student_id, student_group_id: group } of enrolled) {
    const own = ownSubjects.get(keyOf(group, student_id))?.map(({ subject_id }) => subject_id)
    for (const subject of own ?? subjectIds) {
      const tally = tallyOf(group, subject)
      tally.takers += 1
      for (const { id, studentsOfSet } of setAssessments.get(subject) ?? [])
        if (studentsOfSet?.has(student_id)) tally.ofSets.set(id, (tally.ofSets.get(id) ?? 0) + 1)
    }
    const text = markedByStudent.get(student_id)
    for (const id of text ? (JSON.parse(text) as string[]) : []) {
      const one = assessmentById.get(id)
      if (!one || (one.student_group_id !== null && one.student_group_id !== group) || (own && !own.includes(one.subject_id))) continue
      if (one.studentsOfSet && !one.studentsOfSet.has(student_id)) continue
      tallyOf(group, one.subject_id).recorded += 1
    }
  }
  return tallies
}
