import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readNote } from '../../lan/running-note.ts'
import { times } from '../../testing/long.ts'
import { buildProgram, endPrograms, startProgram } from '../../testing/program.ts'
import { Ledger } from './ledger.ts'
import { openAt, prepareMarking, settingsOf } from './marking.ts'
import { answersIn, callsIn } from './system-calls.ts'
import { sendBulk } from './teacher.ts'

const onSqlite = process.env['TEST_DATABASE'] === 'sqlite'
const canTrace = onSqlite && traces()
if (onSqlite && !canTrace)
  console.log('SKIPPED: the fsync before each 200 was not counted, because strace is missing or may not trace here.')

function traces(): boolean {
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const newId = idSource(systemClock.now, (size) => randomBytes(size))
const writes = times(60, 1_000)
let folder: string

describe.runIf(canTrace)('an fsync between a write and its 200', () => {
  beforeAll(() => {
    buildProgram()
    folder = mkdtempSync(join(tmpdir(), 'markbook-fsync-'))
  })
  afterEach(endPrograms)
  afterAll(async () => {
    await endPrograms()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Every call that reaches a socket or the log. */
  const traced = (trace: string) => [
    'strace',
    '-f',
    '-y',
    '-s',
    '48',
    '-o',
    trace,
    '-e',
    'trace=read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg,pwrite64,pwritev,fsync,fdatasync',
  ]

  test(`${writes} bulks: each was synced to the log, successfully, after the last byte of it and before its answer`, {
    timeout: 300_000,
  }, async () => {
    const store = await openAt({ folder }, newId)
    const marking = await prepareMarking(store)
    const ledger = await Ledger.of(store)
    await store.close()
    const trace = join(folder, 'trace')
    const server = await startProgram({ env: settingsOf({ folder }, folder), under: traced(trace) })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let at = 0; at < writes; at += 1) expect((await sendBulk(marking, ledger, { port: server?.port ?? 0, agent })).status).toBe(200)
    agent.destroy()
    process.kill(readNote(folder)?.pid ?? 0, 'SIGTERM')
    await server?.ended

    const answers = answersIn(callsIn(readFileSync(trace, 'utf8')))
    expect(answers).toHaveLength(writes)
    expect(
      answers.filter(({ status, logWrites, syncs, syncedLast }) => status !== 200 || logWrites === 0 || syncs === 0 || !syncedLast),
    ).toEqual([])
    const syncs = answers.reduce((sum, answer) => sum + answer.syncs, 0)
    console.log(`${writes} bulks, ${syncs} successful syncs of the log between a request and its 200: ${(syncs / writes).toFixed(2)} each.`)
  })
})

describe('reading what strace wrote', () => {
  const request = '7 read(21<socket:[1]>, "POST /api/grades/bulk HTTP/1.1\\r\\n"..., 65536) = 900'
  const log = '7 pwrite64(18</d/markbook.sqlite-wal>, "..."..., 4096, 32) = 4096'
  const sync = (result: string) => `7 fdatasync(18</d/markbook.sqlite-wal>) = ${result}`
  const answer = '7 writev(21<socket:[1]>, [{iov_base="HTTP/1.1 200 OK\\r\\n"..., iov_len=180}], 1) = 180'
  const read = (...lines: string[]) => answersIn(callsIn(lines.join('\n')))

  test.each([
    ['synced', [request, log, sync('0'), answer], { syncs: 1, syncedLast: true }],
    ['never synced', [request, log, answer], { syncs: 0, syncedLast: false }],
    ['the sync failed', [request, log, sync('-1 EIO (Input/output error)'), answer], { syncs: 0, syncedLast: false }],
    ['synced after the answer', [request, log, answer, sync('0')], { syncs: 0, syncedLast: false }],
    ['written again after the sync', [request, log, sync('0'), log, answer], { syncs: 1, syncedLast: false }],
    [
      'in two halves',
      [
        request,
        log,
        '7 fdatasync(18</d/markbook.sqlite-wal> <unfinished ...>',
        '8 read(3<pipe:[9]>, "x", 1) = 1',
        '7 <... fdatasync resumed>) = 0',
        answer,
      ],
      { syncs: 1, syncedLast: true },
    ],
  ])('%s', (_what, lines, expected) => {
    expect(read(...lines)).toEqual([expect.objectContaining({ status: 200, ...expected })])
  })
})
