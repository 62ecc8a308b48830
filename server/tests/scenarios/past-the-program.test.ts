import { naturalId } from '@markbook/shared/ids'
import { mathsExam, mathsHomework, mathsQuiz, pupilsOf3B, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { schoolAndLaptop } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** Who has no mark in mathematics. */
const unmarked = pupilsOf3B[0] as typeof zoe
const mark = (assessmentId: string, score: number, { id } = zoe) => ({ body: { assessmentId, grades: [{ studentId: id, score }] } })
const idOf = (assessmentId: string, { id } = zoe) => naturalId('grade', assessmentId, id)
const scoreAt = async (node: School, id: string) => (await node.rows('grade')).find((row) => row.id === id)?.score
const heldAt = (node: School) => node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))

/** By hand, in the file of the database: no version and no entry of the history tells of it. */
const byHand = (node: School, id: string, score: number) =>
  node.services.store.write(asSystem(), async (tx) => {
    await tx.connection.run('pragma ignore_check_constraints = on', [])
    await tx.connection.db.update(tx.t.grade).set({ score }).where(eq(tx.t.grade.id, id))
    await tx.connection.run('pragma ignore_check_constraints = off', [])
  })
/** By a program that asks less of a mark, with its version and its entry. */
const asAProgram = (node: School, id: string, score: number) =>
  node.services.store.write(asSystem(people.ada.id), async (tx) => {
    await tx.connection.run('pragma ignore_check_constraints = on', [])
    await tx.update('grade', [{ before: (await tx.find('grade', stBrigids, id)) as never, patch: { score } }])
    await tx.connection.run('pragma ignore_check_constraints = off', [])
  })

const scoresRefusedAt = async (node: School) =>
  (await refusedAt(node)).filter(({ unit }) => unit === 'score').map(({ code, value }) => ({ code, value }))

for (const [how, write] of [
  ['by hand', byHand],
  ['by another program', asAProgram],
] as const) {
  test(`a new mark that was made impossible at the school ${how} is again what its teacher typed, at every node`, async () => {
    const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
    const id = idOf(mathsExam.id, unmarked)
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 55, unmarked))
    await laptopLink.round()
    expect(await scoreAt(laptop, id)).toBe(55)
    await write(box, id, -22)
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 81))
    await laptopLink.round()
    await settle(link, laptopLink)
    for (const node of [centre, box, laptop]) {
      expect(await scoreAt(node, id)).toBe(55)
      expect(await scoreAt(node, idOf(mathsExam.id))).toBe(81)
      expect(await heldAt(node)).toEqual([])
    }
    expect(await scoresRefusedAt(box)).toEqual([{ code: 'malformed', value: { score: -22 } }])
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })

  test(`a later mark that the centre has not had is not lost with the value that was put over it ${how}`, async () => {
    const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
    const before = await scoreAt(centre, idOf(mathsExam.id))
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 81))
    await write(box, idOf(mathsExam.id), -1)
    await settle(link, laptopLink)
    expect(before).not.toBe(81)
    for (const node of [centre, box, laptop]) expect(await scoreAt(node, idOf(mathsExam.id))).toBe(81)
  })

  test(`a mark that the centre has stands as there, where it was made impossible at the school ${how}`, async () => {
    const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 81))
    await settle(link, laptopLink)
    await (await signedIn(centre, 'okafor')).grades.bulk(mark(mathsExam.id, 77))
    await write(box, idOf(mathsExam.id), -1)
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsQuiz.id, 16))
    await settle(link, laptopLink)
    for (const node of [centre, box, laptop]) expect(await scoreAt(node, idOf(mathsExam.id))).toBe(77)
  })
}

test('a mark that was made impossible on a laptop by hand is again what its teacher typed', async () => {
  const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsHomework.id, 5))
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 82))
  await byHand(laptop, idOf(mathsHomework.id), -3)
  await settle(laptopLink, link, laptopLink)
  for (const node of [centre, box, laptop]) {
    expect(await scoreAt(node, idOf(mathsHomework.id))).toBe(5)
    expect(await scoreAt(node, idOf(mathsExam.id))).toBe(82)
  }
})

test('what was made with an impossible value goes from the school and from its laptops, and is on the list', async () => {
  const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
  const [id, title] = ['01900000-0000-7000-8000-00000000a001', 'x'.repeat(5_000)]
  const like = (await box.rows('assessment')).find((row) => row.id === mathsHomework.id)
  await box.services.store.write(asSystem(people.okafor.id), (tx) => tx.insert('assessment', [{ ...like, id, title } as never]))
  await laptopLink.round()
  const isAt = async (node: School) => (await node.rows('assessment')).some((row) => row.id === id)
  expect(await isAt(laptop)).toBe(true)
  await settle(link, laptopLink)
  for (const node of [centre, box, laptop]) expect(await isAt(node)).toBe(false)
  expect(await refusedAt(box)).toContainEqual(expect.objectContaining({ code: 'malformed', unit: 'title', value: { title } }))
})
