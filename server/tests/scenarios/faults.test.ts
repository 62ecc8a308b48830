import { naturalId } from '@markbook/shared/ids'
import { englishExam, mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { textToVersions, versionsToText } from '@markbook/sync/versions'
import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const mark = (assessmentId: string, score: number) => ({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } })
const scoreAt = async (node: School, assessmentId: string) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === assessmentId && student_id === zoe.id)?.score

describe('yesterday’s backup', () => {
  test('at the school: the days that the centre has come back, and nothing old is written over them', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const image = await imageOf(box)
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 81))
    await link.round()
    const restored = await startedFrom(image, 'restored')
    // What `markbook restore` does to a database that it has put back.
    await restored.services.store.renewNode()
    expect(await scoreAt(restored, mathsExam.id)).not.toBe(81)
    await makeRound(restored, carrierTo(centre))
    expect(await scoreAt(restored, mathsExam.id)).toBe(81)
    await (await signedIn(restored, 'ada')).grades.bulk(mark(mathsHomework.id, 3))
    await makeRound(restored, carrierTo(centre))
    const [a, b] = await same(centre, restored)
    expect(b).toEqual(a)
    expect(await scoreAt(centre, mathsHomework.id)).toBe(3)
    expect((await conflictsAt(centre)).filter(({ status }) => status === 'open')).toEqual([])
  })

  test('copied back by hand, without a word to anybody: the node notices by itself', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const image = await imageOf(box)
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 81))
    await link.round()
    const restored = await startedFrom(image, 'by-hand')
    // It writes under a number that it used before for something else.
    await (await signedIn(restored, 'ada')).grades.bulk(mark(mathsHomework.id, 2))
    await makeRound(restored, carrierTo(centre))
    await makeRound(restored, carrierTo(centre))
    expect(restored.services.store.nodeId).not.toBe(box.services.store.nodeId)
    const [a, b] = await same(centre, restored)
    expect(b).toEqual(a)
    expect(await scoreAt(restored, mathsExam.id)).toBe(81)
    expect(await scoreAt(centre, mathsHomework.id)).toBe(2)
  })

  test('at the centre: the schools bring the lost days back', async () => {
    const centre = await school({ seed: 'centre' })
    const box = await school({ seed: 'box', story: false, database: 'sqlite' })
    open.push(centre, box)
    const link = await under(centre, box)
    await link.round()
    const image = await imageOf(centre)
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 77))
    await link.round()
    const restored = await startedFrom(image, 'restored-centre')
    await restored.services.store.renewNode()
    await makeRound(box, carrierTo(restored))
    await makeRound(box, carrierTo(restored))
    expect(await scoreAt(restored, mathsExam.id)).toBe(77)
    const [a, b] = await same(restored, box)
    expect(b).toEqual(a)
  })

  test('what only a laptop had heard from a centre that is put back comes home by the school, under the centre’s signature', async () => {
    const centre = await school({ seed: 'centre' })
    const box = await school({ seed: 'box', story: false, database: 'sqlite' })
    open.push(centre, box)
    const link = await under(centre, box)
    await link.round()
    const { laptop, link: atSchool } = await laptopOf(open, box, people.ada.id)
    const atCentre = await under(centre, laptop, { user: people.ada.id })
    await settle(atSchool, atCentre)
    const image = await imageOf(centre)
    const made = await (await signedIn(centre, 'byrne')).assessments.create({
      body: { termId: mathsExam.term_id, subjectId: englishExam.subject_id, title: 'Told on the bus', assessmentType: 'coursework' },
    })
    await atCentre.round()
    const restored = await startedFrom(image, 'restored-centre')
    restored.clock.advance(60_000)
    await restored.services.store.renewNode()
    const isAt = async (node: School) => (await node.rows('assessment')).some(({ id }) => id === made.id)
    expect(await isAt(laptop)).toBe(true)
    // The laptop meets the school alone, which has met the centre as it is now.
    await makeRound(box, carrierTo(restored))
    await atSchool.round()
    expect([await isAt(laptop), await isAt(box), await isAt(restored)]).toEqual([true, true, false])
    await makeRound(box, carrierTo(restored))
    await atSchool.round()
    expect([await isAt(laptop), await isAt(box), await isAt(restored)]).toEqual([true, true, true])
    expect([await refusedAt(laptop), await refusedAt(box), await refusedAt(restored)]).toEqual([[], [], []])
    expect((await restored.rows('sync_conflict')).length).toBe(0)
    const [a, b] = await same(restored, box)
    expect(b).toEqual(a)
  })
})

