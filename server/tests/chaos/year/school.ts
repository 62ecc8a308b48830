import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Student } from '@markbook/shared/contract/students'
import type { Subject } from '@markbook/shared/contract/subjects'
import { groupedBy } from '@markbook/shared/grouped-by'
import { pupilsOf3B } from '@markbook/shared/story/marks'
import { english, hilary, maths, michaelmas, trinity } from '@markbook/shared/story/school-year'
import { readRealPupils } from '../../../cli/seed/real/real-pupils.ts'
import { REAL_ADMIN, REAL_TERMS, REAL_YEAR } from '../../../cli/seed/real/seed-real.ts'
import type { Group } from '../ledger.ts'
import { type Account, accountOf, Person, type Seat } from '../person.ts'
import type { Pupil, SchoolAssessment, Sheet } from './teacher.ts'

/** A school before the first day of its year. `sheets`: by teacher, what they mark. */
export type YearSchool = { name: string; group: Group; assessments: SchoolAssessment[]; staff: { account: Account; sheet: Sheet }[] }

const REAL = 'Real Marks Secondary School'
const TEACHERS = 10

/** The last two of a class are those in whose marks the head writes too. */
const sheetOf = (
  group: Group,
  subject: string,
  classes: readonly (readonly Pupil[])[],
  assessments: readonly SchoolAssessment[],
): Sheet => ({
  group,
  subject,
  alone: classes.flatMap((pupils) => pupils.slice(0, -2)),
  shared: classes.flatMap((pupils) => pupils.slice(-2)),
  assessments,
})

/** St Brigid's of the story, where Ada teaches mathematics and Mr Byrne English. */
export function storySchool(): YearSchool {
  const terms = [michaelmas.id, hilary.id, trinity.id]
  const group: Group = { head: accountOf('okafor'), terms, subjects: [maths.id, english.id] }
  const assessments: SchoolAssessment[] = []
  const pupils = pupilsOf3B.map(({ id }, at): Pupil => ({ id, marks: [8 + at, 9 + at, 10 + at] }))
  const teaching = [
    ['ada', maths.id],
    ['byrne', english.id],
  ] as const
  const staff = teaching.map(([who, subject]) => ({ account: accountOf(who), sheet: sheetOf(group, subject, [pupils], assessments) }))
  return { name: 'St Brigid’s', group, assessments, staff }
}

/** The school of the 395 real pupils, founded at the centre: its head, ten teachers who ask to join, their classes. */
export async function foundRealSchool(seat: Seat): Promise<YearSchool> {
  const account: Account = { name: 'the head', email: REAL_ADMIN }
  const head = new Person(account, seat)
  await head.write('PATCH', '/api/auth/onboard', { firstName: 'Alice', lastName: 'Tavares' })
  const { id: schoolId } = await head.write<{ id: string }>('POST', '/api/schools', { name: REAL, schoolType: 'secondary' })
  const year = await head.write<AcademicYear>('POST', '/api/academic-years', REAL_YEAR)
  await head.write('PATCH', `/api/academic-years/${year.id}/activate`, {})
  const terms: string[] = []
  for (const { name, startDate, endDate } of REAL_TERMS) {
    const body = { academicYearId: year.id, name, startDate, endDate, examWeight: 0, courseworkWeight: 100 }
    terms.push((await head.write<{ id: string }>('POST', '/api/terms', body)).id)
  }
  const subject = await head.write<Subject>('POST', '/api/subjects', { name: 'Mathematics', code: 'MATH' })
  const group: Group = { head: account, terms, subjects: [subject.id] }
  const assessments: SchoolAssessment[] = []
  const teachers = await hired(head, seat, schoolId)
  const classes = await enrolled(head, teachers, { yearId: year.id, subjectId: subject.id })
  const staff = teachers.map((teacher, at) => ({
    account: teacher.who,
    sheet: sheetOf(
      group,
      subject.id,
      classes.filter((_, which) => which % TEACHERS === at),
      assessments,
    ),
  }))
  return { name: REAL, group, assessments, staff }
}

async function hired(head: Person, seat: Seat, schoolId: string): Promise<Person[]> {
  const teachers: Person[] = []
  for (let at = 1; at <= TEACHERS; at += 1) {
    const teacher = new Person({ name: `teacher ${at}`, email: `teacher${at}@realmarks.example` }, seat)
    await teacher.write('PATCH', '/api/auth/onboard', { firstName: 'Teacher', lastName: `Number ${at}`, schoolId })
    teachers.push(teacher)
  }
  for (const { id } of await head.see<{ id: string }[]>('/api/schools/join-requests'))
    await head.write('PATCH', `/api/schools/join-requests/${id}/approve`, { role: 'teacher' })
  return teachers
}

/** Each class is opened by its class teacher, who teaches in it. */
async function enrolled(
  head: Person,
  teachers: readonly Person[],
  { yearId, subjectId }: { yearId: string; subjectId: string },
): Promise<Pupil[][]> {
  const byClass = groupedBy(readRealPupils(), ({ className }) => className)
  const classes: Pupil[][] = []
  for (const [name, real] of byClass) {
    const teacher = teachers[classes.length % TEACHERS] as Person
    const group = await teacher.write<{ id: string }>('POST', '/api/classes', { name, academicYearId: yearId, subjectIds: [subjectId] })
    const { id: teacherId } = await teacher.see<{ id: string }>('/api/auth/me')
    await teacher.write('POST', `/api/classes/${group.id}/teachers`, { teacherId, subjectIds: [subjectId] })
    const pupils: Pupil[] = []
    for (const { firstName, lastName, gender, birthDate, number, marks } of real) {
      const body = { firstName, lastName, gender, dateOfBirth: birthDate, studentNumber: number }
      pupils.push({ id: (await head.write<Student>('POST', '/api/students', body)).id, marks })
    }
    await teacher.write('POST', `/api/classes/${group.id}/enroll/bulk`, { studentIds: pupils.map(({ id }) => id) })
    classes.push(pupils)
  }
  return classes
}
