import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { naturalId } from '@markbook/shared/ids'
import { mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, expect, inject, test } from 'vitest'
import { actAs } from '../../cli/act-as.ts'
import { seedStory } from '../../cli/seed/seed.ts'
import { readConfig } from '../../config.ts'
import { invite } from '../../replication/identity/enrolment.ts'
import { overNetwork } from '../../replication/line/network.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { type Running, startServer } from '../../start.ts'
import { asSystem } from '../../store/tx.ts'
import { type BadLine, badLineTo } from '../../testing/bad-line.ts'
import { createDatabase } from '../../testing/database.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function started(name: string, databaseUrl?: string): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), `markbook-live-${name}-`))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const settings = { DATA_DIR: folder, PORT: '0', BACKUPS: 'false', LOG_LEVEL: 'fatal', NODE_NAME: name }
  const secret = `only for the tests of the line: ${name}, and long enough`
  return startServer(readConfig({ ...settings, SESSION_SECRET: secret, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }))
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function until(holds: () => Promise<boolean> | boolean, what: string, ms = 20_000): Promise<number> {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > ms) throw new Error(`${what} took longer than ${ms} ms`)
    await after(10)
  }
  return performance.now() - began
}

type LiveNode = {
  server: Running
  enter(assessmentId: string, score: number): Promise<unknown>
  score(assessmentId: string): Promise<unknown>
}
type Both = { centre: LiveNode; box: LiveNode; line: BadLine; notice(): string | undefined }

const ofZoe = (assessmentId: string) => naturalId('grade', assessmentId, zoe.id)

async function place(server: Running): Promise<LiveNode> {
  const { services } = server.node
  const { api } = await actAs(services, people.ada.id)
  return {
    server,
    enter: (assessmentId, score) => api.grades.bulk({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } }),
    score: async (assessmentId) => (await services.store.read(asSystem(), (tx) => tx.find('grade', stBrigids, ofZoe(assessmentId))))?.score,
  }
}

/** A centre and a school's server, both listening, both with their loops running, and a line between them. */
async function both(): Promise<Both> {
  const database = onPostgres ? await createDatabase(inject('postgresUrl')) : undefined
  if (database) closing.push(() => database.drop())
  const centre = await started('centre', database?.url)
  closing.push(() => centre.stop())
  await seedStory(centre.node.services.store)
  const line = await badLineTo(() => centre.port)
  closing.push(() => line.close())
  const box = await started('box')
  closing.push(() => box.stop())
  const { code } = await centre.node.services.store.write(asSystem(), (tx) =>
    invite(tx, { kind: 'school', schoolId: stBrigids, userId: null, by: people.okafor.id }),
  )
  await joinParent(box.node.services, { url: line.url, code, kind: 'school' }, overNetwork(new AbortController().signal))
  await box.node.services.replication?.refresh()
  const notice = () => box.node.services.replication?.course().notice
  await until(
    async () =>
      notice() === 'up_to_date' &&
      (await box.node.services.store.read(asSystem(), (tx) => tx.find('grade', stBrigids, ofZoe(mathsExam.id)))) !== undefined,
    'the first copy',
  )
  return { centre: await place(centre), box: await place(box), line, notice }
}

const seen = (at: LiveNode, assessmentId: string, score: number) =>
  until(async () => (await at.score(assessmentId)) === score, `${score} at the other end`)

test('a change at one end is visible at the other within a second on a good line, and again after an outage', async () => {
  const { centre, box, line, notice } = await both()
  const took: number[] = []
  for (let score = 60; score < 64; score += 1) {
    await box.enter(mathsExam.id, score)
    took.push(await seen(centre, mathsExam.id, score))
    await centre.enter(mathsExam.id, score + 10)
    took.push(await seen(box, mathsExam.id, score + 10))
  }
  took.sort((a, b) => a - b)
  // One of them at least: a machine that does much else may be slow for the others.
  expect(took[0]).toBeLessThan(1_000)

  line.cut()
  await until(() => notice() === 'offline', 'noticing that there is no line')
  await box.enter(mathsExam.id, 90)
  await centre.enter(mathsHomework.id, 4)
  await after(1_500)
  line.mend()
  const back = await Promise.all([seen(centre, mathsExam.id, 90), seen(box, mathsHomework.id, 4)])
  expect(Math.max(...back)).toBeLessThan(10_000)
  await box.enter(mathsExam.id, 91)
  expect(await seen(centre, mathsExam.id, 91)).toBeLessThan(10_000)
})

test('a line that says nothing more is noticed with the next write, and what was written comes over when it is back', async () => {
  const { centre, box, line } = await both()
  line.choke()
  await box.enter(mathsExam.id, 50)
  await after(500)
  expect(await centre.score(mathsExam.id)).not.toBe(50)
  line.mend()
  expect(await seen(centre, mathsExam.id, 50)).toBeLessThan(10_000)
})

test('a server that stops lets those who wait for news go at once', async () => {
  const { centre, notice } = await both()
  await until(() => notice() === 'up_to_date', 'listening')
  await after(200)
  const began = performance.now()
  await centre.server.stop()
  expect(performance.now() - began).toBeLessThan(10_000)
})
