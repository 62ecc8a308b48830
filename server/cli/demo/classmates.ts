import { naturalId } from '@markbook/shared/ids'
import { storyId } from '@markbook/shared/story/ids'
import {
  englishEssay,
  englishExam,
  irishOral,
  mathsExam,
  mathsHilary,
  mathsHomework,
  mathsQuiz,
  mathsTrinity,
  pupil,
  pupilsOf3A,
  pupilsOf3B,
  scienceProject,
} from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { enrolmentRow, subjectTeacherRow, teacherRow } from '@markbook/shared/story/rows'
import { class3A, class3B, english, hilary, irish, maths, michaelmas, science, trinity } from '@markbook/shared/story/school-year'
import { story } from '@markbook/shared/story/story'

/** First names, a boy's and a girl's by turns, each with a family name. */
const NAMES_3B =
  'Daniel Byrne,Saoirse Brennan,Conor Walsh,Grace Okoye,Finn Doherty,Hannah Fitzgerald,Tariq Aziz,Róisín Daly,Jakub Kowalski,Emily Nolan,Cian Power,Amara Eze,Luke Foley,Caoimhe Burke,Mateo Silva,Niamh Healy,Adam Quigley,Ioana Popescu,Rory Sweeney,Ella Casey,Dara Moran,Precious Adebayo'
const NAMES_3A =
  'Eoin Barry,Clodagh Reid,Ben Lynch,Sofia Rossi,Tadhg Nugent,Ruth Greene,Omar Said,Maeve Dunne,Piotr Zieliński,Lily Hogan,Ronan Keogh,Aisha Bello,Jack Farrell,Orla Tobin,Ivan Petrov,Sadhbh Egan,Noah Cullen,Anna Novák,Hugh Molloy,Kate Roche'

type Pupil = (typeof pupilsOf3B)[number]

const classmatesOf = (names: string, first: number): Pupil[] =>
  names.split(',').map((name, at) => {
    const [first_name = '', last_name = ''] = name.split(' ')
    const birthday = `${at % 3 === 0 ? 2010 : 2011}-${two(1 + ((at * 5) % 12))}-${two(1 + ((at * 11) % 28))}`
    return pupil(1, first + at, first_name, last_name, at % 2 === 0 ? 'male' : 'female', birthday)
  })
const two = (number: number) => String(number).padStart(2, '0')

type Assessment = typeof mathsQuiz
let count = story.assessment.length
type Kind = Assessment['assessment_type']
const assessed = (
  term: typeof michaelmas,
  subject: { id: string },
  title: string,
  assessment_type: Kind,
  max_score: number,
): Assessment => {
  count += 1
  const assessment_date = assessment_type === 'exam' ? term.end_date : term.start_date
  const about = { term_id: term.id, subject_id: subject.id, title, assessment_type, assessment_date, max_score }
  return { ...mathsQuiz, id: storyId('assessment', 1, count), ...about, sort_order: count }
}

/** Assessments that the story lacks, so that each subject and term has coursework and an exam. */
const added = [
  assessed(michaelmas, irish, 'Spelling', 'coursework', 20),
  assessed(michaelmas, science, 'Laboratory notes', 'coursework', 30),
  assessed(michaelmas, science, 'Christmas exam', 'exam', 100),
  assessed(hilary, maths, 'Geometry', 'coursework', 25),
  assessed(hilary, english, 'Book review', 'coursework', 40),
  assessed(hilary, english, 'Spring test', 'exam', 60),
  assessed(hilary, irish, 'Poem by heart', 'coursework', 20),
  assessed(hilary, irish, 'Spring test', 'exam', 60),
  assessed(hilary, science, 'Spring test', 'exam', 60),
  assessed(trinity, maths, 'Statistics', 'coursework', 30),
  assessed(trinity, english, 'Debate', 'coursework', 20),
  assessed(trinity, irish, 'Diary', 'coursework', 20),
  assessed(trinity, science, 'Herbarium', 'coursework', 30),
]
const summerExams = [english, irish, science].map((subject) => assessed(trinity, subject, 'Summer exam', 'exam', 100))
/** Without marks, so that a visitor of the demonstration can enter them. */
const EMPTY: readonly Assessment[] = [mathsTrinity, ...summerExams.slice(0, 1)]
const OF_STORY = [mathsQuiz, mathsHomework, mathsExam, englishEssay, englishExam, irishOral, scienceProject, mathsHilary]

