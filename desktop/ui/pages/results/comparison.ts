import type { ClassTerm } from '@markbook/shared/contract/calculations'
import { isPartialResult } from '@markbook/shared/domain/partial'

/**
 * `by`: the difference, exact to hundredths (79.1 − 78.3 is 0.8); null where one result is missing. `isPartial`: one of the results has
 * only coursework or only an exam, or is an average that includes such a result.
 */
export type Difference = { before: number | null; now: number | null; by: number | null; isPartial: boolean }
export type Direction = 'up' | 'down' | 'same'

export const differenceOf = (before: number | null, now: number | null, isPartial = false): Difference => ({
  before,
  now,
  by: before === null || now === null ? null : (Math.round(now * 100) - Math.round(before * 100)) / 100,
  isPartial,
})

export const directionOf = (by: number): Direction => (by > 0 ? 'up' : by < 0 ? 'down' : 'same')

type Student = ClassTerm['students'][number]
export type ComparedStudent = {
  student: Student['student']
  overall: Difference
  bySubjectId: ReadonlyMap<string, Difference>
}
export type Subject = { id: string; name: string; code: string }

type NamedSubject = { subject_id: string; subject_name: string; subject_code: string }
export const subjectOf = ({ subject_id: id, subject_name: name, subject_code: code }: NamedSubject): Subject => ({ id, name, code })

/** The subjects with a result, in the school's order. */
export const subjectsOf = (...results: readonly { students: readonly { subjects: readonly NamedSubject[] }[] }[]): Subject[] => [
  ...new Map(
    results
      .flatMap(({ students }) => students)
      .flatMap(({ subjects }) => subjects)
      .map((subject) => [subject.subject_id, subjectOf(subject)]),
  ).values(),
]

const isPartial = (result: Student['subjects'][number] | undefined): boolean => result !== undefined && isPartialResult(result)

/** The differences of each pupil of the present term; null without an earlier result. `order`: the ids of the school's subjects. */
export function compareTerms(before: ClassTerm, now: ClassTerm, order: readonly string[]) {
  const subjects = subjectsOf(now, before).sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
  const then = new Map(before.students.map((student) => [student.student_id, student]))
  const resultIn = (student: Student | undefined, subjectId: string) => student?.subjects.find(({ subject_id }) => subject_id === subjectId)
  const differenceIn = (subjectId: string, earlier: Student | undefined, student: Student) => {
    const [before, after] = [resultIn(earlier, subjectId), resultIn(student, subjectId)]
    return differenceOf(before?.term_composite ?? null, after?.term_composite ?? null, [before, after].some(isPartial))
  }
  const rows = now.students.map((student): ComparedStudent => {
    const earlier = then.get(student.student_id)
    return {
      student: student.student,
      overall: differenceOf(
        earlier?.overall_average ?? null,
        student.overall_average,
        [...(earlier?.subjects ?? []), ...student.subjects].some(isPartial),
      ),
      bySubjectId: new Map(subjects.map(({ id }) => [id, differenceIn(id, earlier, student)])),
    }
  })
  return { subjects, rows }
}
