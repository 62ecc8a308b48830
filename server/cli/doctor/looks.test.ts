import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readWithoutSecret } from '../../config.ts'
import { findBuckets, openS3 } from '../../files/s3.client.ts'
import { keepCertificates } from '../../lan/authority.ts'
import { thisMachine } from '../../network/addresses.ts'
import { NEW_PEER } from '../../replication/identity/enrolment.ts'
import { trustAuthority } from '../../replication/identity/trust.ts'
import { openStore } from '../../start.ts'
import { takeLock } from '../../store/sqlite.ts'
import { asSystem } from '../../store/tx.ts'
import { startS3 } from '../../testing/s3.ts'
import { checkCertificate, lookAtCertificate } from './certificate.ts'
import { checkDisks, lookAtDisks } from './disk.ts'
import { checkFiles, lookAtFiles } from './files.ts'
import { carryOut } from './fix.ts'
import { checkFolder, lookAtFolder, mountOf } from './folder.ts'
import { lookAtLeftovers } from './leftovers.ts'
import { checkMail, greetMailServer } from './mail.ts'
import { distrustOf, lookAtReplication } from './replication.ts'
import { checkRights, lookAtRights } from './rights.ts'
import { checkPort, checkServer, lookAtPort, lookAtServer } from './server.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const config = (env: Record<string, string> = {}) => readWithoutSecret({ DATA_DIR: folder, PORT: '0', ...env })
const listening = (server: Server) =>
  new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)))

/** Mounting needs root; the tests that do are skipped without it. */
const canMount = (() => {
  const point = mkdtempSync(join(tmpdir(), 'markbook-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', point], { stdio: 'ignore' })
    execFileSync('umount', [point])
    return true
  } catch {
    return false
  } finally {
    rmSync(point, { recursive: true, force: true })
  }
})()

describe('disks', () => {
  test('one with several folders is returned once', async () => {
    const kept = [
      { folder, holds: 'marks' as const },
      { folder: join(folder, 'not', 'made', 'yet'), holds: 'backups' as const },
    ]
    expect(await lookAtDisks(kept)).toMatchObject([{ folder, holds: ['marks', 'backups'] }])
  })

  test.runIf(canMount)('a full disk is a problem', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder])
    try {
      expect(() => writeFileSync(join(folder, 'film'), Buffer.alloc(2 ** 21))).toThrow(/ENOSPC/)
      expect(checkDisks(await lookAtDisks([{ folder, holds: 'marks' }]))).toMatchObject([
        { severity: 'problem', what: `The disk of the marks (${folder}) is nearly full: 0.0 MB are free.` },
      ])
    } finally {
      execFileSync('umount', [folder])
    }
  })
})

describe('the data folder', () => {
  test('is found in a cloud folder by a marker two folders up, also through a link', () => {
    const inside = join(folder, 'cloud', 'school', 'data')
    mkdirSync(inside, { recursive: true })
    writeFileSync(join(folder, 'cloud', '.stfolder'), '')
    symlinkSync(inside, join(folder, 'data'))
    expect(checkFolder(lookAtFolder(join(folder, 'data'), { central: false }))).toMatchObject([
      { severity: 'problem', what: `The data folder ${inside} is inside a folder of Syncthing.` },
    ])
  })

  test('is on the mount with the longest mount point, of several at one point on the last', () => {
    const table = [
      '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
      '40 22 0:35 / /srv rw shared:5 - ext4 /dev/sdb1 rw',
      '41 40 0:36 / /srv/school\\040share rw shared:6 - nfs4 nas:/school\\040share rw',
      '42 22 0:37 / /mnt rw - tmpfs tmpfs rw',
      '43 42 0:38 / /mnt rw - cifs //nas/x rw',
      '',
    ].join('\n')
    expect(mountOf('/srv/school share/data', table)).toEqual({ point: '/srv/school share', type: 'nfs4', source: 'nas:/school share' })
    expect(mountOf('/srv/school', table)).toMatchObject({ point: '/srv' })
    expect(mountOf('/srvx', table)).toMatchObject({ point: '/' })
    expect(mountOf('/mnt/data', table)).toMatchObject({ type: 'cifs' })
    expect(mountOf('C:\\data', null)).toBeNull()
  })

  test.runIf(existsSync('/proc/self/mountinfo'))('is on a mount of this machine', () => {
    expect(lookAtFolder(folder, { central: false }).mount).not.toBeNull()
  })
})

