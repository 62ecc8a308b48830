import { repeatableIds } from '@markbook/server/testing/clock'
import { naturalId } from '@markbook/shared/ids'
import {
  classTeacherRow,
  enrolmentRow,
  membershipRow,
  profileRow,
  schoolRow,
  subjectTeacherRow,
  type TermName,
  teacherRow,
  termNames,
  termRow,
  yearRow,
} from '@markbook/shared/story/rows'

/** `marks`: the first 100,000 marks of *year*, to measure replication with. */
export type Size = 'year' | 'big' | 'marks'
const YEARS: Record<Size, number> = { year: 1, big: 5, marks: 1 }
export const MARKS: Record<Size, number> = { year: Number.POSITIVE_INFINITY, big: Number.POSITIVE_INFINITY, marks: 100_000 }

/** The date of all rows in the filled databases. */
export const OPENED = Date.parse('2025-09-01T08:00:00.000Z')

type Ids = () => string
type Dated = { id: string; school_id: string }
type Assessment = ReturnType<typeof assessment>
/** A class in one of its terms: its pupils and its assessments, all of which have marks. */
export type Marked = {
  group: Dated & { academic_year_id: string }
  term: { id: string }
  pupils: readonly Dated[]
  assessments: Assessment[]
}

const person = (email: string, first_name: string, last_name: string, school_id: string) =>
  profileRow({ id: naturalId('user', email), email, first_name, last_name, school_id })

export const pupil = (newId: Ids, school_id: string, number: number) => ({
  id: newId(),
  school_id,
  first_name: `Pupil${String((number * 271) % 997).padStart(3, '0')}`,
  last_name: `Family${String((number * 379) % 991).padStart(3, '0')}`,
  gender: number % 2 === 0 ? ('female' as const) : ('male' as const),
  date_of_birth: '2011-03-04',
  enrollment_date: '2021-09-01',
  is_active: true,
  student_number: `B-${String(number).padStart(4, '0')}`,
})

export const assessment = (newId: Ids, { school_id, id }: Dated, term_id: string, subject_id: string, at: number) => ({
  id: newId(),
  school_id,
  term_id,
  subject_id,
  student_group_id: id,
  title: `Assessment ${at + 1}`,
  assessment_type: at % 4 === 3 ? ('exam' as const) : ('coursework' as const),
  assessment_date: null,
  max_score: 100,
  weight: at % 3 === 0 ? null : at % 3,
  is_excluded: false,
  exclusion_reason: null,
  sort_order: at + 1,
  created_by: null,
})

/** The counts: years, classes of each year, pupils of each class, assessments of each subject and term. */
type Plan = {
  name: string
  /** The domain of its e-mail addresses. */
  domain: string
  newId: Ids
  years: number
  classes: number
  pupils: number
  subjects: number
  assessments: number
  terms: readonly TermName[]
}

