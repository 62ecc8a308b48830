import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { times } from '../../testing/long.ts'
import { buildProgram, endPrograms, startProgram } from '../../testing/program.ts'
import { Ledger } from './ledger.ts'
import { type Marking, openAt, prepareMarking, settingsOf } from './marking.ts'
import { ask, keepMarking } from './teacher.ts'

const newId = idSource(systemClock.now, (size) => randomBytes(size))
/** A database is checked whole after every kill, so none is used for too long. */
const KILLS_A_SCHOOL = 25
const kills = times(25, 325)

let folder: string
beforeAll(buildProgram)
afterAll(endPrograms)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-kills-'))
})
afterEach(async () => {
  await endPrograms()
  rmSync(folder, { recursive: true, force: true })
})

type School = { marking: Marking; ledger: Ledger }

async function newSchool(): Promise<School> {
  rmSync(folder, { recursive: true, force: true })
  const store = await openAt({ folder }, newId)
  const marking = await prepareMarking(store)
  const ledger = await Ledger.of(store)
  await store.close()
  return { marking, ledger }
}

/** A second pair of eyes on the file that the server has opened. */
async function inspect(ledger: Ledger) {
  const file = new Database(join(folder, 'markbook.sqlite'), { readonly: true })
  const faults = [file.pragma('integrity_check', { simple: true }), ...(file.pragma('foreign_key_check') as unknown[])]
  file.close()
  expect(faults).toEqual(['ok'])
  const store = await openAt({ folder }, newId, { beside: true })
  await ledger.check(store).finally(() => store.close())
}

const env = () => settingsOf({ folder }, folder)
const within = (ms: number) => Math.random() * ms
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** One life of the server: it starts on what the last one left, is looked at, marks, and is killed. Answers whether bulks were under way. */
async function live({ marking, ledger }: School): Promise<number> {
  const server = await startProgram({ env: env() })
  if (!server) throw new Error('the server was not there')
  await inspect(ledger)
  expect((await ask({ port: server.port, path: '/readyz' })).status).toBe(200)
  const teachers = keepMarking(marking, ledger, server.port)
  const before = ledger.acknowledged.size
  while (ledger.acknowledged.size === before) await after(1)
  await after(within(120))
  const killed = server.cut()
  await killed
  await teachers.stop()
  expect(teachers.answers.filter(({ status }) => status !== 200)).toEqual([])
  return server.startedMs
}

describe.runIf(process.env['TEST_DATABASE'] === 'sqlite')('SIGKILL during bulk grades', () => {
  test(`${kills} times: every acknowledged bulk is whole, none is torn`, { timeout: kills * 6_000 + 60_000 }, async () => {
    const began = performance.now()
    const sum = { kills: 0, duringStart: 0, acknowledged: 0, committed: 0, startMs: 0 }
    while (sum.kills < kills) {
      const school = await newSchool()
      for (let life = 0; life < KILLS_A_SCHOOL && sum.kills < kills; life += 1) {
        sum.startMs += await live(school)
        sum.kills += 1
        if (life % 5 > 0) continue
        const started = await startProgram({ env: env(), cutAfterMs: 150 + within((1.2 * sum.startMs) / sum.kills) })
        await started?.cut()
        if (!started) sum.duringStart += 1
      }
      await startProgram({ env: env() })
      await inspect(school.ledger)
      await endPrograms()
      sum.acknowledged += school.ledger.acknowledged.size
      sum.committed += school.ledger.names.length
    }
    const seconds = Math.round((performance.now() - began) / 1_000)
    console.log(
      `${sum.kills} kills during bulk grades and ${sum.duringStart} during a start in ${seconds} s: ${sum.acknowledged} bulks acknowledged, ${sum.committed} committed, none lost, none torn; a start took ${Math.round(sum.startMs / sum.kills)} ms.`,
    )
    // Every life marked before it was cut.
    expect(sum.acknowledged).toBeGreaterThanOrEqual(sum.kills)
  })
})
