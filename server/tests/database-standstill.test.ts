import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../testing/cluster.ts'
import { createDatabase, makeTemplate } from '../testing/database.ts'
import { times } from '../testing/long.ts'
import { hasPgBouncer, startPgBouncer } from '../testing/pgbouncer.ts'
import { buildProgram, type Program, startProgram } from '../testing/program.ts'
import { Ledger } from './durability/ledger.ts'
import { openAt, prepareMarking, settingsOf } from './durability/marking.ts'
import { type Answer, ask, sendBulk } from './durability/teacher.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
if (onPostgres && !hasPgBouncer) console.log('SKIPPED: the standstill of Postgres behind PgBouncer, which is not on this machine.')
const newId = idSource(systemClock.now, (size) => randomBytes(size))
const standstillMs = times(6_000, 30_000)
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.runIf(onPostgres)('a database that stands still', () => {
  let cluster: Cluster
  let folder: string
  let server: Program | null = null
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'markbook-standstill-'))
    buildProgram()
    cluster = await startCluster()
    await makeTemplate(cluster.url)
  })
  afterEach(async () => {
    await server?.cut()
    for (const close of closing.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each([
    ['reached directly', false],
    ['behind PgBouncer', true],
  ])(
    '%s: all is answered with 503 within 5 s, and again two seconds after it goes on',
    { timeout: 60_000 + standstillMs },
    async (how, pooled) => {
      const { standstill } = cluster
      if (!standstill || (pooled && !hasPgBouncer)) return
      const direct = await createDatabase(cluster.url)
      const store = await openAt(direct, newId)
      closing.push(store.close)
      const marking = await prepareMarking(store)
      const ledger = await Ledger.of(store)
      const where = pooled ? { url: await pooledUrl(direct.url) } : direct
      server = (await startProgram({ env: settingsOf(where, folder) })) as Program
      const { port } = server

      const timed = async (asked: Promise<Answer>) => {
        const began = performance.now()
        const { status, code, retryAfter } = await asked
        return { status, code, retryAfter, ms: performance.now() - began }
      }
      const get = (path: string) => timed(ask({ port, path, cookie: marking.cookie, timeoutMs: 20_000 }))
      const save = () => timed(sendBulk(marking, ledger, { port }))
      const round = () => [...Array.from({ length: 10 }, () => get('/api/subjects')), ...Array.from({ length: 10 }, save)]
      expect(new Set((await Promise.all(round())).map(({ status }) => status))).toEqual(new Set([200]))

      const asked = round()
      await after(5)
      standstill.begin()
      const began = performance.now()
      try {
        // Some of these came before it stood still, some in between, and most find it so.
        const health: ReturnType<typeof get>[] = []
        while (performance.now() - began < standstillMs) {
          asked.push(...round())
          health.push(get('/readyz'))
          await after(500)
        }
        expect((await get('/healthz')).status).toBe(200)
        const answers = await Promise.all(asked)
        const refused = answers.filter(({ status }) => status !== 200)
        expect(refused.length).toBeGreaterThan(100)
        expect(
          refused.filter(({ status, code, retryAfter }) => status !== 503 || !/busy|outcome_unknown/.test(code ?? '') || !retryAfter),
        ).toEqual([])
        expect((await Promise.all(health)).filter(({ status }) => status !== 503)).toEqual([])
        expect(Math.max(...[...answers, ...(await Promise.all(health))].map(({ ms }) => ms))).toBeLessThan(5_000)
      } finally {
        standstill.end()
      }
      const wentOn = performance.now()
      while ((await get('/readyz')).status !== 200 && performance.now() - wentOn < 20_000) await after(20)
      const readyMs = performance.now() - wentOn
      expect((await save()).status).toBe(200)
      expect(performance.now() - wentOn).toBeLessThan(5_000)
      const longest = Math.round(Math.max(...(await Promise.all(asked)).map(({ ms }) => ms)))
      console.log(`${how}: the longest answer took ${longest} ms; ready again after ${Math.round(readyMs)} ms.`)
      expect((await Promise.all(round())).filter(({ status }) => status !== 200)).toEqual([])
      expect(server.output()).not.toMatch(/request failed|Error/)
      await ledger.check(store)
    },
  )

  async function pooledUrl(direct: string): Promise<string> {
    const bouncer = await startPgBouncer(cluster.url)
    closing.push(bouncer.stop)
    return bouncer.urlOf(new URL(direct).pathname.slice(1))
  }
})
