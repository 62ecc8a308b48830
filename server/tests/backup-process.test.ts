import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { canBackUp, contentsOf } from '../store/backup/backup.fixtures.ts'
import { contentIn, listBackups, openBackup, sealed, writeManifest } from '../store/backup/manifest.ts'
import { createDatabase } from '../testing/database.ts'
import { buildProgram, programFile } from '../testing/program.ts'

buildProgram()

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let folder: string
let database: { url: string; drop(): Promise<void> } | undefined
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-backup-'))
  database = onPostgres ? await createDatabase(inject('postgresUrl')) : undefined
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  await database?.drop()
  if (!database) return
  const sql = postgres(inject('postgresUrl'), { max: 1, onnotice: () => {} })
  const before = `${new URL(database.url).pathname.slice(1)}_before_%`
  for (const { datname } of await sql`select datname from pg_database where datname like ${before}`)
    await sql`drop database ${sql(datname)} with (force)`
  await sql.end()
})

function start(args: readonly string[], env: Record<string, string | undefined> = {}) {
  const settings = {
    PATH: process.env['PATH'] ?? '',
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
  children.push(child)
  const program = { child, output: '', ended: new Promise<number | null>((resolve) => child.once('close', resolve)) }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (program.output += part))
  return program
}
const run = async (args: readonly string[], env: Record<string, string | undefined> = {}) => {
  const program = start(args, env)
  return { code: await program.ended, output: program.output.trim() }
}
const untilRunning = async (program: { output: string; child: ChildProcess }) => {
  for (let tries = 0; tries < 600; tries += 1) {
    if (/running: http/.test(program.output)) return
    if (program.child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`never ran: ${program.output}`)
}

const MADE = expect.stringMatching(/^\d+ \w+ \d+, \d\d:\d\d {2}Hilltop-Marker School and St Brigid’s {2}\/.*-(?:manual|nightly)$/)

// Each starts the program several times.
describe.runIf(canBackUp)('markbook backup and markbook restore', { timeout: 180_000 }, () => {
  test('from a school through a backup under a running server, a refusal, a stop, and back', async () => {
    expect((await run(['seed', 'story'])).code).toBe(0)
    const server = start(['start'])
    await untilRunning(server)
    const { id } = JSON.parse(readFileSync(join(folder, 'database.json'), 'utf8')) as { id: string }
    const ahead = join(folder, 'backups', id, '2099-01-12T01-00-00Z-nightly')
    mkdirSync(ahead, { recursive: true })
    expect((await run(['status'])).output).toMatch(/Last backup: .* \(still to come: is the clock right\?\)/)
    rmSync(ahead, { recursive: true })

    const made = await run(['backup'])
    // On a slow machine a line a second says how far it is.
    const expected = /^(?:\w[\w ]* …(?: \d+ %)?\n)*Backed up and verified: .*-manual\n {2}45 marks, \d+\.\d MB$/
    expect(made).toMatchObject({ code: 0, output: expect.stringMatching(expected) })
    // Of two backups of one second the one made by hand stays.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const nightly = await run(['backup', '--reason', 'nightly', '--data-dir', folder], { DATA_DIR: '/nowhere' })
    expect(nightly).toMatchObject({ code: 0, output: expect.stringMatching(/-nightly\n/) })
    const listed = await run(['restore', '--list'])
    expect(listed.output.split('\n')).toEqual([MADE, MADE])

    const running = await run(['restore', '--latest', '--yes'])
    expect(running.code).toBe(1)
    expect(running.output).toMatch(
      onPostgres ? /^\d+ connections to the database .*Nothing was changed\.$/ : /^The server is running on .*Nothing was changed\.$/,
    )

    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    const unasked = await run(['restore', '--latest'])
    expect(unasked.code).toBe(1)
    expect(unasked.output).toMatch(/^School: {3}Hilltop-Marker School and St Brigid’s$/m)
    expect(unasked.output).toMatch(/Marks: {4}45 marks, as many as now/)
    expect(unasked.output).toMatch(
      /is then in there, and where this server has joined\nanother, or others have joined it, it comes back from them/,
    )
    expect(unasked.output).toMatch(/There is nobody to ask; add --yes\. Nothing was changed\.$/)

    const restored = await run(['restore', '--latest', '--yes'])
    expect(restored).toMatchObject({
      code: 0,
      output: expect.stringMatching(/\nRestored\.\nWhere this server has joined another, it begins anew there/),
    })
    expect(restored.output).toMatch(/Start the server again\.$/)
    expect(restored.output).not.toContain('session-secret')
    expect(listBackups(join(folder, 'backups')).filter(({ reason }) => reason === 'restore')).toHaveLength(1)
    await untilRunning(start(['start']))
  })

  test('on a new machine it says what is in no backup, also where a start made another secret', async () => {
    await run(['seed', 'story'])
    const server = start(['start'], { BACKUPS: 'false' })
    await untilRunning(server)
    server.child.kill('SIGTERM')
    await server.ended
    const backup = /verified: (.*)\n/.exec((await run(['backup'])).output)?.[1] as string
    const there = { DATA_DIR: join(folder, 'new'), SESSION_SECRET: undefined }
    const restored = await run(['restore', backup, '--yes'], there)
    expect(restored).toMatchObject({ code: 0, output: expect.stringContaining(`there is none in ${there.DATA_DIR}.`) })
    expect(restored.output).not.toContain('begins anew there')
    writeFileSync(join(there.DATA_DIR, 'session-secret'), 'y'.repeat(40))
    const another = await run(['restore', backup, '--yes'], there)
    expect(another.output).toContain(`is in no backup, and another one in ${there.DATA_DIR}.`)
    expect(another.output).not.toContain('begins anew there')
    writeFileSync(join(there.DATA_DIR, 'session-secret'), 'x'.repeat(40))
    expect((await run(['restore', backup, '--yes'], there)).output).toContain('begins anew there')
  })

  test('a damaged newest one is refused, and the one before it named', async () => {
    await run(['seed', 'story'])
    const first = /verified: (.*)\n/.exec((await run(['backup'])).output)?.[1] as string
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const second = /verified: (.*)\n/.exec((await run(['backup'])).output)?.[1] as string
    const backup = openBackup(second)
    writeManifest(second, sealed({ ...contentsOf(backup), size: 7 }, contentIn(backup) ?? undefined))
    const refused = await run(['restore', '--latest', '--yes'])
    expect(refused.code).toBe(1)
    expect(refused.output).toBe(
      `The backup ${second} is damaged: ${backup.manifest.file} is ${backup.manifest.size} bytes long and was 7. Nothing was changed.
Older ones:
  markbook restore ${first}`,
    )
    expect((await run(['restore', first, '--yes'])).code).toBe(0)
  })

  // The round trip is proved on both databases by encrypted.test.ts; the command line is one.
  test.skipIf(onPostgres)('an encrypted one is taken away, and put back with its key, its passphrase, and by nobody else', async () => {
    await run(['seed', 'story'])
    const [key, usb] = [join(folder, 'school.key'), join(folder, 'usb')]
    const made = await run(['backup', '--make-key', key])
    const recipient = /(age1\w+)$/.exec(made.output)?.[1] as string
    expect(made.code).toBe(0)
    if (process.platform !== 'win32') expect(statSync(key).mode & 0o777).toBe(0o600)
    expect(await run(['backup', '--make-key', key])).toMatchObject({ code: 1, output: expect.stringMatching(/is there already/) })
    expect(await run(['backup', '--encrypt-for', recipient])).toMatchObject({ code: 1, output: expect.stringMatching(/--to/) })
    expect(await run(['backup', '--to', usb, '--encrypt-for', 'age1wrong'])).toMatchObject({ code: 1 })

    const byKey = await run(['backup', '--to', usb, '--encrypt-for', recipient])
    expect(byKey.output).toMatch(
      /Backed up, encrypted and verified: .*-manual\.age\n {2}45 marks, \d+\.\d MB\nWarning: It is on the same disk/,
    )
    const file = /verified: (.*)\n/.exec(byKey.output)?.[1] as string
    const words = join(folder, 'words')
    writeFileSync(words, 'too short\n')
    const short = await run(['backup', '--to', usb, '--passphrase-file', words])
    expect(short).toMatchObject({ code: 1, output: expect.stringMatching(/at least 12 characters/) })

    const unasked = await run(['restore', file, '--yes'])
    expect(unasked).toMatchObject({ code: 1, output: expect.stringMatching(/was encrypted for a key: name the file/) })
    const wrong = await run(['restore', file, '--yes', '--passphrase-file', words])
    expect(wrong).toMatchObject({ code: 1, output: expect.stringMatching(/encrypted for a key \(--key\), not with a passphrase/) })
    const asked = await run(['restore', file, '--key', key])
    expect(asked.output).toMatch(/There is nobody to ask/)
    expect(asked.output).toContain(`Backup:   ${file}\n`)
    // To make a key of a passphrase takes a second, in which the folder is there.
    writeFileSync(words, 'four words without connection\n')
    const second = /verified: (.*)\n/.exec((await run(['backup', '--to', usb, '--passphrase-file', words])).output)?.[1] as string
    const broken = start(['restore', second, '--yes', '--passphrase-file', words])
    while (broken.child.exitCode === null && !existsSync(join(folder, '.unfinished-decrypted')))
      await new Promise((done) => setTimeout(done, 2))
    broken.child.kill('SIGTERM')
    expect(await broken.ended).toBe(130)
    expect(readdirSync(folder).filter((name) => name.startsWith('.unfinished'))).toEqual([])
    const restored = await run(['restore', file, '--yes', '--key', key])
    expect(restored).toMatchObject({ code: 0, output: expect.stringMatching(/\nRestored\.\n/) })
    expect(readdirSync(folder).filter((name) => name.startsWith('.unfinished'))).toEqual([])
  })

  test('wrong usage is 2; a second folder that is away is a warning and 0', async () => {
    await run(['seed', 'story'])
    const usage = await run(['restore'])
    expect(usage).toEqual({ code: 2, output: 'Say which backup: markbook restore --latest, or markbook restore <folder>.' })
    const away = await run(['backup'], { BACKUP_COPY_DIR: join(folder, 'usb') })
    expect(away.code).toBe(0)
    expect(away.output).toMatch(/\nWarning: The second folder for backups, .*usb, is not there\. Is the disk plugged in\?$/)
    const onItsOwn = await run(['backup', '--to', join(folder, 'stick')])
    expect(onItsOwn.code).toBe(0)
    const warned = /\nWarning: It is on the same disk as the marks, and dies with it\. Is the USB disk plugged in\?$/
    expect(onItsOwn.output.search(warned) > 0).toBe(!onPostgres)
    const same = await run(['backup'], { BACKUP_COPY_DIR: join(folder, 'backups') })
    expect(same).toEqual({ code: 1, output: 'The setting BACKUP_COPY_DIR must be another folder than the one of the backups.' })
  })
})
