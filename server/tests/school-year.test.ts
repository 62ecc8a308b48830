import type { Client } from '@markbook/shared/contract/client'
import type { contract } from '@markbook/shared/contract/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type School, school } from '../testing/school.ts'

type Api = Client<typeof contract>
let st: School
beforeAll(async () => {
  st = await school({ story: false })
})
afterAll(() => st.close())

/** Signs in as a person does: asks for a code, reads it in the mail, types it. */
async function signIn(email: string): Promise<Api> {
  await st.anonymous.auth.sendOtp({ body: { email } })
  const code = /\b\d{8}\b/.exec(st.outbox.at(-1)?.text ?? '')?.[0] ?? ''
  const { headers, status } = await st.anonymous.auth.verifyOtp.raw({ body: { email, token: code } })
  expect(status).toBe(200)
  return st.clientWith(
    headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  )
}

const pupils = [
  ['Élan', 'Ó Briain', 'male'],
  ['Zoë', 'Adeyemi', 'female'],
  ['Łukasz', 'Wójcik', 'male'],
  ['Mei', 'Chen', 'other'],
] as const
/** Marks of the four pupils, in that order; null: absent. */
const marks = {
  michaelmas: { coursework: [16, 12, 20, 8], exam: [70, 55, 91, null] },
  hilary: { coursework: [15, 14, 18, 10], exam: [66, 61, 88, 49] },
  trinity: { coursework: [17, 13, 19, 11], exam: [72, 58, 94, 45] },
} as const
type TermName = keyof typeof marks
const days: Record<TermName, [string, string]> = {
  michaelmas: ['2025-09-01', '2025-12-20'],
  hilary: ['2026-01-07', '2026-03-28'],
  trinity: ['2026-04-14', '2026-06-30'],
}

