import { englishEssay, fatima, mathsHilary, mathsHomework, mathsQuiz, mei, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, english, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, describe, expect, test } from 'vitest'
import { centreAndSchool, schoolAndLaptop, serverAndLaptop } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, same, settle } from './scenarios.fixtures.ts'

/** What is taken out of the bin at one node, and what the others have done meanwhile. */
const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const theQuiz = { params: { id: mathsQuiz.id } }
const marksIn = async (node: School, assessment: { id: string }) =>
  (await node.rows('grade'))
    .filter(({ assessment_id }) => assessment_id === assessment.id)
    .map(({ id, score, created_by, created_at }) => ({ id, score, created_by, created_at }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
const assessmentAt = async (node: School, { id }: { id: string }) => (await node.rows('assessment')).find((row) => row.id === id)
const mark = (assessment: { id: string }, score: number) => ({
  body: { assessmentId: assessment.id, grades: [{ studentId: zoe.id, score }] },
})
async function restoreAt(node: School, who: 'okafor' | 'ada' = 'okafor') {
  const person = await signedIn(node, who)
  const [item] = await person.bin.list()
  return person.bin.restore({ params: { id: item?.id ?? '' } })
}
async function demandAlike(...nodes: School[]) {
  const [first, ...others] = nodes as [School, ...School[]]
  for (const other of others) {
    const [a, b] = await same(first, other)
    for (const table of [
      'assessment',
      'grade',
      'student_group',
      'enrolment',
      'class_teacher',
      'teaching_set',
      'teaching_set_teacher',
      'teaching_set_member',
    ])
      expect(b[table]).toEqual(a[table])
  }
}

describe('an assessment', () => {
  test.each([
    ['school', 'school'],
    ['school', 'centre'],
    ['centre', 'school'],
  ] as const)('deleted at the %s and restored at the %s is whole at every node', async (deletedAt, restoredAt) => {
    const { centre, box, link, laptop, laptopLink } = await schoolAndLaptop(open)
    const at = { school: box, centre }
    const [before, row] = [await marksIn(box, mathsQuiz), await assessmentAt(box, mathsQuiz)]
    await (await signedIn(at[deletedAt], 'okafor')).assessments.remove(theQuiz)
    await settle(link, laptopLink)
    for (const node of [centre, box, laptop]) expect(await marksIn(node, mathsQuiz)).toEqual([])
    for (const node of [centre, box]) node.clock.advance(60_000)
    await restoreAt(at[restoredAt])
    await settle(link, laptopLink)
    for (const node of [centre, box, laptop]) {
      expect(await marksIn(node, mathsQuiz)).toEqual(before)
      const { created_at, created_by, max_score } = row ?? {}
      expect(await assessmentAt(node, mathsQuiz)).toMatchObject({ created_at, created_by, max_score })
      expect(await conflictsAt(node)).toEqual([])
      expect(await (await signedIn(node, node === laptop ? 'ada' : 'okafor')).bin.list()).toEqual([])
    }
    await demandAlike(centre, box, laptop)
  })

  test('restored before a laptop has heard of its deletion comes there as if nothing had been', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const before = await marksIn(server, mathsQuiz)
    await server.as.okafor.assessments.remove(theQuiz)
    await restoreAt(server)
    await settle(link)
    expect(await marksIn(laptop, mathsQuiz)).toEqual(before)
    await demandAlike(server, laptop)
  })

  test('restored, with a mark that a laptop wrote meanwhile: the mark stands, and is a conflict where it differs', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const before = await marksIn(server, mathsQuiz)
    await server.as.okafor.assessments.remove(theQuiz)
    server.clock.advance(60_000)
    laptop.clock.advance(120_000)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsQuiz, 13))
    await restoreAt(server)
    await settle(link)
    for (const node of [server, laptop]) expect((await marksIn(node, mathsQuiz)).length).toBe(before.length)
    const scores = (await marksIn(server, mathsQuiz)).map(({ score }) => score)
    const kept = (await conflictsAt(server)).flatMap(({ entity, value }) => (entity === 'grade' ? [value?.['score']] : []))
    expect([...scores, ...kept]).toEqual(expect.arrayContaining([13, 4]))
    expect(await refusedAt(laptop)).toEqual([])
    await demandAlike(server, laptop)
  })

  test('brought back by a laptop’s mark is no more in the bin; its other marks are in the history', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await server.as.okafor.assessments.remove(theQuiz)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsQuiz, 13))
    await settle(link)
    expect(await marksIn(server, mathsQuiz)).toMatchObject([{ score: 13 }])
    expect(await server.as.okafor.bin.list()).toEqual([])
  })

  test('deleted on a laptop is restored there by its teacher, or at the school', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const before = { quiz: await marksIn(server, mathsHilary), homework: await marksIn(server, mathsHomework) }
    const ada = await signedIn(laptop, 'ada')
    await ada.assessments.remove({ params: { id: mathsHilary.id } })
    await settle(link)
    laptop.clock.advance(60_000)
    await restoreAt(laptop, 'ada')
    await settle(link)
    for (const node of [server, laptop]) expect(await marksIn(node, mathsHilary)).toEqual(before.quiz)
    await ada.assessments.remove({ params: { id: mathsHomework.id } })
    await settle(link)
    server.clock.advance(120_000)
    await restoreAt(server)
    await settle(link)
    for (const node of [server, laptop]) expect(await marksIn(node, mathsHomework)).toEqual(before.homework)
    expect(await refusedAt(laptop)).toEqual([])
    await demandAlike(server, laptop)
  })

  test('deleted and restored on a laptop before it was ever sent', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const before = await marksIn(server, mathsHilary)
    await (await signedIn(laptop, 'ada')).assessments.remove({ params: { id: mathsHilary.id } })
    await restoreAt(laptop, 'ada')
    await settle(link)
    for (const node of [server, laptop]) expect(await marksIn(node, mathsHilary)).toEqual(before)
    expect(await refusedAt(laptop)).toEqual([])
    await demandAlike(server, laptop)
  })

  test('restored at both ends at once is there once', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const before = await marksIn(box, mathsQuiz)
    await (await signedIn(box, 'okafor')).assessments.remove(theQuiz)
    await settle(link)
    await restoreAt(box)
    centre.clock.advance(1_000)
    await restoreAt(centre)
    await settle(link)
    for (const node of [centre, box]) {
      expect(await marksIn(node, mathsQuiz)).toEqual(before)
      expect(await conflictsAt(node)).toEqual([])
    }
    await demandAlike(centre, box)
  })
})

