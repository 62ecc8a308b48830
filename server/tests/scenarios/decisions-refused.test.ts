import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, maths, thisYear } from '@markbook/shared/story/school-year'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { afterEach, expect, test } from 'vitest'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, refusedBelow, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const gradeId = naturalId('grade', mathsExam.id, zoe.id)
type Author = 'ada' | 'byrne' | 'okafor'
type Found<T extends Replicated> = { tx: WriteTx; row: Row<T> }
/** Somebody writes to a row at a node. */
const writes = <T extends Replicated>(node: School, who: Author, [table, id]: [T, string], work: (found: Found<T>) => Promise<unknown>) =>
  node.services.store.write(asSystem(people[who].id), async (tx) => work({ tx, row: (await tx.find(table, stBrigids, id)) as Row<T> }))

async function enters(node: School, who: Author, score: number) {
  node.clock.advance(60_000)
  const body = { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] }
  await (await signedIn(node, who)).grades.bulk({ body })
}
const scoreAt = async (node: School) => (await node.rows('grade')).find(({ id }) => id === gradeId)?.score
/** That Ada teaches mathematics in 3B ends at a node. */
const dismissed = (node: School) =>
  writes(
    node,
    'okafor',
    ['teacher_subject_assignment', naturalId('teacher_subject_assignment', people.ada.id, maths.id, class3B.id)],
    ({ tx, row }) => tx.remove('teacher_subject_assignment', [row]),
  )
const decisionsAt = async (node: School) =>
  (await conflictsAt(node)).filter(({ kind }) => kind === 'value').map(({ status, resolution }) => ({ status, resolution }))

/** One mark in conflict, known at the centre, at the school, and on the laptops of Ada, which has both for parents, and of the head. */
async function everywhere() {
  const { centre, box, link } = await centreAndSchool(open)
  const adas = await laptopOf(open, box, people.ada.id)
  const heads = await laptopOf(open, box, people.okafor.id, 'heads')
  const toCentre = await under(centre, adas.laptop, { user: people.ada.id })
  await enters(centre, 'okafor', 51)
  box.clock.advance(60_000)
  await enters(box, 'okafor', 59)
  await settle(link, adas.link, heads.link, toCentre)
  const nodes = [centre, box, adas.laptop, heads.laptop]
  for (const node of nodes) expect(await decisionsAt(node)).toEqual([{ status: 'open', resolution: null }])
  const settled = async () => {
    await settle(adas.link, heads.link, link, toCentre, adas.link, heads.link)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  }
  return { centre, box, laptop: adas.laptop, link, toSchool: adas.link, toHead: heads.link, toCentre, nodes, settled }
}

test('a decision that the centre took and the school refuses is open again everywhere', async () => {
  const { box, laptop, toSchool, toCentre, nodes, settled } = await everywhere()
  await dismissed(box)
  await enters(laptop, 'ada', 55)
  await toCentre.round()
  expect(await decisionsAt(nodes[0] as School)).toMatchObject([{ status: 'resolved' }])
  // What it writes to give way goes up before the school hears of the centre’s.
  for (let time = 0; time < 2; time += 1) await toSchool.round()
  await settled()
  for (const node of nodes) {
    expect(await decisionsAt(node)).toEqual([{ status: 'open', resolution: null }])
    expect(await scoreAt(node)).toBe(59)
  }
})

test('a decision that the school took and the centre refuses stands everywhere', async () => {
  const { centre, laptop, toSchool, toHead, toCentre, nodes, settled } = await everywhere()
  await dismissed(centre)
  await enters(laptop, 'ada', 55)
  await toSchool.round()
  await toHead.round()
  await toCentre.round()
  for (let time = 0; time < 2; time += 1) await toSchool.round()
  await settled()
  for (const node of nodes) {
    expect(await decisionsAt(node)).toEqual([{ status: 'resolved', resolution: { choice: 'typed', value: { score: 55 } } }])
    expect(await scoreAt(node)).toBe(55)
  }
  // What the laptop wrote to give way to one parent is nobody’s decision, and no refusal of it is told.
  const told = [...(await refusedAt(laptop)), ...(await refusedBelow(nodes[1] as School))]
  expect(told.filter(({ table_name, actor_id }) => table_name === 'sync_conflict' && actor_id === null)).toEqual([])
})

test('what the school took of somebody whose place the centre had ended stands, on other laptops too', async () => {
  const { centre, laptop, toSchool, toHead, nodes, settled } = await everywhere()
  await (await signedIn(centre, 'okafor')).schools.removeMember({ params: { userId: people.ada.id } })
  const [conflict] = await conflictsAt(laptop)
  await (await signedIn(laptop, 'ada')).replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'current' } })
  await toSchool.round()
  await toHead.round()
  await settled()
  for (const node of [nodes[0], nodes[1], nodes[3]] as School[]) expect(await decisionsAt(node)).toMatchObject([{ status: 'resolved' }])
})

test('a decision falls with the mark by which it was made, where only that is refused', async () => {
  const { centre, box, laptop, toSchool, toCentre, nodes, settled } = await everywhere()
  await writes(centre, 'okafor', ['assessment', mathsExam.id], ({ tx, row }) => tx.update('assessment', row, { max_score: 200 }))
  await toCentre.round()
  await enters(laptop, 'ada', 150)
  expect(await decisionsAt(laptop)).toMatchObject([{ status: 'resolved' }])
  await toSchool.round()
  expect(await decisionsAt(box)).toMatchObject([{ status: 'open' }])
  expect(await refusedAt(laptop)).toMatchObject([
    { table_name: 'grade', unit: 'score', value: { score: 150 }, code: 'forbidden' },
    { table_name: 'sync_conflict', unit: 'status', code: 'forbidden' },
  ])
  await settled()
  for (const node of nodes) {
    expect(await decisionsAt(node)).toMatchObject([{ status: 'open' }])
    expect(await scoreAt(node)).toBe(59)
  }
})

test('a teacher who may write what is in conflict, and not decide it by itself, decides it by writing, on a laptop too', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const { laptop, link: toSchool } = await laptopOf(open, box, people.byrne.id)
  const place: ['enrolment', string] = ['enrolment', naturalId('enrolment', zoe.id, thisYear.id)]
  const enrolled = (node: School, who: Author, day: number) => {
    node.clock.advance(60_000)
    return writes(node, who, place, ({ tx, row }) => tx.update('enrolment', row, { enrolled_at: `2025-09-0${day}T08:00:00.000Z` }))
  }
  await enrolled(centre, 'okafor', 2)
  await enrolled(box, 'okafor', 3)
  await settle(link, toSchool)
  expect(await decisionsAt(laptop)).toMatchObject([{ status: 'open' }])
  await enrolled(laptop, 'byrne', 4)
  await settle(toSchool, link)
  for (const node of [centre, box, laptop]) expect(await decisionsAt(node)).toMatchObject([{ status: 'resolved' }])
  expect(await refusedAt(laptop)).toEqual([])
})
