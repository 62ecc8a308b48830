import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { computersBelow, copiesAmong } from '../../features/replication/below.ts'
import { invite, keysOfCode, parentsOf } from '../../replication/identity/enrolment.ts'
import { proveReply, signatureOf } from '../../replication/identity/keys.ts'
import { revokePeer, successorOf } from '../../replication/identity/nodes.ts'
import { headersOf } from '../../replication/line/headers.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { startReplication } from '../../replication/replication.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { answersTo } from '../../testing/signed-anew.ts'
import { refusedAt, same } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const scoreAt = async (node: School) => (await node.rows('grade')).find(({ id }) => id === naturalId('grade', mathsExam.id, zoe.id))?.score
const enter = async (node: School, score: number) =>
  (await signedIn(node, 'ada')).grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] } })

const peersAt = ({ services }: School) => services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer))
const parentsAt = ({ services }: School) => services.store.read(asSystem(), parentsOf)
const numberOf = async ({ services }: School) =>
  (await services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.node))).filter(({ ended_at }) => ended_at === null)[0]?.id

async function revokeAll({ services }: School): Promise<void> {
  const children = (await services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer))).filter(
    ({ side }) => side === 'child',
  )
  await services.store.write(asSystem(), async (tx) => {
    for (const child of children) await revokePeer(tx, child)
  })
}

const codeAt = async ({ services }: School, user: string | null): Promise<string> => {
  const kind = user ? 'laptop' : 'school'
  const asked = { kind, schoolId: stBrigids, userId: user, by: people.okafor.id } as const
  return (await services.store.write(asSystem(), (tx) => invite(tx, asked))).code
}

type Joining = { user?: string | null; url?: string; isBeside?: boolean; carry?: Carrier }
async function joinAgain(node: School, parent: School, { user = null, url = 'https://parent.test', isBeside = false, carry }: Joining) {
  const code = await codeAt(parent, user)
  return joinParent(node.services, { url, code, kind: user ? 'laptop' : 'school', isBeside }, carry ?? carrierTo(parent))
}

describe('a laptop that was revoked, and is invited again', () => {
  test('joins in the place of its old enrolment, and what waited goes up by the new one', async () => {
    const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
    await enter(laptop, 41)
    await link.round()
    await revokeAll(box)
    await enter(laptop, 42)
    await expect(link.round()).rejects.toMatchObject({ code: 'sync.revoked' })
    const before = await numberOf(laptop)
    await joinAgain(laptop, box, { user: people.ada.id })
    expect(await parentsAt(laptop)).toMatchObject([{ place: 0, user_id: people.ada.id }])
    expect(await numberOf(laptop)).not.toBe(before)
    await enter(laptop, 43)
    await link.round()
    await link.round()
    expect([await scoreAt(box), await scoreAt(laptop), await refusedAt(laptop)]).toEqual([43, 43, []])
    expect((await box.rows('sync_conflict')).length).toBe(0)
    // By no other number than the one that was revoked.
    expect((await peersAt(box)).filter(({ side, revoked_at }) => side === 'child' && revoked_at === null)).toHaveLength(1)
  })

  test('beside its running server, which begins under the new number by itself and sends what waited', async () => {
    const { box, laptop } = await schoolAndLaptop(open)
    const replication = await startReplication(laptop.services, carrierTo(box))
    await revokeAll(box)
    await enter(laptop, 44)
    await vi.waitFor(() => expect(replication.course().notice).toBe('revoked'), 10_000)
    const before = await numberOf(laptop)
    await joinAgain(laptop, box, { user: people.ada.id, isBeside: true })
    // The number is the running server's to change.
    expect([await numberOf(laptop), laptop.services.store.nodeId]).toEqual([before, before])
    await enter(laptop, 45)
    await vi.waitFor(async () => expect(await scoreAt(box)).toBe(45), { timeout: 10_000, interval: 50 })
    expect(laptop.services.store.nodeId).toBe((await parentsAt(laptop))[0]?.own_epoch)
    expect(await numberOf(laptop)).toBe(laptop.services.store.nodeId)
    await replication.stop()
  })

  test('and begins anew later: what the school has acknowledged since is not told as if it were new', async () => {
    const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
    await revokeAll(box)
    await joinAgain(laptop, box, { user: people.ada.id })
    await link.round()
    await enter(laptop, 51)
    await link.round()
    box.clock.advance(60_000)
    await enter(box, 61)
    // As after a restore.
    await laptop.services.store.renewNode()
    const replication = await startReplication(laptop.services, carrierTo(box))
    await vi.waitFor(() => expect(replication.course().notice).toBe('up_to_date'), 10_000)
    await replication.stop()
    expect([await scoreAt(box), await scoreAt(laptop)]).toEqual([61, 61])
    expect([...(await box.rows('sync_conflict')), ...(await laptop.rows('sync_conflict'))]).toEqual([])
  })

  test('is known by its address where the school’s database is another since', async () => {
    const { centre, laptop } = await schoolAndLaptop(open)
    await joinAgain(laptop, centre, { user: people.ada.id, url: (await parentsAt(laptop))[0]?.url ?? '' })
    expect(await parentsAt(laptop)).toMatchObject([{ place: 0, node_id: centre.services.store.nodeId }])
  })
})

