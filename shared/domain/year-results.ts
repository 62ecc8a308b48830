import { termFigures } from './averages.ts'
import { averagesInPlace, gradesInPlace, markPlan, type TermSlots } from './class-marks.ts'
import { compareText } from './fold.ts'
import { letterFor } from './letters.ts'
import { positions } from './positions.ts'
import {
  byName,
  type ClassInput,
  type Lettered,
  meanOfPrinted,
  type Standing,
  type StudentInput,
  type StudentName,
  type SubjectName,
  studentName,
  type Term,
} from './results.ts'
import { inSubjectOrder, type Subject, subjectsTaken } from './subjects-taken.ts'
import { type CalculationModel, type YearFigures, type YearModel, yearFigures } from './year.ts'

export type Year = YearModel & { id: string }
export type YearTerm = Term & { name: string; sort_order: number }
export type ClassYearInput = ClassInput & {
  year: Year
  terms: readonly YearTerm[]
}

export type TermCell = {
  term_id: string
  name: string
  term_composite: number | null
}
export type SubjectYearResult = SubjectName & {
  terms: TermCell[]
} & YearFigures &
  Lettered
export type StudentYearResult = Standing & {
  student_id: string
  academic_year_id: string
  calculation_model: CalculationModel
  subjects: SubjectYearResult[]
  year_overall: number | null
  letter_grade: string | null
}
export type ClassYearResult = {
  academic_year_id: string
  calculation_model: CalculationModel
  student_group_id: string | null
  students: (StudentYearResult & { student: StudentName })[]
}

/** The results of a class over a year: students by last name, subjects in the school's order, terms by `sort_order` (`class-year`). */
export function classYearResult(input: ClassYearInput): ClassYearResult {
  const { year, scale, student_group_id } = input
  const subjectsOf = yearSubjects(input)
  const students = byName(input.students).map((student) => {
    const subjects = subjectsOf(student)
    return {
      student,
      subjects,
      overall: meanOfPrinted(subjects.map((subject) => subject.year_grade)),
    }
  })
  const places = positions(students.map(({ overall }) => overall))
  return {
    academic_year_id: year.id,
    calculation_model: year.calculation_model,
    student_group_id,
    students: students.map(({ student, subjects, overall }, index) => ({
      student_id: student.id,
      academic_year_id: year.id,
      calculation_model: year.calculation_model,
      student: studentName(student),
      subjects,
      year_overall: overall,
      letter_grade: letterFor(scale, overall)?.letter ?? null,
      position: places[index] ?? null,
      total_students: students.length,
    })),
  }
}

/** The result of one student out of the class's (`student-year`); undefined when the student is not in it. */
export function studentYearResult(result: ClassYearResult, studentId: string): StudentYearResult | undefined {
  const found = result.students.find((student) => student.student_id === studentId)
  if (!found) return undefined
  const { student: _name, ...own } = found
  return own
}

/** The result of a student who is in no class: the same figures, in nobody's company (no position, 0 students). */
export function unplacedYearResult(input: Omit<ClassYearInput, 'students' | 'student_group_id'>, student: StudentInput): StudentYearResult {
  const alone = classYearResult({
    ...input,
    student_group_id: null,
    students: [student],
  })
  return {
    ...(studentYearResult(alone, student.id) as StudentYearResult),
    position: null,
    total_students: 0,
  }
}

/** Two terms cannot share a place by rights; should they, their ids decide, on every machine alike. */
export const inTermOrder = <T extends { id: string; sort_order: number }>(terms: readonly T[]): T[] =>
  [...terms].sort((a, b) => a.sort_order - b.sort_order || compareText(a.id, b.id))

function yearSubjects(input: ClassYearInput): (student: StudentInput) => SubjectYearResult[] {
  const { year, scale } = input
  const subjects = inSubjectOrder(input.subjects)
  const inOrder = inTermOrder(input.terms)
  const plan = markPlan(
    input.assessments,
    inOrder.map((term) => term.id),
    input.student_group_id,
  )
  const none: TermSlots = new Map()
  const terms = inOrder.map((term) => ({ term, slots: plan.slotsByTermId.get(term.id) ?? none }))
  const hasAssessment = (subjectId: string) => terms.some(({ slots }) => slots.has(subjectId))

  return (student) => {
    const grades = gradesInPlace(plan, student.grades)
    const resultOf = (subject: Subject): SubjectYearResult => {
      const figures = terms.map(({ term, slots }) => termFigures(averagesInPlace(slots.get(subject.id) ?? [], grades), term))
      const composites = figures.map((figure) => figure.term_composite)
      const { coursework_total, exam_total, end_of_year_exam, year_grade, is_partial } = yearFigures(
        year,
        composites,
        figures.at(-1)?.exam_average ?? null,
      )
      const letter = letterFor(scale, year_grade)
      return {
        subject_id: subject.id,
        subject_name: subject.name,
        subject_code: subject.code,
        terms: terms.map(({ term }, index) => ({ term_id: term.id, name: term.name, term_composite: composites[index] ?? null })),
        coursework_total,
        exam_total,
        end_of_year_exam,
        year_grade,
        letter_grade: letter?.letter ?? null,
        remark: letter?.remark ?? null,
        is_partial,
      }
    }
    return subjectsTaken(subjects, student.subject_ids, hasAssessment).map(resultOf)
  }
}
