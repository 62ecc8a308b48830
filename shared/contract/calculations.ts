import { z } from 'zod'
import { CalculationModel } from './academic-years.ts'
import { AssessmentType } from './assessments.ts'
import { CLASS_TEACHER, endpoint } from './endpoint.ts'
import { ExplainedMark, ExplanationStep } from './explanation.ts'
import { ReportStatus, ReportType } from './reports.ts'
import { Day, Flag, Id, Instant, Person, row, StudentName } from './scalars.ts'
import { Gender, Student } from './students.ts'
import { StudentOfSet } from './teaching-sets.ts'
import { TermName } from './terms.ts'

/** A printed figure: rounded half-up to 2 decimals, null where there is nothing to compute (decisions §5). */
const Figure = z.number().nullable()
const Letter = z.string().nullable()
/** `under_review`: a mark of this result has a code that means so, or has an undecided conflict with another server's; absent otherwise. */
const graded = { letter_grade: Letter, remark: Letter, is_partial: Flag, under_review: z.literal(true).optional() }
const subject = { subject_id: Id, subject_name: z.string(), subject_code: z.string() }

const SubjectTerm = row('SubjectTerm', {
  ...subject,
  coursework_average: Figure,
  exam_average: Figure,
  term_composite: Figure,
  ...graded,
  /** The code that is printed in place of the average, such as `abs`; absent without one. */
  coursework_code: z.string().optional(),
  exam_code: z.string().optional(),
})
export type SubjectTerm = z.infer<typeof SubjectTerm>

/** `position` is null for a student without any result. */
const standing = { letter_grade: Letter, position: z.int().nullable(), total_students: z.int() }

export const StudentTerm = row('StudentTerm', {
  student_id: Id,
  term_id: Id,
  subjects: z.array(SubjectTerm),
  overall_average: Figure,
  ...standing,
})
export type StudentTerm = z.infer<typeof StudentTerm>

/** `is_partial` of a term: its composite rests on coursework or exam alone; absent where it does not. That of the year tells of the year's own parts. */
const SubjectYear = row('SubjectYear', {
  ...subject,
  terms: z.array(z.object({ term_id: Id, name: z.string(), term_composite: Figure, is_partial: z.literal(true).optional() })),
  coursework_total: Figure,
  exam_total: Figure,
  end_of_year_exam: Figure,
  year_grade: Figure,
  ...graded,
})
export type SubjectYear = z.infer<typeof SubjectYear>

export const StudentYear = row('StudentYear', {
  student_id: Id,
  academic_year_id: Id,
  calculation_model: CalculationModel,
  subjects: z.array(SubjectYear),
  year_overall: Figure,
  ...standing,
})
export type StudentYear = z.infer<typeof StudentYear>

export const ClassTerm = row('ClassTerm', {
  term_id: Id,
  student_group_id: Id,
  students: z.array(StudentTerm.extend({ student: StudentName })),
})
export type ClassTerm = z.infer<typeof ClassTerm>

export const SetTerm = row('SetTerm', {
  term_id: Id,
  teaching_set_id: Id,
  subject_id: Id,
  students: z.array(z.object({ student_id: Id, student: StudentName, class: StudentOfSet.shape.class, result: SubjectTerm.nullable() })),
})
export type SetTerm = z.infer<typeof SetTerm>

export const ClassYear = row('ClassYear', {
  academic_year_id: Id,
  student_group_id: Id,
  calculation_model: CalculationModel,
  students: z.array(StudentYear.extend({ student: StudentName })),
})
export type ClassYear = z.infer<typeof ClassYear>

/** `pass_rate` is a percentage of the ranked students; for a subject, of those who have a result in it. */
const figures = z.object({
  total_students: z.int(),
  ranked_students: z.int(),
  class_average: Figure,
  median: Figure,
  highest: Figure,
  lowest: Figure,
  pass_count: z.int(),
  fail_count: z.int(),
  pass_rate: Figure,
  distribution: z.array(z.object({ letter: z.string(), count: z.int() })),
})
export type GroupFigures = z.infer<typeof figures>

export const ClassSummary = row('ClassSummary', {
  term_id: Id,
  student_group_id: Id,
  ...figures.shape,
  subjects: z.array(z.object({ ...subject, ...figures.shape })),
  by_gender: z.array(z.object({ gender: Gender, count: z.int(), class_average: Figure, pass_rate: Figure })),
})
export type ClassSummary = z.infer<typeof ClassSummary>

