import type Database from 'better-sqlite3'

type Mark = {
  student_id: string
  first_name: string
  last_name: string
  subject_id: string
  subject_name: string
  subject_code: string
  assessment_type: 'exam' | 'coursework'
  max_score: number
  weight: number | null
  score: number
  exam_weight: number
  coursework_weight: number
}
type Subject = Pick<Mark, 'subject_id' | 'subject_name' | 'subject_code'> & {
  sums: Record<Mark['assessment_type'], { parts: number; weights: number }>
}
type Student = Pick<Mark, 'student_id' | 'first_name' | 'last_name'> & { subjects: Map<string, Subject> }

const BANDS: readonly [string, number, string][] = [
  ['A+', 90, 'Outstanding'],
  ['A', 80, 'Excellent'],
  ['B', 70, 'Very good'],
  ['C', 60, 'Good'],
  ['D', 50, 'Pass'],
  ['F', 0, 'Fail'],
]
const bandOf = (value: number | null) => BANDS.find(([, minimum]) => value !== null && value >= minimum) ?? null
const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100)
const meanOf = ({ parts, weights }: { parts: number; weights: number }) => (weights === 0 ? null : parts / weights)

/**
 * The results of a class in a term: one join with `.all()`, one loop over its rows, in floating point. `cross join` makes SQLite keep this
 * order of the tables; otherwise it reads every mark of the school, six times slower.
 */
export function naiveTerm(database: Database.Database) {
  const marks = database.prepare<[string, string, string], Mark>(`
    select s.id as student_id, s.first_name, s.last_name, j.id as subject_id, j.name as subject_name, j.code as subject_code,
      a.assessment_type, a.max_score, a.weight, g.score, t.exam_weight, t.coursework_weight
    from enrolment e
    cross join student s on s.school_id = e.school_id and s.id = e.student_id
    cross join term t on t.school_id = e.school_id and t.id = ?
    cross join grade g on g.school_id = e.school_id and g.student_id = e.student_id and g.term_id = t.id and not g.is_excluded
    cross join assessment a on a.school_id = g.school_id and a.id = g.assessment_id and not a.is_excluded
      and (a.student_group_id is null or a.student_group_id = e.student_group_id)
    cross join subject j on j.school_id = a.school_id and j.id = a.subject_id
    where e.school_id = ? and e.student_group_id = ?
    order by s.sort_key, s.id, j.sort_order`)
  return (school: string, group: string, term: string) => {
    const students = new Map<string, Student>()
    const rows = marks.all(term, school, group)
    for (const { student_id, first_name, last_name, subject_id, subject_name, subject_code, ...mark } of rows) {
      let student = students.get(student_id)
      if (!student) {
        student = { student_id, first_name, last_name, subjects: new Map() }
        students.set(student_id, student)
      }
      let subject = student.subjects.get(subject_id)
      if (!subject) {
        const sums = { exam: { parts: 0, weights: 0 }, coursework: { parts: 0, weights: 0 } }
        subject = { subject_id, subject_name, subject_code, sums }
        student.subjects.set(subject_id, subject)
      }
      const sum = subject.sums[mark.assessment_type]
      const weight = mark.weight ?? 1
      sum.parts += (weight * 100 * mark.score) / mark.max_score
      sum.weights += weight
    }
    return { term_id: term, student_group_id: group, students: ranked(term, [...students.values()], rows[0]) }
  }
}

function ranked(term: string, students: Student[], weights: Mark | undefined) {
  const results = students.map((student) => resultOf(student, weights))
  const overalls = results.map(({ overall_average }) => overall_average ?? -1)
  return results.map((result) => ({
    ...result,
    term_id: term,
    position: result.overall_average === null ? null : 1 + overalls.filter((other) => other > (result.overall_average ?? 0)).length,
    total_students: students.length,
  }))
}

function resultOf({ student_id, first_name, last_name, subjects }: Student, weights: Mark | undefined) {
  const [exam_weight, coursework_weight] = [weights?.exam_weight ?? 0, weights?.coursework_weight ?? 0]
  const figures = [...subjects.values()].map(({ sums, ...subject }) => {
    const [coursework, exam] = [meanOf(sums.coursework), meanOf(sums.exam)]
    const both = coursework !== null && exam !== null
    const term_composite = rounded(both ? (coursework * coursework_weight + exam * exam_weight) / 100 : (coursework ?? exam))
    const [letter_grade = null, , remark = null] = bandOf(term_composite) ?? []
    return {
      ...subject,
      coursework_average: rounded(coursework),
      exam_average: rounded(exam),
      term_composite,
      letter_grade,
      remark,
      is_partial: !both,
    }
  })
  const composites = figures.flatMap(({ term_composite }) => term_composite ?? [])
  const overall_average = composites.length === 0 ? null : rounded(composites.reduce((sum, value) => sum + value, 0) / composites.length)
  const student = { id: student_id, first_name, last_name }
  return { student_id, student, subjects: figures, overall_average, letter_grade: bandOf(overall_average)?.[0] ?? null }
}
