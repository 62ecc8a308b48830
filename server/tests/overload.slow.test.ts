import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDatabase } from '../testing/database.ts'
import { flood, goodput, openSocket, quantile, type Shot, saturate, served } from '../testing/load.ts'
import { times } from '../testing/long.ts'
import { buildProgram, programFile } from '../testing/program.ts'

buildProgram()

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const HEAD = 'ngozi.okafor@stbrigids.example'
/** Four rooms full of devices. */
const spread = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']

let folder: string
let database: { url: string; drop(): Promise<void> } | undefined
let child: ChildProcess
let said = ''
let log = ''
let port = 0
let cookie = ''
let requests: string[] = []

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const untilSaid = async (pattern: RegExp): Promise<RegExpExecArray> => {
  for (let tries = 0; tries < 1_200 && child.exitCode === null; tries += 1) {
    const match = pattern.exec(said)
    if (match) return match
    await pause(50)
  }
  throw new Error(`never said ${pattern}: ${said}${log}`)
}
const url = (path: string) => `http://127.0.0.1:${port}${path}`
const send = (method: string, path: string, body?: object) =>
  fetch(url(path), { method, headers: { 'content-type': 'application/json', cookie }, ...(body && { body: JSON.stringify(body) }) })
const wire = (method: string, path: string, body?: object) => {
  const text = body ? JSON.stringify(body) : ''
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n`
  return `${head}${body ? `content-type: application/json\r\ncontent-length: ${text.length}\r\n` : ''}\r\n${text}`
}

/** The program as it is started at a school, with the story in it, and the head signed in. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-overload-'))
  database = onPostgres ? await createDatabase(inject('postgresUrl')) : undefined
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: folder,
    PORT: '0',
    BACKUPS: 'false',
    LOG_LEVEL: 'info',
    ...(database && { DATABASE_URL: database.url, SESSION_SECRET: 'x'.repeat(40) }),
  }
  child = spawn(process.execPath, [programFile, 'start', '--demo'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout?.on('data', (part) => (said += part))
  child.stderr?.on('data', (part) => (log += part))
  port = Number((await untilSaid(/running: http:\/\/localhost:(\d+)/))[1])
  await send('POST', '/api/auth/otp/send', { email: HEAD })
  const [, half, rest] = await untilSaid(/\b(\d{4})\s?(\d{4})\b/)
  const signedIn = await send('POST', '/api/auth/otp/verify', { email: HEAD, token: `${half}${rest}` })
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const subjects = (await (await send('GET', '/api/subjects')).json()) as { id: string }[]
  const writes = subjects.flatMap(({ id }, at) =>
    [0, 1].map((turn) => wire('PATCH', `/api/subjects/${id}`, { name: `Subject ${at}.${turn}` })),
  )
  requests = writes.flatMap((write) => [write, wire('GET', '/api/auth/me'), wire('GET', '/api/students')])
})
afterAll(async () => {
  child.kill('SIGKILL')
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const target = () => ({ port, spread })
/** One request after the other at a walk, as on a quiet day. */
const quietly = (seconds: number) => flood({ target: { port }, connections: 8, seconds, requests, perSecond: 20 })
/** What a probe from elsewhere is told, five times a second. */
const probe = (path: string, seconds: number) =>
  flood({ target: { port, from: '127.0.0.9' }, connections: 4, seconds, requests: [wire('GET', path)], perSecond: 5 })

/** Somebody who was not there before: how long until they are connected and answered, in ms. */
async function newcomers(seconds: number): Promise<number[]> {
  const took: number[] = []
  const ends = performance.now() + seconds * 1_000
  while (performance.now() < ends) {
    const began = performance.now()
    const { status } = await fetch(url('/healthz'), { headers: { connection: 'close' } })
    expect(status).toBe(200)
    took.push(performance.now() - began)
    await pause(100)
  }
  return took.sort((a, b) => a - b)
}

const cpuSeconds = async () => Number(/process_cpu_seconds_total ([\d.]+)/.exec(await (await fetch(url('/metrics'))).text())?.[1])
/** What was served, in a second and in a second of the server's CPU: the first where the machine is its own, the second where not. */
async function measured(drive: () => Promise<Shot[]>, seconds: number) {
  const before = await cpuSeconds()
  const shots = await drive()
  const cpu = (await cpuSeconds()) - before
  return { shots, perSecond: goodput(shots, 500, seconds * 1_000), perCpu: served(shots).length / cpu }
}

describe('at three times of what the server can do', () => {
  test('most of its peak goes through, health and sign-in are answered, and within five seconds it is as before', async () => {
    const seconds = times(2, 15)
    const shares: number[] = []
    await saturate({ target: target(), connections: 16, seconds: 1, requests })
    for (let round = 0; round < times(2, 5); round += 1) {
      const idle = quantile((await quietly(1)).shots, 0.99)
      const peak = await measured(() => saturate({ target: target(), connections: 48, seconds, requests }), seconds)
      const [beyond, health, ways, strangers] = await Promise.all([
        measured(
          async () => (await flood({ target: target(), connections: 1_600, seconds, requests, perSecond: 3 * peak.perSecond })).shots,
          seconds,
        ),
        probe('/healthz', seconds),
        probe('/api/auth/ways', seconds),
        newcomers(seconds),
      ])
      shares.push(Math.max(beyond.perSecond / peak.perSecond, beyond.perCpu / peak.perCpu))
      expect(beyond.shots.filter(({ status }) => ![200, 503].includes(status)).slice(0, 3)).toEqual([])
      for (const { shots } of [health, ways]) expect(served(shots)).toHaveLength(shots.length)
      expect(strangers[Math.floor(strangers.length / 2)]).toBeLessThan(2_000)
      await pause(3_500)
      const after = (await quietly(1.5)).shots
      expect(served(after)).toHaveLength(after.length)
      expect(quantile(after, 0.9)).toBeLessThan(idle * 10 + 250)
    }
    // 0.8 is the aim, and what `npm run bench -- saturation` measures; here other programs share the machine.
    expect(Math.max(...shares)).toBeGreaterThan(0.6)
  })

  test('nothing of it is left behind: no place is taken, nobody waits', async () => {
    const figures = await (await fetch(url('/metrics'))).text()
    for (const lane of ['ordinary', 'signIn']) {
      expect(figures).toContain(`markbook_requests_in_work{lane="${lane}"} 0`)
      expect(figures).toContain(`markbook_requests_waiting{lane="${lane}"} 0`)
    }
    expect(figures).toMatch(/markbook_db_waiting\{place="\w+"\} 0/)
  })
})

describe('slow clients', () => {
  test('two hundred that send and read slowly make it no slower for the others', async () => {
    const alone = (await quietly(2)).shots
    const slow = Array.from({ length: 200 }, (_, at) => {
      const socket = openSocket({ port, from: spread[at % spread.length] as string })
      const whole = requests[(at % 3) as 0] as string
      if (at % 2 === 0) socket.write(whole.slice(0, whole.length - 5 - (at % 20)))
      else socket.pause().write(whole.repeat(5))
      return socket
    })
    await pause(300)
    const beside = (await quietly(3)).shots
    expect(served(beside)).toHaveLength(beside.length)
    expect(quantile(beside, 0.5)).toBeLessThan(quantile(alone, 0.5) * 5 + 100)
    for (const socket of slow) socket.destroy()
  })
})

test('every line of its log is JSON, one for each request, also of those that were turned away', async () => {
  await pause(500)
  const lines = log.split('\n').filter(Boolean)
  expect(lines.length).toBeGreaterThan(100)
  for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow()
  expect(new Set(lines.map((line) => (JSON.parse(line) as { request_id?: string }).request_id)).size).toBeGreaterThan(lines.length * 0.9)
})
