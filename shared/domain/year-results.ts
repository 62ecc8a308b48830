import type { ClassYear, StudentYear, SubjectYear } from '../contract/calculations.ts'
import { termComposite } from './averages.ts'
import { averagesInPlace, codesInPlace, gradesInPlace, isAssessed, markPlan, type TermSlots } from './class-marks.ts'
import { type Exact, printed } from './exact.ts'
import { compareText } from './fold.ts'
import { letterFor } from './letters.ts'
import { positions } from './positions.ts'
import { byName, type ClassInput, meanOfPrinted, type OfGroup, type StudentInput, studentName, subjectName, type Term } from './results.ts'
import { inSubjectOrder, type Subject, subjectsTaken } from './subjects-taken.ts'
import { type YearModel, yearFigures } from './year.ts'

type Year = YearModel & { id: string }
type YearTerm = Term & { name: SubjectYear['terms'][number]['name']; sort_order: number }
export type ClassYearInput<G extends string | null = string | null> = ClassInput<G> & { year: Year; terms: readonly YearTerm[] }

/** The results of a class over a year: students by last name, subjects in the school's order, terms by `sort_order` (`class-year`). */
export function classYearResult<G extends string | null>(input: ClassYearInput<G>): OfGroup<ClassYear, G> {
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

/** The result of a student without a class: the same figures without a position (0 students). */
export function unplacedYearResult(input: Omit<ClassYearInput, 'students' | 'student_group_id'>, student: StudentInput): StudentYear {
  const { students } = classYearResult({ ...input, student_group_id: null, students: [student] })
  const { student: _name, ...own } = students[0] as (typeof students)[number]
  return { ...own, position: null, total_students: 0 }
}

/** By `sort_order`; ties are broken by id, so that every machine has the same order. */
export const inTermOrder = <T extends { id: string; sort_order: number }>(terms: readonly T[]): T[] =>
  [...terms].sort((a, b) => a.sort_order - b.sort_order || compareText(a.id, b.id))

function yearSubjects(input: ClassYearInput): (student: StudentInput) => SubjectYear[] {
  const { year, scale, codes } = input
  const subjects = inSubjectOrder(input.subjects)
  const inOrder = inTermOrder(input.terms)
  const plan = markPlan(
    input.assessments,
    inOrder.map((term) => term.id),
    input.student_group_id,
    input.categories,
  )
  const none: TermSlots = new Map()
  const terms = inOrder.map((term) => ({ term, slots: plan.slotsByTermId.get(term.id) ?? none }))

  return (student) => {
    const grades = gradesInPlace(plan, student.grades)
    const hasAssessment = (subjectId: string) => terms.some(({ slots }) => isAssessed(slots.get(subjectId), student.id, grades))
    const resultOf = (subject: Subject): SubjectYear => {
      // Only the figures of a term that the year prints are rounded.
      let lastExam: Exact | null = null
      let isUnderReview = false
      const cells: SubjectYear['terms'] = []
      for (const { term, slots } of terms) {
        const own = slots.get(subject.id) ?? []
        const averages = averagesInPlace(plan, own, grades)
        if (codes && codesInPlace(own, grades, averages, codes).under_review) isUnderReview = true
        lastExam = averages.exam
        const { composite, is_partial } = termComposite(averages, term)
        cells.push({ term_id: term.id, name: term.name, term_composite: printed(composite), ...(is_partial && { is_partial }) })
      }
      const { coursework_total, exam_total, end_of_year_exam, year_grade, is_partial } = yearFigures(
        year,
        cells.map(({ term_composite }) => term_composite),
        printed(lastExam),
      )
      const letter = letterFor(scale, year_grade)
      return {
        ...subjectName(subject),
        terms: cells,
        coursework_total,
        exam_total,
        end_of_year_exam,
        year_grade,
        letter_grade: letter?.letter ?? null,
        remark: letter?.remark ?? null,
        is_partial,
        ...(isUnderReview && { under_review: true as const }),
      }
    }
    return subjectsTaken(subjects, student.subject_ids, hasAssessment).map(resultOf)
  }
}