test('a class deleted at the school is restored at the centre, with its pupils and teachers', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const before = (await same(centre, box))[0]
  await (await signedIn(box, 'okafor')).classes.remove({ params: { classId: class3A.id } })
  await settle(link)
  expect((await centre.rows('student_group')).map(({ id }) => id)).not.toContain(class3A.id)
  centre.clock.advance(60_000)
  await restoreAt(centre)
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  for (const table of ['enrolment', 'teacher_group_assignment', 'teacher_subject_assignment']) expect(b[table]).toEqual(before[table])
})

describe('a teaching set', () => {
  const setAt = async (node: School) => {
    const head = await signedIn(node, 'okafor')
    const set = await head.teachingSets.create({ body: { academicYearId: thisYear.id, subjectId: english.id, name: 'English upper' } })
    await head.teachingSets.setTeachers({ params: set, body: { teacherIds: [people.ada.id] } })
    await head.teachingSets.setStudents({ params: set, body: { studentIds: [fatima.id, zoe.id] } })
    return set
  }
  const withoutDay = ({ updated_at: _, ...row }: Record<string, unknown>) => row
  const setsAt = async (node: School) => {
    const rows = await Promise.all([node.rows('teaching_set'), node.rows('teaching_set_teacher'), node.rows('teaching_set_member')])
    return rows.map((each) =>
      (each as unknown as Record<string, unknown>[]).map(withoutDay).sort((a, b) => (`${a['id']}` < `${b['id']}` ? -1 : 1)),
    )
  }

  test.each([
    ['school', 'centre'],
    ['centre', 'school'],
  ] as const)(
    'deleted at the %s and restored at the %s is whole at every node, by its id, and its teacher marks again',
    async (...[deletedAt, restoredAt]) => {
      const { centre, box, link, laptop, laptopLink } = await schoolAndLaptop(open)
      const at = { school: box, centre }
      const set = await setAt(box)
      await settle(laptopLink, link, laptopLink)
      const before = await setsAt(box)
      expect(before.map(({ length }) => length)).toEqual([1, 1, 2])
      await (await signedIn(at[deletedAt], 'okafor')).teachingSets.remove({ params: set })
      await settle(link, laptopLink)
      for (const node of [centre, box, laptop]) expect(await setsAt(node)).toEqual([[], [], []])
      for (const node of [centre, box]) node.clock.advance(60_000)
      await restoreAt(at[restoredAt])
      await settle(link, laptopLink)
      for (const node of [centre, box, laptop]) expect(await setsAt(node)).toEqual(before)
      await (await signedIn(laptop, 'ada')).grades.bulk({
        body: { assessmentId: englishEssay.id, grades: [{ studentId: fatima.id, score: 44 }] },
      })
      await settle(laptopLink, link)
      for (const node of [centre, box]) {
        expect((await marksIn(node, englishEssay)).some(({ score }) => score === 44)).toBe(true)
        expect(await conflictsAt(node)).toEqual([])
      }
      expect(await refusedAt(laptop)).toEqual([])
      await demandAlike(centre, box, laptop)
    },
  )

  test('restored at the school while the centre, which has not heard of its deletion, put a pupil in: it has all of them', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const set = await setAt(box)
    await settle(link)
    await (await signedIn(box, 'okafor')).teachingSets.remove({ params: set })
    await restoreAt(box)
    centre.clock.advance(60_000)
    await (await signedIn(centre, 'okafor')).teachingSets.setStudents({ params: set, body: { studentIds: [fatima.id, zoe.id, mei.id] } })
    await settle(link)
    for (const node of [centre, box])
      expect((await node.rows('teaching_set_member')).map(({ student_id }) => student_id).sort()).toEqual(
        [fatima.id, zoe.id, mei.id].sort(),
      )
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })
})
