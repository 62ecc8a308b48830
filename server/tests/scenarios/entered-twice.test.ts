import { englishExam, mathsExam, mathsQuiz } from '@markbook/shared/story/marks'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, expect, test } from 'vitest'
import { centreAndSchool } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const ola = { firstName: 'Ola', lastName: 'Brennan', gender: 'female', studentNumber: 'B-2026-77' } as const

/** The head enters the pupil at one end, puts her into 3B, and types marks. */
async function entered(node: School, marks: Readonly<Record<string, number>>): Promise<string> {
  const head = await signedIn(node, 'okafor')
  const { id } = await head.students.create({ body: ola })
  await head.classes.enroll({ params: { id: class3B.id }, body: { studentId: id } })
  for (const [assessmentId, score] of Object.entries(marks))
    await head.grades.bulk({ body: { assessmentId, grades: [{ studentId: id, score }] } })
  return id
}

// docs/operators-guide/replication.md, «One pupil entered twice»: a step here for each step there.
test('a pupil entered at both ends under one number: the steps of the guide end with one pupil, her marks and right results', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const stays = await entered(centre, { [mathsExam.id]: 70 })
  box.clock.advance(60_000)
  await entered(box, { [englishExam.id]: 55, [mathsQuiz.id]: 12 })
  await settle(link)
  const head = await signedIn(box, 'okafor')
  const results = async () =>
    (await head.calculations.classTerm({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })).students.filter(
      ({ student }) => student.first_name === ola.firstName,
    )
  // Until somebody does something she is two pupils, each with half of her marks.
  expect(await results()).toHaveLength(2)

  // 1. Everything has arrived.
  expect((await head.replication.status()).waiting).toBe(0)

  // 2. The desk names the pupil and the number; the list of pupils has both of her, one without a number.
  const [conflict, ...others] = await head.replication.conflicts({ query: { status: 'open' } })
  expect(others).toEqual([])
  expect(conflict).toMatchObject({ entity: 'student', where: 'Brennan Ola', kept: { student_number: ola.studentNumber } })
  const found = await head.students.list({ query: { search: 'Brennan' } })
  const double = found.find(({ student_number }) => student_number === null)?.id as string
  expect(found.map(({ id, student_number }) => [id, student_number]).sort()).toEqual(
    [
      [stays, ola.studentNumber],
      [double, null],
    ].sort(),
  )

  // 3. The one without a number gets a name that nobody takes for hers, and a number of its own.
  const marked = { lastName: 'Brennan ENTERED TWICE', studentNumber: `${ola.studentNumber} twice` }
  await head.students.update({ params: { id: double }, body: marked })

  // 4. What stands under it is typed under the one that stays.
  const byTerm = (subjectId: string) => head.grades.byTerm({ query: { termId: michaelmas.id, subjectId } })
  for (const subjectId of new Set([mathsExam.subject_id, englishExam.subject_id])) {
    for (const { id: assessmentId, grades } of await byTerm(subjectId)) {
      const own = grades.find(({ student_id }) => student_id === double)
      if (own) await head.grades.bulk({ body: { assessmentId, grades: [{ studentId: stays, score: own.score }] } })
    }
  }

  // 5. It leaves the class, and is made inactive.
  await head.classes.unenroll({ params: { id: class3B.id, studentId: double } })
  await head.students.update({ params: { id: double }, body: { isActive: false } })

  // 6. What counts is left as it is.
  await head.replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'current' } })
  await settle(link)

  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect(await results()).toMatchObject([
    {
      student_id: stays,
      total_students: 7,
      subjects: expect.arrayContaining([
        expect.objectContaining({ subject_id: mathsExam.subject_id, exam_average: 70, coursework_average: 60 }),
        expect.objectContaining({ subject_id: englishExam.subject_id, exam_average: 55 }),
      ]),
    },
  ])
  const { reports } = await head.reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
  expect(reports.filter(({ student_id }) => [stays, double].includes(student_id)).map(({ student_id }) => student_id)).toEqual([stays])
  for (const node of [centre, box]) expect((await conflictsAt(node)).filter(({ status }) => status === 'open')).toEqual([])
  // The number is hers for good: the other does not take it up where hers is changed.
  await head.students.update({ params: { id: stays }, body: { studentNumber: 'B-2027-01' } })
  await settle(link)
  expect((await centre.rows('student')).find(({ id }) => id === double)?.student_number).toBe(marked.studentNumber)
})