describe.skipIf(process.platform === 'win32')('rights', () => {
  test('secrets that others can read are reported, and the fix closes them', async () => {
    chmodSync(folder, 0o700)
    for (const name of ['session-secret', 'markbook.sqlite']) writeFileSync(join(folder, name), 'x')
    chmodSync(join(folder, 'session-secret'), 0o644)
    chmodSync(join(folder, 'markbook.sqlite'), 0o600)
    expect(checkRights(lookAtRights(config()))).toMatchObject([
      { severity: 'problem', fix: 'rights', what: `Other accounts of this machine can read ${join(folder, 'session-secret')}.` },
    ])
    expect(await carryOut('rights', config())).toMatchObject({ done: true })
    expect(checkRights(lookAtRights(config()))).toMatchObject([{ severity: 'ok' }])
    expect(statSync(join(folder, 'session-secret')).mode & 0o777).toBe(0o600)
  })
})

describe('the certificate', () => {
  const make = (now: number) => {
    const machine = thisMachine()
    return keepCertificates(folder, { hostname: machine.hostname, names: { dns: ['localhost'], ips: [] }, now })
  }
  const DAY = 86_400_000
  test('a damaged certificate, one that has ended and one for other names are reported', async () => {
    const lan = config({ LAN: 'true' })
    const now = Date.parse('2027-03-01T00:00:00Z')
    const found = (at: number) => checkCertificate(lookAtCertificate(lan), at)
    expect(found(now)).toMatchObject([{ severity: 'notice' }])
    await make(now)
    expect(found(now)).toMatchObject([{ severity: 'notice', what: expect.stringContaining('markbook.local') }])
    expect(found(now + 366 * DAY)).toMatchObject([{ severity: 'problem', fix: 'certificate' }])
    expect(await carryOut('certificate', lan)).toMatchObject({ done: true })
    expect(found(Date.now())).toMatchObject([{ severity: 'ok' }])
    writeFileSync(join(folder, 'tls', 'server.pem'), 'not what it was')
    expect(found(now)).toMatchObject([{ severity: 'problem', what: expect.stringContaining('damaged') }])
  })
})

describe('mail', () => {
  test('a mail server that accepts, refuses, is not there or does not answer', async () => {
    const answering = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], logger: false })
    const refusing = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      logger: false,
      onAuth: (_auth, _session, done) => done(new Error('no')),
    })
    const mute = createServer(() => {})
    const [open, strict, silent] = [
      await listening(answering.server as Server),
      await listening(refusing.server as Server),
      await listening(mute),
    ]
    const told = async (url: string) => checkMail({ server: 'mail.example', greeting: await greetMailServer(url), queue: null })[0]?.what
    expect(await told(`smtp://127.0.0.1:${open}`)).toBe('The mail server mail.example takes mail from us.')
    expect(await told(`smtp://me:wrong@127.0.0.1:${strict}`)).toContain('it refuses the user or the password')
    expect(await told('smtp://127.0.0.1:1')).toContain('nothing answers at its port')
    expect(await told('smtp://no-such-host.invalid')).toContain('its name cannot be found')
    expect(await told(`smtp://127.0.0.1:${silent}`)).toContain('it does not answer')
    for (const server of [answering, refusing]) await new Promise<void>((resolve) => server.close(resolve))
    mute.close()
  })
})

/** Opens the database of the folder, with a parent at this address. */
async function joinedTo(url: string) {
  const store = await openStore(config())
  const [id, node, school] = ['1', '2', '3'].map((last) => `01920000-0000-7000-8000-00000000000${last}`) as [string, string, string]
  await store.write(asSystem(), (tx) =>
    tx.local.insert(tx.t.sync_peer).values({
      ...NEW_PEER,
      id,
      side: 'parent',
      kind: 'centre',
      name: 'Centre',
      school_id: school,
      user_id: null,
      node_id: node,
      url,
      public_key: 'x',
      box_key: 'x',
      enrolled_at: tx.now,
    }),
  )
  await store.close()
}

test('a parent that answers with the certificate of an authority that is not trusted is reported', async () => {
  const there = join(folder, 'there')
  const kept = await keepCertificates(there, { hostname: 'box', names: { dns: ['localhost'], ips: ['127.0.0.1'] }, now: Date.now() })
  const server = createHttpsServer(kept.server, (_, response) => response.end('{}'))
  const url = `https://localhost:${await listening(server)}`
  const distrust = /shows a certificate that nobody here vouches for/
  expect(await distrustOf(folder, url)).toMatch(distrust)
  await joinedTo(url)
  expect((await lookAtReplication(config(), null))?.parent).toMatchObject({ answers: true, distrust: expect.stringMatching(distrust) })
  trustAuthority(folder, { pem: kept.authority.cert })
  expect(await distrustOf(folder, url)).toBeNull()
  expect((await lookAtReplication(config(), null))?.parent).toMatchObject({ answers: true, distrust: null })
  expect(await distrustOf(folder, url.replace('https', 'http'))).toBeNull()
  await new Promise((resolve) => server.close(resolve))
})

