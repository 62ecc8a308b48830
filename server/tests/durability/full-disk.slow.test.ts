import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { mathsExam } from '@markbook/shared/story/marks'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { times } from '../../testing/long.ts'
import { buildProgram, endPrograms, type Program, startProgram } from '../../testing/program.ts'
import { Ledger } from './ledger.ts'
import { type Marking, nextBulk, openAt, prepareMarking, settingsOf, signIn } from './marking.ts'
import { type SmallDisk, smallDisk } from './small-disk.ts'
import { type Answer, ask, sendBulk } from './teacher.ts'

const onSqlite = process.env['TEST_DATABASE'] === 'sqlite'
const newId = idSource(systemClock.now, (size) => randomBytes(size))
const PAGE = 4_096

let marking: Marking
let ledger: Ledger
let server: Program
/** A session whose access token has expired: it wants to be renewed. */
let sinceThisMorning: string
const ends: (() => void)[] = []
beforeAll(() => {
  if (onSqlite) buildProgram()
})
afterEach(async () => {
  await endPrograms()
  for (const end of ends.splice(0)) end()
})
afterAll(endPrograms)

async function prepareIn(folder: string) {
  const store = await openAt({ folder }, newId)
  marking = await prepareMarking(store)
  ledger = await Ledger.of(store)
  await store.close()
  const clock = { now: () => systemClock.now() - 2 * limits.session.accessMs }
  const earlier = await openAt({ folder }, newId, { clock })
  sinceThisMorning = await earlier.write(asSystem(), signIn).finally(() => earlier.close())
}

const get = (path: string, cookie: string): Promise<Answer> => ask({ port: server.port, path, cookie })
const bulk = (size?: number) => sendBulk(marking, ledger, { port: server.port }, nextBulk(marking, { size }))

/** Marks until the disk takes no more; answers how many it took. */
async function markUntilFull(most: number, size?: number): Promise<number> {
  for (let taken = 0; taken < most; taken += 1) {
    const answer = await bulk(size)
    if (answer.status === 200) continue
    expect(answer).toMatchObject({ status: 507, code: 'storage_full' })
    return taken
  }
  throw new Error(`the disk took ${most} bulks and was never full`)
}

async function demandReadsGoOn() {
  const paths = ['/healthz', '/readyz', '/metrics', '/api/auth/me', '/api/students', `/api/grades?assessmentId=${mathsExam.id}`]
  for (const cookie of [marking.cookie, sinceThisMorning]) {
    for (const path of paths) expect([path, (await get(path, cookie)).status]).toEqual([path, 200])
  }
}

async function demandSound(folder: string) {
  const file = new Database(join(folder, 'markbook.sqlite'), { readonly: true })
  expect(file.pragma('integrity_check', { simple: true })).toBe('ok')
  file.close()
  const store = await openAt({ folder }, newId, { beside: true })
  await ledger.check(store).finally(() => store.close())
}

describe.runIf(onSqlite)('a full disk', () => {
  const rounds = times(6, 20)

  test(`${rounds} times: 507, reads go on, writing resumes in the same process, nothing acknowledged is lost`, {
    timeout: 300_000,
  }, async ({ skip }) => {
    const disk: SmallDisk | null = smallDisk(64)
    if (!disk) {
      console.log('SKIPPED: the full disk, because this account may not mount a small one. The limit below stands in for it.')
      return skip()
    }
    ends.push(disk.end)
    const { folder } = disk
    await prepareIn(folder)
    // Its log lies on the same disk, and is as full.
    const log = openSync(join(folder, 'server.log'), 'a')
    ends.unshift(() => closeSync(log))
    server = (await startProgram({ env: { ...settingsOf({ folder }, folder), LOG_LEVEL: 'info' }, stderr: log })) as Program
    let taken = 0
    for (let round = 0; round < rounds; round += 1) {
      // From nothing at all, through the middle of a transaction, to beyond the size at which the log is folded in.
      disk.fill(((round * 7) % 40) * PAGE * (round % 3 === 0 ? 1 : 20))
      taken += await markUntilFull(3_000)
      await demandReadsGoOn()
      taken += await markUntilFull(3_000)
      disk.free()
      expect((await bulk()).status).toBe(200)
    }
    await demandSound(folder)
    disk.fill(0)
    expect(await server.stop()).toBe(0)
    console.log(
      `${rounds} times full: ${ledger.acknowledged.size} bulks acknowledged, ${taken} of them on the last of the disk; none lost, none torn.`,
    )
  })

  test('a server that is killed on a full disk starts on it, reads, and writes when there is room', { timeout: 120_000 }, async ({
    skip,
  }) => {
    const disk: SmallDisk | null = smallDisk(16)
    if (!disk) return skip()
    ends.push(disk.end)
    const { folder } = disk
    await prepareIn(folder)
    server = (await startProgram({ env: settingsOf({ folder }, folder) })) as Program
    disk.fill(60 * PAGE)
    await markUntilFull(3_000)
    await server.cut()
    server = (await startProgram({ env: settingsOf({ folder }, folder) })) as Program
    await demandReadsGoOn()
    await markUntilFull(3_000)
    disk.free()
    expect((await bulk()).status).toBe(200)
    await demandSound(folder)
  })
})

const canLimit = onSqlite && canPrlimit()
if (onSqlite && !canLimit) console.log('SKIPPED: the largest size of a file, because prlimit is missing.')

function canPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--fsize=1000000000', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.runIf(canLimit)('a quota: the largest size of a file', () => {
  test('507, reads go on, writing resumes in the same process, nothing acknowledged is lost', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'markbook-quota-'))
    ends.push(() => rmSync(folder, { recursive: true, force: true }))
    await prepareIn(folder)
    const allow = (bytes: number | 'unlimited') => execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:unlimited`])
    server = (await startProgram({ env: settingsOf({ folder }, folder), under: ['prlimit', '--fsize=2500000:unlimited'] })) as Program
    for (const most of [3_000_000, 3_500_000, 3_900_000]) {
      await markUntilFull(400, 10)
      await demandReadsGoOn()
      await markUntilFull(400, 10)
      allow(most)
      expect((await bulk(10)).status).toBe(200)
    }
    allow('unlimited')
    await demandSound(folder)
  })
})
