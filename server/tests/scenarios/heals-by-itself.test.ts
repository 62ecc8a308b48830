import { naturalId } from '@markbook/shared/ids'
import { englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, lineOf, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { byHand, comparing, DAY, differenceAt, ofOther, untilMerged } from './heals.fixtures.ts'
import { conflictsAt, refusedAt, refusedBelow, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const ofEnglish = async (node: School) =>
  (await node.rows('grade'))
    .filter(({ assessment_id }) => assessment_id === englishExam.id)
    .map(({ id, student_id, score, remarks }) => ({ id, student_id, score, remarks }))
const zoesMark = naturalId('grade', mathsExam.id, zoe.id)
const scoreAt = async (node: School) => (await node.rows('grade')).find(({ id }) => id === zoesMark)?.score
const statusAt = async (node: School) => (await signedIn(node, 'okafor')).replication.status()
const loseEnglish = (node: School) => byHand(node, (marks) => `delete from ${marks} where assessment_id = '${englishExam.id}'`)
const expectAlike = async (a: School, b: School) => {
  const [first, second] = await same(a, b)
  expect(first).toEqual(second)
}

describe('what a database lost', () => {
  test('marks that vanished from the school’s file come back from the centre, and the head sees for two weeks that it was so', async () => {
    const { centre, box } = await centreAndSchool(open)
    const before = await ofEnglish(box)
    const marks = (await box.rows('grade')).length
    await loseEnglish(box)
    const school = await comparing(box, centre)
    await school.moments(2)
    const tables = [{ entity: 'grade', here: marks - before.length, there: marks }]
    expect(await statusAt(box)).toMatchObject({
      difference: { healed_at: null, tables },
      sentence: expect.stringMatching(/everything was sent\. This server and .* do not hold the same\. They merge again by themselves/),
    })
    await school.untilMended()
    expect(await ofEnglish(box)).toEqual(before)
    await expectAlike(box, centre)
    expect(await statusAt(box)).toMatchObject({
      compared_at: expect.any(String),
      difference: { healed_at: expect.any(String), tables },
      sentence: expect.stringMatching(/everything is at the centre\. A difference from .* was found .* ago, and is mended\.$/),
    })
    box.clock.advance(15 * DAY)
    expect(await statusAt(box)).toMatchObject({ difference: null, sentence: expect.stringMatching(/everything is at the centre\.$/) })
  })

  test('so do marks that are gone with all that was known of them', async () => {
    const { centre, box } = await centreAndSchool(open)
    const before = await ofEnglish(box)
    await loseEnglish(box)
    for (const { id } of before) await byHand(box, () => `delete from sync_row where row_id = '${id}'`)
    await (await comparing(box, centre)).untilMended()
    expect(await ofEnglish(box)).toEqual(before)
    await expectAlike(box, centre)
  })

  test('marks that vanished at the centre come back from the school', async () => {
    const { centre, box } = await centreAndSchool(open)
    const before = await ofEnglish(centre)
    await loseEnglish(centre)
    await (await comparing(box, centre)).untilMended()
    expect(await ofEnglish(centre)).toEqual(before)
    await expectAlike(box, centre)
    expect(await differenceAt(box)).toMatchObject({ merges: 1, healed_at: expect.any(String) })
  })

  test('marks that vanished on a laptop come back, and nothing of others goes up from it', async () => {
    const { box, laptop } = await schoolAndLaptop(open)
    const marks = await laptop.rows('grade')
    await byHand(laptop, (marks) => `delete from ${marks} where assessment_id = '${mathsExam.id}'`)
    await (await comparing(laptop, box)).untilMended()
    expect(await laptop.rows('grade')).toEqual(marks)
    expect(await differenceAt(laptop)).toMatchObject({ merges: 1, healed_at: expect.any(String) })
    expect(await refusedBelow(box)).toEqual([])
    expect(await refusedAt(laptop)).toEqual([])
  })

  test('what a school has lost is not told to a laptop as if it were empty', async () => {
    const { box } = await centreAndSchool(open)
    const whole = await box.rows('grade')
    const english = await ofEnglish(box)
    await loseEnglish(box)
    const { laptop } = await laptopOf(open, box, people.ada.id)
    expect(await laptop.rows('grade')).toHaveLength(whole.length - english.length)
    expect(await laptop.services.store.read(asSystem(), (tx) => tx.connection.db.$count(tx.t.sync_held))).toBe(0)
  })
})

describe('what a hand changed in the file', () => {
  for (const where of ['school', 'centre'] as const)
    test(`a mark that was changed outside the program at the ${where} ends alike at both, and a person decides`, async () => {
      const { centre, box, link } = await centreAndSchool(open)
      const written = await scoreAt(box)
      await byHand(where === 'school' ? box : centre, (marks) => `update ${marks} set score = 3 where id = '${zoesMark}'`)
      await (await comparing(box, centre)).untilMended()
      await settle(link)
      await expectAlike(box, centre)
      const [stands, conflicts] = [await scoreAt(box), await conflictsAt(box)]
      expect(conflicts).toMatchObject([{ entity: 'grade', row_id: zoesMark, unit: 'score', status: 'open' }])
      expect([stands, conflicts[0]?.value?.['score']].sort()).toEqual([3, written].sort())
      const [conflict] = await (await signedIn(box, 'okafor')).replication.conflicts({ query: { status: 'open' } } as never)
      await (await signedIn(box, 'okafor')).replication.resolve({ params: { id: conflict?.id ?? '' }, body: { choice: 'kept' } })
      await settle(link)
      const other = stands === 3 ? written : 3
      expect([await scoreAt(box), await scoreAt(centre)]).toEqual([other, other])
      expect((await conflictsAt(centre)).map(({ status }) => status)).toEqual(['resolved'])
    })
})

describe('what is no difference', () => {
  test('what is on its way is none, whoever wrote it and however long the other does not hear of it', async () => {
    const { centre, box } = await centreAndSchool(open)
    const enter = (at: School, score: number) =>
      signedIn(at, 'ada').then((api) => api.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] } }))
    let score = 40
    // Each time the centre writes before it is heard what it holds.
    const carry = carrierTo(centre)
    const school = await comparing(box, centre, async (request) => {
      if (request.url.endsWith('/sync/verify')) {
        score += 1
        await enter(centre, score)
      }
      return carry(request)
    })
    expect(await school.moments(10)).toBeGreaterThan(3)
    expect(await differenceAt(box)).toBeNull()
    await enter(box, 81)
    await school.moments(2)
    expect(await differenceAt(box)).toBeNull()
  })

  test('two that hold the same are compared once a day, and not at every moment', async () => {
    const { centre, box } = await centreAndSchool(open)
    const school = await comparing(box, centre)
    expect(await school.moments(20)).toBe(1)
    expect(await differenceAt(box)).toBeNull()
    for (const { clock } of [box, centre]) clock.advance(DAY)
    expect(await school.moments(20)).toBe(1)
  })
})

