import type { Client } from '@markbook/shared/contract/client'
import type { contract } from '@markbook/shared/contract/contract'
import type { Cell } from '../documents/table.ts'
import { toCell } from './cells.ts'
import type { AnyRow, SchoolRows } from './rows.ts'

type Api = Client<typeof contract>
export type Table = { head: string[]; rows: Cell[][] }

const indexed = (rows: readonly AnyRow[] = []) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return (id: unknown, name: string): Cell => toCell(byId.get(String(id))?.[name])
}

/** The classes of each pupil and year, by their ids. */
function classesIn({ enrolment = [], student_group = [] }: SchoolRows) {
  const names = indexed(student_group)
  const byPlace = new Map(
    enrolment.map((row) => [`${row['student_id']}:${row['academic_year_id']}`, names(row['student_group_id'], 'name')]),
  )
  return (student: unknown, year: unknown): Cell => byPlace.get(`${student}:${year}`) ?? null
}

/** Every mark with the words that a person looks for: whose, in what, of how many. */
export function marksTable(rows: SchoolRows): Table {
  const [student, assessment, term, year, subject] = [rows.student, rows.assessment, rows.term, rows.academic_year, rows.subject].map(
    indexed,
  )
  if (!student || !assessment || !term || !year || !subject) throw new Error('an export reads these tables')
  const classOf = classesIn(rows)
  const head = ['year', 'term', 'class', 'student_number', 'last_name', 'first_name', 'subject', 'assessment', 'assessment_type']
  head.push('assessment_date', 'max_score', 'score', 'is_excluded', 'remarks')
  const lines = (rows.grade ?? []).map((grade) => {
    const { assessment_id: asked, student_id: who, term_id: when } = grade
    const yearId = term(when, 'academic_year_id')
    return [
      year(yearId, 'name'),
      term(when, 'name'),
      classOf(who, yearId),
      student(who, 'student_number'),
      student(who, 'last_name'),
      student(who, 'first_name'),
      subject(assessment(asked, 'subject_id'), 'name'),
      assessment(asked, 'title'),
      assessment(asked, 'assessment_type'),
      assessment(asked, 'assessment_date'),
      assessment(asked, 'max_score'),
      toCell(grade['score']),
      toCell(grade['is_excluded']),
      toCell(grade['remarks']),
    ]
  })
  return { head, rows: sorted(lines) }
}

/** Every line of every report book. */
export function reportsTable(rows: SchoolRows): Table {
  const [student, group, term, year, subject] = [rows.student, rows.student_group, rows.term, rows.academic_year, rows.subject].map(indexed)
  if (!student || !group || !term || !year || !subject) throw new Error('an export reads these tables')
  const head = [
    'year',
    'term',
    'class',
    'report_type',
    'status',
    'student_number',
    'last_name',
    'first_name',
    'overall_average',
    'position',
  ]
  head.push('total_students', 'conduct', 'attendance_percentage', 'class_teacher_remark')
  head.push('subject', 'coursework_average', 'exam_average', 'term_composite', 'year_grade', 'letter_grade', 'teacher_remark')
  const entries = groupsBy(rows.report_book_entry ?? [], 'report_book_id')
  const lines = (rows.report_book ?? []).flatMap((book) => {
    const who = book['student_id']
    const common = [
      year(book['academic_year_id'], 'name'),
      term(book['term_id'], 'name'),
      group(book['student_group_id'], 'name'),
      toCell(book['report_type']),
      toCell(book['status']),
      student(who, 'student_number'),
      student(who, 'last_name'),
      student(who, 'first_name'),
      ...['overall_average', 'position', 'total_students', 'conduct', 'attendance_percentage', 'class_teacher_remark'].map((name) =>
        toCell(book[name]),
      ),
    ]
    return (entries.get(book.id) ?? []).map((entry) => [
      ...common,
      subject(entry['subject_id'], 'name'),
      ...['coursework_average', 'exam_average', 'term_composite', 'year_grade'].map((name) => toCell(entry[name])),
      toCell(entry['manual_letter'] ?? entry['computed_letter']),
      toCell(entry['teacher_remark']),
    ])
  })
  return { head, rows: sorted(lines) }
}

const RESULT_HEAD = [
  'year',
  'term',
  'class',
  'last_name',
  'first_name',
  'subject',
  'coursework_average',
  'exam_average',
  'result',
  'letter_grade',
]

/** What the service computes today for every class, term and year; a line without a subject is the whole. */
export async function resultsTable(api: Api, { academic_year = [], term = [], student_group = [] }: SchoolRows): Promise<Table> {
  const lines: Cell[][] = []
  for (const year of academic_year) {
    const classes = student_group.filter((group) => group['academic_year_id'] === year.id)
    const terms = term.filter((each) => each['academic_year_id'] === year.id)
    for (const group of classes) {
      const place = [toCell(year['name']), toCell(group['name'])] as const
      for (const each of terms) {
        const { students } = await api.calculations.classTerm({ query: { termId: each.id, studentGroupId: group.id } })
        for (const one of students) {
          const start = [place[0], toCell(each['name']), place[1], one.student.last_name, one.student.first_name]
          for (const line of one.subjects)
            lines.push([...start, line.subject_name, line.coursework_average, line.exam_average, line.term_composite, line.letter_grade])
          lines.push([...start, null, null, null, one.overall_average, one.letter_grade, one.position, one.total_students])
        }
      }
      const { students } = await api.calculations.classYear({ query: { academicYearId: year.id, studentGroupId: group.id } })
      for (const one of students) {
        const start = [place[0], 'year', place[1], one.student.last_name, one.student.first_name]
        for (const line of one.subjects)
          lines.push([...start, line.subject_name, line.coursework_total, line.end_of_year_exam, line.year_grade, line.letter_grade])
        lines.push([...start, null, null, null, one.year_overall, one.letter_grade, one.position, one.total_students])
      }
    }
  }
  const head = [...RESULT_HEAD, 'position', 'total_students']
  return { head, rows: lines.map((line) => head.map((_, at) => line[at] ?? null)) }
}

function groupsBy(rows: readonly AnyRow[], name: string): Map<string, AnyRow[]> {
  const groups = new Map<string, AnyRow[]>()
  for (const row of rows) {
    const key = String(row[name])
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

const sorted = (lines: Cell[][]): Cell[][] =>
  lines
    .map((line) => ({ line, key: line.map((cell) => cell ?? '').join('\u0001') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ line }) => line)