/** A school without its marks. Each class keeps its pupils in every year, so that a pupil of five years has marks of five. */
export function makeSchool({ name, domain, newId, ...plan }: Plan) {
  const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
  const school = newId()
  const head = person(`head@${domain}`, 'Hannah', 'Head', school)
  const teachers = times(plan.classes, (at) => person(`teacher${at + 1}@${domain}`, 'Terry', `Teacher${at + 1}`, school))
  const subjects = times(plan.subjects, (at) => {
    const number = at + 1
    return { id: newId(), school_id: school, name: `Subject ${number}`, code: `S${number}`, sort_order: number, is_active: true }
  })
  const pupils = times(plan.classes * plan.pupils, (at) => pupil(newId, school, at))
  const pupilsOf = (at: number) => pupils.slice((at % plan.classes) * plan.pupils, ((at % plan.classes) + 1) * plan.pupils)
  const academicYears = times(plan.years, (at) => {
    const start = 2026 - plan.years + at
    return yearRow(newId(), school, `${start}/${start + 1}`, start, 'year_based')
  })
  const terms = academicYears.flatMap((parent) => plan.terms.map((name) => termRow(parent, name, 60)))
  const groups = academicYears.flatMap(({ id }) =>
    times(plan.classes, (at) => ({ id: newId(), school_id: school, name: `Class ${at + 1}`, academic_year_id: id, created_by: null })),
  )
  const teacherOf = (at: number) => (teachers[at % plan.classes] as Dated).id
  const marked = groups.flatMap((group, at) =>
    terms
      .filter(({ academic_year_id }) => academic_year_id === group.academic_year_id)
      .map((own): Marked => {
        const assessments = subjects.flatMap(({ id }) => times(plan.assessments, (number) => assessment(newId, group, own.id, id, number)))
        return { group, term: own, pupils: pupilsOf(at), assessments }
      }),
  )
  const lastYear = academicYears.at(-1) as (typeof academicYears)[number]
  return {
    id: school,
    head,
    teachers,
    /** The newest year. */
    year: lastYear,
    marked,
    /** By table, parents first. */
    rows: {
      school: [schoolRow(school, name, null)],
      user_profile: [head, ...teachers],
      school_management: [membershipRow(head.id, school, 'admin'), ...teachers.map(({ id }) => membershipRow(id, school, 'teacher'))],
      academic_year: academicYears,
      active_year: [{ id: school, school_id: school, academic_year_id: lastYear.id }],
      term: terms,
      subject: subjects,
      student: pupils,
      student_group: groups,
      teacher_group_assignment: groups.map((group, at) => teacherRow(teacherOf(at), group)),
      class_teacher: groups.map((group, at) => classTeacherRow(teacherOf(at), group)),
      teacher_subject_assignment: groups.flatMap((group, at) => subjects.map(({ id }) => subjectTeacherRow(teacherOf(at), id, group))),
      enrolment: groups.flatMap((group, at) => pupilsOf(at).map((student) => enrolmentRow(student, group))),
    },
  }
}

/** The school for the measurements: *year* has one year of it, *big* has five. */
const PLAN = { name: 'Bench School', domain: 'bench.example', classes: 17, pupils: 40, subjects: 12, assessments: 8, terms: termNames }
const MARKS_OF_CLASS = PLAN.pupils * PLAN.subjects * PLAN.assessments

function makeBenchSchool(size: Size) {
  const school = makeSchool({ ...PLAN, years: YEARS[size], newId: repeatableIds({ now: () => OPENED }, 'bench') })
  school.marked.splice(Math.ceil(MARKS[size] / MARKS_OF_CLASS))
  const { marked, year } = school
  /** The assessments of the newest year, which the requests are about. */
  return { ...school, markedNow: marked.filter(({ group }) => group.academic_year_id === year.id) }
}

const known = new Map<Size, ReturnType<typeof makeBenchSchool>>()

/** The school of a size, the same each time; without marks, which `marksIn` makes. */
export function benchSchool(size: Size) {
  const school = known.get(size) ?? makeBenchSchool(size)
  known.set(size, school)
  return school
}

/** A pseudo-random number from 0 to 2^32 - 1, the same for the same two numbers. */
function mixed(a: number, b: number): number {
  let hash = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * The marks of a class in a term. `number`: the place of the class in the school, so that classes differ. About one mark in a hundred is
 * missing.
 */
export const marksIn = ({ pupils, assessments }: Marked, number: number) =>
  assessments.flatMap(({ id, school_id, term_id }, at) =>
    pupils.map((student, seat) => {
      const chance = mixed(number * 1_000 + at, seat)
      return {
        id: naturalId('grade', id, student.id),
        school_id,
        assessment_id: id,
        term_id,
        student_id: student.id,
        score: 20 + (chance % 161) / 2,
        remarks: null,
        is_excluded: chance % 101 === 0,
        exclusion_reason: null,
      }
    }),
  )
