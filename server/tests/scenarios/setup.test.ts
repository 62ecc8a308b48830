import { hilltopPupil } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, hilltopMaths, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, schoolAndLaptop } from '../../testing/joined.ts'
import { lineOf, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

test('the term made twice: one term, its settings merged', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const next = { name: '2027/28', startDate: '2027-09-01', endDate: '2028-06-30', gradingModel: 'term_based' } as const
  const year = await (await signedIn(centre, 'okafor')).academicYears.create({ body: next })
  await settle(link)
  const term = { academicYearId: year.id, name: 'michaelmas', startDate: '2027-09-01', endDate: '2027-12-20' } as const
  const made = await (await signedIn(centre, 'okafor')).terms.create({ body: { ...term, examWeight: 60, courseworkWeight: 40 } })
  box.clock.advance(5_000)
  const again = await (await signedIn(box, 'okafor')).terms.create({ body: { ...term, examWeight: 50, courseworkWeight: 50 } })
  expect(again.id).toBe(made.id)
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect((await centre.rows('term')).find(({ id }) => id === made.id)).toMatchObject({ exam_weight: 50, coursework_weight: 50 })
  expect(await conflictsAt(centre)).toMatchObject([{ entity: 'term', unit: 'weights', value: { exam_weight: 60, coursework_weight: 40 } }])
})

test('weights changed at both ends: one pair stands whole, and it sums to 100', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const weights = (examWeight: number) => ({ params: { id: michaelmas.id }, body: { examWeight, courseworkWeight: 100 - examWeight } })
  await (await signedIn(centre, 'okafor')).terms.update(weights(70))
  box.clock.advance(1_000)
  await (await signedIn(box, 'okafor')).terms.update(weights(45))
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect((await centre.rows('term')).find(({ id }) => id === michaelmas.id)).toMatchObject({ exam_weight: 45, coursework_weight: 55 })
  expect(await conflictsAt(box)).toMatchObject([{ unit: 'weights', value: { exam_weight: 70, coursework_weight: 30 } }])
})

test('the lock beats the late edit: what was sent stands, and the edit is kept', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const book = { id: draftReport.id }
  const byrne = await signedIn(centre, 'byrne')
  await byrne.reports.publish({ params: book })
  await byrne.reports.sendToMinistry({ params: book })
  box.clock.advance(60_000)
  await (await signedIn(box, 'byrne')).reports.update({ params: book, body: { conduct: 'Written too late.' } })
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  const sent = (await box.rows('report_book')).find(({ id }) => id === book.id)
  expect(sent).toMatchObject({ status: 'sent_to_ministry' })
  expect(sent?.conduct).not.toBe('Written too late.')
  expect(await conflictsAt(centre)).toMatchObject([
    { unit: 'conduct', kind: 'rule', reason: 'sent', value: { conduct: 'Written too late.' } },
  ])
  // The late edit is the last write of the unit, and is not what stands.
  expect(await (await signedIn(box, 'byrne')).replication.conflicts({ query: { status: 'open' } })).toMatchObject([
    { kept: { conduct: 'Written too late.' }, actor: { id: people.byrne.id }, standing: null },
  ])
})