/** An assessment that counts and is no extra credit, with the students of the class who take its subject and have no mark in it. */
export const MissingMarks = row('MissingMarks', {
  assessment_id: Id,
  title: z.string(),
  assessment_type: AssessmentType,
  ...subject,
  students: z.array(StudentName),
})
export type MissingMarks = z.infer<typeof MissingMarks>

/** The calculation behind one result in one subject (decisions §5, explain). */
export const Explanation = row('Explanation', {
  student_id: Id,
  term_id: Id,
  marks: z.array(ExplainedMark),
  steps: z.array(ExplanationStep),
  result: SubjectTerm,
})
export type Explanation = z.infer<typeof Explanation>

const Named = { id: Id, name: z.string() }
const OverviewTerm = z.object({ id: Id, name: TermName, start_date: Day, end_date: Day })

/**
 * A pupil, as far as the caller may see: classes, the latest first, with the results of each term; report books, each with its newest PDF;
 * the missing marks of the active year, only of the caller's own subjects unless the caller is the pupil's class teacher or an
 * administrator.
 */
export const StudentOverview = row('StudentOverview', {
  student: Student,
  classes: z.array(
    z.object({
      ...Named,
      academic_year: z.object(Named),
      class_teacher: Person.nullable(),
      terms: z.array(z.object({ term: OverviewTerm, result: StudentTerm.omit({ student_id: true, term_id: true }).nullable() })),
    }),
  ),
  books: z.array(
    z.object({
      id: Id,
      student_group_id: Id,
      academic_year_id: Id,
      term_id: Id,
      report_type: ReportType,
      status: ReportStatus,
      approved_at: Instant.nullable(),
      pdf_id: Id.nullable(),
    }),
  ),
  missing: z.array(MissingMarks.omit({ students: true }).extend({ term_id: Id })),
})
export type StudentOverview = z.infer<typeof StudentOverview>

export const calculations = {
  student: endpoint('GET /api/students/:id/overview', 'staff', 'Read a student with classes, results, report books and missing marks', {
    who: 'Teachers see the classes that they are assigned to; report books are for the class teacher and administrators.',
    reply: StudentOverview,
  }),
  studentTerm: endpoint('GET /api/calculations/student-term', 'staff', 'Calculate the results of a student in a term', {
    query: z.object({ studentId: Id, termId: Id }),
    reply: StudentTerm,
  }),
  studentYear: endpoint('GET /api/calculations/student-year', 'staff', 'Calculate the results of a student in a year', {
    query: z.object({ studentId: Id, academicYearId: Id }),
    reply: StudentYear,
  }),
  classTerm: endpoint('GET /api/calculations/class-term', 'staff', 'Calculate the results of a class in a term', {
    who: CLASS_TEACHER,
    query: z.object({ termId: Id, studentGroupId: Id }),
    reply: ClassTerm,
  }),
  setTerm: endpoint('GET /api/calculations/set-term', 'staff', 'Calculate the results of a teaching set in its subject and a term', {
    who: 'For those who teach the set and for administrators.',
    notes:
      'In the order of the students of the set. `result` is what the results of the student’s class say of the subject; null for whoever is in no class, or does not take it.',
    query: z.object({ termId: Id, teachingSetId: Id }),
    reply: SetTerm,
  }),
  classYear: endpoint('GET /api/calculations/class-year', 'staff', 'Calculate the results of a class in a year', {
    who: CLASS_TEACHER,
    query: z.object({ academicYearId: Id, studentGroupId: Id }),
    reply: ClassYear,
  }),
  classSummary: endpoint('GET /api/calculations/class-summary', 'staff', 'Summarise the results of a class in a term', {
    who: CLASS_TEACHER,
    query: z.object({ termId: Id, studentGroupId: Id }),
    reply: ClassSummary,
  }),
  missingMarks: endpoint(
    'GET /api/calculations/missing-marks',
    'staff',
    'List the assessments of a class and term in which marks are missing',
    { who: CLASS_TEACHER, query: z.object({ termId: Id, studentGroupId: Id }), reply: z.array(MissingMarks) },
  ),
  explain: endpoint('GET /api/calculations/explain', 'staff', 'Show the working behind a result', {
    query: z.object({ studentId: Id, termId: Id, subjectId: Id }),
    reply: Explanation,
  }),
}
