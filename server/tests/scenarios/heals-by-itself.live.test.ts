import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { englishExam } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { afterEach, expect, inject, test } from 'vitest'
import { seedStory } from '../../cli/seed/seed.ts'
import { readConfig } from '../../config.ts'
import { statusOf } from '../../features/replication/status.ts'
import { invite } from '../../replication/identity/enrolment.ts'
import { overNetwork } from '../../replication/line/network.ts'
import { startReplication } from '../../replication/replication.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { type Running, startServer } from '../../start.ts'
import { asSystem } from '../../store/tx.ts'
import { createDatabase } from '../../testing/database.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function started(name: string, databaseUrl?: string): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), `markbook-heals-${name}-`))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const settings = { DATA_DIR: folder, PORT: '0', BACKUPS: 'false', LOG_LEVEL: 'fatal', NODE_NAME: name }
  const secret = `only for the tests of healing: ${name}, and long enough`
  const server = await startServer(readConfig({ ...settings, SESSION_SECRET: secret, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }))
  closing.push(() => server.stop())
  return server
}

/** What takes days takes seconds. */
const hurried = {
  startDelayMs: 500,
  everyMs: 1_000,
  jitter: { startMs: 0, dayMs: 0 },
  recheckMs: 300,
  retryMs: 200,
  mergeAfterMs: 0,
  repairReportedMs: 600_000,
}

const marksOfEnglish = ({ node }: Running) =>
  node.services.store.read(asSystem(), (tx) => tx.db.$count(tx.t.grade, eq(tx.t.grade.assessment_id, englishExam.id)))

test('a running school’s server finds by itself that its file has lost marks, gets them back, and says so', async () => {
  const database = process.env['TEST_DATABASE'] === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined
  if (database) closing.push(() => database.drop())
  const [centre, box] = [await started('centre', database?.url), await started('box')]
  await seedStory(centre.node.services.store)
  const { code } = await centre.node.services.store.write(asSystem(), (tx) =>
    invite(tx, { kind: 'school', schoolId: stBrigids, userId: null, by: people.okafor.id }),
  )
  const { services } = box.node
  await services.replication?.stop()
  await joinParent(services, { url: `http://127.0.0.1:${centre.port}`, code, kind: 'school' }, overNetwork(new AbortController().signal))
  const replication = await startReplication(services, undefined, undefined, hurried)
  closing.push(() => replication.stop())
  const status = () => services.store.read(asSystem(), (tx) => statusOf(tx, stBrigids, replication.course()))

  await expect.poll(async () => (await status()).compared_at, { timeout: 20_000 }).not.toBeNull()
  expect(await status()).toMatchObject({ difference: null, sentence: 'Everything is at the centre.' })
  const before = await marksOfEnglish(box)
  await services.store.write(asSystem(), (tx) => tx.connection.run('delete from grade where assessment_id = ?', [englishExam.id]))
  expect(await marksOfEnglish(box)).toBe(0)
  await expect.poll(async () => (await status()).difference?.healed_at ?? null, { timeout: 30_000 }).not.toBeNull()
  expect(await marksOfEnglish(box)).toBe(before)
  expect(await status()).toMatchObject({
    state: 'up_to_date',
    difference: { tables: [{ entity: 'grade' }] },
    sentence: expect.stringMatching(/^Everything is at the centre\. A difference from centre was found .* ago, and is mended\.$/),
  })
})