test('the neighbour’s rows: a school’s node gets none of them, and cannot read or write one', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  expect((await box.rows('school')).map(({ id }) => id)).toEqual([stBrigids])
  expect((await box.rows('student')).every(({ school_id }) => school_id === stBrigids)).toBe(true)
  expect((await box.rows('user_profile')).some(({ email }) => email.includes('hilltop'))).toBe(false)

  // Asked about by their ids, they are rows that nobody has ever heard of.
  const line = await lineOf(box, centre)
  expect(await line.known({ table: 'student', ids: [hilltopPupil.id] })).toEqual({ unknown: [hilltopPupil.id] })

  // Sent up as the neighbour's own, and as rows of this school that have their ids.
  const neighbours = async () => {
    const [students, subjects] = [await centre.rows('student'), await centre.rows('subject')]
    return [...students, ...subjects].filter(({ school_id }) => school_id !== stBrigids)
  }
  const before = await neighbours()
  const node = box.services.store.nodeId
  const names = { first_name: 'Forged', last_name: 'Forged' }
  await box.services.store.write(asSystem(), async (tx) =>
    tx.replica.recordReceived(stBrigids, [
      forged('student', { id: hilltopPupil.id, school_id: hilltop, ...names }, node),
      forged('subject', { ...hilltopMaths, school_id: stBrigids, name: 'Forged', created_at: '2026-01-12T08:00:00.000Z' }, node),
    ]),
  )
  await settle(link)
  expect(await neighbours()).toEqual(before)
  const refused = (await refusedAt(box)).map(({ table_name, row_id, code }) => ({ table_name, row_id, code }))
  expect(refused).toEqual([0, 1].map(() => ({ table_name: 'student', row_id: hilltopPupil.id, code: 'foreign' })))
  // An id of the neighbour's under this school's own name is a row of this school: nothing of theirs can be meant by it.
  expect((await centre.rows('subject')).filter(({ name }) => name === 'Forged')).toMatchObject([{ school_id: stBrigids }])
})

/** Versions of a row that this node never had. */
const forged = (table_name: 'student' | 'subject', last: { id: string; [column: string]: unknown }, node: string) => {
  const stamp = [node, 1, 1, null]
  const more = table_name === 'subject' ? { code: stamp, sort_order: stamp, is_active: stamp } : {}
  return {
    table_name,
    row_id: last.id,
    vv: JSON.stringify({ [node]: 1 }),
    units: JSON.stringify({ row: stamp, name: stamp, ...more, alive: [[node, 1]] }),
    deleted: false,
    extra: JSON.stringify({ last }),
    source_id: null,
    settled: false,
    schema: 1,
  }
}

test('a laptop carries what its user may read: no secrets, and report books only of classes that are theirs', async () => {
  const { box } = await centreAndSchool(open)
  const { laptop } = await laptopOf(open, box, people.ada.id, 'adas')
  const { laptop: byrnes } = await laptopOf(open, box, people.byrne.id, 'byrnes')
  expect(await laptop.rows('report_book')).toEqual([])
  expect((await laptop.rows('grade')).length).toBe((await box.rows('grade')).length)
  const own = await byrnes.rows('report_book')
  expect(own.length).toBeGreaterThan(0)
  expect(own.every(({ student_group_id }) => student_group_id === class3B.id)).toBe(true)
})

test('a book that a laptop changes and removes at once, while the school writes in it: it lives again with what both wrote', async () => {
  const { box, laptop, laptopLink: link } = await schoolAndLaptop(open, people.byrne.id)
  await laptop.services.store.write(asSystem(people.byrne.id), async (tx) => {
    const before = await tx.find('report_book', stBrigids, draftReport.id)
    if (!before) throw new Error('the laptop of a class teacher has its books')
    const [after] = await tx.update('report_book', [{ before, patch: { class_teacher_remark: 'Written last' } }])
    await tx.remove('report_book', [after ?? before])
  })
  await (await signedIn(box, 'okafor')).reports.update({ params: { id: draftReport.id }, body: { conduct: 'Good' } })
  await settle(link)
  for (const node of [box, laptop]) {
    const book = (await node.rows('report_book')).find(({ id }) => id === draftReport.id)
    expect(book).toMatchObject({ class_teacher_remark: 'Written last', conduct: 'Good' })
  }
  expect(await conflictsAt(box)).toMatchObject([{ entity: 'report_book', kind: 'delete', status: 'open', actor_id: people.byrne.id }])
  const past = await (await signedIn(box, 'okafor')).history.list({ query: { entity: 'report_book', id: draftReport.id } })
  expect(past).toContainEqual(
    expect.objectContaining({
      action: 'update',
      changes: { class_teacher_remark: { before: draftReport.class_teacher_remark, after: 'Written last' } },
    }),
  )
})
