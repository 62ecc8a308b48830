import { englishExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterEach, expect, test } from 'vitest'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

type Mark = { score: number; remarks?: string }
const enter = async (node: School, name: 'ada' | 'byrne' | 'okafor', mark: Mark) => {
  node.clock.advance(60_000)
  const body = { assessmentId: englishExam.id, grades: [{ studentId: zoe.id, ...mark }] }
  await (await signedIn(node, name)).grades.bulk({ body })
}
const gradeAt = async (node: School) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === englishExam.id && student_id === zoe.id)
const openAt = async (node: School) => (await conflictsAt(node)).filter(({ status }) => status === 'open')

/** One mark, written at both ends of a cut line, and then known to both. */
async function inConflict(atCentre: Mark, atSchool: Mark) {
  const joined = await centreAndSchool(open)
  await enter(joined.centre, 'byrne', atCentre)
  await enter(joined.box, 'okafor', atSchool)
  await settle(joined.link)
  return joined
}

test('a mark that is typed again where both values are known decides the conflict, at every node', async () => {
  const { centre, box, link } = await inConflict({ score: 51 }, { score: 59 })
  expect(await openAt(centre)).toHaveLength(1)
  await enter(box, 'okafor', { score: 55 })
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  for (const node of [centre, box]) {
    expect((await gradeAt(node))?.score).toBe(55)
    expect(await conflictsAt(node)).toMatchObject([
      {
        status: 'resolved',
        resolved_by: people.okafor.id,
        resolution: { choice: 'typed', value: { score: 55 } },
      },
    ])
  }
})

test('at a laptop it is decided too, and its parents take the decision', async () => {
  const { centre, box, link } = await inConflict({ score: 51 }, { score: 59 })
  const { laptop, link: atSchool } = await laptopOf(open, box, people.okafor.id)
  await enter(laptop, 'okafor', { score: 55 })
  await settle(atSchool, link)
  for (const node of [centre, box, laptop]) {
    expect((await gradeAt(node))?.score).toBe(55)
    expect(await conflictsAt(node)).toMatchObject([{ status: 'resolved', resolved_by: people.okafor.id }])
  }
})

test('a mark that is typed before the other value has come decides nothing', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  await enter(centre, 'byrne', { score: 51 })
  await enter(box, 'okafor', { score: 59 })
  await enter(box, 'okafor', { score: 55 })
  await settle(link)
  for (const node of [centre, box]) expect(await openAt(node)).toMatchObject([{ value: { score: 51 } }])
})

test('what is written of another part of the row, or by the service, decides nothing', async () => {
  const { centre, box, link } = await inConflict({ score: 51, remarks: 'at the centre' }, { score: 59, remarks: 'at school' })
  expect((await openAt(box)).map(({ unit }) => unit).sort()).toEqual(['remarks', 'score'])
  await enter(box, 'okafor', { score: 55 })
  expect(await openAt(box)).toMatchObject([{ unit: 'remarks' }])
  await box.services.store.write({ as: 'system', userId: null }, async (tx) => {
    const grade = await gradeAt(box)
    if (grade) await tx.update('grade', grade, { remarks: 'by nobody' })
  })
  await settle(link)
  for (const node of [centre, box]) expect(await openAt(node)).toMatchObject([{ unit: 'remarks' }])
})

test('of two values that lost, one that is taken by hand leaves the other to be decided', async () => {
  const { centre, box, link } = await inConflict({ score: 51 }, { score: 59 })
  const { laptop, link: atSchool } = await laptopOf(open, box, people.okafor.id)
  await enter(box, 'okafor', { score: 60 })
  await enter(laptop, 'okafor', { score: 61 })
  await settle(atSchool, link)
  await enter(centre, 'byrne', { score: 70 })
  await enter(box, 'okafor', { score: 71 })
  await enter(laptop, 'okafor', { score: 72 })
  await settle(atSchool, link)
  const both = await openAt(box)
  expect(both.length).toBeGreaterThan(1)
  const [taken, ...left] = both
  await (await signedIn(box, 'okafor')).replication.resolve({ params: { id: taken?.id as string }, body: { choice: 'kept' } })
  await settle(link)
  expect((await gradeAt(centre))?.score).toBe(taken?.value?.['score'])
  expect((await openAt(centre)).map(({ id }) => id).sort()).toEqual(left.map(({ id }) => id).sort())
})
