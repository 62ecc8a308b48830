import { mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, expect, test } from 'vitest'
import { audit } from '../../replication/audit/audit.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { differencesOf, digestsOf } from '../../replication/scope/verify.ts'
import { meetOthers } from '../../replication/upstream/other-parents.ts'
import { schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { copiesIn } from './copies.fixtures.ts'
import { refusedAt, refusedBelow } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const FIRST = 0
const enter = async (node: School, who: 'ada' | 'okafor', assessmentId: string, score: number) =>
  (await signedIn(node, who)).grades.bulk({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } })
const scoresAt = async (node: School) => {
  const rows = (await node.rows('grade')).filter(({ student_id }) => student_id === zoe.id)
  return [mathsExam, mathsHomework].map(({ id }) => rows.find(({ assessment_id }) => assessment_id === id)?.score)
}
const holdingOf = async (node: School) => digestsOf(node.services.store, { kind: 'laptop', school_id: stBrigids, user_id: people.ada.id })

/** A day on which only Ada’s laptop met the centre, which is put back to before it: the head’s mark and Ada’s went with it. */
async function dayOfTheLaptop() {
  const { centre, box, laptop, laptopLink: link } = await schoolAndLaptop(open)
  const direct = await under(centre, laptop, { user: people.ada.id })
  await direct.round()
  const morning = await imageOf(centre)
  await enter(centre, 'okafor', mathsExam.id, 77)
  await enter(laptop, 'ada', mathsHomework.id, 6)
  await direct.round()
  const back = await startedFrom(morning, 'put-back')
  back.clock.advance(3_600_000)
  const meet = async () => {
    for (let time = 0; time < 3; time += 1) {
      await link.round()
      await makeRound(box, carrierTo(back))
    }
    await link.round()
  }
  const visit = () => meetOthers(laptop.services, FIRST, carrierTo(back))
  return { back, box, laptop, meet, visit, number: back.services.store.nodeId }
}

/** A laptop that is put back to before a mark of Ada's, which the centre has from it. */
async function laptopPutBack() {
  const { centre, box, laptop, link } = await schoolAndLaptop(open)
  const direct = await under(centre, laptop, { user: people.ada.id })
  await direct.round()
  const image = await imageOf(laptop)
  await enter(laptop, 'ada', mathsHomework.id, 6)
  await direct.round()
  return { centre, box, link, again: await startedFrom(image, 'again') }
}

test('days of a centre that a laptop alone had heard of are shown by it, though it speaks with its school', async () => {
  const { back, box, laptop, meet, visit, number } = await dayOfTheLaptop()
  await meet()
  expect(back.services.store.nodeId).toBe(number)
  expect((await scoresAt(laptop))[0]).toBe(77)
  expect((await scoresAt(box))[0]).not.toBe(77)

  expect(await visit()).toBeNull()
  expect(back.services.store.nodeId).not.toBe(number)
  await meet()
  // The head wrote it, and the centre had signed it.
  for (const node of [back, box, laptop]) expect(await scoresAt(node)).toEqual([77, 6])
  expect(differencesOf(await holdingOf(laptop), await holdingOf(box))).toEqual([])
  expect([await refusedAt(laptop), await refusedBelow(box)]).toEqual([[], []])
})

test('what the centre wrote since under the same numbers comes to the laptop', async () => {
  const { back, box, laptop, meet, visit } = await dayOfTheLaptop()
  await enter(back, 'okafor', mathsExam.id, 88)
  await meet()
  await visit()
  await meet()
  for (const node of [back, box, laptop]) expect(await scoresAt(node)).toEqual([88, 6])
  expect(differencesOf(await holdingOf(laptop), await holdingOf(box))).toEqual([])
})

test('a parent that is not there is met another time', async () => {
  const { laptop } = await dayOfTheLaptop()
  const gone = () => Promise.reject(new Error('the line is cut'))
  expect(await meetOthers(laptop.services, FIRST, gone)).toBeNull()
})

test('a laptop that was put back itself is told so by the other parent, and by which it begins anew', async () => {
  const { centre, again } = await laptopPutBack()
  expect(await meetOthers(again.services, FIRST, carrierTo(centre))).toBe(1)
  await makeRound(again, carrierTo(centre), 1)
  expect((await scoresAt(again))[1]).toBe(6)
})

test('what a school has lost leaves the laptop once the school has it again, whatever the centre says of the right to it', async () => {
  const { centre, box, laptop, laptopLink } = await schoolAndLaptop(open)
  const direct = await under(centre, laptop, { user: people.ada.id })
  await direct.round()
  const morning = await imageOf(box)
  await enter(box, 'okafor', mathsExam.id, 77)
  await laptopLink.round()
  const back = await startedFrom(morning, 'put-back')
  back.clock.advance(3_600_000)
  const suspended = { params: { userId: people.ada.id }, body: { isActive: false } }
  await (await signedIn(centre, 'okafor')).schools.updateMember(suspended)
  await direct.round()
  expect((await scoresAt(laptop))[0]).toBe(77)
  await makeRound(back, carrierTo(centre))
  await makeRound(laptop, carrierTo(back))
  expect((await scoresAt(back))[0]).toBe(77)
  expect(await laptop.rows('grade')).toEqual([])
})

test.each(['before', 'after'])(
  'a laptop that began anew %s its school told it that the centre was put back believes what the centre signed',
  async (when) => {
    const { centre, box, link, again } = await laptopPutBack()
    /** It takes its new number there, and the line breaks before it can greet by that. */
    const beginAnewAt = async (parent: School) => {
      let isRenewed = false
      const carry = carrierTo(parent)
      const untilRenewed: Carrier = (request) => {
        if (request.url.endsWith('/sync/hello') && isRenewed) return Promise.reject(new TypeError('the line broke'))
        isRenewed ||= request.url.endsWith('/sync/renew')
        return carry(request)
      }
      await meetOthers(again.services, FIRST, carry)
      await expect(makeRound(again, untilRenewed, 1)).rejects.toThrow()
      expect(isRenewed).toBe(true)
    }

    if (when === 'before') await beginAnewAt(centre)
    await enter(centre, 'okafor', mathsExam.id, 71)
    await link.round()
    await makeRound(again, carrierTo(box))
    const morning = await imageOf(centre)
    await enter(centre, 'okafor', mathsExam.id, 77)
    await link.round()
    const back = await startedFrom(morning, 'put-back')
    back.clock.advance(3_600_000)
    await makeRound(box, carrierTo(back))
    expect(back.services.store.nodeId).not.toBe(centre.services.store.nodeId)
    await makeRound(again, carrierTo(box))
    if (when === 'after') await beginAnewAt(back)

    await enter(back, 'okafor', mathsHomework.id, 8)
    await makeRound(box, carrierTo(back))
    for (let time = 0; time < 2; time += 1) await makeRound(again, carrierTo(box))
    expect(await scoresAt(again)).toEqual([77, 8])
    const { store, config, files } = again.services
    const { disagreements, wrong } = await audit(store, { school: stBrigids, secret: config.sessionSecret, files })
    expect([...disagreements, ...wrong]).toEqual([])
  },
)