describe('the port and the server', () => {
  const none = { state: 'none', dataDir: '', url: null, since: null, duplicates: [], namesakes: [] } as const
  test('a port that is taken is reported with the program that holds it', async () => {
    const other = createServer()
    const port = await listening(other)
    const found = await lookAtPort({ port, host: '127.0.0.1' }, none)
    expect(found.state).toBe('taken')
    if (process.platform === 'linux') expect(found.by).toContain(`process ${process.pid}`)
    expect(checkPort(found)).toMatchObject([{ severity: 'problem' }])
    await new Promise((resolve) => other.close(resolve))
    expect(await lookAtPort({ port, host: '127.0.0.1' }, none)).toMatchObject({ state: 'free' })
    expect(await lookAtPort({ port, host: '203.0.113.9' }, none)).toMatchObject({ state: 'no address' })
  })

  test('a running server without its database is reported, and its port counts as its own', async () => {
    const ours = createHttpServer((_, response) => response.writeHead(503).end('{"status":"not ready"}'))
    const port = await listening(ours)
    const note = { pid: process.pid, url: `http://127.0.0.1:${port}`, urls: [], version: '0', started_at: '2026-11-20T08:00:00.000Z' }
    writeFileSync(join(folder, 'running.json'), JSON.stringify(note))
    const { server } = await lookAtServer(config({ PORT: String(port) }))
    expect(server.state).toBe('unready')
    expect(checkServer(server)).toMatchObject([{ severity: 'problem', what: expect.stringContaining('its database does not answer it') }])
    expect(checkPort(await lookAtPort({ port, host: '127.0.0.1' }, server))).toMatchObject([{ severity: 'ok' }])
    await new Promise((resolve) => ours.close(resolve))
  })

  test('a data folder in use by another program, and a server that ended without being stopped, are told apart', async () => {
    const note = { pid: 4_194_999, url: 'http://localhost:1', urls: [], version: '0', started_at: '2026-11-20T08:00:00.000Z' }
    const state = async () => (await lookAtServer(config({ PORT: '1' }))).server.state
    expect(await state()).toBe('none')
    writeFileSync(join(folder, 'running.json'), JSON.stringify(note))
    expect(await state()).toBe('ended')
    const lock = takeLock(join(folder, 'server.lock'))
    expect(await state()).toBe('another')
    writeFileSync(join(folder, 'running.json'), JSON.stringify({ ...note, pid: process.pid }))
    expect(await state()).toBe('silent')
    lock?.close()
  })
})

test('unfinished files are reported once they are old, and the fix removes them', async () => {
  const names = ['.unfinished-2026-01-12T01-00-00Z-nightly', 'markbook.restoring.sqlite', '.unfinished-young', 'running.json']
  mkdirSync(join(folder, 'backups'))
  const paths = names.map((name) => join(folder, name.startsWith('.') ? 'backups' : '', name))
  for (const path of paths) writeFileSync(path, 'x')
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  for (const path of [paths[0], paths[1], paths[3]]) utimesSync(path as string, longAgo, longAgo)
  const found = () =>
    lookAtLeftovers(config(), Date.now())
      .paths.map((path) => basename(path))
      .sort()
  expect(found()).toEqual([names[0], names[1]])
  expect(await carryOut('leftovers', config())).toMatchObject({ done: true })
  expect(paths.map((path) => existsSync(path))).toEqual([false, false, true, true])
})

test('the fix makes the second folder only where its disk is mounted', async () => {
  const copy = (path: string) => carryOut('copy-folder', config({ BACKUP_COPY_DIR: path }))
  expect(await copy(join(folder, 'copies'))).toMatchObject({ done: true })
  expect(await copy(join(folder, 'usb', 'copies'))).toMatchObject({ done: false, says: expect.stringContaining('plug in the disk') })
  expect(existsSync(join(folder, 'usb'))).toBe(false)
})

describe('the storage of files', () => {
  test('a disk is none of its own', async () => {
    expect(await lookAtFiles(config())).toBeNull()
  })

  test('an S3 without buckets, with them, and that is away', async () => {
    const s3 = await startS3()
    const found = async (settings = s3.settings) => {
      const files = await lookAtFiles({ s3: settings })
      return files && checkFiles(files)
    }
    expect(await found()).toMatchObject([
      {
        check: 'files',
        severity: 'problem',
        what: expect.stringContaining('school-images'),
        do: expect.stringContaining('S3_BUCKET_PREFIX'),
      },
    ])
    expect(await found()).toMatchObject([{ severity: 'problem' }])
    await findBuckets(await openS3(s3.settings), { make: true })
    expect(await found()).toMatchObject([{ check: 'files', severity: 'ok' }])
    await s3.stop()
    expect(await found({ ...s3.settings, endpoint: 'http://127.0.0.1:1' })).toMatchObject([
      { severity: 'problem', what: expect.stringMatching(/127\.0\.0\.1:1 cannot be used: it cannot be reached\.$/) },
    ])
  })
})
