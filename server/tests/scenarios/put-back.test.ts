import { mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { restoredAt } from '../../replication/incarnation/restored.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, refusedAt, refusedBelow, same } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const enter = async (node: School, assessmentId: string, score: number) =>
  (await signedIn(node, 'okafor')).grades.bulk({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } })
const scoreAt = async (node: School, assessmentId: string) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === assessmentId && student_id === zoe.id)?.score
const valuesKept = async (node: School) => (await conflictsAt(node)).map(({ value }) => value)
const numberOf = (node: School) => node.services.store.nodeId
const hoursLater = (node: School, hours = 1) => node.clock.advance(hours * 3_600_000)
const meet = async (child: School, parent: School, times = 3) => {
  for (let time = 0; time < times; time += 1) await makeRound(child, carrierTo(parent))
}
const placeOf = async (node: School) => (await node.services.store.read(asSystem(), parentsOf))[0]?.their_cursor ?? null
const saidOf = (node: School) => node.services.store.read(asSystem(), restoredAt)

/** The centre is put back to before a day on which `lost` happened, and goes on. */
async function centreLost(lost: (centre: School, box: School) => Promise<unknown>) {
  const { centre, box, link } = await centreAndSchool(open)
  const morning = await imageOf(centre)
  await lost(centre, box)
  await link.round()
  const back = await startedFrom(morning, 'put-back')
  hoursLater(back)
  return { lostCentre: centre, box, back, number: numberOf(back) }
}

describe('a centre whose database is put back behind its back', () => {
  test('gets the lost day from its school, and the school gets what was written since', async () => {
    const { box, back, number } = await centreLost((centre) => enter(centre, mathsExam.id, 77))
    const warned = vi.spyOn(back.services.log, 'warn')
    await enter(back, mathsHomework.id, 4)
    await meet(box, back)
    for (const node of [back, box]) expect([await scoreAt(node, mathsExam.id), await scoreAt(node, mathsHomework.id)]).toEqual([77, 4])
    expect(warned).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ before: number, node: numberOf(back) }),
      expect.stringContaining('put back to an earlier state'),
    )
    expect(numberOf(back)).not.toBe(number)
    expect(await saidOf(back)).not.toBeNull()
    expect([await conflictsAt(back), await refusedAt(box)]).toEqual([[], []])
    const [a, b] = await same(back, box)
    expect(b).toEqual(a)
  })

  test('two marks under one number are two marks: one stands, and the other is kept', async () => {
    const { box, back } = await centreLost((centre) => enter(centre, mathsExam.id, 77))
    await enter(back, mathsExam.id, 88)
    await meet(box, back)
    for (const node of [back, box]) {
      expect(await scoreAt(node, mathsExam.id)).toBe(88)
      expect(await valuesKept(node)).toEqual([{ score: 77 }])
    }
  })

  test('a school that was not there when it was noticed brings its own lost day, and hears the rest', async () => {
    const centre = await school({ seed: 'centre' })
    const [box, laptop] = [
      await school({ seed: 'box', story: false, database: 'sqlite' }),
      await school({ seed: 'ada', story: false, database: 'sqlite' }),
    ]
    open.push(centre, box, laptop)
    const links = [await under(centre, box), await under(centre, laptop, { user: people.ada.id })]
    for (const { round } of links) await round()
    const morning = await imageOf(centre)
    await enter(centre, mathsExam.id, 77)
    for (const { round } of links) await round()
    const back = await startedFrom(morning, 'put-back')
    hoursLater(back)
    await enter(back, mathsExam.id, 88)
    await meet(box, back)
    const number = numberOf(back)
    await meet(laptop, back)
    expect(numberOf(back)).toBe(number)
    await meet(box, back)
    for (const node of [back, box, laptop]) expect(await scoreAt(node, mathsExam.id)).toBe(88)
    expect(await valuesKept(back)).toEqual([{ score: 77 }])
  })

  test('put back twice to the same day it begins anew twice', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const morning = await imageOf(centre)
    await enter(centre, mathsExam.id, 77)
    await link.round()
    const first = await startedFrom(morning, 'first')
    await meet(box, first)
    const again = await startedFrom(morning, 'again')
    hoursLater(again, 2)
    await enter(again, mathsExam.id, 88)
    await meet(box, again)
    expect(await scoreAt(box, mathsExam.id)).toBe(88)
    expect(await valuesKept(again)).toEqual([{ score: 77 }])
    const number = numberOf(again)
    expect(number).not.toBe(numberOf(centre))
    await meet(box, again)
    expect(numberOf(again)).toBe(number)
  })

  test('sessions that were ended since do not live on', async () => {
    const { box, back } = await centreLost((centre) => enter(centre, mathsExam.id, 77))
    const ada = await signedIn(back, 'ada')
    await meet(box, back)
    const mark = { body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 1 }] } }
    await expect(ada.grades.bulk(mark)).rejects.toMatchObject({ status: 401 })
  })
})