test('a school runs its year through the typed client', async () => {
  // The head opens the school.
  const head = await signIn('Head@School.example')
  await head.auth.onboard({ body: { firstName: 'Ngozi', lastName: 'Okafor' } })
  const opened = await head.schools.create({ body: { name: 'St Brigid’s', schoolType: 'secondary' } })
  expect(await head.auth.me()).toMatchObject({ role: 'admin', is_onboarded: true, school: { id: opened.id, name: 'St Brigid’s' } })

  // A teacher asks to join and is accepted.
  const teacher = await signIn('teacher@school.example')
  const asked = await teacher.auth.onboard({ body: { firstName: 'Cathal', lastName: 'Byrne', schoolId: opened.id } })
  expect(asked).toMatchObject({ school_id: null, joinRequest: { status: 'pending' } })
  const [request] = await head.schools.joinRequests()
  await head.schools.approve({ params: { requestId: request?.id ?? '' }, body: { role: 'teacher' } })
  expect(await teacher.auth.me()).toMatchObject({ role: 'teacher', school_id: opened.id, pending_join_request: null })

  // The year, its terms, a subject.
  const year = await head.academicYears.create({
    body: {
      name: '2025/26',
      startDate: '2025-09-01',
      endDate: '2026-06-30',
      gradingModel: 'year_based',
      yearExamWeight: 60,
      yearCourseworkWeight: 40,
    },
  })
  await head.academicYears.activate({ params: { id: year.id } })
  const terms = {} as Record<TermName, string>
  for (const name of Object.keys(marks) as TermName[]) {
    const [startDate, endDate] = days[name]
    terms[name] = (
      await head.terms.create({ body: { academicYearId: year.id, name, startDate, endDate, examWeight: 60, courseworkWeight: 40 } })
    ).id
  }
  const maths = await head.subjects.create({ body: { name: 'Mathematics', code: 'MA' } })

  // The teacher opens the class and enrols the pupils.
  const group = await teacher.classes.create({ body: { name: '3B', academicYearId: year.id, subjectIds: [maths.id] } })
  const students: string[] = []
  for (const [firstName, lastName, gender] of pupils)
    students.push((await teacher.students.create({ body: { firstName, lastName, gender } })).id)
  await teacher.classes.enrollBulk({ params: { id: group.id }, body: { studentIds: students } })
  expect((await teacher.classes.students({ params: { id: group.id } })).map((student) => student.last_name)).toEqual([
    'Adeyemi',
    'Chen',
    'Ó Briain',
    'Wójcik',
  ])

  // Marks, term by term.
  for (const name of Object.keys(marks) as TermName[]) {
    for (const [assessmentType, maxScore] of [
      ['coursework', 20],
      ['exam', 100],
    ] as const) {
      const { id } = await teacher.assessments.create({
        body: { termId: terms[name], subjectId: maths.id, title: `${name} ${assessmentType}`, assessmentType, maxScore },
      })
      const grades = marks[name][assessmentType].flatMap((score, at) => (score === null ? [] : [{ studentId: students[at] ?? '', score }]))
      expect(await teacher.grades.bulk({ body: { assessmentId: id, grades } })).toHaveLength(grades.length)
    }
  }

  // Results. Élan, Michaelmas: coursework 16/20 = 80, exam 70: 80·0.4 + 70·0.6 = 74. Łukasz: 100·0.4 + 91·0.6 = 94.6.
  const result = await teacher.calculations.classTerm({ query: { termId: terms.michaelmas, studentGroupId: group.id } })
  expect(
    result.students.map(({ student, overall_average, position, letter_grade }) => [
      student.last_name,
      overall_average,
      position,
      letter_grade,
    ]),
  ).toEqual([
    ['Adeyemi', 57, 3, 'D'], // 60·0.4 + 55·0.6
    ['Chen', 40, 4, 'F'], // no exam: the coursework alone
    ['Ó Briain', 74, 2, 'B'],
    ['Wójcik', 94.6, 1, 'A+'],
  ])
  expect(result.students[1]?.subjects[0]).toMatchObject({ exam_average: null, is_partial: true })
  const working = await teacher.calculations.explain({
    query: { studentId: students[0] ?? '', termId: terms.michaelmas, subjectId: maths.id },
  })
  expect(working.result.term_composite).toBe(74)

  // The year: T = (74 + 69.6 + 77.2)/3 = 73.6, X = 72 (Trinity's exam): 73.6·0.4 + 72·0.6 = 72.64.
  const ofYear = await head.calculations.studentYear({ query: { studentId: students[0] ?? '', academicYearId: year.id } })
  expect(ofYear.subjects[0]).toMatchObject({
    end_of_year_exam: 72,
    year_grade: 72.64,
    terms: [{ term_composite: 74 }, { term_composite: 69.6 }, { term_composite: 77.2 }],
  })
  expect(ofYear).toMatchObject({ year_overall: 72.64, position: 2, total_students: 4 })

  // Report books, from draft to the ministry.
  const generated = await teacher.reports.generate({ body: { studentGroupId: group.id, termId: terms.michaelmas, reportType: 'term' } })
  expect(generated).toMatchObject({ generated: 4, skipped_locked: 0 })
  const book = generated.reports.find((report) => report.student_id === students[0])
  const params = { id: book?.id ?? '' }
  await teacher.reports.update({
    params,
    body: { classTeacherRemark: 'A steady term.\nWell done.', conduct: 'Good', attendancePercentage: 97.5 },
  })
  const { entries } = await teacher.reports.get({ params })
  await teacher.reports.updateEntry({
    params: { entryId: entries[0]?.id ?? '' },
    body: { letterGrade: 'B+', teacherRemark: 'Works well.' },
  })
  await expect(teacher.reports.sendToMinistry({ params })).rejects.toMatchObject({ status: 409, code: 'reports.invalid_move' })
  await teacher.reports.publish({ params })

  // A mark is corrected; generating again takes it in and keeps what was typed.
  const [quiz] = await teacher.grades.byTerm({ query: { termId: terms.michaelmas, subjectId: maths.id } })
  const mine = quiz?.grades.find((grade) => grade.student_id === students[0])
  await teacher.grades.update({ params: { id: mine?.id ?? '' }, body: { score: 18 } })
  await teacher.reports.generate({ body: { studentGroupId: group.id, termId: terms.michaelmas, reportType: 'term' } })
  expect(await teacher.reports.get({ params })).toMatchObject({
    status: 'published',
    overall_average: 78,
    class_teacher_remark: 'A steady term.\nWell done.',
    entries: [{ letter_grade: 'B+', term_composite: 78, teacher_remark: 'Works well.' }],
  })
  await teacher.reports.sendToMinistry({ params })
  await expect(teacher.reports.update({ params, body: { conduct: 'Poor' } })).rejects.toMatchObject({ status: 409, code: 'reports.locked' })
  expect(
    await teacher.reports.generate({ body: { studentGroupId: group.id, termId: terms.michaelmas, reportType: 'term' } }),
  ).toMatchObject({ generated: 3, skipped_locked: 1 })
  expect(
    await teacher.reports.generate({ body: { studentGroupId: group.id, termId: terms.trinity, reportType: 'year_end' } }),
  ).toMatchObject({ generated: 4 })

  // The mark's past says who, before and after.
  const past = await teacher.history.list({ query: { entity: 'grade', id: mine?.id ?? '' } })
  expect(past).toMatchObject([
    { action: 'update', actor: { last_name: 'Byrne' }, changes: { score: { before: 16, after: 18 } } },
    { action: 'create' },
  ])

  // The next year begins with the same pupils.
  const next = await head.academicYears.create({
    body: { name: '2026/27', startDate: '2026-09-01', endDate: '2027-06-30', gradingModel: 'term_based' },
  })
  const rolled = await head.academicYears.rollOver({ params: { id: next.id }, body: { classes: [{ fromClassId: group.id, name: '4B' }] } })
  expect(rolled.classes[0]).toMatchObject({ name: '4B', students: 4, teachers: 1, issues: [] })
  expect(await teacher.classes.list({ query: { academicYearId: next.id } })).toMatchObject([{ name: '4B', isClassTeacher: true }])
  await teacher.auth.logout()
  await expect(teacher.auth.me()).rejects.toMatchObject({ status: 401 })
})
