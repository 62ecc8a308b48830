import type { MissingMarks } from '../contract/calculations.ts'
import type { Category } from './categories.ts'
import { isRecorded, type MarkCode } from './mark-codes.ts'
import { type Assessment, isFor } from './marks.ts'
import { type StudentInput, studentName, subjectName } from './results.ts'
import { inSubjectOrder, type Subject, subjectsTaken } from './subjects-taken.ts'

type Listed = Assessment & { title: string; sort_order: number | null }

/** The class of `results.ts`: its students in order, and the assessments of one term that concern it. */
export type MissingMarksInput = {
  subjects: readonly Subject[]
  assessments: readonly Listed[]
  students: readonly StudentInput[]
  codes?: readonly MarkCode[]
  categories?: readonly Category[]
}
/**
 * The assessments that count and lack marks of students who take the subject (for a teaching set: of its students), ordered by subject,
 * then as in the mark grid. Extra credit lacks none. An excluded mark, a zero and a code are marks, except a code that means that the mark
 * is still to come.
 */
export function missingMarks({ subjects, assessments, students, codes = [], categories = [] }: MissingMarksInput): MissingMarks[] {
  const pupils = students.map((student) => {
    const graded = new Set(student.grades.map(({ assessment_id }) => assessment_id))
    const own = assessments.filter((one) => isFor(one, student.id, () => graded.has(one.id)))
    const assessed = new Set(own.map(({ subject_id }) => subject_id))
    return {
      student,
      takes: new Set(subjectsTaken(subjects, student.subject_ids, (id) => assessed.has(id)).map(({ id }) => id)),
      marked: new Set(student.grades.filter((grade) => isRecorded(grade, codes)).map(({ assessment_id }) => assessment_id)),
    }
  })
  const extraCredit = new Set(categories.flatMap(({ id, is_extra_credit }) => (is_extra_credit ? id : [])))
  const expectsMarks = ({ is_excluded, category_id }: Assessment) => !is_excluded && !(category_id && extraCredit.has(category_id))
  return inSubjectOrder(subjects).flatMap((subject) =>
    assessments
      .filter((one) => one.subject_id === subject.id && expectsMarks(one))
      .sort((a, b) => placeOf(a) - placeOf(b))
      .flatMap(({ id, title, assessment_type, studentsOfSet }) => {
        const without = pupils
          .filter(({ student, takes, marked }) => takes.has(subject.id) && !marked.has(id) && (studentsOfSet?.has(student.id) ?? true))
          .map(({ student }) => studentName(student))
        return without.length === 0 ? [] : [{ assessment_id: id, title, assessment_type, ...subjectName(subject), students: without }]
      }),
  )
}

const placeOf = ({ sort_order }: Listed): number => sort_order ?? Number.MAX_SAFE_INTEGER
