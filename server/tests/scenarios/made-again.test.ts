import { people } from '@markbook/shared/story/people'
import { class3A, class3B } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import { afterEach, expect, test } from 'vitest'
import { exportUp, importBundle } from '../../replication/exchange/by-hand.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { incarnations } from '../../store/node.ts'
import { asSystem } from '../../store/tx.ts'
import { laptopOf, schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn, type UnderParent } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { BOOK, hilary } from './books.fixtures.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, settle } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

/** Mr Byrne makes the books of his class for the second term, with nothing typed in them. */
const generate = async (laptop: School) =>
  (await signedIn(laptop, 'byrne')).reports.generate({ body: { studentGroupId: class3B.id, termId: hilary, reportType: 'term' } })
const write = async (laptop: School, conduct: string) =>
  (await signedIn(laptop, 'byrne')).reports.update({ params: { id: BOOK }, body: { conduct } })
const bookAt = async (node: School) => (await node.rows('report_book')).find(({ id }) => id === BOOK)
const numbersOf = ({ services }: School) => services.store.read(asSystem(), incarnations)

const handOver = async (node: School, teacherId: string) =>
  (await signedIn(node, 'okafor')).classes.handOver({ params: { classId: class3B.id }, body: { teacherId } })

/** What stood under the laptop's own number is not taken for something that it has seen. */
async function expectKept(node: School): Promise<void> {
  const kept = (await conflictsAt(node)).filter(({ row_id, unit }) => row_id === BOOK && unit === 'conduct')
  expect(kept).toMatchObject([{ value: { conduct: 'Kind to everybody.' }, actor_id: people.byrne.id, status: 'open' }])
}

type Written = { centre: School; laptop: School; link: UnderParent }
/** A laptop whose user has written in a book of the class, which its parent has. */
async function written(): Promise<Written> {
  const centre = await school({ seed: 'centre' })
  open.push(centre)
  const { laptop, link } = await laptopOf(open, centre, people.byrne.id)
  await generate(laptop)
  await write(laptop, 'Kind to everybody.')
  await link.round()
  return { centre, laptop, link }
}

/** So has one whose user is not the class teacher any more. */
async function withoutRight(): Promise<Written> {
  const all = await written()
  await handOver(all.centre, people.quinn.id)
  return all
}

test('a book that went with a right, and is made again before it is back, counts for nothing that was written in it before', async () => {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open, people.byrne.id)
  const image = await imageOf(box)
  await generate(laptop)
  await write(laptop, 'Kind to everybody.')
  await settle(atSchool, link)
  await handOver(box, people.quinn.id)
  await settle(atSchool, link)
  expect(await bookAt(laptop)).toBeUndefined()
  // The day before the books were made, when the class was his.
  const restored = await startedFrom(image, 'restored')
  await restored.services.store.renewNode()
  await makeRound(laptop, carrierTo(restored))
  laptop.clock.advance(60_000)
  await generate(laptop)
  await makeRound(laptop, carrierTo(restored))
  expect(await bookAt(restored)).toMatchObject({ conduct: null })
  await makeRound(restored, carrierTo(centre))
  for (const node of [restored, centre]) await expectKept(node)
})

/** A laptop whose user has written in a book of the class, which then came to another class, as its parent knows. */
async function elsewhere(): Promise<Written> {
  const all = await written()
  const { centre } = all
  const before = (await bookAt(centre)) as Row<'report_book'>
  await centre.services.store.write(asSystem(people.okafor.id), (tx) =>
    tx.update('report_book', [{ before, patch: { student_group_id: class3A.id } }]),
  )
  return all
}

test('nor does one that came to another class, and is made again here', async () => {
  const { centre, laptop, link } = await elsewhere()
  await link.round()
  expect(await bookAt(laptop)).toBeUndefined()
  laptop.clock.advance(60_000)
  await generate(laptop)
  await settle(link)
  await expectKept(centre)
})

test('a stick takes such a book away as well, and the number stays, for without a line nobody can be told of another', async () => {
  const { centre, laptop } = await elsewhere()
  const bundle = async () => {
    const [parent] = await laptop.services.store.read(asSystem(), parentsOf)
    return (await exportUp(laptop.services, parent as Row<'sync_peer'>)).bundle
  }
  const { receipt } = await importBundle(centre.services, await bundle())
  await importBundle(laptop.services, receipt as Buffer)
  expect(await bookAt(laptop)).toBeUndefined()
  expect(await numbersOf(laptop)).toHaveLength(1)
  await importBundle(centre.services, await bundle())
})

test('the number is given up once', async () => {
  const { laptop, link } = await withoutRight()
  await settle(link)
  expect(await bookAt(laptop)).toBeUndefined()
  expect(await numbersOf(laptop)).toHaveLength(2)
})

test('no number is given up for rows in which nothing was written here', async () => {
  const centre = await school({ seed: 'centre' })
  open.push(centre)
  await generate(centre)
  const { laptop, link } = await laptopOf(open, centre, people.byrne.id)
  expect(await bookAt(laptop)).toBeDefined()
  await handOver(centre, people.quinn.id)
  await settle(link)
  expect(await bookAt(laptop)).toBeUndefined()
  expect(await numbersOf(laptop)).toHaveLength(1)
})

test('killed when the number is given up and before the rows go, it has them until it has met its parent under the next', async () => {
  const { laptop, link } = await withoutRight()
  const { store } = laptop.services
  const { renewNode } = store
  store.renewNode = async () => {
    await renewNode()
    throw new Error('the power went')
  }
  await expect(link.round()).rejects.toThrow('the power went')
  store.renewNode = renewNode
  expect(await bookAt(laptop)).toMatchObject({ conduct: 'Kind to everybody.' })
  await settle(link)
  expect(await bookAt(laptop)).toBeUndefined()
  expect(await numbersOf(laptop)).toHaveLength(2)
})
