import { mathsExam } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import { afterEach, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { schoolAndLaptop } from '../../testing/joined.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { refusedAt, refusedBelow, same, settle } from './scenes.fixtures.ts'

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
