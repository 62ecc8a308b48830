import { storyId } from './ids.ts'
import { hilltop, people, stBrigids } from './people.ts'
import { classTeacherRow, subjectTeacherRow, teacherRow, termRow, yearRow } from './rows.ts'

/** The present year, the one before it (`term_based`), and the neighbour's. */
export const thisYear = yearRow(storyId('year', 1, 1), stBrigids, '2025/26', 2025, 'year_based')
export const lastYear = yearRow(storyId('year', 1, 2), stBrigids, '2024/25', 2024, 'term_based')
export const hilltopYear = yearRow(storyId('year', 2, 1), hilltop, 'Hilltop-Marker year', 2025, 'year_based')
export const years = [thisYear, lastYear, hilltopYear]
export const activeYears = [thisYear, hilltopYear].map(({ id, school_id }) => ({ id: school_id, school_id, academic_year_id: id }))

export const michaelmas = termRow(thisYear, 'michaelmas', 60)
export const hilary = termRow(thisYear, 'hilary', 60)
export const trinity = termRow(thisYear, 'trinity', 70)
export const lastMichaelmas = termRow(lastYear, 'michaelmas', 50)
export const hilltopTerm = termRow(hilltopYear, 'michaelmas', 60)
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

export const groupAssignments = [
  teacherRow(people.byrne.id, class3B),
  teacherRow(people.ada.id, class3B),
  teacherRow(people.quinn.id, class3A),
  teacherRow(people.byrne.id, lastYears2B),
  teacherRow(people.markerTeacher.id, hilltopClass),
]
export const classTeachers = [
  classTeacherRow(people.byrne.id, class3B),
  classTeacherRow(people.quinn.id, class3A),
  classTeacherRow(people.byrne.id, lastYears2B),
  classTeacherRow(people.markerTeacher.id, hilltopClass),
]
export const subjectAssignments = [
  subjectTeacherRow(people.ada.id, maths.id, class3B),
  subjectTeacherRow(people.byrne.id, english.id, class3B),
  subjectTeacherRow(people.quinn.id, english.id, class3A),
  subjectTeacherRow(people.quinn.id, maths.id, class3A),
  subjectTeacherRow(people.markerTeacher.id, hilltopMaths.id, hilltopClass),
]
