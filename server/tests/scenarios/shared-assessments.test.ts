import { mathsHilary, mathsQuiz, oisin, scienceProject, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { signedIn, type UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, refusedBelow, same, settle } from './scenarios.fixtures.ts'

/**
 * An assessment of every class, in which a pupil of a class where Ada does not teach the subject gets a first mark at the school, while she
 * works on her laptop and cannot know (decisions §8).
 */
const open: School[] = []
let server: School
let laptop: School
let link: UnderParent
beforeEach(async () => {
  ;({ server, laptop, link } = await serverAndLaptop(open))
  await server.as.quinn.grades.create({ body: { assessmentId: mathsHilary.id, studentId: oisin.id, score: 31 } })
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const theTest = { params: { id: mathsHilary.id } }
const rowOf = async (node: School) => (await node.rows('assessment')).find(({ id }) => id === mathsHilary.id)
const marksOf = async (node: School) =>
  (await node.rows('grade'))
    .filter(({ assessment_id }) => assessment_id === mathsHilary.id)
    .map(({ id, score, created_by }) => ({ id, score, created_by }))
async function demandAlike() {
  const [a, b] = await same(server, laptop)
  for (const table of ['assessment', 'grade']) expect(b[table]).toEqual(a[table])
}
const refusals = (rows: Awaited<ReturnType<typeof refusedAt>>) => rows.map(({ table_name, unit, code }) => [table_name, unit, code])

test.each([
  ['its maximum', 'scoring', (api) => api.assessments.update({ ...theTest, body: { maxScore: 65 } })],
  ['its weight', 'scoring', (api) => api.assessments.update({ ...theTest, body: { weight: 2 } })],
  ['its kind', 'scoring', (api) => api.assessments.update({ ...theTest, body: { assessmentType: 'coursework' } })],
  ['its class', 'student_group_id', (api) => api.assessments.update({ ...theTest, body: { studentGroupId: class3B.id } })],
  ['whether it counts', 'exclusion', (api) => api.assessments.exclude({ ...theTest, body: { isExcluded: true } })],
] as [string, string, (api: School['as']['ada']) => Promise<unknown>][])(
  '%s, changed on the laptop, is refused at the school and kept for people to see',
  async (_what, unit, write) => {
    const before = await rowOf(server)
    const ada = await signedIn(laptop, 'ada')
    await ada.assessments.update({ ...theTest, body: { title: 'Easter test' } })
    await write(ada)
    await settle(link)
    expect(await rowOf(server)).toMatchObject({ ...before, title: 'Easter test', updated_at: expect.anything() })
    expect(refusals(await refusedAt(laptop))).toEqual([['assessment', unit, 'forbidden']])
    expect(refusals(await refusedBelow(server))).toEqual([['assessment', unit, 'forbidden']])
    await demandAlike()
  },
)

test('its deletion is refused, and the marks of her own class stay with it', async () => {
  const marks = await marksOf(server)
  await (await signedIn(laptop, 'ada')).assessments.remove(theTest)
  expect(await marksOf(laptop)).toEqual([])
  await settle(link)
  expect(await marksOf(server)).toEqual(marks)
  expect(refusals(await refusedAt(laptop))).toContainEqual(['assessment', 'row', 'forbidden'])
  expect((await server.as.okafor.replication.refused()).map(({ entity }) => entity)).toContain('assessment')
  await demandAlike()
  expect(await conflictsAt(server)).toEqual([])
})

test('what she knows is refused on the laptop already', async () => {
  await settle(link)
  const ada = await signedIn(laptop, 'ada')
  expect(await ada.assessments.remove.raw(theTest)).toMatchObject({ status: 403, body: { code: 'assessments.shared' } })
})

test('her own marks in it, and its title, are taken', async () => {
  const ada = await signedIn(laptop, 'ada')
  await ada.grades.bulk({ body: { assessmentId: mathsHilary.id, grades: [{ studentId: zoe.id, score: 12 }] } })
  await ada.assessments.update({ ...theTest, body: { title: 'Easter test', sortOrder: 3 } })
  await settle(link)
  expect(await rowOf(server)).toMatchObject({ title: 'Easter test', sort_order: 3 })
  expect(await refusedAt(laptop)).toEqual([])
})

describe('an administrator’s laptop', () => {
  test('changes and deletes it', async () => {
    const heads = await laptopOf(open, server, people.okafor.id, 'heads')
    const okafor = await signedIn(heads.laptop, 'okafor')
    await okafor.assessments.update({ ...theTest, body: { maxScore: 65 } })
    await okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    await settle(heads.link)
    expect(await rowOf(server)).toMatchObject({ max_score: 65 })
    expect((await server.rows('assessment')).map(({ id }) => id)).not.toContain(mathsQuiz.id)
    expect(await refusedAt(heads.laptop)).toEqual([])
  })
})

test('a class teacher’s laptop takes no assessment of every class for the own class, and changes nothing in one by saying that it is', async () => {
  const byrnes = await laptopOf(open, server, people.byrne.id, 'byrnes')
  const before = (await server.rows('assessment')).find(({ id }) => id === scienceProject.id)
  await byrnes.laptop.services.store.write(asSystem(people.byrne.id), async (tx) => {
    const found = await tx.find('assessment', scienceProject.school_id, scienceProject.id)
    if (!found) throw new Error('the project is not there')
    await tx.update('assessment', [{ before: found, patch: { student_group_id: class3B.id, title: 'Ours' } }])
  })
  await settle(byrnes.link)
  expect((await server.rows('assessment')).find(({ id }) => id === scienceProject.id)).toMatchObject({
    title: before?.title,
    student_group_id: null,
  })
  const codes = refusals(await refusedAt(byrnes.laptop)).sort()
  expect(codes).toEqual([
    ['assessment', 'student_group_id', 'forbidden'],
    ['assessment', 'title', 'forbidden'],
  ])
})

test('of another class, by who teaches the subject in one: it is taken, and no mark in it', async () => {
  const ada = await signedIn(laptop, 'ada')
  const body = { termId: mathsHilary.term_id, subjectId: mathsHilary.subject_id, studentGroupId: class3A.id }
  const made = await ada.assessments.create({ body: { ...body, title: 'For 3A', assessmentType: 'coursework', maxScore: 20 } })
  expect((await ada.grades.create.raw({ body: { assessmentId: made.id, studentId: oisin.id, score: 3 } })).status).toBe(403)
  await settle(link)
  expect((await server.rows('assessment')).find(({ id }) => id === made.id)).toMatchObject({
    title: 'For 3A',
    student_group_id: class3A.id,
  })
  expect(await refusedAt(laptop)).toEqual([])
  await demandAlike()
})
