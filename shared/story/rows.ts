// Rows as the program would first write them, for the story, the demonstration and the benchmark.
import { naturalId } from '../ids.ts'

type OfSchool = { id: string; school_id: string }
type Group = OfSchool & { academic_year_id: string }
type Named = { id: string; email: string; first_name: string | null; last_name: string | null; school_id: string | null }

export const schoolRow = (id: string, name: string, address: string | null) => ({
  id,
  name,
  code: null,
  school_type: 'secondary' as const,
  address,
  email: null,
  phone: null,
  is_active: true,
})

export const profileRow = ({ id, email, first_name, last_name, school_id }: Named) => ({
  id,
  email,
  first_name,
  last_name,
  avatar_path: null,
  avatar_updated_at: null,
  school_id,
})

export const membershipRow = (user_id: string, school_id: string, role: 'admin' | 'teacher' | 'member', is_active = true) => ({
  id: naturalId('membership', user_id, school_id),
  school_id,
  user_id,
  role,
  is_active,
})

export const yearRow = (id: string, school_id: string, name: string, start: number, grading_model: 'term_based' | 'year_based') => ({
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

const dates = { michaelmas: ['09-01', '12-20'], hilary: ['01-07', '03-28'], trinity: ['04-14', '06-30'] } as const
export type TermName = keyof typeof dates
export const termNames = Object.keys(dates) as TermName[]

export const termRow = (parent: OfSchool & { start_date: string }, name: TermName, exam_weight: number) => {
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
    sort_order: termNames.indexOf(name) + 1,
  }
}

export const teacherRow = (user: string, { id, school_id, academic_year_id }: Group) => ({
  id: naturalId('teacher_group_assignment', user, id),
  school_id,
  user_profile_id: user,
  student_group_id: id,
  academic_year_id,
})

export const subjectTeacherRow = (user: string, subject_id: string, { id, school_id, academic_year_id }: Group) => ({
  id: naturalId('teacher_subject_assignment', user, subject_id, id),
  school_id,
  user_profile_id: user,
  subject_id,
  student_group_id: id,
  academic_year_id,
})

export const classTeacherRow = (user: string, { id, school_id }: OfSchool) => ({
  id,
  school_id,
  student_group_id: id,
  user_profile_id: user,
})

export const enrolmentRow = (student: { id: string }, { id, school_id, academic_year_id }: Group) => ({
  id: naturalId('enrolment', student.id, academic_year_id),
  school_id,
  student_id: student.id,
  student_group_id: id,
  academic_year_id,
  enrolled_at: '2025-09-01T08:00:00.000Z',
})
