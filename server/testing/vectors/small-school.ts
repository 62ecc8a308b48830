import { naturalId } from '@markbook/shared/ids'
import { insertByTable } from '../../store/rows-by-table.ts'
import { asSystem } from '../../store/tx.ts'
import type { School } from '../school.ts'

const idOf = (number: number): string => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`
const person = (email: string, first_name: string, last_name: string) => ({
  id: naturalId('user', email),
  email,
  first_name,
  last_name,
  school_id: hill,
})

export const hill = idOf(1)
export const head = person('ruth.byrne@hill.example', 'Ruth', 'Byrne')
export const teacher = person('ada.nowak@hill.example', 'Ada', 'Nowak')
const year = idOf(2)
const term = idOf(3)
export const maths = idOf(4)
const group = idOf(5)
export const zoe = idOf(6)
const liam = idOf(7)
export const quiz = idOf(8)

const member = ({ id }: { id: string }, role: 'admin' | 'teacher') => ({
  id: naturalId('membership', id, hill),
  school_id: hill,
  user_id: id,
  role,
  is_active: true,
})
const pupil = (id: string, first_name: string, last_name: string) => ({
  id,
  school_id: hill,
  first_name,
  last_name,
  gender: 'other' as const,
  is_active: true,
})
const place = (student: string) => ({
  id: naturalId('enrolment', student, year),
  school_id: hill,
  student_id: student,
  student_group_id: group,
  academic_year_id: year,
  enrolled_at: '2026-01-05T08:00:00.000Z',
})
const made = { school_id: hill, academic_year_id: year }

/** The smallest school in which a teacher enters marks: every row that her laptop receives. */
const rows = {
  user_profile: [head, teacher],
  school: [{ id: hill, name: 'Hill School', school_type: 'primary' as const, is_active: true }],
  school_management: [member(head, 'admin'), member(teacher, 'teacher')],
  academic_year: [
    {
      id: year,
      school_id: hill,
      name: '2025/26',
      start_date: '2025-09-01',
      end_date: '2026-06-30',
      grading_model: 'term_based' as const,
      calculation_model: 'weighted_cumulative' as const,
    },
  ],
  active_year: [{ id: hill, ...made }],
  term: [
    {
      id: term,
      ...made,
      name: 'hilary' as const,
      start_date: '2026-01-07',
      end_date: '2026-03-28',
      exam_weight: 60,
      coursework_weight: 40,
      is_ministry_reporting: false,
      sort_order: 2,
    },
  ],
  subject: [{ id: maths, school_id: hill, name: 'Mathematics', code: 'MA', sort_order: 1, is_active: true }],
  student: [pupil(zoe, 'Zoë', 'Adeyemi'), pupil(liam, 'Liam', 'Fox')],
  student_group: [{ id: group, ...made, name: '1A', created_by: head.id }],
  teacher_group_assignment: [
    {
      id: naturalId('teacher_group_assignment', teacher.id, group),
      ...made,
      user_profile_id: teacher.id,
      student_group_id: group,
    },
  ],
  teacher_subject_assignment: [
    {
      id: naturalId('teacher_subject_assignment', teacher.id, maths, group),
      ...made,
      user_profile_id: teacher.id,
      subject_id: maths,
      student_group_id: group,
    },
  ],
  enrolment: [place(zoe), place(liam)],
  assessment: [
    {
      id: quiz,
      school_id: hill,
      term_id: term,
      subject_id: maths,
      student_group_id: group,
      title: 'Fractions',
      assessment_type: 'coursework' as const,
      max_score: 10,
      is_excluded: false,
      sort_order: 1,
      created_by: teacher.id,
    },
  ],
  grade: [
    { id: markOf(zoe), school_id: hill, assessment_id: quiz, term_id: term, student_id: zoe, score: 6, is_excluded: false },
    { id: markOf(liam), school_id: hill, assessment_id: quiz, term_id: term, student_id: liam, score: 9, is_excluded: false },
  ],
}

export function markOf(student: string): string {
  return naturalId('grade', quiz, student)
}

export const openSmallSchool = ({ services }: School): Promise<void> => services.store.write(asSystem(), (tx) => insertByTable(tx, rows))
