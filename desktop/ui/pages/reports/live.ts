import type { ClassTerm, ClassYear } from '@markbook/shared/contract/calculations'
import type { LiveResult } from './checks.ts'

type Named = { subject_id: string; subject_name: string; subject_code: string }
const subjectOf = ({ subject_id: id, subject_name: name, subject_code: code }: Named) => ({ id, name, code })

/** What the marks say now, for the check: of a term. */
export const liveOfTerm = ({ students }: ClassTerm): LiveResult[] =>
  students.map(({ student, overall_average, position, total_students, subjects }) => ({
    student,
    overall: overall_average,
    position,
    total: total_students,
    subjects: subjects.map(({ term_composite, is_partial, under_review, ...named }) => ({
      subject: subjectOf(named),
      result: term_composite,
      is_partial,
      under_review: under_review === true,
    })),
  }))

/** And of a year. */
export const liveOfYear = ({ students }: ClassYear): LiveResult[] =>
  students.map(({ student, year_overall, position, total_students, subjects }) => ({
    student,
    overall: year_overall,
    position,
    total: total_students,
    subjects: subjects.map(({ year_grade, is_partial, under_review, ...named }) => ({
      subject: subjectOf(named),
      result: year_grade,
      is_partial,
      under_review: under_review === true,
    })),
  }))
