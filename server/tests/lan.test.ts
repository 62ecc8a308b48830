import { type ChildProcess, spawn } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderUnicodeCompact } from 'uqr'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeAuthority, makeCertificate } from '../lan/certificate.ts'
import { addressesAt, thisMachine } from '../network/addresses.ts'
import { buildProgram, programFile } from '../testing/program.ts'
import { smallDisk } from './durability/small-disk.ts'

buildProgram()

const [address] = addressesAt('0.0.0.0', thisMachine())
if (!address) console.log('This machine is on no network: the tests that call it from outside are left out.')

type Program = { child: ChildProcess; output: () => string; ended: Promise<number | null> }
let folder: string
const running: Program[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-lan-'))
})
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

/** The real program in a process of its own. */
function run(args: readonly string[], env: Record<string, string> = {}): Program {
  const settings = { PATH: process.env['PATH'] ?? '', DATA_DIR: folder, PORT: '0', BACKUPS: 'false', ...env }
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

async function untilSaid({ output, child }: Program, pattern: RegExp): Promise<RegExpExecArray> {
  for (let tries = 0; tries < 600; tries += 1) {
    const match = pattern.exec(output())
    if (match) return match
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`never said ${pattern}: ${output()}`)
}
const portOf = async (program: Program) => {
  const [, port] = await untilSaid(program, /running: https?:\/\/localhost:(\d+)/)
  await untilSaid(program, /Ctrl\+C/)
  return Number(port)
}
const finished = async (args: readonly string[], env: Record<string, string> = {}) => {
  const program = run(args, env)
  return { code: await program.ended, output: program.output() }
}

type Reply = { status: number; text: string; cookies: string[] }
const post = (url: string, body: object, { ca = '', origin }: { ca?: string; origin?: string } = {}) =>
  new Promise<Reply>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...(origin && { origin }) }
    const call = url.startsWith('https:') ? secure : plain
    const request = call(url, { method: 'POST', headers, ca: ca || undefined, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, cookies: response.headers['set-cookie'] ?? [] }))
    })
    request.on('error', reject)
    request.end(JSON.stringify(body))
  })

const email = 'head@school.example'
async function signIn(server: Program, site: string, ca = ''): Promise<Reply> {
  expect((await post(`${site}/api/auth/otp/send`, { email }, { ca, origin: site })).status).toBe(200)
  const [, half, rest] = await untilSaid(server, /\b(\d{4})\s?(\d{4})\b(?=[\s│])/)
  return post(`${site}/api/auth/otp/verify`, { email, token: `${half}${rest}` }, { ca, origin: site })
}

describe.skipIf(!address)('markbook start --lan', () => {
  test('serves https at the address that it prints, to whoever trusts the exported authority; status, cert and stop', async () => {
    const server = run(['start', '--lan'])
    const port = await portOf(server)
    const site = `https://${address}:${port}`
    expect(server.output()).toContain(renderUnicodeCompact(site, { border: 2 }))
    expect(server.output()).toContain(`https://markbook.local:${port}`)

    const exported = await finished(['cert', 'export', '--to', folder])
    expect(exported.output).toContain('markbook-authority.crt')
    const ca = readFileSync(join(folder, 'markbook-authority.pem'), 'utf8')
    expect(ca).not.toContain('PRIVATE')
    const signedIn = await signIn(server, site, ca)
    expect(signedIn.status).toBe(200)
    expect(signedIn.cookies[0]).toMatch(/^__Host-sb-local-auth-token=.*; Secure$/)
    await expect(post(`${site}/api/auth/otp/send`, { email })).rejects.toThrow(/certificate/)
    expect((await post(`${site}/api/auth/otp/send`, { email }, { ca, origin: 'https://elsewhere.example' })).status).toBe(403)

    const status = await finished(['status'])
    expect(status.code).toBe(0)
    expect(status.output).toMatch(/is running: https:\/\/localhost:\d+[\s\S]*Certificate: +ends in 36\d days/)
    expect((await finished(['cert', 'show'])).output).toMatch(new RegExp(`For .*${address}`))

    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(await finished(['status'])).toMatchObject({ code: 3, output: expect.stringMatching(/^Markbook is not running\.\n/) })
  }, 60_000)

  test('INSECURE_LAN=1 is plain http with a banner, sign-in works there, also in production, and status of a copied folder says that it is another’s', async () => {
    const server = run(['start'], { INSECURE_LAN: '1', NODE_ENV: 'production' })
    const port = await portOf(server)
    expect(server.output()).toContain('NOT ENCRYPTED')
    const signedIn = await signIn(server, `http://${address}:${port}`)
    expect(signedIn.status).toBe(200)
    expect(signedIn.cookies[0]).not.toMatch(/Secure/)
    expect(existsSync(join(folder, 'tls'))).toBe(false)
    const copied = join(folder, 'copied')
    mkdirSync(copied)
    writeFileSync(join(copied, 'running.json'), readFileSync(join(folder, 'running.json')))
    const status = await finished(['status'], { DATA_DIR: copied })
    expect(status).toMatchObject({ code: 3, output: expect.stringMatching(/^Markbook is not running on .*copied: .* is another server/) })
    expect((await finished(['status'])).code).toBe(0)
  })
})

