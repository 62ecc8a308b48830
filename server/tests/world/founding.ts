import { naturalId } from '@markbook/shared/ids'
import type { NewRow, WriteTx } from '../../store/tx.ts'

/** A school of the world with its people. Ids follow from the number, so that every seed begins alike. */
export type Founded = {
  id: string
  admins: readonly string[]
  teachers: readonly string[]
  years: readonly string[]
  groups: readonly string[]
  subjects: readonly string[]
}

const idOf = (kind: number, school: number, number: number) =>
  `0190000${school}-${String(kind).padStart(4, '0')}-7000-8000-${String(number).padStart(12, '0')}`

const emailOf = (school: number, at: number) => `p${at}@school${school}.test`

const known = new Map<number, Founded>()
export function founded(school: number): Founded {
  const made = known.get(school) ?? foundingOf(school)
  known.set(school, made)
  return made
}

function foundingOf(school: number): Founded {
  const many = (kind: number, count: number) => Array.from({ length: count }, (_, at) => idOf(kind, school, at + 1))
  const people = Array.from({ length: 5 }, (_, at) => naturalId('user', emailOf(school, at)))
  return {
    id: idOf(1, school, 1),
    admins: people.slice(0, 2),
    teachers: people.slice(2),
    years: many(3, 2),
    groups: many(4, 2),
    subjects: many(5, 3),
  }
}

const TERMS = ['michaelmas', 'hilary'] as const

/** Puts the school's rows into a database: two administrators, three teachers, two classes of four, three subjects, a few marks. */
export async function found(tx: WriteTx, number: number): Promise<void> {
  const school = founded(number)
  const { id, admins, teachers, years, subjects } = school
  const [year = '', other = ''] = years
  const people = [...admins, ...teachers]
  await tx.insert(
    'user_profile',
    people.map((user, at) => ({
      id: user,
      email: emailOf(number, at),
      first_name: `P${at}`,
      last_name: `of ${number}`,
      school_id: id,
    })),
  )
  await tx.insert('school', [{ id, name: `School ${number}`, school_type: 'secondary', is_active: true }])
  await tx.insert(
    'school_management',
    people.map((user) => ({
      id: naturalId('membership', user, id),
      school_id: id,
      user_id: user,
      role: admins.includes(user) ? ('admin' as const) : ('teacher' as const),
      is_active: true,
    })),
  )
  const dates = { start_date: '2025-09-01', end_date: '2026-06-30' }
  await tx.insert(
    'academic_year',
    [year, other].map((each, at) => ({
      id: each,
      school_id: id,
      name: `Year ${at}`,
      ...dates,
      grading_model: 'term_based' as const,
      calculation_model: 'weighted_cumulative' as const,
    })),
  )
  await tx.insert('active_year', [{ id, school_id: id, academic_year_id: year }])
  const term = (name: (typeof TERMS)[number], at: number): NewRow<'term'> => ({
    id: naturalId('term', year, name),
    school_id: id,
    academic_year_id: year,
    name,
    start_date: `2025-1${at}-01`,
    end_date: `2025-1${at}-28`,
    exam_weight: 60,
    coursework_weight: 40,
    is_ministry_reporting: false,
    sort_order: at,
  })
  await tx.insert('term', TERMS.map(term))
  await tx.insert(
    'subject',
    subjects.map((each, at) => ({ id: each, school_id: id, name: `Subject ${at}`, code: `S${at}`, sort_order: at, is_active: true })),
  )
  await foundClasses(tx, number, school)
}

async function foundClasses(tx: WriteTx, number: number, { id, admins, teachers, years, groups, subjects }: Founded): Promise<void> {
  const [year = ''] = years
  const [first = ''] = teachers
  const place = { school_id: id, academic_year_id: year }
  await tx.insert(
    'student_group',
    groups.map((each, at) => ({ id: each, ...place, name: `${at + 1}A`, created_by: admins[0] ?? null })),
  )
  const taught = groups.flatMap((group, at) => [first, teachers[at + 1] ?? first].map((user) => ({ group, user })))
  await tx.insert(
    'teacher_group_assignment',
    taught.map(({ group, user }) => ({
      id: naturalId('teacher_group_assignment', user, group),
      ...place,
      user_profile_id: user,
      student_group_id: group,
    })),
  )
  await tx.insert(
    'class_teacher',
    groups.map((group, at) => ({ id: group, school_id: id, student_group_id: group, user_profile_id: teachers[at + 1] ?? first })),
  )
  await tx.insert(
    'teacher_subject_assignment',
    taught.flatMap(({ group, user }) =>
      subjects.map((subject) => ({
        id: naturalId('teacher_subject_assignment', user, subject, group),
        ...place,
        user_profile_id: user,
        subject_id: subject,
        student_group_id: group,
      })),
    ),
  )
  const students = groups.flatMap((group, at) =>
    [1, 2, 3, 4].map((each) => ({ group, id: idOf(6, number, at * 4 + each), at: at * 4 + each })),
  )
  await tx.insert(
    'student',
    students.map((each) => ({
      id: each.id,
      school_id: id,
      first_name: `F${each.at}`,
      last_name: `L${each.at}`,
      gender: 'other' as const,
      is_active: true,
      student_number: `N${each.at}`,
      sort_key: '',
      search_key: '',
    })),
  )
  await tx.insert(
    'enrolment',
    students.map((each) => ({
      id: naturalId('enrolment', each.id, year),
      ...place,
      student_id: each.id,
      student_group_id: each.group,
      enrolled_at: tx.now,
    })),
  )
  await foundMarks(
    tx,
    id,
    naturalId('term', year, 'michaelmas'),
    subjects,
    groups,
    students.map((each) => each.id),
  )
}

async function foundMarks(
  tx: WriteTx,
  school: string,
  term: string,
  subjects: readonly string[],
  groups: readonly string[],
  students: readonly string[],
): Promise<void> {
  const assessments: NewRow<'assessment'>[] = subjects.map((subject, at) => ({
    id: `${subject.slice(0, -4)}9${String(at).padStart(3, '0')}`,
    school_id: school,
    term_id: term,
    subject_id: subject,
    student_group_id: at === 2 ? (groups[1] ?? null) : null,
    title: `Test ${at}`,
    assessment_type: 'exam',
    max_score: 100,
    is_excluded: false,
  }))
  await tx.insert('assessment', assessments)
  const marked = assessments.slice(0, 2).flatMap(({ id }) => students.map((student) => ({ assessment: id, student })))
  await tx.insert(
    'grade',
    marked.map(({ assessment, student }, at) => ({
      id: naturalId('grade', assessment, student),
      school_id: school,
      assessment_id: assessment,
      term_id: term,
      student_id: student,
      score: 20 + at / 100,
      is_excluded: false,
    })),
  )
}
