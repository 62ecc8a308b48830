import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../../testing/cluster.ts'
import { createDatabase, makeTemplate } from '../../testing/database.ts'
import { times } from '../../testing/long.ts'
import { buildProgram, endPrograms, type Program, startProgram } from '../../testing/program.ts'
import { Ledger } from './ledger.ts'
import { type Marking, openAt, prepareMarking, settingsOf } from './marking.ts'
import { type Answer, ask, keepMarking } from './teacher.ts'

/** As a new installation has them, other than those of the other tests: this database must outlive its server. */
const DURABLE = ['max_connections=50', 'timezone=UTC']
const newId = idSource(systemClock.now, (size) => randomBytes(size))
const stops = times(4, 20)
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function until(holds: () => Promise<boolean> | boolean, ms: number, what: () => string): Promise<number> {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > ms) throw new Error(`${what()} took longer than ${ms} ms`)
    await after(10)
  }
  return performance.now() - began
}

describe.runIf(process.env['TEST_DATABASE'] === 'postgres')('immediate stops of Postgres during bulk grades', () => {
  let cluster: Cluster
  let where: { url: string }
  let marking: Marking
  let ledger: Ledger
  let server: Program
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'markbook-central-'))
    buildProgram()
    cluster = await startCluster(DURABLE)
    await makeTemplate(cluster.url)
    where = await createDatabase(cluster.url)
    const store = await openAt(where, newId)
    marking = await prepareMarking(store)
    ledger = await Ledger.of(store)
    await store.close()
    server = (await startProgram({ env: settingsOf(where, folder) })) as Program
  }, 120_000)
  afterAll(async () => {
    await endPrograms()
    await cluster?.stop()
    await endPrograms()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = (path: string): Promise<Answer> =>
    ask({ port: server.port, path, cookie: marking.cookie, timeoutMs: 10_000 }).catch((error) => {
      throw new Error(`${path} was not answered (${error}); the server said: ${server.output().slice(-2_000)}`)
    })
  const isReady = async () => (await get('/readyz')).status === 200
  const more = (count: number) => {
    const before = ledger.acknowledged.size
    return () => ledger.acknowledged.size >= before + count
  }

  test(`${stops} stops: nothing acknowledged is lost, none is torn, and the server comes back by itself`, {
    timeout: 60_000 + stops * 20_000,
  }, async ({ skip }) => {
    const { outage } = cluster
    if (!outage) {
      console.log('SKIPPED: the stops of Postgres, which need a PostgreSQL of this machine.')
      return skip()
    }
    const began = performance.now()
    const teachers = keepMarking(marking, ledger, server.port, { teachers: 6, pauseMs: 25 })
    const back: number[] = []
    const whole: number[] = []
    for (let stop = 0; stop < stops; stop += 1) {
      await until(more(3), 60_000, () => `marking (${JSON.stringify(teachers.answers.at(-1))})`)
      await after(Math.random() * 100)
      await outage.begin()
      const [health, ready, reading] = await Promise.all([get('/healthz'), get('/readyz'), get('/api/subjects')])
      expect([health.status, ready.status]).toEqual([200, 503])
      expect(reading).toMatchObject({ status: 503, code: 'busy', retryAfter: '5' })
      await after(Math.random() * 300)
      await outage.end()
      const returned = performance.now()
      back.push(await until(isReady, 20_000, () => 'coming back'))
      // Every connection of the pool is needed for these.
      const all = await Promise.all(Array.from({ length: 48 }, () => get('/api/subjects')))
      expect(all.filter(({ status }) => status !== 200)).toEqual([])
      whole.push(performance.now() - returned)
    }
    await until(more(3), 60_000, () => `marking (${JSON.stringify(teachers.answers.at(-1))})`)
    await teachers.stop()
    const refused = teachers.answers.filter(({ status }) => status !== 200)
    expect(
      refused.filter(({ status, code, retryAfter }) => status !== 503 || !/busy|outcome_unknown/.test(code ?? '') || !retryAfter),
    ).toEqual([])
    expect(server.output()).not.toMatch(/request failed|Error/)
    const store = await openAt(where, newId, { beside: true })
    await ledger.check(store).finally(() => store.close())
    console.log(
      `${stops} immediate stops in ${Math.round((performance.now() - began) / 1_000)} s: ${ledger.acknowledged.size} bulks acknowledged, ${ledger.names.length} committed, ${refused.length} answered 503; ready again ${Math.round(Math.max(...back))} ms after Postgres at the latest, with every connection after ${Math.round(Math.max(...whole))} ms.`,
    )
  })
})