test('a server answers only who asks for it by a name of its own, or of ALLOWED_HOSTS', async () => {
  const port = await portOf(run(['start'], { ALLOWED_HOSTS: '*.school.example' }))
  const asked = (host: string, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = plain({ port, host: '127.0.0.1', path, headers: { host }, agent: false }, ({ statusCode }) => resolve(statusCode))
      call.once('error', reject).end()
    })
  for (const host of ['localhost', `127.0.0.1:${port}`, 'marks.school.example', thisMachine().hostname])
    expect(await asked(host, '/api/auth/ways')).toBe(200)
  for (const path of ['/', '/api/auth/ways', '/metrics', '/docs', '/sync/hello']) expect(await asked('evil.example', path)).toBe(421)
  expect(await asked('evil.example', '/healthz')).toBe(200)
})

describe('what is wrong is one clear line', () => {
  test('a certificate for another key stops the start with 1', async () => {
    const authority = await makeAuthority('ca', Date.now())
    const { cert } = await makeCertificate(authority, { dns: ['localhost'], ips: [] }, Date.now())
    writeFileSync(join(folder, 'cert.pem'), cert)
    writeFileSync(join(folder, 'key.pem'), authority.key)
    const { code, output } = await finished(['start'], { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') })
    expect(code).toBe(1)
    expect(output.trim()).toBe('TLS_CERT_FILE and TLS_KEY_FILE do not belong together: the certificate was made for another key.')
  })

  test('what would tell a terminal to do something is printed as an escape', async () => {
    const { output } = await finished(['config'], { MAIL_FROM: 'a\u001b[2Jb\u202ec' })
    expect(output).toContain('a\\u001b[2Jb\\u202ec')
    expect(output).not.toContain('\u001b')
    expect(output).not.toContain('\u202e')
  })

  test('a verb or option that there is not ends with 2', async () => {
    expect((await finished(['strat'])).code).toBe(2)
    expect((await finished(['start', '--wan'])).code).toBe(2)
    expect((await finished(['start', '--help'])).code).toBe(0)
  })

  test('cert before there is one, and status of a server that was killed', async () => {
    expect(await finished(['cert', 'show'])).toMatchObject({ code: 1, output: expect.stringContaining('markbook start --lan') })
    const server = run(['start'])
    await portOf(server)
    server.child.kill('SIGKILL')
    await server.ended
    expect(await finished(['status'])).toMatchObject({ code: 3, output: expect.stringContaining('it ended without being stopped') })
  })
})

describe('markbook config', () => {
  test('says what is and where from, names what is unknown, hides secrets, and makes nothing', async () => {
    const path = join(folder, 'my.conf')
    writeFileSync(path, 'LOG_LEVEL=error\nSMPT_URL=x\nSMTP_URL=smtp://u:hunter2@h\n')
    const data = join(folder, 'marks')
    const { code, output } = await finished(['config'], { MARKBOOK_CONFIG: path, DATA_DIR: data })
    expect(code).toBe(0)
    expect(output).toContain('there is no setting SMPT_URL. Did you mean SMTP_URL?')
    expect(output).toMatch(/LOG_LEVEL +error +.*my\.conf/)
    expect(output).toMatch(/SMTP_URL +smtp:\/\/u:\*\*\*@h/)
    expect(output).not.toContain('hunter2')
    expect(existsSync(data)).toBe(false)
  })
})

describe.skipIf(process.getuid?.() !== 0)('root in the folder of a service', () => {
  const NOBODY = 65_534

  test('a verb leaves everything to the folder’s owner, and a server works as the owner', async () => {
    chownSync(folder, NOBODY, NOBODY)
    expect((await finished(['migrate'])).code).toBe(0)
    expect((await finished(['cert', 'renew'])).code).toBe(0)
    const all = readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))).uid)
    expect(all.length).toBeGreaterThan(3)
    expect(new Set(all)).toEqual(new Set([NOBODY]))
    const server = run(['start'])
    await portOf(server)
    const uids = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]
    expect(uids?.split(/\s+/).map(Number)).toEqual([NOBODY, NOBODY, NOBODY, NOBODY])
  })
})

