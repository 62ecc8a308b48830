import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { pendingRows } from '../../replication/upstream/pending-rows.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { serverAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt } from './scenarios.fixtures.ts'

// A mark of Ada is refused, since she no longer teaches the subject. Meanwhile the head has written the same mark, and the laptop has not
// read that.

const open: School[] = []
let server: School
let laptop: School
const atSchool = <T>(work: (tx: WriteTx) => Promise<T>) => server.services.store.write(asSystem(people.okafor.id), work)
let assigned: Row<'teacher_subject_assignment'>[] = []
beforeEach(async () => {
  ;({ server, laptop } = await serverAndLaptop(open))
  await atSchool(async (tx) => {
    assigned = (await tx.db.select().from(tx.t.teacher_subject_assignment)).filter(
      ({ user_profile_id }) => user_profile_id === people.ada.id,
    )
    await tx.remove('teacher_subject_assignment', assigned)
  })
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const mark = naturalId('grade', mathsExam.id, zoe.id)
type Mark = { score: number; remarks?: string }
const of = (own: Mark) => ({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, ...own }] } })
const head = (own: Mark) => server.as.okafor.grades.bulk(of(own))
const ada = async (own: Mark) => (await signedIn(laptop, 'ada')).grades.bulk(of(own))
/** Whose write is later stands where both meet before the refusal is taken. */
const ORDERS = ['the head’s is the later one', 'Ada’s is the later one'] as const
async function both(order: (typeof ORDERS)[number]) {
  const [first, second] = order === ORDERS[0] ? [laptop, server] : [server, laptop]
  for (const node of [first, second]) {
    node.clock.advance(60_000)
    if (node === second) node.clock.advance(60_000)
    await (node === server ? head({ score: 55 }) : ada({ score: 60 }))
  }
}

const markAt = async (node: School) => (await node.rows('grade')).find(({ id }) => id === mark)
const authors = async (node: School) => {
  const all = await node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
  return all.filter(({ row_id, action }) => row_id === mark && action === 'update').map(({ actor_id }) => actor_id)
}
const scoresRefused = async () =>
  (await refusedAt(laptop)).flatMap(({ row_id, value }) => (row_id === mark ? [(value as { score?: number }).score] : []))
const unsent = () =>
  laptop.services.store.read(asSystem(), async (tx) => {
    const [parent] = await parentsOf(tx)
    return parent ? (await pendingRows(tx, parent)).rows.filter(({ state }) => state.id === mark) : []
  })
const isPull = (request: Request) => new URL(request.url).pathname === '/sync/pull'

/** Both hold the head's mark with its entry, Ada's is on the list once, and nothing is left to send. */
async function isSettled() {
  // That it gives way goes up with the next round.
  for (let time = 0; time < 2; time += 1) await makeRound(laptop, carrierTo(server))
  expect(await markAt(laptop)).toEqual(await markAt(server))
  expect((await markAt(laptop))?.score).toBe(55)
  expect(await authors(laptop)).toContain(people.okafor.id)
  expect((await scoresRefused()).filter((score) => score === 60)).toEqual([60])
  expect(await unsent()).toEqual([])
  expect(await conflictsAt(laptop)).toEqual(await conflictsAt(server))
}

test.each(ORDERS)('the head’s mark is taken with the entry that proves it, or not yet: %s', async (order) => {
  await both(order)
  const line = carrierTo(server)
  // The disk of the school may die before the laptop reads on: nobody could prove the head's mark then.
  await expect(
    makeRound(laptop, async (request) => (isPull(request) ? Promise.reject(new Error('it broke')) : line(request))),
  ).rejects.toThrow()
  expect([(await markAt(laptop))?.score, (await authors(laptop)).includes(people.okafor.id)]).toEqual([60, false])
  expect(await scoresRefused()).toEqual([60])
  await isSettled()
})

class PowerCut extends Error {}

/** A round in which the power goes at the commit with this number. Returns whether it went. */
async function cutAt(number: number, when: 'before' | 'after'): Promise<boolean> {
  let left = number
  const write: Store['write'] = async (identity, work) => {
    left -= 1
    const result = await laptop.services.store.write(identity, async (tx) => {
      const done = await work(tx)
      if (left === 0 && when === 'before') throw new PowerCut()
      return done
    })
    if (left === 0 && when === 'after') throw new PowerCut()
    return result
  }
  const store = new Proxy(laptop.services.store, { get: (target, name) => (name === 'write' ? write : Reflect.get(target, name, target)) })
  const node = { ...laptop, services: { ...laptop.services, store } }
  try {
    await makeRound(node as School, carrierTo(server))
    return false
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error
    return true
  }
}

test.each(ORDERS.flatMap((order) => (['before', 'after'] as const).map((when) => [when, order] as const)))(
  'the power goes %s any commit of a round, and nothing is lost nor sent for ever: %s',
  async (when, order) => {
    await both(order)
    let commits = 0
    for (let number = 1; await cutAt(number, when); number += 1) {
      commits += 1
      const score = (await markAt(laptop))?.score
      // As long as the entry is not here, the mark is not either.
      if (score === 55) expect(await authors(laptop)).toContain(people.okafor.id)
      if (score !== 60) expect(await scoresRefused()).toContain(60)
    }
    expect(commits).toBeGreaterThan(3)
    await isSettled()
  },
)

test('what Ada writes while the laptop reads on is not lost: it is sent, and listed when it is refused', async () => {
  await both(ORDERS[1])
  const line = carrierTo(server)
  let pulls = 0
  await makeRound(laptop, async (request) => {
    const reply = await line(request)
    if (isPull(request) && pulls++ === 0) await ada({ score: 61, remarks: 'Written meanwhile' })
    return reply
  })
  await isSettled()
  expect(await scoresRefused()).toContain(61)
  expect((await refusedAt(laptop)).map(({ value }) => value)).toContainEqual({ remarks: 'Written meanwhile' })
})

test('what the head writes after the answer stands: the pages are later than the answer', async () => {
  await both(ORDERS[1])
  const line: Carrier = carrierTo(server)
  let pulls = 0
  await makeRound(laptop, async (request) => {
    if (isPull(request) && pulls++ === 0) await head({ score: 57 })
    return line(request)
  })
  await makeRound(laptop, line)
  expect((await markAt(laptop))?.score).toBe(57)
  expect(await markAt(laptop)).toEqual(await markAt(server))
  expect(await scoresRefused()).toContain(60)
})

test('what Ada writes while the answer comes is not refused with what she had sent', async () => {
  await both(ORDERS[1])
  const line = carrierTo(server)
  let pushes = 0
  await makeRound(laptop, async (request) => {
    const reply = await line(request)
    if (new URL(request.url).pathname === '/sync/push' && pushes++ === 0) {
      await ada({ score: 61 })
      await atSchool((tx) => tx.insert('teacher_subject_assignment', assigned))
    }
    return reply
  })
  for (let time = 0; time < 2; time += 1) await makeRound(laptop, line)
  expect((await markAt(laptop))?.score).toBe(61)
  expect(await markAt(laptop)).toEqual(await markAt(server))
  expect(await scoresRefused()).not.toContain(61)
  expect(await unsent()).toEqual([])
})
