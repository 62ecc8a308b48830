import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3A, class3B } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import { afterEach, expect, test } from 'vitest'
import { differencesOf, digestsOf } from '../../replication/scope/verify.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { lineOf, signedIn, type UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, refusedBelow, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const conduct = (text: string) => ({ params: { id: draftReport.id }, body: { conduct: text } })
const conductAt = async (node: School) => (await node.rows('report_book')).find(({ id }) => id === draftReport.id)?.conduct
const shownTo = async (node: School, name: 'byrne' | 'quinn' | 'ada') =>
  (await signedIn(node, name)).replication.conflicts({ query: { status: 'open' } })

/** Byrne, the class teacher, writes on his laptop; the head, at the school and later, writes something else in the same place. */
async function writtenTwice() {
  const { centre, box, link: up } = await centreAndSchool(open)
  const { laptop, link } = await laptopOf(open, box, people.byrne.id, 'byrnes')
  await (await signedIn(laptop, 'byrne')).reports.update(conduct('Kind to everybody.'))
  box.clock.advance(60_000)
  await (await signedIn(box, 'okafor')).reports.update(conduct('Late on Mondays.'))
  return { centre, box, laptop, link, settled: () => settle(link, up, link) }
}

const moveTo = (node: School, group: string) =>
  node.services.store.write(asSystem(people.okafor.id), async (tx) => {
    const before = (await tx.find('report_book', stBrigids, draftReport.id)) as Row<'report_book'>
    await tx.update('report_book', [{ before, patch: { student_group_id: group } }])
  })
const differences = async ({ node }: UnderParent, parent: School, user: string) =>
  differencesOf(
    await digestsOf(node.services.store, { kind: 'laptop', school_id: stBrigids, user_id: user }),
    await (await lineOf(node, parent)).verify(),
  )

test('what the head’s words replaced in a report is shown to the class teacher on his laptop, and decided there', async () => {
  const { centre, box, laptop, settled } = await writtenTwice()
  await settled()
  expect(await conductAt(laptop)).toBe('Late on Mondays.')
  const [conflict, ...others] = await shownTo(laptop, 'byrne')
  expect(others).toEqual([])
  expect(conflict).toMatchObject({
    entity: 'report_book',
    kept: { conduct: 'Kind to everybody.' },
    current: { conduct: 'Late on Mondays.' },
    actor: { id: people.byrne.id },
    standing: { actor: { id: people.okafor.id } },
    may_decide: true,
  })
  expect((await (await signedIn(laptop, 'byrne')).replication.status()).open_conflicts).toBe(1)

  laptop.clock.advance(120_000)
  const both = 'Kind to everybody, and late on Mondays.'
  await (await signedIn(laptop, 'byrne')).replication.resolve({
    params: { id: conflict?.id as string },
    body: { choice: 'typed', value: { conduct: both } },
  })
  await settled()
  for (const node of [laptop, box, centre]) {
    expect(await conductAt(node)).toBe(both)
    expect(await conflictsAt(node)).toMatchObject([{ status: 'resolved', resolved_by: people.byrne.id }])
  }
})

test('a laptop gets the conflicts of the classes that it has the reports of, and of no other', async () => {
  const { box, laptop, link, settled } = await writtenTwice()
  await settled()
  // A first copy after the conflict, of the class teacher of another class, of a subject teacher, and of an administrator.
  const { laptop: quinns } = await laptopOf(open, box, people.quinn.id, 'quinns')
  const { laptop: adas } = await laptopOf(open, box, people.ada.id, 'adas')
  const { laptop: heads } = await laptopOf(open, box, people.okafor.id, 'heads')
  const { laptop: second } = await laptopOf(open, box, people.byrne.id, 'second')
  const counts = await Promise.all([quinns, adas, heads, second].map(async (node) => (await conflictsAt(node)).length))
  expect(counts).toEqual([0, 0, 1, 1])
  expect(await differences(link, box, people.byrne.id)).toEqual([])
  expect(await conflictsAt(laptop)).toHaveLength(1)
})

test('a conflict goes with its book to another class’s teacher, and comes back with it', async () => {
  const { box, laptop, link, settled } = await writtenTwice()
  await settled()
  const { laptop: quinns, link: toQuinn } = await laptopOf(open, box, people.quinn.id, 'quinns')
  const have = async () => [(await conflictsAt(laptop)).length, (await conflictsAt(quinns)).length]
  for (const [group, wanted] of [
    [class3A.id, [0, 1]],
    [class3B.id, [1, 0]],
  ] as const) {
    await moveTo(box, group)
    await settle(link, toQuinn)
    expect(await have()).toEqual(wanted)
    expect(await differences(link, box, people.byrne.id)).toEqual([])
    expect(await differences(toQuinn, box, people.quinn.id)).toEqual([])
  }
})

test('a decision that was made while the book left for another class is not taken: the conflict waits for those whose it is now, and both lists say so', async () => {
  const { box, laptop, link, settled } = await writtenTwice()
  await settled()
  const [conflict] = await shownTo(laptop, 'byrne')
  await (await signedIn(laptop, 'byrne')).replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'current' } })
  await moveTo(box, class3A.id)
  await settle(link)
  expect(await conflictsAt(laptop)).toEqual([])
  expect(await conflictsAt(box)).toMatchObject([{ status: 'open', resolved_by: null }])
  for (const refused of [await refusedAt(laptop), await refusedBelow(box)])
    expect(refused).toMatchObject([{ table_name: 'sync_conflict', actor_id: people.byrne.id, code: 'forbidden' }])
})

test('with the class the conflicts leave as well, and they come to whoever is class teacher then', async () => {
  const { box, laptop, link, settled } = await writtenTwice()
  await settled()
  const { laptop: quinns, link: toQuinn } = await laptopOf(open, box, people.quinn.id, 'quinns')
  await (await signedIn(box, 'okafor')).classes.handOver({ params: { classId: class3B.id }, body: { teacherId: people.quinn.id } })
  await settle(link, toQuinn)
  expect(await conflictsAt(laptop)).toEqual([])
  expect(await shownTo(quinns, 'quinn')).toMatchObject([{ entity: 'report_book', actor: { id: people.byrne.id }, may_decide: true }])
})