describe.skipIf(process.getuid?.() !== 0)('root and the second folder for backups of a service', () => {
  const NOBODY = 65_534
  const usb = smallDisk(400)
  afterAll(() => usb?.end())

  test.skipIf(!usb)(
    'a backup that root makes leaves the server its folder there; until then the doctor says that it has none',
    async () => {
      const copies = join(usb?.folder ?? '', 'markbook')
      mkdirSync(copies)
      chownSync(folder, NOBODY, NOBODY)
      const settings = { BACKUP_COPY_DIR: copies }
      const isShut = async () => (await finished(['doctor', '--quick'], settings)).output.includes('The server may not write to')
      expect((await finished(['seed', 'story'], settings)).code).toBe(0)
      expect(await isShut()).toBe(true)
      expect(await finished(['backup'], settings)).toMatchObject({ code: 0, output: expect.not.stringContaining('Warning') })
      const paths = () => readdirSync(copies, { recursive: true }).map((name) => join(copies, String(name)))
      const owners = () => new Set(paths().map((path) => statSync(path).uid))
      expect(paths().length).toBeGreaterThan(3)
      expect(owners()).toEqual(new Set([NOBODY]))
      expect(await isShut()).toBe(false)
      // As the account of an older machine, whose number is another.
      for (const path of paths()) chownSync(path, 4_321, 4_321)
      expect(await isShut()).toBe(true)
      expect((await finished(['backup'], settings)).code).toBe(0)
      expect(owners()).toEqual(new Set([NOBODY]))
      expect(await isShut()).toBe(false)
      expect(statSync(copies).uid).toBe(0)
      // Somebody puts a link to a folder of others in its place.
      const [own = ''] = readdirSync(copies).map((name) => join(copies, name))
      const others = join(usb?.folder ?? '', 'others')
      mkdirSync(others)
      writeFileSync(join(others, 'theirs'), '')
      for (const path of [others, join(others, 'theirs')]) chownSync(path, 4_321, 4_321)
      rmSync(own, { recursive: true })
      symlinkSync(others, own)
      await finished(['backup'], settings)
      expect([others, join(others, 'theirs')].map((path) => statSync(path).uid)).toEqual([4_321, 4_321])
    },
  )
})

describe('markbook service', () => {
  test('install --to writes a unit and changes nothing else; status says that there is none', async () => {
    const path = join(folder, 'markbook.service')
    const { code, output } = await finished(['service', 'install', '--to', path])
    if (code !== 0) return expect(output).toMatch(/must be built first|for Linux/)
    expect(readFileSync(path, 'utf8')).toMatch(/^ExecStart=.*markbook\.mjs start$/m)
    expect(output).toContain('nothing else was changed')
  })
})
