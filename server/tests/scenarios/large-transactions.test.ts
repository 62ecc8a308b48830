import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { mathsExam, mathsQuiz, pupilsOf3B, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { withLowerLimit } from '../../testing/lower-limit.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, same } from './scenarios.fixtures.ts'

const open: School[] = []
let centre: School
let box: School
beforeEach(async () => {
  ;({ centre, box } = await centreAndSchool(open))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const all = (assessmentId: string, score: number) => ({
  body: { assessmentId, grades: pupilsOf3B.map(({ id }) => ({ studentId: id, score })) },
})
const scoresAt = async (node: School, assessment: string) =>
  (await node.rows('grade')).flatMap(({ assessment_id, student_id, score }) =>
    assessment_id === assessment && pupilsOf3B.some(({ id }) => id === student_id) ? [score] : [],
  )

/** A line that keeps the answers to pushes, and breaks after so many. */
function counting(to: School, breaks = Number.POSITIVE_INFINITY) {
  const carry = carrierTo(to)
  const answers: number[] = []
  const counted: Carrier = async (request) => {
    if (!request.url.endsWith('/sync/push')) return carry(request)
    if (answers.length === breaks) throw new Error('the line is cut')
    const response = await carry(request)
    answers.push(response.status)
    return response
  }
  return { answers, carry: counted }
}
const expectSame = async () => {
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
}

describe('a transaction of more rows than one request of a push brings', () => {
  const few = (work: () => Promise<void>) => withLowerLimit(limits.sync, 'pushRows', 2, work)

  test('comes in parts, and the history of it whole', async () => {
    await (await signedIn(box, 'ada')).grades.bulk(all(mathsExam.id, 55))
    const line = counting(centre)
    await few(() => makeRound(box, line.carry))
    expect(line.answers.length).toBeGreaterThan(2)
    expect(new Set(line.answers)).toEqual(new Set([200]))
    expect(await scoresAt(centre, mathsExam.id)).toEqual(pupilsOf3B.map(() => 55))
    await expectSame()
    const query = { entity: 'grade' as const, id: naturalId('grade', mathsExam.id, zoe.id) }
    const told = async (node: School) => (await (await signedIn(node, 'okafor')).history.list({ query })).map(({ id }) => id).sort()
    expect(await told(centre)).toEqual(await told(box))
  })

  test('and a deletion with all that hung on it leaves nothing to decide', async () => {
    await (await signedIn(box, 'okafor')).assessments.remove({ params: { id: mathsQuiz.id } })
    await few(() => makeRound(box, carrierTo(centre)))
    expect(await scoresAt(centre, mathsQuiz.id)).toEqual([])
    expect((await centre.rows('assessment')).map(({ id }) => id)).not.toContain(mathsQuiz.id)
    expect([await conflictsAt(centre), await conflictsAt(box)]).toEqual([[], []])
    await expectSame()
  })

  test('where the line breaks between two parts, all come again, once, and the school stays who it is', async () => {
    const node = box.services.store.nodeId
    await (await signedIn(box, 'ada')).grades.bulk(all(mathsExam.id, 55))
    await few(() => expect(makeRound(box, counting(centre, 1).carry)).rejects.toThrow())
    const some = (await scoresAt(centre, mathsExam.id)).filter((score) => score === 55).length
    expect([some > 0, some < pupilsOf3B.length]).toEqual([true, true])
    await (await signedIn(box, 'ada')).grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: zoe.id, score: 3 }] } })
    await few(() => makeRound(box, carrierTo(centre)))
    expect(await scoresAt(centre, mathsExam.id)).toEqual(pupilsOf3B.map(() => 55))
    expect([box.services.store.nodeId, await conflictsAt(centre)]).toEqual([node, []])
    await expectSame()
  })

  test('what is refused of any part is on the list', async () => {
    const { laptop, link } = await laptopOf(open, box, people.ada.id)
    await (await signedIn(box, 'okafor')).schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
    await (await signedIn(laptop, 'ada')).grades.bulk(all(mathsExam.id, 99))
    await few(() => link.round())
    expect((await refusedAt(laptop)).filter(({ unit }) => unit === 'score')).toHaveLength(pupilsOf3B.length)
  })
})

test('so does one that is larger than a page', async () => {
  const { assessments } = await signedIn(box, 'ada')
  await assessments.update({ params: { id: mathsExam.id }, body: { title: 'T'.repeat(80) } })
  await (await signedIn(box, 'ada')).grades.bulk(all(mathsExam.id, 55))
  const line = counting(centre)
  await withLowerLimit(limits.sync, 'pageBytes', 6_000, () => makeRound(box, line.carry))
  expect(line.answers.length).toBeGreaterThan(1)
  // More than a parent reads is not sent at all: it would end the line, and its refusal cannot be signed.
  expect(new Set(line.answers)).toEqual(new Set([200]))
  expect(await scoresAt(centre, mathsExam.id)).toEqual(pupilsOf3B.map(() => 55))
  await expectSame()
})
