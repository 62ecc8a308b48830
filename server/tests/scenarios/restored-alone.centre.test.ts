import { naturalId } from '@markbook/shared/ids'
import { englishEssay, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterEach, expect, test } from 'vitest'
import { schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, refusedAt, refusedBelow, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const essay = naturalId('grade', englishEssay.id, zoe.id)
const mark = async (node: School, score: number) =>
  (await signedIn(node, 'okafor')).grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] } })
const markAt = async (node: School) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id)
const pastOf = async (node: School, id: string) =>
  (await (await signedIn(node, 'okafor')).history.list({ query: { entity: 'grade', id } })).map(({ actor, at, action, changes }) => [
    actor?.id ?? null,
    at,
    action,
    changes,
  ])

/** A laptop under its school and under the centre, at rest; the school is backed up. */
async function backedUp() {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open)
  const atCentre = await under(centre, laptop, { user: people.ada.id })
  await settle(atSchool, link, atCentre)
  const yesterday = await imageOf(box)
  const restored = async () => {
    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(7_200_000)
    await back.services.store.renewNode()
    return back
  }
  for (const node of [centre, box, laptop]) node.clock.advance(3_600_000)
  return { centre, box, link, laptop, atSchool, atCentre, restored }
}

/** Once there is a line again all hold the same, and nobody has anything to decide. */
async function agree(centre: School, back: School, laptop: School) {
  for (let time = 0; time < 3; time += 1) {
    await makeRound(back, carrierTo(centre))
    await makeRound(laptop, carrierTo(back))
  }
  for (const node of [centre, back, laptop]) {
    expect((await markAt(node))?.score).toBe(52)
    expect(await conflictsAt(node)).toEqual([])
  }
  expect([await refusedBelow(centre), await refusedBelow(back), await refusedAt(back), await refusedAt(laptop)]).toEqual([[], [], [], []])
  const [a, b] = await same(centre, back)
  expect(b).toEqual(a)
}

test('a school restored without its centre has from a laptop of both what the centre wrote, with who wrote it and when', async () => {
  const { centre, link, laptop, atCentre, restored } = await backedUp()
  const head = await signedIn(centre, 'okafor')
  const pupil = await head.students.create({ body: { firstName: 'Nóra', lastName: 'Quinn', gender: 'female', studentNumber: 'SB-900' } })
  await head.grades.remove({ params: { id: essay } })
  await mark(centre, 51)
  centre.clock.advance(60_000)
  await mark(centre, 52)
  await atCentre.round()
  await link.round()
  const back = await restored()
  await makeRound(laptop, carrierTo(back))
  const { id, score } = (await markAt(back)) as { id: string; score: number | null }
  expect(score).toBe(52)
  expect(await pastOf(back, id)).toEqual(await pastOf(centre, id))
  expect((await back.rows('student')).find((each) => each.id === pupil.id)).toMatchObject({ last_name: 'Quinn' })
  expect((await back.rows('grade')).map((each) => each.id)).not.toContain(essay)
  expect([await conflictsAt(back), await refusedBelow(back), await refusedAt(laptop)]).toEqual([[], [], []])
  await agree(centre, back, laptop)
})

test('and of what it wrote itself meanwhile both are kept, for somebody to decide', async () => {
  const { centre, laptop, atCentre, restored } = await backedUp()
  await mark(centre, 52)
  await atCentre.round()
  const back = await restored()
  await mark(back, 60)
  await makeRound(laptop, carrierTo(back))
  const of = async (node: School) => [
    (await markAt(node))?.score,
    (await conflictsAt(node)).map(({ id, value, unit }) => [id, value, unit]),
  ]
  expect(await of(back)).toEqual([60, [[expect.any(String), { score: 52 }, 'score']]])
  for (let time = 0; time < 3; time += 1) {
    await makeRound(back, carrierTo(centre))
    await makeRound(laptop, carrierTo(back))
  }
  for (const node of [centre, laptop]) expect(await of(node)).toEqual(await of(back))
})

test('a mark of its own, which came back from the centre beside that of somebody there, is told to the school once more', async () => {
  const { centre, box, laptop, atCentre, restored } = await backedUp()
  await mark(centre, 52)
  laptop.clock.advance(60_000)
  await (await signedIn(laptop, 'ada')).grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 60 }] } })
  await makeRound(laptop, carrierTo(box))
  await atCentre.round()
  const back = await restored()
  await makeRound(laptop, carrierTo(back))
  expect([(await markAt(laptop))?.score, (await markAt(back))?.score]).toEqual([60, 60])
  expect([await refusedBelow(back), await refusedAt(laptop)]).toEqual([[], []])
  for (let time = 0; time < 3; time += 1) {
    await makeRound(back, carrierTo(centre))
    await makeRound(laptop, carrierTo(back))
  }
  for (const node of [centre, back, laptop]) {
    expect((await markAt(node))?.score).toBe(60)
    expect((await conflictsAt(node)).map(({ value }) => value)).toEqual([{ score: 52 }])
  }
})

test('what came to the laptop without its history stays there, and comes to the school with the line', async () => {
  const { centre, box, laptop, laptopLink, link } = await schoolAndLaptop(open)
  await settle(laptopLink, link)
  const yesterday = await imageOf(box)
  await mark(centre, 52)
  await (await under(centre, laptop, { user: people.ada.id })).round()
  expect((await markAt(laptop))?.score).toBe(52)
  const back = await startedFrom(yesterday, 'back')
  back.clock.advance(7_200_000)
  await back.services.store.renewNode()
  const before = (await markAt(back))?.score
  await makeRound(laptop, carrierTo(back))
  expect((await markAt(back))?.score).toBe(before)
  expect((await markAt(laptop))?.score).toBe(52)
  expect([await refusedBelow(back), await refusedAt(laptop)]).toEqual([[], []])
  await agree(centre, back, laptop)
})
