import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { canBackUp } from '../store/backup/backup.fixtures.ts'
import { createDatabase } from '../testing/database.ts'
import { buildProgram, programFile } from '../testing/program.ts'
import { smallDisk } from './durability/small-disk.ts'

buildProgram()

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const NOBODY = 65_534
let folder: string
let data: string
let database: { url: string; drop(): Promise<void> } | undefined
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-lost-'))
  data = join(folder, 'data')
  mkdirSync(data)
  database = onPostgres ? await createDatabase(inject('postgresUrl')) : undefined
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = new Promise((resolve) => child.once('close', resolve))
    if (child.exitCode === null && child.kill('SIGKILL')) await ended
  }
  rmSync(folder, { recursive: true, force: true })
  await database?.drop()
  if (!database) return
  const sql = postgres(inject('postgresUrl'), { max: 1, onnotice: () => {} })
  const before = `${new URL(database.url).pathname.slice(1)}_before_%`
  for (const { datname } of await sql`select datname from pg_database where datname like ${before}`)
    await sql`drop database ${sql(datname)} with (force)`
  await sql.end()
})

function start(args: readonly string[], env: Record<string, string> = {}, uid?: number) {
  const settings = {
    PATH: process.env['PATH'] ?? '',
    MARKBOOK_CONFIG: '/dev/null',
    DATA_DIR: data,
    PORT: '0',
    ...(database && { DATABASE_URL: database.url }),
    ...env,
  }
  const child = spawn(process.execPath, [programFile, ...args], {
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  children.push(child)
  const program = { child, output: '', ended: new Promise<number | null>((resolve) => child.once('close', resolve)) }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (program.output += part))
  return program
}
async function run(args: readonly string[], env: Record<string, string> = {}, uid?: number) {
  const program = start(args, env, uid)
  return { code: await program.ended, output: program.output.trim() }
}
async function serves(args: readonly string[], env: Record<string, string> = {}) {
  const program = start(args, env)
  for (let tries = 0; tries < 600 && program.child.exitCode === null; tries += 1) {
    if (/running: http/.test(program.output)) {
      program.child.kill('SIGTERM')
      return program.ended
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`never ran: ${program.output}`)
}

/** As after a disk was replaced. */
async function loseDatabase() {
  if (!database) return rmSync(join(data, 'markbook.sqlite'))
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  const schemas = await sql`select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'`
  for (const { name } of schemas) await sql`drop schema ${sql(name)} cascade`
  await sql`create schema public`
  await sql.end()
}

// Each starts the program several times.
describe.runIf(canBackUp)('a database that is gone while backups lie there', { timeout: 180_000 }, () => {
  test('stops the start with a page of what was found and what to type; both of that go on', async () => {
    await run(['seed', 'story'])
    await run(['backup'])
    await loseDatabase()
    const examined = await run(['doctor'])
    expect(examined).toMatchObject({
      code: 3,
      output: expect.stringMatching(/^PROBLEM {2}The database in .* is gone\. Found there: 1 backup of/m),
    })
    if (!onPostgres) expect((await run(['status'])).output).toMatch(/Database: .*markbook\.sqlite is GONE; what to do: markbook doctor$/m)
    const refused = await run(['start'])
    expect(refused.code).toBe(1)
    expect(refused.output).toMatch(
      onPostgres ? /^The database of DATABASE_URL is empty\.$/m : /^The database .*markbook\.sqlite is not there\.$/m,
    )
    expect(refused.output).toMatch(/^ {2}- 1 backup of Hilltop-Marker School and St Brigid’s, the newest of .* ago\) with 45 marks$/m)
    expect(refused.output).toMatch(
      /^ {2}- a note that the database of Hilltop-Marker School and St Brigid’s belongs here \(database\.json\)$/m,
    )
    expect(refused.output).toMatch(/^ {2}markbook restore --latest {5}puts/m)
    expect(refused.output).toMatch(/^ {2}markbook start --new {10}begins a new/m)
    expect(refused.output.split('\n').length).toBeLessThan(20)
    expect(await run(['migrate'])).toMatchObject({ code: 1, output: expect.stringContaining('markbook start --new') })
    expect((await run(['restore', '--latest', '--yes'])).code).toBe(0)
    expect(await serves(['start'])).toBe(0)
    await loseDatabase()
    expect(await serves(['start', '--new'])).toBe(0)
    expect(await serves(['start'])).toBe(0)
  })
})

describe.skipIf(onPostgres)('the folder of the marks', { timeout: 180_000 }, () => {
  test('with its WAL taken away: nothing opens it, and what was in the WAL comes back with it', async () => {
    await run(['seed', 'story'])
    await run(['backup'])
    const server = start(['start'])
    await vi.waitUntil(() => /running: http/.test(server.output), { timeout: 30_000 })
    server.child.kill('SIGKILL')
    await server.ended
    const [wal, moved] = [join(data, 'markbook.sqlite-wal'), join(folder, 'trash')]
    renameSync(wal, moved)
    expect(await run(['doctor'])).toMatchObject({
      code: 3,
      output: expect.stringMatching(/^PROBLEM {2}The newest marks .* lie in markbook\.sqlite-wal/m),
    })
    expect((await run(['status'])).output).toMatch(/is DAMAGED/)
    for (const command of [['backup'], ['code', 'somebody@school.example'], ['migrate'], ['start']])
      expect(await run(command)).toMatchObject({
        code: 1,
        output: expect.stringMatching(/-wal, with the newest marks, was deleted or moved/),
      })
    expect((await run(['start'])).output).toMatch(/^Only where it is gone for good, delete .*markbook\.sqlite-shm and start/m)
    expect(existsSync(wal)).toBe(false)
    renameSync(moved, wal)
    expect(await serves(['start'])).toBe(0)
    writeFileSync(join(data, 'markbook.sqlite-shm'), '')
    const restored = await run(['restore', '--latest', '--yes'])
    expect(restored).toMatchObject({ code: 0, output: expect.stringMatching(/kept as it lay/) })
    expect(await serves(['start'])).toBe(0)
  })

  test('with a damaged database: nothing is served, and what begins anew keeps the damaged one', async () => {
    await run(['seed', 'story'])
    truncateSync(join(data, 'markbook.sqlite'), 500_000)
    expect((await run(['status'])).output).toMatch(
      /Database: .*markbook\.sqlite is DAMAGED and cannot be opened; what to do: markbook doctor$/m,
    )
    const refused = await run(['start'])
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^The database .* is damaged \(database disk image is malformed\)\.$/m),
    })
    expect(await serves(['start', '--new'])).toBe(0)
    expect(readdirSync(data)).toContainEqual(expect.stringMatching(/^damaged-.*\.sqlite$/))
  })

  test('where somebody named one that is not there, nothing is made until they say so', async () => {
    const typo = join(folder, 'dtaa')
    for (const verb of ['start', 'migrate'])
      expect(await run([verb], { DATA_DIR: typo })).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^DATA_DIR names .*dtaa \(the environment\), which is not there\..*markbook start --new$/),
      })
    expect(existsSync(typo)).toBe(false)
    expect(await serves(['start', '--new'], { DATA_DIR: typo })).toBe(0)
    expect(await serves(['start'], { DATA_DIR: typo })).toBe(0)
  })

  test('where the settings of the machine name another that has a database, an empty one is not begun beside it', async () => {
    await run(['seed', 'story'])
    const settings = join(folder, 'markbook.conf')
    writeFileSync(settings, `DATA_DIR=${data}\n`)
    const other = join(folder, 'other')
    mkdirSync(other)
    const refused = await run(['start'], { DATA_DIR: other, MARKBOOK_CONFIG: settings })
    expect(refused.code).toBe(1)
    expect(refused.output).toMatch(
      /^DATA_DIR names .*other \(the environment\), where there is no database; .*markbook\.conf names .*data, where there is one\./,
    )
    expect(readdirSync(other)).toEqual([])
  })

  test('in a folder of a cloud service: refused, until somebody says that they know', async () => {
    const cloud = join(folder, 'Dropbox', 'marks')
    mkdirSync(cloud, { recursive: true })
    const refused = await run(['start'], { DATA_DIR: cloud })
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^The data folder .* is inside a folder of Dropbox\.[\s\S]*--i-know$/),
    })
    expect(readdirSync(cloud)).toEqual([])
    expect(await serves(['start', '--i-know'], { DATA_DIR: cloud })).toBe(0)
    expect(await serves(['start'], { DATA_DIR: cloud })).toBe(0)
  })

  test('that this account may not read: a backup says so, and not that there is no database', async () => {
    await run(['seed', 'story'])
    chmodSync(data, 0)
    const somebody = process.getuid?.() === 0 ? NOBODY : undefined
    const refused = await run(['backup'], {}, somebody)
    const others = [await run(['status'], {}, somebody), await run(['cert', 'show'], {}, somebody)]
    chmodSync(data, 0o700)
    for (const { code, output } of others) {
      expect(code).toBe(1)
      expect(output).toMatch(/^This account may not use \S+\. Use sudo, or run this as the account of the server\.$/)
    }
    expect(refused).toEqual({
      code: 1,
      output: `This account may not read the database in ${data}. Use sudo, or run this as the account of the server.`,
    })
  })

  const disk = smallDisk(40)
  afterAll(() => disk?.end())
  test.skipIf(!disk)('on a disk that the system lets nobody write to: nobody calls the marks damaged, or restores them', async () => {
    if (!disk) return
    const env = { DATA_DIR: disk.folder }
    await run(['seed', 'story'], env)
    disk.writable(false)
    const [started, kept, status, doctor] = [
      await run(['start'], env),
      await run(['backup', '--to', join(folder, 'usb')], env),
      await run(['status'], env),
      await run(['doctor'], env),
    ]
    disk.writable(true)
    const sentence = expect.stringMatching(/^The disk of \S+ can only be read\. The marks are on it as they were\./)
    expect([started, kept]).toEqual([
      { code: 1, output: sentence },
      { code: 1, output: sentence },
    ])
    expect(status.output).toMatch(/Database: .* on a DISK THAT CAN ONLY BE READ; what to do: markbook doctor$/m)
    expect(doctor).toMatchObject({ code: 3, output: expect.stringMatching(/^PROBLEM {2}The disk of .* can only be read/m) })
    expect(doctor.output).not.toMatch(/damaged|restore/)
    expect(await serves(['start'], env)).toBe(0)
  })
})