describe('what does not go by itself', () => {
  test('a difference that stays is told, and everything is merged again once a day at most, then more rarely', async () => {
    const { centre, box } = await centreAndSchool(open)
    // The centre says something else whatever it holds: what it says is never adopted.
    const school = await comparing(
      box,
      centre,
      ofOther(centre, (told) => told.tables.map((each) => ({ ...each, digest: '0' }))),
    )
    const before = await box.digest()
    await school.moments(untilMerged)
    expect(await differenceAt(box)).toMatchObject({ merges: 1, healed_at: null })
    for (const { clock } of [box, centre]) clock.advance(DAY)
    // A server that was started again knows of it.
    const again = await comparing(
      box,
      centre,
      ofOther(centre, (told) => told.tables.map((each) => ({ ...each, digest: '0' }))),
    )
    await again.moments(untilMerged)
    expect(await differenceAt(box)).toMatchObject({ merges: 2, healed_at: null })
    for (const { clock } of [box, centre]) clock.advance(DAY)
    await again.moments(untilMerged)
    expect(await differenceAt(box)).toMatchObject({ merges: 2 })
    expect(await conflictsAt(box)).toEqual([])
    expect(JSON.parse(before)).toHaveLength(JSON.parse(await box.digest()).length)
    await expectAlike(box, centre)
  })

  test('a merge that the line breaks goes on where it was, and the school stays who it is', async () => {
    const { centre, box } = await centreAndSchool(open)
    await loseEnglish(box)
    const node = box.services.store.nodeId
    const line = { cut: false }
    const school = await comparing(box, centre, carrierTo(centre, line))
    for (let cuts = 0; cuts < 6; cuts += 1) {
      line.cut = false
      await school.moments(8)
      line.cut = true
      await expect(school.moments(1)).rejects.toThrow('the line is cut')
    }
    line.cut = false
    await school.untilMended()
    await expectAlike(box, centre)
    expect(await differenceAt(box)).toMatchObject({ merges: 1, healed_at: expect.any(String) })
    expect(box.services.store.nodeId).toBe(node)
  })

  test('a parent compares with one at a time, and tells the others to ask later', async () => {
    const { centre, box } = await centreAndSchool(open)
    const { laptop } = await laptopOf(open, centre, people.ada.id)
    const [first, second] = [await lineOf(box, centre), await lineOf(laptop, centre)]
    const answers = await Promise.allSettled([first.verify(), second.verify()])
    const refused = answers.filter((each) => each.status === 'rejected')
    expect(refused.map(({ reason }) => reason.code)).toEqual(['sync.later'])
    await second.verify()
  })
})
