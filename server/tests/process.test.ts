import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createDatabase } from '../testing/database.ts'
import { buildProgram, programFile } from '../testing/program.ts'

buildProgram()

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'

type Program = { child: ChildProcess; output: () => string; ended: Promise<number | null> }
let folder: string
let database: { url: string; drop(): Promise<void> } | undefined
const running: Program[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-process-'))
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
function run(args: readonly string[], env: Record<string, string> = {}): Program {
  const settings = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: folder,
    PORT: '0',
    ...(database && { DATABASE_URL: database.url, SESSION_SECRET: 'x'.repeat(40) }),
    ...env,
  }
  const child = spawn(process.execPath, [programFile, ...args], {
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (text += part))
  const program = { child, output: () => text, ended: new Promise<number | null>((resolve) => child.once('exit', resolve)) }
  running.push(program)
  return program
}

const untilSaid = async ({ output, child }: Program, pattern: RegExp): Promise<RegExpExecArray> => {
  for (let tries = 0; tries < 600; tries += 1) {
    const match = pattern.exec(output())
    if (match) return match
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`never said ${pattern}: ${output()}`)
}
const portOf = async (program: Program) => Number((await untilSaid(program, /running: http:\/\/localhost:(\d+)/))[1])

describe('markbook start', () => {
  test('starts on nothing, says where it is and how to sign in, and a code from its console opens a session', async () => {
    const server = run(['start'])
    const port = await portOf(server)
    const post = (path: string, body: object) =>
      fetch(`http://localhost:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)
    expect((await post('/api/auth/otp/send', { email: 'head@school.example' })).status).toBe(200)
    const [, half, rest] = await untilSaid(server, /\b(\d{4})\s?(\d{4})\b/)
    const signedIn = await post('/api/auth/otp/verify', { email: 'head@school.example', token: `${half}${rest}` })
    expect(signedIn.status).toBe(200)
    expect(signedIn.headers.get('set-cookie')).toMatch(/^sb-local-auth-token=base64-.*HttpOnly/)
  })

  test('--demo has the story, and three accounts to try', async () => {
    const server = run(['start', '--demo'])
    await portOf(server)
    expect(server.output().match(/@stbrigids\.example {2}/g)).toHaveLength(3)
  })

  test('SIGTERM finishes a request that is half sent, then ends with 0', async () => {
    const server = run(['start'])
    const port = await portOf(server)
    const body = JSON.stringify({ email: 'head@school.example' })
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (part) => (answer += part))
    socket.write(
      `POST /api/auth/otp/send HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    )
    await new Promise((resolve) => setTimeout(resolve, 300))
    server.child.kill('SIGTERM')
    await untilSaid(server, /Finishing/)
    socket.write(body.slice(5))
    expect(await server.ended).toBe(0)
    expect(answer).toMatch(/^HTTP\/1\.1 200/)
  })

  test.skipIf(onPostgres)('a second server on the same folder refuses to start with one clear line', async () => {
    await portOf(run(['start']))
    const second = run(['start'])
    expect(await second.ended).toBe(1)
    expect(second.output().trim()).toMatch(/^Another Markbook server is already running on .*DATA_DIR of its own\.$/)
  })

  test.skipIf(onPostgres)('after a SIGKILL the next one starts at once: no stale lock', async () => {
    const first = run(['start'])
    await portOf(first)
    first.child.kill('SIGKILL')
    await first.ended
    await portOf(run(['start']))
  })

  test.each([
    [{ PORT: 'abc' }, 'The setting PORT must be a port number.'],
    [{ DATABASE_URL: 'mysql://x' }, 'The setting DATABASE_URL must be an address that begins with postgres:// or postgresql://.'],
    [{ SESSION_SECRET: 'short' }, 'The setting SESSION_SECRET must have at least 32 characters.'],
    [
      { TRUST_PROXY: 'proxy.example' },
      'The setting TRUST_PROXY must be addresses or networks of proxies, such as 10.0.0.2 or 10.0.0.0/8, or local for this machine.',
    ],
    [{ LOG_LEVEL: 'loud' }, 'The setting LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent.'],
  ])('a bad value stops the start with one clear line: %o', async (env, line) => {
    const server = run(['start'], env as Record<string, string>)
    expect(await server.ended).toBe(1)
    expect(server.output().trim()).toBe(line)
  })

  test.runIf(onPostgres)('a database that is not there is said in one line', async () => {
    const server = run(['start'], { DATABASE_URL: Object.assign(new URL(inject('postgresUrl')), { pathname: '/not_made_yet' }).href })
    expect(await server.ended).toBe(1)
    expect(server.output().trim()).toMatch(/^The database of DATABASE_URL must be made first: .*not_made_yet.*\.$/)
  })

  test.runIf(onPostgres)('a user who may not prepare the database is told what is missing', async () => {
    const sql = postgres(inject('postgresUrl'), { max: 1, onnotice: () => {} })
    await sql`drop role if exists plain_user`
    await sql`create role plain_user login`
    const url = Object.assign(new URL(database?.url ?? ''), { username: 'plain_user', password: '' }).href
    await sql.end()
    const server = run(['start'], { DATABASE_URL: url })
    expect(await server.ended).toBe(1)
    expect(server.output().trim()).toMatch(
      /^The user of DATABASE_URL may not prepare the database \(.*\)\. It must own the database and have CREATEROLE/,
    )
  })

  test.skipIf(onPostgres)('a file that is no database is said in one line, and left as it is', async () => {
    writeFileSync(join(folder, 'markbook.sqlite'), 'a letter to the parents')
    const server = run(['start'])
    expect(await server.ended).toBe(1)
    expect(server.output().trim()).toMatch(/^The file markbook\.sqlite in DATA_DIR is not a database of Markbook/)
    expect(readFileSync(join(folder, 'markbook.sqlite'), 'utf8')).toBe('a letter to the parents')
  })

  test('a taken port is said in one line', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const server = run(['start'], { PORT: String(port) })
    expect(await server.ended).toBe(1)
    expect(server.output().trim()).toBe(
      `Port ${port} is taken by another program, or by a Markbook on another folder. Stop it, or choose another with PORT=3001.`,
    )
    other.close()
  })
})
