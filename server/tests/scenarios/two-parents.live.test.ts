import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { actAs } from '../../cli/act-as.ts'
import { seedStory } from '../../cli/seed/seed.ts'
import { readConfig } from '../../config.ts'
import { statusOf } from '../../features/replication/status.ts'
import type { Services } from '../../http/services.ts'
import { invite } from '../../replication/identity/enrolment.ts'
import { overNetwork } from '../../replication/line/network.ts'
import { startReplication } from '../../replication/replication.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { type Running, startServer } from '../../start.ts'
import { asSystem } from '../../store/tx.ts'
import { badLineTo } from '../../testing/bad-line.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function started(name: string): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), `markbook-parents-${name}-`))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const settings = { DATA_DIR: folder, PORT: '0', BACKUPS: 'false', LOG_LEVEL: 'fatal', NODE_NAME: name }
  const server = await startServer(readConfig({ ...settings, SESSION_SECRET: `only for the tests of two parents: ${name}, long enough` }))
  closing.push(() => server.stop())
  return server
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > 20_000) throw new Error(`${what} took too long`)
    await after(20)
  }
}

type Kind = 'school' | 'laptop'
async function joined(node: Running, parent: Running, url: string, kind: Kind): Promise<void> {
  const userId = kind === 'laptop' ? people.ada.id : null
  const { code } = await parent.node.services.store.write(asSystem(), (tx) =>
    invite(tx, { kind, schoolId: stBrigids, userId, by: people.okafor.id }),
  )
  await joinParent(node.node.services, { url, code, kind }, overNetwork(new AbortController().signal))
  await node.node.services.replication?.refresh()
}

const scoreAt = async ({ node }: Running) =>
  (await node.services.store.read(asSystem(), (tx) => tx.find('grade', stBrigids, naturalId('grade', mathsExam.id, zoe.id))))?.score

const enterAt = async (services: Services, score: number) => {
  const { api } = await actAs(services, people.ada.id)
  return api.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] } })
}

test('while the school is not there its laptop speaks with the centre, and with the school again once that is back', async () => {
  const [centre, box, laptop] = [await started('centre'), await started('box'), await started('laptop')]
  await seedStory(centre.node.services.store)
  await joined(box, centre, `http://127.0.0.1:${centre.port}`, 'school')
  await until(async () => (await scoreAt(box)) !== undefined, 'the copy of the school')
  const line = await badLineTo(() => box.port)
  closing.push(() => line.close())
  await joined(laptop, box, line.url, 'laptop')
  await until(async () => (await scoreAt(laptop)) !== undefined, 'the copy of the laptop')
  await joined(laptop, centre, `http://127.0.0.1:${centre.port}`, 'laptop')
  const { services } = laptop.node
  await services.replication?.stop()
  const replication = await startReplication(services, undefined, { unreachableMs: 300, retryEveryMs: 100, timeoutMs: 1_000 })
  closing.push(() => replication.stop())
  const enter = (score: number) => enterAt(services, score)
  const status = () => services.store.read(asSystem(), (tx) => statusOf(tx, stBrigids, replication.course()))

  await until(() => replication.course().notice === 'up_to_date', 'the line to the school')
  expect(await status()).toMatchObject({ state: 'up_to_date', parent: { kind: 'school' }, sentence: 'Everything is at school.' })

  line.cut()
  await enter(51)
  await until(async () => (await scoreAt(centre)) === 51, 'the mark at the centre')
  await until(async () => {
    const { state, copy } = await status()
    return state === 'up_to_date' && copy === null
  }, 'an answer of the centre')
  expect(await status()).toMatchObject({ parent: { kind: 'centre' }, reached: 'centre', sentence: 'Everything is at the centre.' })

  line.mend()
  await until(
    async () => (await status()).parent?.kind === 'school' && (await status()).state === 'up_to_date',
    'the way back to the school',
  )
  await enter(52)
  await until(async () => (await scoreAt(box)) === 52, 'the mark at the school')
  await until(async () => (await scoreAt(centre)) === 52, 'the mark at the centre, from the school')
  expect(await services.store.read(asSystem(), (tx) => tx.db.$count(tx.t.sync_conflict))).toBe(0)
})

test('once a day a laptop that speaks with its school meets the centre too', async () => {
  const [centre, box, laptop] = [await started('centre'), await started('box'), await started('laptop')]
  await seedStory(centre.node.services.store)
  await joined(box, centre, `http://127.0.0.1:${centre.port}`, 'school')
  await until(async () => (await scoreAt(box)) !== undefined, 'the copy of the school')
  await joined(laptop, box, `http://127.0.0.1:${box.port}`, 'laptop')
  await until(async () => (await scoreAt(laptop)) !== undefined, 'the copy of the laptop')
  await joined(laptop, centre, `http://127.0.0.1:${centre.port}`, 'laptop')
  const { services } = laptop.node
  await services.replication?.stop()
  const asked: string[] = []
  const line = overNetwork(new AbortController().signal)
  const hurried = {
    startDelayMs: 0,
    everyMs: 400,
    jitter: { startMs: 0, dayMs: 0 },
    recheckMs: 300,
    retryMs: 100,
    mergeAfterMs: 0,
    repairReportedMs: 1,
  }
  const replication = await startReplication(
    services,
    (request) => {
      const { port, pathname } = new URL(request.url)
      if (port === String(centre.port)) asked.push(pathname)
      return line(request)
    },
    { unreachableMs: 300, retryEveryMs: 100, timeoutMs: 1_000 },
    hurried,
  )
  closing.push(() => replication.stop())
  await until(() => asked.filter((path) => path === '/sync/hello').length >= 2, 'the second meeting')
  expect(asked).toContain('/sync/pull')
  expect(replication.course()).toMatchObject({ notice: 'up_to_date', parent: { kind: 'school' } })

  // The laptop was put back: the centre alone has heard of more than it knows.
  const number = services.store.nodeId
  await centre.node.services.store.write(asSystem(), async (tx) => {
    const { sync_peer } = tx.t
    await tx.local.update(sync_peer).set({ highest_counter: 1_000_000, own_seq: 1_000_000 }).where(eq(sync_peer.user_id, people.ada.id))
  })
  await until(() => services.store.nodeId !== number, 'another number')
  await enterAt(services, 53)
  await until(async () => (await scoreAt(box)) === 53, 'the mark at the school')
  await until(async () => (await scoreAt(centre)) === 53, 'the mark at the centre')
  await until(() => replication.course().parent?.kind === 'school', 'the way back to the school')
})
