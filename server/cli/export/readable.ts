import type { ClassTerm } from '@markbook/shared/contract/calculations'
import type { Cell } from '@markbook/shared/spreadsheet/table'
import type { Progress } from '../../store/backup/engine.ts'
import type { Api } from '../act-as.ts'
import { toCell } from './cells.ts'
import type { AnyRow, SchoolRows } from './rows.ts'

export type Table = { head: string[]; rows: Cell[][] }

const indexed = (rows: readonly AnyRow[] = []) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return (id: unknown, name: string): Cell => toCell(byId.get(String(id))?.[name])
}

/** The names of the classes, by pupil and year. */
function classesIn({ enrolment = [], student_group = [] }: SchoolRows) {
  const names = indexed(student_group)
  const byPlace = new Map(
    enrolment.map((row) => [`${row['student_id']}:${row['academic_year_id']}`, names(row['student_group_id'], 'name')]),
  )
  return (student: unknown, year: unknown): Cell => byPlace.get(`${student}:${year}`) ?? null
}

const PUPIL = ['student_number', 'last_name', 'first_name'] as const
const OF_ASSESSMENT = ['assessment_type', 'assessment_date', 'max_score'] as const
/** The columns of an assessment that are needed here; a large school has tens of thousands of rows. */
export const briefAssessment = (row: AnyRow): AnyRow =>
  Object.fromEntries(['id', 'title', 'subject_id', ...OF_ASSESSMENT].map((name) => [name, row[name]])) as AnyRow
const OF_GRADE = ['score', 'status', 'is_excluded', 'remarks'] as const

/** How a row becomes a line for people; the first three cells are year, term and class. `lineOf` returns null for a row without a line. */
export type Readable = { head: string[]; lineOf(row: AnyRow): Cell[] | null }

/** Every mark, with the names of pupil, subject and assessment, and the maximum. */
export function readableMarks(rows: SchoolRows): Readable {
  const [student, assessment, term] = [indexed(rows.student), indexed(rows.assessment), indexed(rows.term)]
  const [year, subject, classOf] = [indexed(rows.academic_year), indexed(rows.subject), classesIn(rows)]
  const lineOf = (grade: AnyRow) => {
    const { assessment_id: assessmentId, student_id: studentId, term_id: termId } = grade
    const yearId = term(termId, 'academic_year_id')
    return [
      year(yearId, 'name'),
      term(termId, 'name'),
      classOf(studentId, yearId),
      ...PUPIL.map((name) => student(studentId, name)),
      subject(assessment(assessmentId, 'subject_id'), 'name'),
      assessment(assessmentId, 'title'),
      ...OF_ASSESSMENT.map((name) => assessment(assessmentId, name)),
      ...OF_GRADE.map((name) => toCell(grade[name])),
    ]
  }
  return { head: ['year', 'term', 'class', ...PUPIL, 'subject', 'assessment', ...OF_ASSESSMENT, ...OF_GRADE], lineOf }
}

const OF_REPORT = ['overall_average', 'position', 'total_students', 'conduct', 'attendance_percentage', 'class_teacher_remark'] as const
const OF_ENTRY = ['coursework_average', 'exam_average', 'term_composite', 'year_grade'] as const

/** Every entry of every report book; no line where the report book is missing. */
export function readableReports(rows: SchoolRows): Readable {
  const [student, group, term] = [indexed(rows.student), indexed(rows.student_group), indexed(rows.term)]
  const [year, subject] = [indexed(rows.academic_year), indexed(rows.subject)]
  const ofBook = ['year', 'term', 'class', 'report_type', 'status', ...PUPIL, ...OF_REPORT]
  const books = new Map((rows.report_book ?? []).map((book) => [book.id, book]))
  const lineOf = (entry: AnyRow) => {
    const book = books.get(String(entry['report_book_id']))
    if (!book) return null
    return [
      year(book['academic_year_id'], 'name'),
      term(book['term_id'], 'name'),
      group(book['student_group_id'], 'name'),
      toCell(book['report_type']),
      toCell(book['status']),
      ...PUPIL.map((name) => student(book['student_id'], name)),
      ...OF_REPORT.map((name) => toCell(book[name])),
      subject(entry['subject_id'], 'name'),
      ...OF_ENTRY.map((name) => toCell(entry[name])),
      toCell(entry['manual_letter'] ?? entry['computed_letter']),
      toCell(entry['teacher_remark']),
    ]
  }
  return { head: [...ofBook, 'subject', ...OF_ENTRY, 'letter_grade', 'teacher_remark'], lineOf }
}

const OF_RESULT = ['subject', 'coursework_average', 'exam_average', 'result', 'letter_grade', 'position', 'total_students'] as const

export const RESULTS = ['year', 'term', 'class', 'last_name', 'first_name', ...OF_RESULT]

type Standing = Pick<ClassTerm['students'][number], 'student' | 'letter_grade' | 'position' | 'total_students'>

/** The results of every class, term and year as computed now; a line without a subject is the overall result. */
export async function writeResults(
  api: Api,
  { academic_year = [], term = [], student_group = [] }: SchoolRows,
  { write, progress }: { write: (line: Cell[]) => void; progress: Progress },
): Promise<void> {
  let done = 0
  for (const year of academic_year) {
    const terms = term.filter((each) => each['academic_year_id'] === year.id)
    for (const group of student_group.filter((each) => each['academic_year_id'] === year.id)) {
      progress('Computing the results', done / student_group.length)
      done += 1
      const add = (when: Cell, { student, letter_grade, position, total_students }: Standing, overall: Cell, subjects: Cell[][]) => {
        const start = [toCell(year['name']), when, toCell(group['name']), student.last_name, student.first_name]
        const whole = [null, null, null, overall, letter_grade, position, total_students]
        for (const line of [...subjects, whole]) write(RESULTS.map((_, at) => [...start, ...line][at] ?? null))
      }
      for (const each of terms) {
        const { students } = await api.calculations.classTerm({ query: { termId: each.id, studentGroupId: group.id } })
        for (const own of students) {
          const subjects = own.subjects.map((of) => [
            of.subject_name,
            of.coursework_average,
            of.exam_average,
            of.term_composite,
            of.letter_grade,
          ])
          add(toCell(each['name']), own, own.overall_average, subjects)
        }
      }
      const { students } = await api.calculations.classYear({ query: { academicYearId: year.id, studentGroupId: group.id } })
      for (const own of students) {
        const subjects = own.subjects.map((of) => [
          of.subject_name,
          of.coursework_total,
          of.end_of_year_exam,
          of.year_grade,
          of.letter_grade,
        ])
        add('year', own, own.year_overall, subjects)
      }
    }
  }
}
