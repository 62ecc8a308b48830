import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMMONS, naturalId } from '@markbook/shared/ids'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openStore } from '../start.ts'
import { asSystem } from '../store/tx.ts'
import { createDatabase } from '../testing/database.ts'
import { buildProgram, programFile } from '../testing/program.ts'

buildProgram()

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const SECRET = 'the secret of a server that is tested on its console'
const EMAIL = 'head@school.example'

let folder: string
let database: { url: string; drop(): Promise<void> } | undefined
const running: ChildProcess[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-console-'))
  database = onPostgres ? await createDatabase(inject('postgresUrl')) : undefined
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null) continue
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  rmSync(folder, { recursive: true, force: true })
  await database?.drop()
})

const settings = () => ({
  DATA_DIR: folder,
  PORT: '0',
  SESSION_SECRET: SECRET,
  BACKUPS: 'false',
  ...(database && { DATABASE_URL: database.url }),
})

function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [programFile, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...settings(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part))
  return { output: () => text, ended: new Promise<number | null>((resolve) => child.once('exit', resolve)) }
}

/** What a verb said until it ended, and with what. */
async function said(args: readonly string[], env: Record<string, string> = {}) {
  const { output, ended } = run(args, env)
  const exit = await ended
  return { exit, text: output().trim() }
}
const codeIn = (text: string) => /^ {4}(\d{8})$/m.exec(text)?.[1] ?? ''

let banner = ''
async function started(): Promise<string> {
  const { output } = run(['start'])
  for (let tries = 0; tries < 400; tries += 1) {
    const port = /running: http:\/\/localhost:(\d+)/.exec(output())?.[1]
    if (port) {
      banner = output()
      return `http://localhost:${port}`
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the server did not start: ${output()}`)
}

const verify = (site: string, token: string) =>
  fetch(`${site}/api/auth/otp/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, token }),
  })

describe('markbook code', () => {
  test('while the server runs: a code that signs in once, for somebody new and then known', async () => {
    const site = await started()
    const first = await said(['code', ` ${EMAIL.toUpperCase()} `])
    expect(first).toMatchObject({ exit: 0, text: expect.stringContaining('makes a new account') })
    expect((await verify(site, codeIn(first.text))).status).toBe(200)
    expect((await verify(site, codeIn(first.text))).status).toBe(400)
    const [old, second] = [await said(['code', EMAIL]), await said(['code', EMAIL])]
    expect(second.text).not.toContain('new account')
    expect((await verify(site, codeIn(old.text))).status).toBe(400)
    expect((await verify(site, codeIn(second.text))).status).toBe(200)
  })

  test('--setup prints the code with which the school is founded, as the start did', async () => {
    const site = await started()
    const setup = await said(['code', '--setup'])
    const setupCode = /^ {4}(\S+)$/m.exec(setup.text)?.[1] ?? ''
    expect(banner).toContain(`/welcome?way=create#setup=${setupCode}`)
    const signedIn = await verify(site, codeIn((await said(['code', EMAIL])).text))
    const cookie = signedIn.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const found = (body: object) =>
      fetch(`${site}/api/schools`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, origin: site },
        body: JSON.stringify({ name: 'St Brigid’s', schoolType: 'secondary', ...body }),
      })
    expect((await found({})).status).toBe(403)
    expect((await found({ setupCode })).status).toBe(201)
    const later = await said(['code', '--setup'])
    if (onPostgres) expect(later.text).not.toContain(setupCode)
    else expect(later).toMatchObject({ exit: 1, text: expect.stringContaining('No code is needed here') })
    // Whoever follows an administrator who left may not know that address. A centre names nobody: it has many schools.
    const follower = await said(['code', 'follower@school.example'])
    const named = `belongs to no school until an administrator lets it in. Administrators here: ${EMAIL}`
    if (onPostgres) expect(follower.text).not.toContain(EMAIL)
    else expect(follower.text.endsWith(named)).toBe(true)
    expect((await said(['code', EMAIL])).text).not.toContain('Administrators here')
  })

  test('before the server starts again; and the history says that it was made, not what it is', async () => {
    expect(await said(['migrate'])).toMatchObject({ exit: 0 })
    const { text } = await said(['code', EMAIL])
    const store = await openStore(readConfig(settings()))
    const history = await store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
    await store.close()
    expect(history).toMatchObject([
      { school_id: COMMONS, entity: 'console_code', row_id: naturalId('user', EMAIL), actor_id: null, action: 'create' },
    ])
    expect(Object.keys(history[0]?.changes ?? {})).toEqual(['email', 'expires_at'])
    expect((await verify(await started(), codeIn(text))).status).toBe(200)
  })

  test('refuses to make a code that the server would not know', async () => {
    await started()
    const { exit, text } = await said(['code', EMAIL], { SESSION_SECRET: 'another secret than the one that the server has' })
    expect(exit).toBe(1)
    expect(text).toMatch(/^The server works with another SESSION_SECRET than this console\./)
  })

  test('refuses what is no address', async () => {
    expect(await said(['code', 'head at school'])).toEqual({ exit: 1, text: 'head at school is not an address that mail can be sent to.' })
  })

  test.skipIf(onPostgres)('refuses where there is no database, and makes none', async () => {
    expect(await said(['code', EMAIL])).toEqual({
      exit: 1,
      text: `There is no database in ${folder}. Start the server once, or set DATA_DIR to its folder.`,
    })
    writeFileSync(join(folder, 'markbook.sqlite'), '')
    expect(await said(['code', EMAIL])).toMatchObject({
      exit: 1,
      text: expect.stringMatching(/^There is nothing of Markbook in the database yet/),
    })
  })

  test('refuses on a database of another version, and changes nothing', async () => {
    await said(['migrate'])
    const store = await openStore(readConfig(settings()))
    const table = onPostgres ? 'drizzle.__drizzle_migrations' : '__drizzle_migrations'
    await store.write(asSystem(), async (tx) => {
      if (onPostgres) await tx.connection.run('set role none', [])
      await tx.connection.run(`insert into ${table} (hash, created_at) values ('later', 99999999999999)`, [])
    })
    await store.close()
    expect(await said(['code', EMAIL])).toMatchObject({ exit: 1, text: expect.stringMatching(/^The database is of another version/) })
  })
})
