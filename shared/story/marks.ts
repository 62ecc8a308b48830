import { naturalId } from '../ids.ts'
import { storyId } from './ids.ts'
import { hilltop, people, stBrigids } from './people.ts'
import { enrolmentRow } from './rows.ts'
import {
  class3A,
  class3B,
  english,
  hilary,
  hilltopClass,
  hilltopMaths,
  hilltopTerm,
  irish,
  maths,
  michaelmas,
  science,
  trinity,
} from './school-year.ts'

export const pupil = (
  school: 1 | 2,
  number: number,
  first_name: string,
  last_name: string,
  gender: 'male' | 'female' | 'other',
  date_of_birth: string | null,
) => ({
  id: storyId('student', school, number),
  school_id: school === 1 ? stBrigids : hilltop,
  first_name,
  last_name,
  gender,
  date_of_birth,
  enrollment_date: '2023-09-01',
  is_active: true,
  student_number: `${school === 1 ? 'SB' : 'HILLTOP-MARKER'}-${String(number).padStart(3, '0')}`,
})
/** Pupils of 3B. Élan Ó Briain has no mark in one exam; Zoë's first quiz is left out of the calculation. */
export const elan = pupil(1, 1, 'Élan', 'Ó Briain', 'male', '2011-03-04')
export const zoe = pupil(1, 2, 'Zoë', 'Adeyemi', 'female', '2011-07-19')
export const sean = pupil(1, 3, 'Seán', 'Murphy', 'male', '2011-01-30')
export const aoife = pupil(1, 4, 'Aoife', 'Murphy', 'female', '2010-12-02')
export const lukasz = pupil(1, 5, 'Łukasz', 'Wójcik', 'male', '2011-05-15')
export const mei = pupil(1, 6, 'Mei', 'Chen', 'other', null)
/** Pupils of 3A. */
export const oisin = pupil(1, 7, 'Oisín', 'Kelly', 'male', '2011-02-11')
export const fatima = pupil(1, 8, 'Fatima', 'Haddad', 'female', '2011-09-09')
/** A pupil who is in no class this year. */
export const wanderer = pupil(1, 9, 'Robin', 'Gallagher', 'other', null)
export const hilltopPupil = pupil(2, 1, 'Hilltop-Marker', 'Hilltop-Pupil', 'female', '2011-01-01')
export const pupilsOf3B = [elan, zoe, sean, aoife, lukasz, mei]
export const pupilsOf3A = [oisin, fatima]
export const students = [...pupilsOf3B, ...pupilsOf3A, wanderer, hilltopPupil]

export const enrolments = [
  ...pupilsOf3B.map((student) => enrolmentRow(student, class3B)),
  ...pupilsOf3A.map((student) => enrolmentRow(student, class3A)),
  enrolmentRow(hilltopPupil, hilltopClass),
]

let count = 0
const assessed = (
  term: typeof michaelmas,
  subject: { id: string; school_id: string },
  title: string,
  assessment_type: 'exam' | 'coursework',
  max_score: number,
  student_group_id: string | null = null,
) => {
  count += 1
  return {
    id: storyId('assessment', subject.school_id === stBrigids ? 1 : 2, count),
    school_id: subject.school_id,
    term_id: term.id,
    subject_id: subject.id,
    student_group_id,
    title,
    assessment_type,
    assessment_date: term.start_date,
    max_score,
    weight: null,
    is_excluded: false,
    exclusion_reason: null,
    sort_order: count,
    category_id: null,
    teaching_set_id: null,
    created_by: people.okafor.id,
  }
}
export const mathsQuiz = assessed(michaelmas, maths, 'Quiz 1', 'coursework', 20)
export const mathsHomework = assessed(michaelmas, maths, 'Homework', 'coursework', 10, class3B.id)
export const mathsExam = assessed(michaelmas, maths, 'Christmas exam', 'exam', 100)
export const englishEssay = assessed(michaelmas, english, 'Essay', 'coursework', 50)
export const englishExam = assessed(michaelmas, english, 'Christmas exam', 'exam', 100)
export const irishOral = assessed(michaelmas, irish, 'Oral', 'exam', 40)
export const scienceProject = assessed(hilary, science, 'Project', 'coursework', 30)
export const mathsHilary = assessed(hilary, maths, 'Spring test', 'exam', 60)
export const mathsTrinity = assessed(trinity, maths, 'Summer exam', 'exam', 100)
export const hilltopExam = { ...assessed(hilltopTerm, hilltopMaths, 'Hilltop-Marker exam', 'exam', 100), created_by: people.marker.id }
export const assessments = [
  mathsQuiz,
  mathsHomework,
  mathsExam,
  englishEssay,
  englishExam,
  irishOral,
  scienceProject,
  mathsHilary,
  mathsTrinity,
  hilltopExam,
]

type Mark = [score: number, more?: { is_excluded?: boolean; exclusion_reason?: string; remarks?: string }]
const gradesOf = (assessment: typeof mathsQuiz, pupils: readonly { id: string }[], marks: readonly (Mark | null)[]) =>
  pupils.flatMap((pupil, at) => {
    const mark = marks[at]
    if (!mark) return []
    const [score, more] = mark
    return [
      {
        id: naturalId('grade', assessment.id, pupil.id),
        school_id: assessment.school_id,
        assessment_id: assessment.id,
        term_id: assessment.term_id,
        student_id: pupil.id,
        score,
        remarks: more?.remarks ?? null,
        is_excluded: more?.is_excluded ?? false,
        exclusion_reason: more?.exclusion_reason ?? null,
        created_by: people.ada.id,
        updated_by: people.ada.id,
      },
    ]
  })
const marks = (...scores: (number | null)[]): (Mark | null)[] => scores.map((score) => (score === null ? null : [score]))
export const grades = [
  ...gradesOf(mathsQuiz, pupilsOf3B, [[17.5], [4, { is_excluded: true, exclusion_reason: 'was ill' }], [12], [20], [9.25], [14]]),
  ...gradesOf(mathsHomework, pupilsOf3B, marks(8, 9, 6.5, 10, 4, 7)),
  ...gradesOf(mathsExam, pupilsOf3B, marks(null, 71, 55, 96, 38.5, 67)),
  ...gradesOf(englishEssay, pupilsOf3B, [[41, { remarks: 'Lively, but hurried.' }], [33], [28], [47], [30], [36]]),
  ...gradesOf(englishExam, pupilsOf3B, marks(74, 62, 58, 88, 49, 71)),
  ...gradesOf(irishOral, pupilsOf3B, marks(31, 22, 19, 38, null, 26)),
  ...gradesOf(mathsHilary, pupilsOf3B, marks(44, 39, 31, 57, 22, 41)),
  ...gradesOf(mathsQuiz, pupilsOf3A, marks(11, 16)),
  ...gradesOf(mathsExam, pupilsOf3A, marks(52, 83)),
  ...gradesOf(hilltopExam, [hilltopPupil], [[77, { remarks: 'Hilltop-Marker remark' }]]),
]
