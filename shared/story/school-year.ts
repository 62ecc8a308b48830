import { naturalId } from '../ids.ts'
import { storyId } from './ids.ts'
import { hilltop, people, stBrigids } from './people.ts'

type Model = 'term_based' | 'year_based'
const year = (id: string, school_id: string, name: string, start: number, grading_model: Model) => ({
  id,
  school_id,
  name,
  start_date: `${start}-09-01`,
  end_date: `${start + 1}-06-30`,
  grading_model,
  calculation_model: grading_model === 'term_based' ? ('weighted_cumulative' as const) : ('weighted_continuous' as const),
  year_exam_weight: grading_model === 'term_based' ? null : 60,
  year_coursework_weight: grading_model === 'term_based' ? null : 40,
})
/** The year that runs, the one before it (counted by terms), and the neighbour's. */
export const thisYear = year(storyId('year', 1, 1), stBrigids, '2025/26', 2025, 'year_based')
export const lastYear = year(storyId('year', 1, 2), stBrigids, '2024/25', 2024, 'term_based')
export const hilltopYear = year(storyId('year', 2, 1), hilltop, 'Hilltop-Marker year', 2025, 'year_based')
export const years = [thisYear, lastYear, hilltopYear]
export const activeYears = [thisYear, hilltopYear].map(({ id, school_id }) => ({ id: school_id, school_id, academic_year_id: id }))

const dates = { michaelmas: ['09-01', '12-20'], hilary: ['01-07', '03-28'], trinity: ['04-14', '06-30'] } as const
type TermName = keyof typeof dates
const term = (parent: typeof thisYear, name: TermName, exam_weight: number) => {
  const calendar = (day: string) => `${Number(parent.start_date.slice(0, 4)) + (name === 'michaelmas' ? 0 : 1)}-${day}`
  return {
    id: naturalId('term', parent.id, name),
    school_id: parent.school_id,
    academic_year_id: parent.id,
    name,
    start_date: calendar(dates[name][0]),
    end_date: calendar(dates[name][1]),
    exam_weight,
    coursework_weight: 100 - exam_weight,
    is_ministry_reporting: name === 'trinity',
    sort_order: Object.keys(dates).indexOf(name) + 1,
  }
}
export const michaelmas = term(thisYear, 'michaelmas', 60)
export const hilary = term(thisYear, 'hilary', 60)
export const trinity = term(thisYear, 'trinity', 70)
export const lastMichaelmas = term(lastYear, 'michaelmas', 50)
export const hilltopTerm = term(hilltopYear, 'michaelmas', 60)
export const terms = [michaelmas, hilary, trinity, lastMichaelmas, hilltopTerm]

const subject = (school: 1 | 2, number: number, name: string, code: string) => ({
  id: storyId('subject', school, number),
  school_id: school === 1 ? stBrigids : hilltop,
  name,
  code,
  sort_order: number,
  is_active: true,
})
export const maths = subject(1, 1, 'Mathematics', 'MA')
export const english = subject(1, 2, 'English', 'EN')
export const irish = subject(1, 3, 'Irish', 'GA')
export const science = subject(1, 4, 'Science', 'SC')
export const hilltopMaths = subject(2, 1, 'Hilltop-Marker maths', 'HMA')
export const subjects = [maths, english, irish, science, hilltopMaths]

const group = (school: 1 | 2, number: number, name: string, parent: typeof thisYear, created_by: string) => ({
  id: storyId('class', school, number),
  school_id: parent.school_id,
  name,
  academic_year_id: parent.id,
  created_by,
})
export const class3B = group(1, 1, '3B', thisYear, people.byrne.id)
export const class3A = group(1, 2, '3A', thisYear, people.quinn.id)
export const lastYears2B = group(1, 3, '2B', lastYear, people.byrne.id)
export const hilltopClass = group(2, 1, 'Hilltop-Marker class', hilltopYear, people.markerTeacher.id)
export const classes = [class3B, class3A, lastYears2B, hilltopClass]

type Group = typeof class3B
const teacherOf = (user: string, { id, school_id, academic_year_id }: Group) => ({
  id: naturalId('teacher_group_assignment', user, id),
  school_id,
  user_profile_id: user,
  student_group_id: id,
  academic_year_id,
})
const subjectTeacherOf = (user: string, subject_id: string, { id, school_id, academic_year_id }: Group) => ({
  id: naturalId('teacher_subject_assignment', user, subject_id, id),
  school_id,
  user_profile_id: user,
  subject_id,
  student_group_id: id,
  academic_year_id,
})
const classTeacherOf = (user: string, { id, school_id }: Group) => ({ id, school_id, student_group_id: id, user_profile_id: user })

export const groupAssignments = [
  teacherOf(people.byrne.id, class3B),
  teacherOf(people.ada.id, class3B),
  teacherOf(people.quinn.id, class3A),
  teacherOf(people.byrne.id, lastYears2B),
  teacherOf(people.markerTeacher.id, hilltopClass),
]
export const classTeachers = [
  classTeacherOf(people.byrne.id, class3B),
  classTeacherOf(people.quinn.id, class3A),
  classTeacherOf(people.byrne.id, lastYears2B),
  classTeacherOf(people.markerTeacher.id, hilltopClass),
]
export const subjectAssignments = [
  subjectTeacherOf(people.ada.id, maths.id, class3B),
  subjectTeacherOf(people.byrne.id, english.id, class3B),
  subjectTeacherOf(people.quinn.id, english.id, class3A),
  subjectTeacherOf(people.quinn.id, maths.id, class3A),
  subjectTeacherOf(people.markerTeacher.id, hilltopMaths.id, hilltopClass),
]
