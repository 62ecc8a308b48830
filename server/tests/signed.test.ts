import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { packEntries } from '@markbook/sync/protocol/entries'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../replication/identity/enrolment.ts'
import { keysOfEnrolment } from '../replication/incarnation/incarnation.ts'
import { type Carrier, ParentLine } from '../replication/line/parent-line.ts'
import { Child } from '../replication/upstream/child.ts'
import { setPeer } from '../store/peer-row.ts'
import { asSystem } from '../store/tx.ts'
import { centreAndSchool } from '../testing/joined.ts'
import { meanwhile } from '../testing/meanwhile.ts'
import { carrierTo, signedIn } from '../testing/nodes.ts'
import type { School } from '../testing/school.ts'

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
    const empty = { from: before?.own_seq ?? 0, to: before?.own_seq ?? 0, cursor: null, tables: [], history: packEntries([]) }
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

describe('a greeting', () => {
  /** A line that keeps the greetings that went over it, to be said again. */
  async function overheard() {
    const { centre, speaker } = await speaking()
    const carry = carrierTo(centre)
    const kept: Request[] = []
    const { child, line } = speaker(async (request) => {
      if (request.url.endsWith('/sync/hello')) kept.push(request.clone())
      return carry(request)
    })
    await child.greet()
    const again = async () => {
      const [greeting] = kept
      if (!greeting) throw new Error('nobody greeted')
      const response = await carry(greeting.clone())
      return { status: response.status, ...((await response.json()) as { code?: string }) }
    }
    return { centre, child, line, again, carry, kept }
  }
  const stale = { status: 409, code: 'sync.stale_session' }

  test('that was overheard is not taken again, and does not end the session', async () => {
    const { line, again } = await overheard()
    expect(await again()).toMatchObject(stale)
    await line.known(nothing)
    expect(await again()).toMatchObject(stale)
    await line.known(nothing)
  })

  test('nor after the next one, nor when the session was ended', async () => {
    const { centre, child, line, again } = await overheard()
    await child.greet()
    expect(await again()).toMatchObject(stale)
    await line.known(nothing)
    const [peer] = await centre.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer))
    await centre.services.store.write(asSystem(), (tx) => setPeer(tx, peer?.id ?? '', { session_nonce: null }))
    expect(await again()).toMatchObject(stale)
  })

  test('over a challenge of more than a minute ago is refused, also where it was never used', async () => {
    const { centre, speaker } = await speaking()
    const carry = carrierTo(centre)
    const { child } = speaker(async (request) => {
      if (request.url.endsWith('/sync/hello')) centre.clock.advance(60_001)
      return carry(request)
    })
    await expect(child.greet()).rejects.toMatchObject({ code: 'sync.stale_session' })
  })

  test('is taken by a parent whose clock was set back by a year', async () => {
    const { centre, child, line } = await overheard()
    centre.clock.advance(-365 * 86_400_000)
    await child.greet()
    await line.known(nothing)
  })

  test('of two over one session one is taken', async () => {
    const { centre, speaker } = await speaking()
    const carry = carrierTo(centre)
    let release = () => {}
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    let waiting = 0
    const together = () =>
      speaker(async (request) => {
        if (!request.url.endsWith('/sync/hello')) return carry(request)
        waiting += 1
        if (waiting === 2) release()
        await both
        return carry(request)
      }).child
    const settled = await Promise.allSettled([together().greet(), together().greet()])
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'sync.stale_session' } })
  })
})
