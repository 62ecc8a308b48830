import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { listen } from '../../lan/listener.ts'
import { joinByHand } from '../../replication/exchange/join-by-hand.ts'
import { invite } from '../../replication/identity/enrolment.ts'
import { revokePeer } from '../../replication/identity/nodes.ts'
import { startReplication } from '../../replication/replication.ts'
import { asSystem } from '../../store/tx.ts'
import { signedIn } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function opened(options: Parameters<typeof school>[0]): Promise<School> {
  const node = await school(options)
  closing.push(() => node.close())
  return node
}

/** Where others reach it. */
async function serving(node: School): Promise<string> {
  const server: Server = await listen(node.app, { host: '127.0.0.1', port: 0 }, null)
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** With a loop of its own, as a server that runs has. */
async function running(node: School): Promise<School> {
  const replication = await startReplication(node.services)
  node.services.replication = replication
  closing.push(() => replication.stop())
  return node
}

const codeAt = ({ services }: School, user: string | null, schoolId: string | null = stBrigids) =>
  services.store
    .write(asSystem(), (tx) => invite(tx, { kind: user ? 'laptop' : 'school', schoolId, userId: user, by: null }))
    .then(({ code }) => code)

const join = async (node: School, name: PersonName, body: object) => (await signedIn(node, name)).replication.join.raw({ body })
const mayJoin = async (node: School, name: PersonName = 'okafor') => (await (await signedIn(node, name)).replication.status()).may_join
const scoreAt = async (node: School) => (await node.rows('grade')).find(({ id }) => id === naturalId('grade', mathsExam.id, zoe.id))?.score
const soon = { timeout: 15_000, interval: 50 }

describe('a school that started alone', () => {
  test('joins the centre by its head, in the app, and its rows go up; once', async () => {
    const centre = await opened({ seed: 'centre', story: false })
    const box = await running(await opened({ seed: 'box', database: 'sqlite' }))
    const address = await serving(centre)
    const invitation = await codeAt(centre, null, null)
    expect(await mayJoin(box)).toBe(true)
    expect((await join(box, 'ada', { address, invitation })).status).toBe(403)
    const joined = await join(box, 'okafor', { address: `${address}/sign-in`, invitation: invitation.toLowerCase() })
    expect(joined).toMatchObject({ status: 201, body: { side: 'parent', url: address, revoked_at: null } })
    await vi.waitFor(async () => expect(await scoreAt(centre)).toBe(await scoreAt(box)), soon)
    expect(await mayJoin(box)).toBe(false)
    expect(await join(box, 'okafor', { address, invitation })).toMatchObject({ status: 409, body: { code: 'sync.joined_already' } })
    // What servers of schools have joined is a centre.
    expect(await mayJoin(centre)).toBe(false)
    expect(await join(centre, 'okafor', { address, invitation })).toMatchObject({ status: 409, body: { code: 'sync.joins_nobody' } })
  })

  test.each([
    ['no address', {}, 400, 'sync.bad_address'],
    ['what is no address', { address: 'ftp://markbook.example' }, 400, 'sync.bad_address'],
    ['where no server stands', { address: 'https://169.254.169.254' }, 400, 'sync.bad_address'],
    ['what others can read', { address: 'http://192.168.1.10:3000' }, 400, 'sync.insecure_address'],
    ['where nobody answers', { address: 'http://127.0.0.1:1' }, 409, 'sync.no_answer'],
  ])('%s: says so, and writes nothing', async (_, body, status, code) => {
    const box = await opened({ seed: 'box', database: 'sqlite' })
    const api = await signedIn(box, 'okafor')
    const before = await box.digest()
    expect(await api.replication.join.raw({ body: { invitation: 'AAAAA', ...body } })).toMatchObject({ status, body: { code } })
    expect(await box.digest()).toBe(before)
  })

  test('with a code that does not fit: the other server’s own words, and nothing is written', async () => {
    const centre = await opened({ seed: 'centre', story: false })
    const box = await opened({ seed: 'box', database: 'sqlite' })
    const address = await serving(centre)
    const api = await signedIn(box, 'okafor')
    const before = await box.digest()
    expect(await api.replication.join.raw({ body: { address, invitation: 'AAAAA-AAAAA' } })).toMatchObject({
      status: 409,
      body: {
        code: 'sync.not_let_in',
        message: expect.stringMatching(/^This invitation is wrong, was used already, or is too old\./),
      },
    })
    expect(await box.digest()).toBe(before)
  })
})

test('a teacher whose laptop was shut out joins again with a code alone, and what waited goes up', async () => {
  const box = await opened({ seed: 'box', database: 'sqlite' })
  const laptop = await running(await opened({ seed: 'laptop', story: false, database: 'sqlite' }))
  const address = await serving(box)
  await joinByHand(laptop.services, { address, code: await codeAt(box, people.ada.id) }, 'laptop')
  await vi.waitFor(async () => expect(await scoreAt(laptop)).toBe(await scoreAt(box)), soon)
  const again = async () => join(laptop, 'ada', { invitation: await codeAt(box, people.ada.id) })
  await vi.waitFor(() => expect(laptop.services.replication?.course().notice).toBe('up_to_date'), soon)
  expect(await again()).toMatchObject({ status: 409, body: { code: 'sync.joined_already' } })

  await box.services.store.write(asSystem(), async (tx) => {
    const peers = await tx.db.select().from(tx.t.sync_peer)
    for (const peer of peers) await revokePeer(tx, peer)
  })
  const api = await signedIn(laptop, 'ada')
  await api.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 42 }] } })
  await vi.waitFor(async () => expect(await mayJoin(laptop, 'ada')).toBe(true), soon)
  expect(await scoreAt(box)).not.toBe(42)
  expect(await again()).toMatchObject({ status: 201, body: { side: 'parent', url: address } })
  await vi.waitFor(async () => expect(await scoreAt(box)).toBe(42), soon)
  expect(await mayJoin(laptop, 'ada')).toBe(false)
})