/** A number between 0 and 1, the same for the same words each time. */
function chance(...words: readonly (string | number)[]): number {
  let mixed = 2_166_136_261
  for (const letter of words.join(' ')) mixed = Math.imul(mixed ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0
  for (const shift of [16, 13]) mixed = Math.imul(mixed ^ (mixed >>> shift), 0x85ebca6b) >>> 0
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}

/** A mark from a pupil's level, the subject and some chance; in halves where the maximum is small. */
function scoreOf({ student_number }: Pupil, { id, subject_id, max_score }: Assessment): number {
  const share =
    0.3 +
    0.38 * chance('level', student_number) +
    0.14 * chance('gift', student_number, subject_id) +
    0.18 * chance('luck', student_number, id)
  const step = max_score <= 30 ? 0.5 : 1
  return Math.round((share * max_score) / step) * step
}

const told = new Set(story.grade.map(({ id }) => id))
const assessedInStory = new Set(story.grade.map(({ assessment_id }) => assessment_id))
/** In these assessments of 3B the story says which marks are missing: nothing is added. */
const isTold = (pupil: Pupil, { id }: Assessment) =>
  told.has(naturalId('grade', id, pupil.id)) || (pupilsOf3B.includes(pupil) && assessedInStory.has(id))
function gradesOf(assessment: Assessment, pupils: readonly Pupil[]): (typeof story.grade)[number][] {
  return pupils.flatMap((pupil) => {
    const id = naturalId('grade', assessment.id, pupil.id)
    if (isTold(pupil, assessment) || chance('missing', pupil.student_number, assessment.id) < 0.015) return []
    const { school_id, term_id } = assessment
    const by = people.okafor.id
    const mark = { score: scoreOf(pupil, assessment), remarks: null, is_excluded: false, exclusion_reason: null }
    return [{ id, school_id, assessment_id: assessment.id, term_id, student_id: pupil.id, ...mark, created_by: by, updated_by: by }]
  })
}

/** Two weeks of morning registers of 3B. */
const DAYS = [...range(12, 16), ...range(19, 23)].map((of) => `2026-01-${of}`)
function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}
const inRegister = (day: string) => ({
  school_id: class3B.school_id,
  student_group_id: class3B.id,
  day,
  lesson: 0,
  created_by: people.byrne.id,
})
const registers = DAYS.map((day) => ({ id: naturalId('attendance_register', class3B.id, day, '0'), ...inRegister(day) }))
function attendanceOf(pupils: readonly Pupil[]) {
  return DAYS.flatMap((day) =>
    pupils.flatMap(({ id, student_number }) => {
      const luck = chance('attendance', student_number, day)
      if (luck > 0.07) return []
      const code = luck < 0.03 ? ('absent' as const) : luck < 0.05 ? ('late' as const) : ('excused' as const)
      const own = { id: naturalId('attendance_mark', class3B.id, id, day, '0'), student_id: id, code, note: null }
      return [{ ...inRegister(day), ...own, updated_by: people.byrne.id }]
    }),
  )
}

const [more3B, more3A] = [classmatesOf(NAMES_3B, 101), classmatesOf(NAMES_3A, 131)]
const assigned = (subject: { id: string }, group: typeof class3B) => subjectTeacherRow(people.quinn.id, subject.id, group)

/**
 * The rows that fill two classes of the story, for the demonstration alone: classmates, assessments in every subject and term, and marks in
 * nearly all. By table, parents first.
 */
export const classmates = {
  student: [...more3B, ...more3A],
  teacher_group_assignment: [teacherRow(people.quinn.id, class3B)],
  teacher_subject_assignment: [assigned(irish, class3B), assigned(science, class3B), assigned(irish, class3A), assigned(science, class3A)],
  enrolment: [...more3B.map((student) => enrolmentRow(student, class3B)), ...more3A.map((student) => enrolmentRow(student, class3A))],
  attendance_register: registers,
  attendance_mark: attendanceOf([...pupilsOf3B, ...more3B]),
  assessment: [...added, ...summerExams],
  grade: [...OF_STORY, ...added, ...summerExams]
    .filter((each) => !EMPTY.includes(each))
    .flatMap((assessment) => [
      ...gradesOf(assessment, [...pupilsOf3B, ...more3B]),
      ...(assessment.student_group_id === null ? gradesOf(assessment, [...pupilsOf3A, ...more3A]) : []),
    ]),
}