test('the reply that never came: what was sent and not answered is sent again, and counts once', async () => {
  const { centre, box } = await centreAndSchool(open)
  await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 66))
  const carry = carrierTo(centre)
  const deaf: Carrier = async (request) => {
    const isPush = request.url.endsWith('/sync/push')
    const response = await carry(request)
    if (isPush) throw new Error('the line broke before the answer')
    return response
  }
  await expect(makeRound(box, deaf)).rejects.toThrow()
  expect(await scoreAt(centre, mathsExam.id)).toBe(66)
  const sent = (await centre.rows('sync_conflict')).length
  await makeRound(box, carry)
  await makeRound(box, carry)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect((await centre.rows('sync_conflict')).length).toBe(sent)
})

test('the full disk in the middle of a page: nothing of it stays, and the same page comes again', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const remarks = 'x'.repeat(1_900)
  const pupils = (await centre.rows('student')).filter(({ school_id }) => school_id === zoe.school_id)
  const enrolled = (await centre.rows('grade'))
    .filter(({ assessment_id }) => assessment_id === englishExam.id)
    .map(({ student_id }) => student_id)
  expect(pupils.length).toBeGreaterThan(0)
  await (await signedIn(centre, 'byrne')).grades.bulk({
    body: { assessmentId: englishExam.id, grades: enrolled.map((studentId, at) => ({ studentId, score: 40 + at, remarks })) },
  })
  const [before, cursor] = [await contentsOf(box.services.store), await cursorOf(box)]
  const limit = (pages: string) =>
    box.services.store.write(asSystem(), async (tx) => {
      const [{ page_count } = { page_count: 0 }] = await tx.connection.rows<{ page_count: number }>('pragma page_count', [])
      await tx.connection.rows(`pragma max_page_count = ${pages === 'full' ? page_count : 1_000_000}`, [])
    })
  await limit('full')
  await expect(link.round()).rejects.toMatchObject({ status: 507 })
  await limit('free')
  expect(await cursorOf(box)).toBe(cursor)
  expect(await contentsOf(box.services.store)).toEqual(before)
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
})

const cursorOf = async ({ services }: School) => (await services.store.read(asSystem(), parentsOf))[0]?.their_cursor

test('a row that no honest program sends: it alone is refused, and the rest of its page arrives', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const ada = await signedIn(box, 'ada')
  await ada.grades.bulk(mark(mathsExam.id, 83))
  await ada.grades.bulk(mark(mathsHomework.id, 5))
  await box.services.store.write(asSystem(), async (tx) => {
    const { sync_row } = tx.t
    const ofHomework = eq(sync_row.row_id, naturalId('grade', mathsHomework.id, zoe.id))
    const [row] = await tx.connection.db.select().from(sync_row).where(ofHomework)
    const { units, ...versions } = textToVersions(row!)
    const [node, counter, , actor] = units['score']!
    const absurd = versionsToText({ ...versions, units: { ...units, score: [node, counter, 8e15, actor] } })
    await tx.connection.db.update(sync_row).set(absurd).where(ofHomework)
  })
  await settle(link)
  expect(await scoreAt(centre, mathsExam.id)).toBe(83)
  expect((await refusedAt(box)).map(({ code, unit, value }) => ({ code, unit, value }))).toContainEqual({
    code: 'malformed',
    unit: 'score',
    value: { score: 5 },
  })
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
})

test('a deletion that is refused with a value that nobody may write is undone at those below as well', async () => {
  const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
  const id = naturalId('grade', mathsExam.id, zoe.id)
  const score = await scoreAt(centre, mathsExam.id)
  await box.services.store.write(asSystem(), async (tx) => {
    await tx.connection.run('pragma ignore_check_constraints = on', [])
    await tx.update('grade', [{ before: (await tx.find('grade', stBrigids, id)) as never, patch: { score: -52 } }])
    await tx.connection.run('pragma ignore_check_constraints = off', [])
  })
  await (await signedIn(box, 'okafor')).assessments.remove({ params: { id: mathsExam.id } })
  await laptopLink.round()
  await settle(link, laptopLink)
  for (const node of [centre, box, laptop]) expect(await scoreAt(node, mathsExam.id)).toBe(score)
})

test('a revoked laptop is told so at its next request, and sends nothing', async () => {
  const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
  await box.services.store.write(asSystem(), async (tx) => {
    await tx.connection.db.update(tx.t.sync_peer).set({ revoked_at: tx.now })
  })
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 12))
  await expect(link.round()).rejects.toMatchObject({ code: 'sync.revoked' })
  expect(await scoreAt(box, mathsExam.id)).not.toBe(12)
})
