import type { ClassTerm, StudentTerm, SubjectTerm } from '../contract/calculations.ts'
import { type TermWeights, type TypeAverages, termFigures } from './averages.ts'
import type { Category } from './categories.ts'
import { averagesInPlace, codesInPlace, gradesInPlace, isAssessed, markPlan, type TermSlots } from './class-marks.ts'
import { meanOf, printed } from './exact.ts'
import { compareText, sortKey } from './fold.ts'
import { type GradingScale, letterFor } from './letters.ts'
import type { MarkCode, SubjectCodes } from './mark-codes.ts'
import type { Assessment, Grade } from './marks.ts'
import { positions } from './positions.ts'
import { inSubjectOrder, type Subject, subjectsTaken } from './subjects-taken.ts'

export type Term = TermWeights & { id: string }

/**
 * A student with the subjects assigned in the class (none: see `subjectsTaken`) and all grades; grades of other assessments are ignored.
 */
export type StudentInput = {
  id: string
  first_name: string
  last_name: string
  subject_ids: readonly string[]
  grades: readonly Grade[]
}

/**
 * The input of a class's results. `student_group_id` null: students without a class. `codes` of the school, absent where no mark has a
 * code; `subjects` of the school; `assessments` of the term or year (those of other terms and classes are ignored); `students` enrolled in
 * the class. All lists in any order.
 */
export type ClassInput<G extends string | null = string | null> = {
  student_group_id: G
  scale: GradingScale
  codes?: readonly MarkCode[]
  subjects: readonly Subject[]
  assessments: readonly Assessment[]
  /** The categories of the year. */
  categories?: readonly Category[]
  students: readonly StudentInput[]
}
export type ClassTermInput<G extends string | null = string | null> = ClassInput<G> & { term: Term }

/** Results of a class, or of students without a class where `G` is null. */
export type OfGroup<R, G> = Omit<R, 'student_group_id'> & { student_group_id: G }

/** One subject of one student in one term (decisions §5); percentages with 2 decimals, the letter read from the printed composite. */
export function subjectTermResult(
  subject: Omit<Subject, 'sort_order'>,
  averages: TypeAverages,
  term: Term,
  scale: GradingScale,
  codes: SubjectCodes = {},
): SubjectTerm {
  const { coursework_average, exam_average, term_composite, is_partial } = termFigures(averages, term)
  const letter = letterFor(scale, term_composite)
  return {
    ...subjectName(subject),
    coursework_average,
    exam_average,
    term_composite,
    letter_grade: letter?.letter ?? null,
    remark: letter?.remark ?? null,
    is_partial,
    ...codes,
  }
}

/** Mean of the non-null printed figures, as printed; null without any. */
export const meanOfPrinted = (figures: readonly (number | null)[]): number | null =>
  printed(meanOf(figures.filter((figure) => figure !== null)))

/** The results of a class in a term: students by last name, subjects in the school's order (decisions §5, `class-term`). */
export function classTermResult<G extends string | null>(input: ClassTermInput<G>): OfGroup<ClassTerm, G> {
  const { term, student_group_id, scale, codes } = input
  const plan = markPlan(input.assessments, [term.id], student_group_id, input.categories)
  const slots: TermSlots = plan.slotsByTermId.get(term.id) ?? new Map()
  const subjects = inSubjectOrder(input.subjects)
  const students = byName(input.students).map((student) => {
    const grades = gradesInPlace(plan, student.grades)
    const results = subjectsTaken(subjects, student.subject_ids, (id) => isAssessed(slots.get(id), student.id, grades)).map((subject) => {
      const own = slots.get(subject.id) ?? []
      const averages = averagesInPlace(plan, own, grades)
      return subjectTermResult(subject, averages, term, scale, codes && codesInPlace(own, grades, averages, codes))
    })
    return {
      student,
      results,
      overall: meanOfPrinted(results.map((result) => result.term_composite)),
    }
  })
  const places = positions(students.map(({ overall }) => overall))
  return {
    term_id: term.id,
    student_group_id,
    students: students.map(({ student, results, overall }, index) => ({
      student_id: student.id,
      term_id: term.id,
      student: studentName(student),
      subjects: results,
      overall_average: overall,
      letter_grade: letterFor(scale, overall)?.letter ?? null,
      position: places[index] ?? null,
      total_students: students.length,
    })),
  }
}

/** The result of a student without a class: the same figures without a position (0 students). */
export function unplacedTermResult(input: Omit<ClassTermInput, 'students' | 'student_group_id'>, student: StudentInput): StudentTerm {
  const { students } = classTermResult({ ...input, student_group_id: null, students: [student] })
  const { student: _name, ...own } = students[0] as (typeof students)[number]
  return { ...own, position: null, total_students: 0 }
}

export const subjectName = (subject: Omit<Subject, 'sort_order'>): Pick<SubjectTerm, 'subject_id' | 'subject_name' | 'subject_code'> => ({
  subject_id: subject.id,
  subject_name: subject.name,
  subject_code: subject.code,
})

type StudentName = Pick<StudentInput, 'id' | 'first_name' | 'last_name'>
export const studentName = ({ id, first_name, last_name }: StudentName): StudentName => ({ id, first_name, last_name })

/** By last name, first name, id. */
export function byName<S extends StudentName>(students: readonly S[]): S[] {
  const keyed = students.map((student) => ({
    student,
    key: sortKey(student.last_name, student.first_name),
  }))
  keyed.sort((a, b) => compareText(a.key, b.key) || compareText(a.student.id, b.student.id))
  return keyed.map(({ student }) => student)
}
