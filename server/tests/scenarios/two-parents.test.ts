import { naturalId } from '@markbook/shared/ids'
import { englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { thisYear } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import { packEntries } from '@markbook/sync/protocol/entries'
import { EXISTENCE } from '@markbook/sync/versions'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { Child } from '../../replication/upstream/child.ts'
import { asSystem } from '../../store/tx.ts'
import { schoolAndLaptop } from '../../testing/joined.ts'
import { lineOf, signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { refusedAt, refusedBelow, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const mathsTest = { termId: mathsExam.term_id, subjectId: mathsExam.subject_id, title: 'New', assessmentType: 'coursework' as const }

/** A teacher's laptop under the school and the centre, and a subject of which only the centre has not heard yet. */
async function newSubject() {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open)
  const atCentre = await under(centre, laptop, { user: people.ada.id })
  await settle(atSchool, link, atCentre)
  const subject = await (await signedIn(box, 'okafor')).subjects.create({ body: { name: 'Music', code: 'MUS' } })
  await atSchool.round()
  const remove = () =>
    laptop.services.store.write(asSystem(people.ada.id), async (tx) =>
      tx.remove('subject', [(await tx.find('subject', stBrigids, subject.id)) as Row<'subject'>]),
    )
  const isAt = async (node: School) => (await node.rows('subject')).some(({ id }) => id === subject.id)
  return { centre, box, laptop, link, atSchool, atCentre, subject, remove, isAt }
}

test('nobody deletes on a laptop what they may not, by telling a parent that has not heard of it', async () => {
  const { centre, box, laptop, link, atSchool, atCentre, subject, remove, isAt } = await newSubject()
  await remove()
  await atCentre.round()
  await settle(link, atSchool, atCentre)
  for (const node of [centre, box, laptop]) expect(await isAt(node)).toBe(true)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect(await refusedAt(laptop)).toMatchObject([{ row_id: subject.id, unit: 'row', value: null, code: 'forbidden' }])
  // The school’s head is shown it. What the laptop does not heed, since the row comes by the school, nobody is shown at the centre.
  expect(await refusedBelow(box)).toMatchObject([{ row_id: subject.id, unit: 'row', value: null, code: 'forbidden' }])
  expect(await refusedBelow(centre)).toEqual([])
})

test('a laptop’s deletion that its first parent takes is not given up because another parent does not know the row', async () => {
  const { centre, box, laptop, link, atSchool, atCentre, isAt } = await newSubject()
  const made = await (await signedIn(box, 'ada')).assessments.create({ body: mathsTest })
  await atSchool.round()
  await (await signedIn(laptop, 'ada')).assessments.remove({ params: { id: made.id } })
  await atCentre.round()
  expect([await refusedAt(laptop), await refusedBelow(centre)]).toEqual([[], []])
  await settle(atSchool, link, atCentre)
  for (const node of [centre, box, laptop]) expect((await node.rows('assessment')).map(({ id }) => id)).not.toContain(made.id)
  expect(await isAt(centre)).toBe(true)
})

test('what was made on a laptop and deleted there before anybody heard of it is nobody’s concern', async () => {
  const { centre, laptop, link, atSchool, atCentre } = await newSubject()
  const ada = await signedIn(laptop, 'ada')
  const made = await ada.assessments.create({ body: mathsTest })
  await ada.assessments.remove({ params: { id: made.id } })
  await settle(atSchool, link, atCentre)
  expect(await refusedAt(laptop)).toEqual([])
  expect((await centre.rows('assessment')).map(({ id }) => id)).not.toContain(made.id)
})

describe('of a row that the centre alone knows', () => {
  const mark = naturalId('grade', englishExam.id, zoe.id)
  const write = (laptop: School, table: 'assessment_category' | 'grade', id: string, patch: object) =>
    laptop.services.store.write(asSystem(people.ada.id), async (tx) =>
      tx.update(table, (await tx.find(table, stBrigids, id)) as Row<typeof table>, patch),
    )

  /** A category that was made at the centre, with a mark below it, both changed on the laptop of somebody who may change neither. */
  async function changedBoth() {
    const at = await newSubject()
    const okafor = await signedIn(at.centre, 'okafor')
    const body = { academicYearId: thisYear.id, assessmentType: 'exam' as const, name: 'Orals', weight: 2 }
    const category = await okafor.assessmentCategories.create({ body })
    await okafor.assessments.update({ params: { id: englishExam.id }, body: { categoryId: category.id } })
    await at.atCentre.round()
    await write(at.laptop, 'assessment_category', category.id, { weight: 9 })
    await write(at.laptop, 'grade', mark, { score: 3 })
    return { ...at, category }
  }

  test('what the school refuses is not kept on the laptop, whatever else it refuses with it', async () => {
    const { centre, box, laptop, link, atSchool, atCentre, category } = await changedBoth()
    await atSchool.round()
    expect(new Set((await refusedAt(laptop)).map(({ row_id }) => row_id))).toEqual(new Set([category.id, mark]))
    await settle(link, atSchool, atCentre)
    const weights = await Promise.all(
      [centre, box, laptop].map(async (node) => (await node.rows('assessment_category')).map(({ id, weight }) => [id, weight])),
    )
    expect(weights).toEqual([[[category.id, 2]], [[category.id, 2]], [[category.id, 2]]])
    const scores = await Promise.all([box, laptop].map(async (node) => (await node.rows('grade')).find(({ id }) => id === mark)?.score))
    expect(scores[1]).toBe(scores[0])
    expect(scores[1]).not.toBe(3)
  })

  test('nor does what is written while the answer comes go with it unsaid', async () => {
    const { box, laptop, link, atSchool, atCentre } = await changedBoth()
    const [peer] = (await laptop.services.store.read(asSystem(), parentsOf)) as [Row<'sync_peer'>]
    const line = await lineOf(laptop, box)
    const child = new Child(laptop.services, peer.id, line)
    const { page, push } = await child.pageAfter(peer)
    const { answers } = await line.push(push)
    await write(laptop, 'grade', mark, { remarks: 'Written meanwhile' })
    await child.takeAnswers(peer, answers, page)
    await settle(link, atSchool, atCentre)
    expect((await refusedAt(laptop)).map(({ row_id, unit }) => [row_id, unit])).toContainEqual([mark, 'remarks'])
  })
})

test('a mark that is there again by what the centre wrote is not deleted anew for a school that cannot believe it', async () => {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open)
  const atCentre = await under(centre, laptop, { user: people.ada.id })
  await settle(atSchool, link, atCentre)
  const id = naturalId('grade', mathsExam.id, zoe.id)
  await (await signedIn(laptop, 'ada')).grades.remove({ params: { id } })
  await atSchool.round()
  await (await signedIn(centre, 'okafor')).grades.update({ params: { id }, body: { score: 55 } })
  const [atBox, above] = (await laptop.services.store.read(asSystem(), parentsOf)) as [Row<'sync_peer'>, Row<'sync_peer'>]
  // The centre’s write comes before the centre has heard of the deletion.
  const fromCentre = new Child(laptop.services, above.id, await lineOf(laptop, centre))
  while ((await fromCentre.pull(0)).more);
  const scoreAt = async (node: School) => (await node.rows('grade')).find((grade) => grade.id === id)?.score
  expect([await scoreAt(box), await scoreAt(laptop)]).toEqual([undefined, 55])
  const line = await lineOf(laptop, box)
  const child = new Child(laptop.services, atBox.id, line)
  const { page, push, rows } = await child.pageAfter(atBox)
  // Of what the centre signed nothing comes along.
  const { answers } = await line.push({ ...push, history: packEntries([]) })
  expect(answers).toMatchObject([{ id, outcome: 'refused', code: 'not_yours' }])
  await child.takeAnswers(atBox, answers, page)
  const [after] = (await laptop.services.store.read(asSystem(), parentsOf)) as [Row<'sync_peer'>]
  const next = await child.pageAfter(after)
  const deletionIn = (all: typeof rows) => all.find(({ state }) => state.id === id)?.state.units[EXISTENCE]
  expect(deletionIn(next.rows)).toEqual(deletionIn(rows))
  await settle(link, atSchool, atCentre)
  expect([await scoreAt(centre), await scoreAt(box), await scoreAt(laptop)]).toEqual([55, 55, 55])
})