describe('each sign by itself', () => {
  const signOf = async (node: School) => {
    const [entry] = await node.services.store.read(asSystem(), (tx) =>
      tx.connection.db.select().from(tx.t.history).where(eq(tx.t.history.entity, 'node')),
    )
    return (entry?.changes as { put_back?: { after: string } } | undefined)?.put_back?.after
  }

  test('a place beyond the end of the feed', async () => {
    const { box, back } = await centreLost((centre) => enter(centre, mathsExam.id, 77))
    await meet(box, back, 1)
    expect(await signOf(back)).toBe('beyond')
  })

  test('another history at the place', async () => {
    const { box, back } = await centreLost((centre) => enter(centre, mathsExam.id, 77))
    for (const score of [3, 4, 5]) await enter(back, mathsHomework.id, score)
    await meet(box, back, 1)
    expect(await signOf(back)).toBe('history')
    for (const node of [back, box]) expect([await scoreAt(node, mathsExam.id), await scoreAt(node, mathsHomework.id)]).toEqual([77, 5])
  })

  test('less of the child than it had', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await enter(box, mathsExam.id, 77)
    await link.round()
    expect(textToCursor(await placeOf(box))?.checkpoint?.acknowledged).toBeGreaterThan(0)
    // What is lost moved nothing on: of the child it has been forgotten all the same.
    await centre.services.store.write(asSystem(), async (tx) => {
      await tx.local.update(tx.t.sync_peer).set({ own_seq: 0, highest_counter: 0 }).where(eq(tx.t.sync_peer.side, 'child'))
    })
    await meet(box, centre)
    expect(await signOf(centre)).toBe('acknowledged')
    expect(await conflictsAt(centre)).toEqual([])
  })

  test('a number that the database had later', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const morning = await imageOf(centre)
    await centre.services.store.renewNode()
    await link.round()
    const back = await startedFrom(morning, 'put-back')
    await meet(box, back)
    expect(await signOf(back)).toBe('number')
    const number = numberOf(back)
    await meet(box, back)
    expect(numberOf(back)).toBe(number)
  })
})

