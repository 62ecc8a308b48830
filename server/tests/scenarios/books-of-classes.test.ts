import { naturalId } from '@markbook/shared/ids'
import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3A, class3B } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import { afterEach, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { conflictsAt, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** The book of a pupil for another term, in a class of the story. */
async function bookIn({ services }: School, group: string, id: string): Promise<Row<'report_book'>> {
  return services.store.write(asSystem(people.okafor.id), async (tx) => {
    const [book] = await tx.insert('report_book', [{ ...draftReport, id, term_id: HILARY, student_group_id: group }])
    const entry = (await tx.db.select().from(tx.t.report_book_entry)).find(({ report_book_id }) => report_book_id === draftReport.id)
    if (!book || !entry) throw new Error('the story has a book with entries')
    await tx.insert('report_book_entry', [
      { ...entry, id: naturalId('report_book_entry', id, entry.subject_id), report_book_id: id, teacher_remark: 'Neat work.' },
    ])
    return book
  })
}
const HILARY = naturalId('term', draftReport.academic_year_id, 'hilary')
const ID = naturalId('report_book', draftReport.student_id, HILARY, draftReport.report_type)
const booksAt = async (node: School) => (await node.rows('report_book')).map(({ id }) => id)
const entriesAt = async (node: School) => (await node.rows('report_book_entry')).filter(({ report_book_id }) => report_book_id === ID)

test('a class that goes with its books leaves its teacher’s laptop with them, and nothing is to be decided', async () => {
  const centre = await school({ seed: 'centre' })
  open.push(centre)
  const { store } = centre.services
  const group = await store.write(asSystem(people.okafor.id), async (tx) => {
    const place = { school_id: stBrigids, academic_year_id: class3B.academic_year_id }
    const [made] = await tx.insert('student_group', [{ ...place, id: tx.newId(), name: '9Z', created_by: people.okafor.id }])
    const id = made?.id as string
    const user = { school_id: stBrigids, student_group_id: id, user_profile_id: people.byrne.id }
    const assigned = { ...user, id: naturalId('teacher_group_assignment', people.byrne.id, id), academic_year_id: place.academic_year_id }
    await tx.insert('teacher_group_assignment', [assigned])
    await tx.insert('class_teacher', [{ ...user, id }])
    return id
  })
  const book = await bookIn(centre, group, ID)
  const { laptop, link } = await laptopOf(open, centre, people.byrne.id)
  expect(await booksAt(laptop)).toContain(ID)
  await store.write(asSystem(people.okafor.id), async (tx) => {
    await tx.remove('report_book', [book])
    await tx.remove('student_group', [(await tx.find('student_group', stBrigids, group)) as Row<'student_group'>])
  })
  await settle(link)
  expect(await booksAt(laptop)).not.toContain(ID)
  expect((await laptop.rows('student_group')).map(({ id }) => id)).not.toContain(group)
  for (const node of [laptop, centre]) expect(await conflictsAt(node)).toEqual([])
})

test('a book that moves to another class leaves the laptop of the one teacher, and comes whole to that of the other', async () => {
  const centre = await school({ seed: 'centre' })
  open.push(centre)
  const { store } = centre.services
  const book = await bookIn(centre, class3B.id, ID)
  const { laptop: byrnes, link: ofByrne } = await laptopOf(open, centre, people.byrne.id, 'byrnes')
  const { laptop: quinns, link: ofQuinn } = await laptopOf(open, centre, people.quinn.id, 'quinns')
  expect([await booksAt(byrnes), await booksAt(quinns)].map((books) => books.includes(ID))).toEqual([true, false])
  await store.write(asSystem(people.okafor.id), (tx) =>
    tx.update('report_book', [{ before: book, patch: { student_group_id: class3A.id } }]),
  )
  await settle(ofByrne, ofQuinn)
  expect([await booksAt(byrnes), await booksAt(quinns)].map((books) => books.includes(ID))).toEqual([false, true])
  expect(await entriesAt(byrnes)).toEqual([])
  expect(await entriesAt(quinns)).toMatchObject([{ teacher_remark: 'Neat work.' }])
  expect(await booksAt(byrnes)).toContain(draftReport.id)
})

test('a book that the other teacher makes in her class, on her laptop, leaves the one and comes whole to the other', async () => {
  const centre = await school({ seed: 'centre' })
  open.push(centre)
  await bookIn(centre, class3B.id, ID)
  const { laptop: byrnes, link: ofByrne } = await laptopOf(open, centre, people.byrne.id, 'byrnes')
  const { laptop: quinns, link: ofQuinn } = await laptopOf(open, centre, people.quinn.id, 'quinns')
  quinns.clock.advance(60_000)
  const head = await signedIn(centre, 'okafor')
  await head.classes.unenroll({ params: { id: class3B.id, studentId: draftReport.student_id } })
  await head.classes.enroll({ params: { id: class3A.id }, body: { studentId: draftReport.student_id } })
  await quinns.services.store.write(asSystem(people.quinn.id), async (tx) => {
    await tx.insert('report_book', [{ ...draftReport, id: ID, term_id: HILARY, student_group_id: class3A.id }])
  })
  await settle(ofQuinn, ofByrne)
  expect([await booksAt(byrnes), await booksAt(quinns)].map((books) => books.includes(ID))).toEqual([false, true])
  expect(await entriesAt(quinns)).toMatchObject([{ teacher_remark: 'Neat work.' }])
})

test('what a teacher got with a class at school stays on their laptop, also where it meets a centre that has not heard of that', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  await bookIn(box, class3A.id, ID)
  await settle(link)
  const { laptop, link: atSchool } = await laptopOf(open, box, people.byrne.id)
  const atCentre = await under(centre, laptop, { user: people.byrne.id })
  await settle(atSchool, atCentre)
  expect(await booksAt(laptop)).not.toContain(ID)
  const head = await signedIn(box, 'okafor')
  const to = { teacherId: people.byrne.id }
  await head.classes.addTeacher({ params: { classId: class3A.id }, body: { ...to, subjectIds: [] } })
  await head.classes.handOver({ params: { classId: class3A.id }, body: to })
  await settle(atSchool)
  expect(await booksAt(laptop)).toContain(ID)
  await (await signedIn(centre, 'okafor')).reports.update({ params: { id: ID }, body: { conduct: 'Kind' } })
  await settle(atCentre)
  expect(await booksAt(laptop)).toContain(ID)
  expect(await entriesAt(laptop)).toMatchObject([{ teacher_remark: 'Neat work.' }])
  await settle(link, atSchool)
  expect((await laptop.rows('report_book')).find(({ id }) => id === ID)).toMatchObject({ conduct: 'Kind' })
})
