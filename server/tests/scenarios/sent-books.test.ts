import { naturalId } from '@markbook/shared/ids'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, maths } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import { afterEach, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { BOOK, hilary } from './books.fixtures.ts'
import { copiesIn } from './copies.fixtures.ts'
import { refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const ENTRY = naturalId('report_book_entry', BOOK, maths.id)
const params = { id: BOOK }

const entryAt = async (node: School) => (await node.rows('report_book_entry')).find(({ id }) => id === ENTRY)
const statusAt = async (node: School) => (await node.rows('report_book')).find(({ id }) => id === BOOK)?.status

/**
 * Mr Byrne has made the books of his class on his laptop, and Ada has written a remark in one of them at the school, whose disk is put back
 * to the day before. `send`: what he does with that book in between.
 */
async function writtenByTwo(send: (byrne: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown>) {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open, people.byrne.id)
  const image = await imageOf(box)
  const byrne = await signedIn(laptop, 'byrne')
  await byrne.reports.generate({ body: { studentGroupId: class3B.id, termId: hilary, reportType: 'term' } })
  await settle(atSchool)
  const remark = { teacherRemark: 'Careful with fractions.' }
  await (await signedIn(box, 'ada')).reports.updateEntry({ params: { entryId: ENTRY }, body: remark })
  await settle(atSchool, link)
  await send(byrne)
  const restored = await startedFrom(image, 'restored')
  await restored.services.store.renewNode()
  return { centre, box, link, laptop, atSchool, restored }
}

const sent = async (byrne: Awaited<ReturnType<typeof signedIn>>) => {
  await byrne.reports.publish({ params })
  await byrne.reports.sendToMinistry({ params })
}

test('a sent book that only a laptop brings back comes with the entry that another wrote', async () => {
  const { centre, laptop, restored } = await writtenByTwo(sent)
  await makeRound(laptop, carrierTo(restored))
  expect(await statusAt(restored)).toBe('sent_to_ministry')
  for (const node of [restored, laptop]) expect(await entryAt(node)).toMatchObject({ teacher_remark: 'Careful with fractions.' })
  expect(await refusedAt(laptop)).toEqual([])
  await makeRound(restored, carrierTo(centre))
  const [a, b] = await same(restored, centre)
  expect(b).toEqual(a)
})

test('so it does without having been sent: whoever wrote in it, the school had signed it', async () => {
  const { laptop, restored } = await writtenByTwo(async (byrne) => byrne.reports.publish({ params }))
  await makeRound(laptop, carrierTo(restored))
  expect(await statusAt(restored)).toBe('published')
  for (const node of [restored, laptop]) expect(await entryAt(node)).toMatchObject({ teacher_remark: 'Careful with fractions.' })
  expect(await refusedAt(laptop)).toEqual([])
})

test('nor do other words than those that were sent, in the name of whoever wrote there', async () => {
  const { laptop, restored } = await writtenByTwo(sent)
  await laptop.services.store.write(asSystem(people.ada.id), async (tx) => {
    const before = (await tx.find('report_book_entry', stBrigids, ENTRY)) as Row<'report_book_entry'>
    await tx.update('report_book_entry', [{ before, patch: { teacher_remark: 'Forged.' } }])
  })
  await makeRound(laptop, carrierTo(restored))
  expect(await statusAt(restored)).toBe('sent_to_ministry')
  expect(await entryAt(restored)).toBeUndefined()
  expect(await refusedAt(laptop)).toContainEqual(
    expect.objectContaining({ row_id: ENTRY, value: { teacher_remark: 'Forged.' }, code: 'not_yours' }),
  )
})