describe('a school with laptops', () => {
  test('is told by a laptop, and tells the centre under another number', async () => {
    const { centre, box, link, laptop, laptopLink: down } = await schoolAndLaptop(open)
    await link.round()
    const image = await imageOf(box)
    await enter(box, mathsExam.id, 77)
    await down.round()
    const back = await startedFrom(image, 'school-back')
    hoursLater(back)
    await enter(back, mathsExam.id, 88)
    for (let time = 0; time < 3; time += 1) {
      await makeRound(laptop, carrierTo(back))
      await makeRound(back, carrierTo(centre))
    }
    for (const node of [laptop, back, centre]) expect(await scoreAt(node, mathsExam.id)).toBe(88)
    // The head wrote it, and the school had signed it: it is one of two marks, and nothing was refused.
    for (const node of [laptop, back, centre]) expect(await valuesKept(node)).toEqual([{ score: 77 }])
    expect([await refusedAt(laptop), await refusedBelow(back)]).toEqual([[], []])
    expect(numberOf(back)).not.toBe(numberOf(box))
  })

  test('is told by the centre, the line breaks, and a laptop that knows the lost day comes first', async () => {
    const { centre, box, link, laptop, laptopLink: down } = await schoolAndLaptop(open)
    await link.round()
    const image = await imageOf(box)
    for (const score of [75, 76, 77]) await enter(box, mathsExam.id, score)
    await link.round()
    await down.round()
    const mine = { body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 90 }] } }
    await (await signedIn(laptop, 'ada')).grades.bulk(mine)
    const back = await startedFrom(image, 'school-back')
    hoursLater(back)
    await enter(back, mathsExam.id, 88)
    const number = numberOf(back)
    const up = carrierTo(centre)
    const broken: Carrier = (request) => (request.url.endsWith('/sync/renew') ? Promise.reject(new Error('cut')) : up(request))
    await expect(makeRound(back, broken)).rejects.toThrow()
    expect(numberOf(back)).not.toBe(number)
    for (let time = 0; time < 3; time += 1) {
      await makeRound(laptop, carrierTo(back))
      await makeRound(back, up)
    }
    for (const node of [laptop, back, centre]) expect(await scoreAt(node, mathsExam.id)).toBe(88)
    expect(await valuesKept(centre)).toContainEqual({ score: 90 })
  })

  test('is told by the centre as before, also where the centre was put back to the same evening', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const [evening, image] = [await imageOf(centre), await imageOf(box)]
    await enter(box, mathsExam.id, 77)
    await link.round()
    const [centreBack, boxBack] = [await startedFrom(evening, 'centre-back'), await startedFrom(image, 'box-back')]
    for (const node of [centreBack, boxBack]) hoursLater(node)
    await enter(boxBack, mathsExam.id, 88)
    await enter(centreBack, mathsHomework.id, 4)
    await meet(boxBack, centreBack)
    for (const node of [centreBack, boxBack])
      expect([await scoreAt(node, mathsExam.id), await scoreAt(node, mathsHomework.id)]).toEqual([88, 4])
    // Nobody is left who has the lost day, and nothing is wrong with the days since.
    expect(await saidOf(centreBack)).toBeNull()
    const [a, b] = await same(centreBack, boxBack)
    expect(b).toEqual(a)
  })
})

describe('no false alarm', () => {
  test('where the child was put back, or begins anew, or says nothing of the kind', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const number = numberOf(centre)
    const image = await imageOf(box)
    await enter(box, mathsExam.id, 81)
    await link.round()
    await enter(centre, mathsHomework.id, 4)
    await link.round()
    const back = await startedFrom(image, 'box-back')
    await meet(back, centre)
    // A place that an older program of the centre wrote.
    const plain = `${number}/999/999`
    await setPlace(back, plain)
    await makeRound(back, carrierTo(centre))
    // And one that somebody made up: only what the centre itself has sealed can accuse it.
    await setPlace(back, `${plain}~abc.5.first.abc`)
    await makeRound(back, carrierTo(centre))
    expect(numberOf(centre)).toBe(number)
    expect(await saidOf(centre)).toBeNull()
  })

  test('a restore, and a second one of the same backup, are none', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const morning = await imageOf(centre)
    await enter(centre, mathsExam.id, 77)
    await link.round()
    for (const seed of ['restored', 'restored-again']) {
      const restored = await startedFrom(morning, seed)
      const number = await restored.services.store.renewNode()
      await meet(box, restored)
      expect([numberOf(restored), await saidOf(restored)]).toEqual([number, null])
      expect(await scoreAt(restored, mathsExam.id)).toBe(77)
    }
  })
})

async function setPlace(node: School, their_cursor: string): Promise<void> {
  await node.services.store.write(asSystem(), async (tx) => {
    const { sync_peer } = tx.t
    await tx.local.update(sync_peer).set({ their_cursor }).where(eq(sync_peer.school_id, stBrigids))
  })
}
