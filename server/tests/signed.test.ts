import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { afterEach, describe, expect, test } from 'vitest'
import { Child } from '../peers/child.ts'
import { parentsOf } from '../peers/enrolment.ts'
import { keysOfEnrolment } from '../peers/incarnation.ts'
import { type Carrier, ParentLine } from '../peers/parent-line.ts'
import { setPeer } from '../store/peer-row.ts'
import { asSystem } from '../store/tx.ts'
import { meanwhile } from '../testing/meanwhile.ts'
import { carrierTo, signedIn } from '../testing/nodes.ts'
import type { School } from '../testing/school.ts'
import { centreAndSchool } from './scenes/scenes.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A school under a centre, and whoever speaks for it over a line of the test's. */
async function speaking() {
  const { centre, box, link } = await centreAndSchool(open)
  const { services } = box
  const [parent] = await services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('there is no parent')
  const speaker = (carry: Carrier = carrierTo(centre)) => {
    const line = new ParentLine(parent, keysOfEnrolment(services, parent), carry)
    return { line, child: new Child(services, parent.id, line) }
  }
  return { centre, box, link, speaker }
}

const nothing = { table: 'grade', ids: [] }

describe('I13: a number of a session', () => {
  test('is good once, also where the same request comes several times at once', async () => {
    const { centre, speaker } = await speaking()
    const carry = carrierTo(centre)
    const statuses: number[][] = []
    const { line, child } = speaker(async (request) => {
      if (!request.url.endsWith('/sync/known')) return carry(request)
      const answers = await Promise.all([1, 2, 3, 4].map(() => carry(request.clone())))
      statuses.push(answers.map(({ status }) => status).sort())
      return answers.find(({ ok }) => ok) as Response
    })
    await child.greet()
    for (let round = 0; round < 10; round += 1) await line.known(nothing)
    expect(statuses).toEqual(Array.from({ length: 10 }, () => [200, 409, 409, 409]))
  })

  test('is taken with what the page before it left of the peer, also where that one is still being written', async () => {
    const { centre, box, link, speaker } = await speaking()
    await (await signedIn(box, 'ada')).grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 33 }] } })
    await link.round()
    const { child, line } = speaker()
    await child.greet()
    const childAt = async () => (await centre.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer)))[0]
    const before = await childAt()
    const empty = { from: before?.own_seq ?? 0, to: before?.own_seq ?? 0, cursor: null, tables: [], history: [] }
    await meanwhile(
      centre,
      (tx) => setPeer(tx, before?.id ?? '', { highest_counter: 1_000, history_head: 'later' }),
      () => line.push(empty),
    )
    expect(await childAt()).toMatchObject({ highest_counter: 1_000, history_head: 'later' })
  })

  test('ends with its session: what was said before a greeting and comes with it does not count in the next', async () => {
    const { speaker } = await speaking()
    const [before, after] = [speaker(), speaker()]
    for (let round = 0; round < 10; round += 1) {
      await before.child.greet()
      const late = [1, 2, 3, 4].map(() => before.line.known(nothing).catch(() => {}))
      await after.child.greet()
      await after.line.known(nothing)
      await Promise.all(late)
      await after.line.known(nothing)
    }
  })
})