test('a school’s server that the centre revoked comes back with what it wrote meanwhile', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  await revokeAll(centre)
  await enter(box, 46)
  await expect(link.round()).rejects.toMatchObject({ code: 'sync.revoked' })
  await joinAgain(box, centre, {})
  await link.round()
  await link.round()
  expect(await scoreAt(centre)).toBe(46)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
})

describe('a computer that joins again without having been revoked is counted once, and named as one that began anew', () => {
  const childrenAt = async (node: School) => (await peersAt(node)).filter(({ side }) => side === 'child')
  const leave = async ({ services }: School) => {
    const [own] = await services.store.read(asSystem(), parentsOf)
    if (own) await services.store.write(asSystem(), (tx) => revokePeer(tx, own))
  }

  test('a laptop that has left its school, and one that comes by another address', async () => {
    const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
    await link.round()
    const [first] = await childrenAt(box)
    await leave(laptop)
    for (const [times, url] of ['https://parent.test', 'https://parent.test:3001'].entries()) {
      box.clock.advance(60_000)
      await joinAgain(laptop, box, { user: people.ada.id, url })
      await link.round()
      const children = await childrenAt(box)
      const last = `${first?.name} (${times + 2})`
      expect(children.map(({ name }) => name).sort()).toContain(last)
      const below = await box.services.store.read(asSystem(), computersBelow)
      expect([below.map(({ name }) => name), copiesAmong(below)]).toEqual([[last], []])
      expect(first && successorOf(first, children)).toMatchObject({ bothHeard: false })
    }
  })

  test('a school’s server at its centre; after it was revoked it has its own name', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await link.round()
    await leave(box)
    centre.clock.advance(60_000)
    await joinAgain(box, centre, {})
    await link.round()
    const [first, second] = (await childrenAt(centre)).sort((a, b) => (a.enrolled_at < b.enrolled_at ? -1 : 1))
    expect(second?.name).toBe(`${first?.name} (2)`)
    expect(await centre.services.store.read(asSystem(), computersBelow)).toHaveLength(1)
    await revokeAll(centre)
    await joinAgain(box, centre, {})
    expect((await childrenAt(centre)).map(({ name }) => name).sort()).toEqual([first?.name, box.services.config.nodeName, second?.name])
  })
})

describe('an invitation of another person', () => {
  const theirs = { user: people.byrne.id }

  test('is refused on a laptop that is somebody’s, and nothing is written at either end', async () => {
    const { centre, box, laptop } = await schoolAndLaptop(open)
    const number = await numberOf(laptop)
    for (const parent of [box, centre]) {
      const peers = [await peersAt(parent), await peersAt(laptop)]
      const refused = joinAgain(laptop, parent, theirs)
      await expect(refused).rejects.toMatchObject({ code: 'sync.other_person', message: expect.stringContaining('another person’s') })
      expect([await peersAt(parent), await peersAt(laptop)]).toEqual(peers)
    }
    expect(await numberOf(laptop)).toBe(number)
  })

  test('is refused here where the parent does not ask whose laptop it is, and after the laptop has left its school', async () => {
    const { centre, laptop } = await schoolAndLaptop(open)
    const [own] = await parentsAt(laptop)
    if (own) await laptop.services.store.write(asSystem(), (tx) => revokePeer(tx, own))
    const code = await codeAt(centre, theirs.user)
    const { signing, verifier } = keysOfCode(code)
    /** A parent that does not heed whose laptop it is, and signs all the same. */
    const deaf: Carrier = async (request) => {
      const { user: _, ...asked } = (await request.json()) as { user: string }
      const body = Buffer.from(JSON.stringify(asked))
      const headers = new Headers(request.headers)
      headers.set(headersOf.signature, signatureOf({ method: 'POST', path: '/sync/join', body, nonce: '', number: 0 }, { signing }))
      const response = await carrierTo(centre)(new Request(request.url, { method: 'POST', headers, body }))
      const text = await response.text()
      const proof = proveReply({ answers: answersTo(request), status: response.status, body: Buffer.from(text) }, verifier)
      return new Response(text, { status: response.status, headers: { [headersOf.signature]: proof } })
    }
    const refused = joinParent(laptop.services, { url: 'https://parent.test', code, kind: 'laptop' }, deaf)
    await expect(refused).rejects.toMatchObject({ code: 'sync.other_person' })
    expect(await parentsAt(laptop)).toEqual([])
  })

  test('a laptop does not join as a school’s server, nor a school’s server as a laptop', async () => {
    const { centre, box, laptop } = await schoolAndLaptop(open)
    await expect(joinAgain(laptop, centre, {})).rejects.toMatchObject({ code: 'sync.is_a_laptop' })
    await expect(joinAgain(box, centre, { user: people.ada.id })).rejects.toMatchObject({ code: 'sync.is_no_laptop' })
  })
})
