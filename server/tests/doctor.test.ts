import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import type { Finding } from '../cli/doctor/finding.ts'
import { canBackUp, databaseFileOf } from '../store/backup/backup.fixtures.ts'
import { listBackups, openBackup } from '../store/backup/manifest.ts'
import { createDatabase } from '../testing/database.ts'
import { buildProgram, programFile } from '../testing/program.ts'

buildProgram()

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let folder: string
let database: { url: string; drop(): Promise<void> } | undefined
const running: { child: ChildProcess; ended: Promise<number | null> }[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-sick-'))
  database = onPostgres ? await createDatabase(inject('postgresUrl')) : undefined
})
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
  await database?.drop()
})

/** The real program in a process of its own. */
function run(args: readonly string[], env: Record<string, string> = {}) {
  const settings = {
    PATH: process.env['PATH'] ?? '',
    MARKBOOK_CONFIG: '/dev/null',
    DATA_DIR: folder,
    PORT: '0',
    SESSION_SECRET: 'x'.repeat(40),
    ...(database && { DATABASE_URL: database.url }),
    ...env,
  }
  const child = spawn(process.execPath, [programFile, ...args], {
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      text += part
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  running.push({ child, ended })
  return { output: () => text, ended }
}

async function said(args: readonly string[], env: Record<string, string> = {}) {
  const { output, ended } = run(args, env)
  const exit = await ended
  return { exit, text: output().trim() }
}

/** What the doctor found, by what was looked at; the worst of each. */
async function examined(env: Record<string, string> = {}, more: readonly string[] = []) {
  const { exit, text } = await said(['doctor', '--json', ...more], env)
  const { findings, fixed } = JSON.parse(text) as { findings: Finding[]; fixed: { fix: string; done: boolean }[] }
  const of = (check: Finding['check']) => findings.filter((finding) => finding.check === check)
  return { exit, fixed, of, problems: findings.filter(({ severity }) => severity === 'problem').map(({ check }) => check) }
}

describe('markbook doctor', () => {
  test.runIf(onPostgres)('that is stopped with Ctrl+C ends at once, and so does what it asked the database', async () => {
    await said(['seed', 'story'])
    const sql = postgres(database?.url ?? '', { max: 2, onnotice: () => {} })
    const asking = async () => (await sql`select pid from pg_stat_activity where application_name = 'markbook doctor'`).length
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const holding = sql.begin(async (tx) => {
      await tx`lock table grading.grade in access exclusive mode`
      await released
    })
    try {
      const doctor = run(['doctor'])
      await expect.poll(asking).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const began = performance.now()
      running.at(-1)?.child.kill('SIGINT')
      await doctor.ended
      expect(performance.now() - began).toBeLessThan(5_000)
      await expect.poll(asking, { timeout: 5_000 }).toBe(0)
    } finally {
      release()
      await holding
      await sql.end()
    }
  })

  test('--quick says that the rows were not read', async () => {
    await said(['seed', 'story'])
    const { of } = await examined({}, ['--quick'])
    expect(of('database')).toMatchObject([{ severity: 'ok', what: expect.stringContaining('its rows were not read') }])
  })

  test('where there is nothing yet: says so and makes nothing', async () => {
    const nowhere = join(folder, 'not-made')
    const { exit, of } = await examined({ DATA_DIR: nowhere, DATABASE_URL: '' })
    expect(exit).toBe(0)
    expect(of('database')).toMatchObject([{ severity: 'notice', what: expect.stringContaining('no database') }])
    expect(() => readFileSync(nowhere)).toThrow(/ENOENT/)
  })

  test.runIf(canBackUp)('a school without a backup, and --fix makes one', async () => {
    await said(['seed', 'story'])
    const before = await said(['doctor'])
    expect(before.exit).toBe(3)
    expect(before.text).toMatch(
      /^PROBLEM {2}There is no backup of Hilltop-Marker School and St Brigid’s in .*\n {9}For the marks: If this disk dies.*\n {9}What to do: {4}Make one now: markbook backup$/m,
    )
    const { exit, fixed, of } = await examined({}, ['--fix'])
    expect({ exit, fixed }).toMatchObject({ exit: 0, fixed: [{ fix: 'backup', done: true }] })
    expect(of('database')).toMatchObject([{ severity: 'ok' }])
    expect(listBackups(join(folder, 'backups'))).toHaveLength(1)
    const [backup] = listBackups(join(folder, 'backups'))
    const file = databaseFileOf(openBackup(backup?.path ?? ''))
    const bytes = readFileSync(file)
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
    writeFileSync(file, bytes)
    const damaged = await examined()
    expect(damaged.of('backups')[0]).toMatchObject({ severity: 'problem', what: expect.stringContaining('cannot be trusted') })
  })

  test('beside a running server: it is ours, its port is, and the database is read all the same', async () => {
    const server = run(['start'], { BACKUPS: 'false' })
    const port = await untilSaid(server.output, /running: http:\/\/localhost:(\d+)/)
    const { of } = await examined({ PORT: port, BACKUPS: 'false' })
    expect(of('server')).toMatchObject([{ severity: 'ok' }])
    expect(of('port')).toMatchObject([{ severity: 'ok', what: expect.stringContaining('our own server') }])
    expect(of('database')).toMatchObject([{ severity: 'ok' }])
  })

  test('a server that was started with a wrong clock, which is right again: since when it runs, by the clock of now', async () => {
    const server = run(['start'], { BACKUPS: 'false' })
    const port = await untilSaid(server.output, /running: http:\/\/localhost:(\d+)/)
    const note = join(folder, 'running.json')
    writeFileSync(note, readFileSync(note, 'utf8').replace(/"started_at":"[^"]+"/, '"started_at":"2015-01-01T00:00:10.000Z"'))
    expect((await said(['status'], { PORT: port })).text).toMatch(/Since: +\d+ \w+ 20[2-9]\d, \d\d:\d\d \(\d+ seconds?\)/)
    const { of } = await examined({ PORT: port, BACKUPS: 'false' }, ['--quick'])
    expect(of('server')).toMatchObject([{ severity: 'ok', what: expect.not.stringContaining('2015') }])
  })

  test('a server that starts with an empty battery: the console says that the clock cannot be right', async () => {
    const clock = join(folder, 'clock')
    writeFileSync(clock, String(Date.parse('2015-01-01T00:00:00Z') - Date.now()))
    const server = run(['start'], {
      BACKUPS: 'false',
      TEST_CLOCK: clock,
      NODE_OPTIONS: `--import ${resolve('server/testing/shifted-clock.mjs')}`,
    })
    await untilSaid(server.output, /running: http:\/\/localhost:(\d+)/)
    expect(server.output()).toMatch(
      /ATTENTION: The clock says that it is 201[45], which cannot be\. .*Set the date and time of this machine/,
    )
  })

  test('a database of a newer Markbook: the doctor says so, and a server refuses it in one line', async () => {
    await said(['migrate'])
    await later()
    const { exit, of } = await examined()
    expect({ exit, found: of('database') }).toMatchObject({
      exit: 3,
      found: [{ severity: 'problem', what: expect.stringContaining('newer') }],
    })
    expect((await said(['status'])).text).toMatch(/Database: .*, of a NEWER Markbook than this program; what to do: markbook doctor$/m)
    const start = await said(['start'])
    expect(start).toEqual({
      exit: 1,
      text: 'The database is of a newer Markbook than this program. Install that version again, or restore a backup of this one. Nothing was changed.',
    })
  })

  test.runIf(onPostgres)('status says of a database on PostgreSQL where it is, and whether it can be used', async () => {
    database = await empty()
    const url = new URL(database.url)
    const name = url.pathname.slice(1)
    const state = async (DATABASE_URL = url.href) => /^ {2}Database: +(.*)$/m.exec((await said(['status'], { DATABASE_URL })).text)?.[1]
    expect(await state()).toBe(`none yet in PostgreSQL (${url.host}/${name})`)
    expect(await state(Object.assign(new URL(url), { pathname: '/not_made_yet' }).href)).toMatch(
      /\/not_made_yet\) CANNOT BE USED; what to do/,
    )
    expect(await state(Object.assign(new URL(url), { port: '1' }).href)).toMatch(/\(127\.0\.0\.1:1\/\w+\) DOES NOT ANSWER; what to do/)
    await said(['migrate'])
    expect(await state()).toMatch(new RegExp(`^\\d+\\.\\d MB in PostgreSQL \\(${url.host}/${name}\\)$`))
  })

  test.runIf(onPostgres)('a database whose user may make no tables: the doctor says so before a start does', async () => {
    database = await empty()
    const name = new URL(database.url).pathname.slice(1)
    const user = `weak_${name}`
    await ask(`create role "${user}" login password 'weak'`)
    try {
      const weak = Object.assign(new URL(database?.url ?? ''), { username: user, password: 'weak' }).href
      const found = async () => (await examined({ DATABASE_URL: weak })).of('database')
      expect(await found()).toMatchObject([{ severity: 'problem', what: expect.stringContaining('its user may not make it') }])
      expect(await said(['start'], { DATABASE_URL: weak })).toMatchObject({ exit: 1, text: expect.stringContaining('may not prepare') })
      await ask(`alter database "${name}" owner to "${user}"`)
      expect(await found()).toMatchObject([{ severity: 'problem', what: expect.stringContaining('its user may not make it') }])
      await ask(`alter role "${user}" createrole`)
      expect(await found()).toMatchObject([{ severity: 'notice', what: expect.stringContaining('nothing of Markbook') }])
    } finally {
      await ask(`alter database "${name}" owner to current_user`)
      await ask(`drop role "${user}"`)
    }
  })

  test('settings that cannot be read end with 1 and one line', async () => {
    expect(await said(['doctor'], { PORT: 'abc' })).toEqual({ exit: 1, text: 'The setting PORT must be a port number.' })
  })
})

describe.skipIf(onPostgres)('a damaged file', () => {
  test('with a backup before it: the backup is named, and nothing is restored, --fix or not', async () => {
    await said(['seed', 'story'])
    await said(['backup'])
    const file = join(folder, 'markbook.sqlite')
    const bytes = readFileSync(file)
    for (let page = 12; page < 40; page += 1) bytes.writeUInt8(0xff, page * 4_096)
    writeFileSync(file, bytes)
    const { exit, of } = await examined({}, ['--fix'])
    const [backup] = listBackups(join(folder, 'backups'))
    expect({ exit, found: of('database') }).toMatchObject({
      exit: 3,
      found: [{ severity: 'problem', do: expect.stringContaining(`markbook restore --latest (${backup?.path})`) }],
    })
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })
})

test.runIf(onPostgres)('a database that does not answer is a problem, not an end', async () => {
  const { exit, of } = await examined({ DATABASE_URL: 'postgres://127.0.0.1:1/markbook' })
  expect({ exit, found: of('database') }).toMatchObject({ exit: 3, found: [{ what: expect.stringContaining('does not answer') }] })
})

async function untilSaid(output: () => string, pattern: RegExp): Promise<string> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const found = pattern.exec(output())?.[1]
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`never said ${pattern}: ${output()}`)
}

/** A database on PostgreSQL that never held Markbook, in place of the one that is migrated already. */
async function empty() {
  await database?.drop()
  return createDatabase(inject('postgresUrl'), 'template1')
}

/** Asks the database on PostgreSQL, as its owner. */
async function ask(text: string) {
  const sql = postgres(database?.url ?? '', { max: 1, onnotice: () => {} })
  await sql.unsafe(text)
  await sql.end()
}

/** As if a later version had been here. */
async function later() {
  if (database) return ask("insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 99999999999999)")
  const { default: Sqlite } = await import('better-sqlite3')
  const connection = new Sqlite(join(folder, 'markbook.sqlite'))
  connection.exec("insert into __drizzle_migrations (hash, created_at) values ('later', 99999999999999)")
  connection.close()
}
