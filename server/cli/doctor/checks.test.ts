import { readFileSync } from 'node:fs'
import { limits } from '@markbook/shared/limits'
import { describe, expect, test } from 'vitest'
import { NOTHING_WRITTEN } from '../../store/soundness/soundness.ts'
import { type Backups, checkBackups } from './backups.ts'
import { type Certificates, checkCertificate } from './certificate.ts'
import { checkClock, type Times } from './clock.ts'
import { checkDatabase } from './database.ts'
import { checkDisks } from './disk.ts'
import type { Finding } from './finding.ts'
import { checkFolder, shareOf, syncServiceOf } from './folder.ts'
import { checkLines, lookAtLines } from './lines.ts'
import { checkMail } from './mail.ts'
import { checkMemory } from './memory.ts'
import { checkReplication, type ParentFound, type ReplicationFound } from './replication.ts'
import { checkRights, type FileRights } from './rights.ts'
import { checkPort, checkServer } from './server.ts'
import { checkSettings } from './settings.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const severities = (findings: readonly Finding[]) => findings.map(({ severity }) => severity)
const whats = (findings: readonly Finding[]) => findings.map(({ what }) => what).join('\n')

describe('the disk', () => {
  const disk = { device: '1', folder: '/srv', holds: ['marks', 'backups'] as const, free: 50 * 2 ** 30, files: 1_000_000 }
  test('is reported by its free space, once for all folders on it', () => {
    expect(severities(checkDisks([disk]))).toEqual(['ok'])
    expect(severities(checkDisks([{ ...disk, free: limits.doctor.lowDiskBytes - 1 }]))).toEqual(['notice'])
    const [full] = checkDisks([{ ...disk, free: 12 * 2 ** 20 }])
    expect(full).toMatchObject({
      severity: 'problem',
      what: 'The disk of the marks and the backups (/srv) is nearly full: 12.0 MB are free.',
    })
  })
  test('can have space and no room for another file', () => {
    expect(whats(checkDisks([{ ...disk, files: 3 }]))).toContain('takes only 3 more files')
  })
})

describe('the clock', () => {
  const times: Times = {
    now: NOW,
    zone: 'Europe/Dublin',
    newestMark: NOW - HOUR,
    marksOfOthers: [],
    newestFile: null,
    others: [],
    synchronised: true,
  }
  const found = (change: Partial<Times>) => checkClock({ ...times, ...change })
  test('without a reason for doubt is ok', () => expect(severities(found({}))).toEqual(['ok']))
  test.each([
    ['a year that cannot be', { now: Date.parse('1970-01-01T05:00:00Z') }, /it is 1970, which cannot be/],
    [
      'older than its newest mark',
      { newestMark: NOW + 3 * DAY, synchronised: null },
      /is behind: .* newest entry of this machine was written at 24 November 2026/,
    ],
    [
      'older than its newest file',
      { newestFile: { path: '/d/markbook.sqlite', at: NOW + HOUR }, synchronised: false },
      /markbook\.sqlite was written/,
    ],
    [
      'ahead of another server',
      { others: [{ name: 'centre.example', at: NOW - 10 * 60_000, underWay: 80 }] },
      /10 minutes ahead of that of centre\.example/,
    ],
    ['behind another server', { others: [{ name: 'centre.example', at: NOW + 2 * DAY, underWay: 80 }] }, /2 days behind/],
  ])('%s', (_, change, words) => {
    const findings = found(change)
    expect(severities(findings)).toEqual(['problem'])
    expect(whats(findings)).toMatch(words)
  })
  test.each([
    ['the network', { synchronised: true }],
    ['another server', { synchronised: null, others: [{ name: 'centre.example', at: NOW, underWay: 80 }] }],
  ])('that was ahead for years and is right as %s says is a notice', (_, voucher) => {
    for (const written of [{ newestMark: NOW + 1_100 * DAY }, { newestFile: { path: '/d/backup', at: NOW + 1_100 * DAY } }]) {
      const findings = found({ ...voucher, ...written })
      expect(severities(findings)).toEqual(['notice'])
      expect(whats(findings)).toMatch(/was ahead once: .* says 25 November 2029/)
    }
  })
  test('that differs from a server by less than its answer took is ok', () => {
    expect(severities(found({ others: [{ name: 'far.example', at: NOW - 33_000, underWay: 5_000 }] }))).toEqual(['ok'])
  })
  test('of another machine that runs ahead is named, and nothing is said against the one here', () => {
    const ahead = { name: 'Ada’s laptop', by: null, at: NOW + 3 * DAY }
    const findings = found({ marksOfOthers: [ahead, { name: 'the library', by: null, at: NOW - DAY }] })
    expect(severities(findings)).toEqual(['notice'])
    expect(whats(findings)).toMatch(
      /^The clock of Ada’s laptop is or was ahead: its newest entry says 24 November 2026.*, 3 days from now\.$/,
    )
    expect(whats(found({ marksOfOthers: [{ name: null, by: 'St Brigid’s', at: NOW + HOUR }] }))).toContain(
      'a computer that replicates with St Brigid’s is or was ahead',
    )
    expect(whats(found({ marksOfOthers: [{ name: null, by: null, at: NOW + HOUR }] }))).toContain('a computer that is not listed here')
  })
  test('is not called long unused where others wrote lately, unless their clocks run ahead', () => {
    const silent = { newestMark: NOW - 200 * DAY }
    const by = (at: number) => whats(found({ ...silent, marksOfOthers: [{ name: 'x', by: null, at }] }))
    expect(by(NOW - DAY)).not.toContain('Nothing was written')
    expect(by(NOW + DAY)).toContain('Nothing was written for 200 days')
  })
  test('without network time, with nothing written for long, or with an unset time zone is a notice', () => {
    expect(severities(found({ synchronised: false }))).toEqual(['notice'])
    expect(whats(found({ newestMark: NOW - 200 * DAY }))).toContain('Nothing was written for 200 days')
    expect(whats(found({ zone: 'UTC' }))).toContain('time zone')
    expect(severities(found({ synchronised: null, newestMark: null }))).toEqual(['ok'])
  })
})

describe('the certificate', () => {
  const good = { from: NOW - DAY, until: NOW + 300 * DAY, missing: [] }
  const own: Certificates = { kind: 'authority', authority: good, server: good, damaged: false }
  const given: Certificates = { kind: 'operator', server: good, refusal: null }
  const severity = (found: Certificates) => severities(checkCertificate(found, NOW))
  test('of the school’s own authority: ended, about to end, damaged or for other addresses', () => {
    expect(severity({ kind: 'none' })).toEqual([])
    expect(severity(own)).toEqual(['ok'])
    expect(severity({ ...own, server: null })).toEqual(['notice'])
    expect(severity({ ...own, damaged: true })).toEqual(['problem'])
    expect(severity({ ...own, authority: { ...good, until: NOW - 1 } })).toEqual(['problem'])
    expect(checkCertificate({ ...own, server: { ...good, until: NOW - 1 } }, NOW)).toMatchObject([
      { severity: 'problem', fix: 'certificate' },
    ])
    expect(checkCertificate({ ...own, server: { ...good, until: NOW + 5 * DAY } }, NOW)).toMatchObject([
      { severity: 'notice', fix: 'certificate' },
    ])
    expect(whats(checkCertificate({ ...own, server: { ...good, missing: ['10.0.0.7'] } }, NOW))).toContain('not for 10.0.0.7')
  })
  test('of the operator: reported a month before it ends, since Markbook cannot renew it', () => {
    expect(severity(given)).toEqual(['ok'])
    expect(severity({ ...given, server: null, refusal: 'No.' })).toEqual(['problem'])
    expect(severity({ ...given, server: { ...good, until: NOW + 20 * DAY } })).toEqual(['notice'])
    expect(severity({ ...given, server: { ...good, until: NOW + 5 * DAY } })).toEqual(['problem'])
    expect(severity({ ...given, server: { ...good, from: NOW + DAY } })).toEqual(['problem'])
    expect(severity({ ...given, server: { ...good, missing: ['marks.example'] } })).toEqual(['problem'])
    const both = checkCertificate({ ...given, server: { ...good, until: NOW + 5 * DAY, missing: ['marks.example'] } }, NOW)
    expect(both.map(({ what }) => what)).toEqual([
      expect.stringContaining('not for marks.example'),
      expect.stringContaining('ends in 5 days'),
    ])
  })
})

describe('mail', () => {
  const mail = { server: 'mail.example', greeting: { ok: true } as const, queue: { waiting: 0, failing: false } }
  test('is ok when it is sent, a notice when not set up or piling up, a problem when it cannot be sent', () => {
    expect(severities(checkMail(mail))).toEqual(['ok'])
    expect(severities(checkMail({ server: null, greeting: null, queue: null }))).toEqual(['notice'])
    expect(severities(checkMail({ ...mail, queue: { waiting: 300, failing: false } }))).toEqual(['notice'])
    expect(severities(checkMail({ ...mail, queue: { waiting: 1, failing: true } }))).toEqual(['problem'])
  })
  test.each([
    ['ENOTFOUND', 'its name cannot be found'],
    ['EDNS', 'its name cannot be found'],
    ['ECONNREFUSED', 'nothing answers at its port'],
    ['ETIMEDOUT', 'it does not answer'],
    ['EAUTH', 'it refuses the user or the password'],
    ['ESOCKET', 'no safe connection comes about'],
    ['EPROTOCOL', 'it refuses us (EPROTOCOL 421)'],
  ])('%s: %s', (code, why) => {
    expect(whats(checkMail({ ...mail, greeting: { ok: false, code, status: 421 } }))).toBe(
      `Mail cannot leave: mail.example was asked, and ${why}.`,
    )
  })
})

describe('backups', () => {
  const newest = { at: NOW - HOUR, path: '/b/1', isRead: true, flaw: null }
  const copies = { folder: '/usb', state: 'there' as const, newestAt: NOW - HOUR }
  const backups: Backups = {
    now: NOW,
    school: null,
    folder: '/b',
    scheduled: true,
    hasDatabase: true,
    newest,
    rehearsed: { soundAt: NOW - 3 * DAY, flaw: null, oldestAt: NOW - 90 * DAY },
    newestMark: NOW,
    failed: 0,
    copies,
  }
  const found = (change: Partial<Backups>) => checkBackups({ ...backups, ...change })
  test('that are recent are ok, and none are expected without a database', () => {
    expect(severities(found({}))).toEqual(['ok'])
    expect(found({ hasDatabase: false, newest: null })).toEqual([])
  })
  test('that are old are reported only if something was written after them', () => {
    const old = { ...newest, at: NOW - 40 * DAY }
    const atThatTime = { ...copies, newestAt: old.at }
    expect(severities(found({ newest: old, newestMark: old.at - 1, copies: atThatTime }))).toEqual(['ok'])
    expect(found({ newest: old, copies: atThatTime })).toMatchObject([
      { severity: 'problem', what: 'The newest backup is 40 days old.', fix: 'backup' },
    ])
    expect(severities(found({ newest: { ...newest, at: NOW - 30 * HOUR } }))).toEqual(['notice'])
  })
  test('that are missing, damaged, failed, dated ahead or switched off are reported', () => {
    expect(found({ newest: null })).toMatchObject([{ severity: 'problem', fix: 'backup' }])
    expect(whats(found({ newest: { ...newest, flaw: 'The backup /b/1 is damaged: it is short. Nothing was changed.' } }))).toBe(
      'The newest backup cannot be trusted: The backup /b/1 is damaged: it is short.',
    )
    expect(severities(found({ failed: 2 }))).toEqual(['problem'])
    expect(severities(found({ newest: { ...newest, at: NOW + DAY } }))).toEqual(['problem'])
    expect(severities(found({ scheduled: false }))).toEqual(['notice'])
  })
  test('that were never restored for trial, and the second folder with copies, are reported', () => {
    const never = { soundAt: null, flaw: null, oldestAt: NOW - 90 * DAY }
    expect(whats(found({ rehearsed: never }))).toMatch(/^No backup was put back for trial yet\./)
    expect(severities(found({ rehearsed: { ...never, oldestAt: NOW - DAY } }))).toEqual(['ok'])
    expect(severities(found({ rehearsed: { ...never, soundAt: NOW - 16 * DAY } }))).toEqual(['notice'])
    expect(severities(found({ rehearsed: never, scheduled: false }))).toEqual(['notice'])
    expect(found({ rehearsed: { ...never, flaw: 'it is short.' } })).toMatchObject([
      { severity: 'problem', what: 'The last backup that was put back for trial did not come back whole: it is short.' },
    ])
    expect(severities(found({ copies: null }))).toEqual(['notice'])
    expect(found({ copies: { ...copies, state: 'missing' } })).toMatchObject([{ severity: 'problem', fix: 'copy-folder' }])
    const [away] = found({ copies: { ...copies, state: 'away' } })
    expect(away).toMatchObject({ severity: 'problem' })
    expect(away).not.toHaveProperty('fix')
    expect(severities(found({ copies: { ...copies, state: 'same disk' } }))).toEqual(['notice'])
    expect(severities(found({ copies: { ...copies, newestAt: NOW - 10 * DAY } }))).toEqual(['problem'])
    expect(whats(found({ copies: { ...copies, newestAt: null } }))).toMatch(
      /^There is no copy of a backup in \/usb; the newest backup is of /,
    )
    expect(found({ copies: { ...copies, state: 'shut' } })).toMatchObject([{ severity: 'problem', fix: 'backup' }])
    expect(whats(found({ copies: { ...copies, state: 'read-only' } }))).toBe(
      'The disk of the second folder for backups, /usb, can only be read.',
    )
  })
})

describe('the database', () => {
  const soundness = {
    state: 'read',
    standing: 'current',
    damage: [],
    newest: NOTHING_WRITTEN,
    size: 2 ** 20,
    log: 0,
    unused: 0,
    isWhole: true,
    marks: null,
  } as const
  const where = { where: '/data', central: false, backup: '/b/1', signs: [] }
  test('that is sound is ok; an older or newer schema, a large log and unused space are reported', () => {
    expect(severities(checkDatabase({ ...where, soundness }))).toEqual(['ok'])
    const [glance] = checkDatabase({ ...where, soundness: { ...soundness, isWhole: false, marks: 12_260_000 } })
    expect(glance).toMatchObject({ severity: 'ok', what: expect.stringMatching(/about 12.?260.?000 marks.*its rows were not read/) })
    expect(severities(checkDatabase({ ...where, soundness: { ...soundness, standing: 'older' } }))).toEqual(['ok', 'notice'])
    expect(severities(checkDatabase({ ...where, soundness: { ...soundness, standing: 'newer' } }))).toEqual(['problem'])
    expect(checkDatabase({ ...where, soundness: { ...soundness, log: 2 ** 30 } })).toMatchObject([{}, { severity: 'notice', fix: 'log' }])
    expect(checkDatabase({ ...where, soundness: { ...soundness, unused: 2 ** 30 } })).toMatchObject([
      {},
      { severity: 'notice', fix: 'room' },
    ])
  })
  test('whose key is not available is not called damaged, and no restore is advised', () => {
    const [finding] = checkDatabase({ ...where, soundness: { state: 'locked', detail: 'x' } })
    expect(finding).toMatchObject({
      severity: 'problem',
      what: expect.stringContaining('its key did not come'),
      do: expect.stringContaining('keyring'),
    })
    expect(finding).toMatchObject({ do: expect.not.stringContaining('restore') })
  })
  test('on a read-only disk is not called damaged, and no restore is advised', () => {
    const [central] = checkDatabase({ ...where, central: true, soundness: { state: 'read-only', detail: 'x' } })
    expect(central).toMatchObject({
      severity: 'problem',
      what: expect.stringContaining('PostgreSQL lets the database of DATABASE_URL only be read'),
    })
    const [finding] = checkDatabase({ ...where, soundness: { state: 'read-only', detail: 'x' } })
    expect(finding).toMatchObject({ severity: 'problem', do: expect.stringContaining('Copy that folder to another disk') })
    expect(finding).toMatchObject({ do: expect.not.stringContaining('restore') })
  })
  test('that is gone is a problem; where there was never one, its absence is a notice', () => {
    const absent = { ...where, soundness: { state: 'absent' } } as const
    expect(checkDatabase(absent)).toMatchObject([{ severity: 'notice' }])
    const gone = { ...absent, signs: ['1 backup of St Brigid’s', 'the secret of a server'] }
    expect(checkDatabase(gone)).toMatchObject([
      {
        severity: 'problem',
        what: 'The database in /data is gone. Found there: 1 backup of St Brigid’s; the secret of a server.',
        do: expect.stringContaining('markbook restore --latest (/b/1)'),
      },
    ])
    expect(checkDatabase({ ...gone, backup: null })).toMatchObject([{ do: expect.stringContaining('a backup that lies elsewhere') }])
    const said = [absent, gone].flatMap((found) => checkDatabase({ ...found, where: 'PostgreSQL', central: true }))
    for (const finding of said) {
      expect(JSON.stringify(finding)).toContain('DATABASE_URL')
      expect(JSON.stringify(finding)).not.toContain('DATA_DIR')
    }
    expect(said[0]).toMatchObject({
      means: expect.stringContaining('DATABASE_URL names another'),
      do: expect.stringContaining('Compare DATABASE_URL'),
    })
  })
  test('that is damaged is reported with the backup to restore', () => {
    const damage = [{ kind: 'pages', count: 3, detail: 'page 12' } as const]
    const [finding] = checkDatabase({ ...where, soundness: { ...soundness, damage } })
    expect(finding).toMatchObject({ severity: 'problem', do: expect.stringContaining('markbook restore --latest (/b/1)') })
    expect(finding).not.toHaveProperty('fix')
    expect(checkDatabase({ ...where, backup: null, soundness: { state: 'unreadable', detail: 'x' } })).toMatchObject([
      { do: expect.stringContaining('no backup that could be restored') },
    ])
  })
})

describe('where the data folder lies', () => {
  test.each([
    ['C:\\Users\\Head\\OneDrive\\markbook', 'OneDrive'],
    ['C:\\Users\\Head\\OneDrive - St Brigid’s\\data', 'OneDrive'],
    ['/home/head/Dropbox (School)/data', 'Dropbox'],
    ['/Users/head/Library/CloudStorage/GoogleDrive-head@school.example/My Drive/data', 'Google Drive'],
    ['/Users/head/Library/Mobile Documents/com~apple~CloudDocs/data', 'iCloud Drive'],
    ['/home/head/Nextcloud/data', 'Nextcloud'],
    ['/home/head/Syncthing/data', 'Syncthing'],
    ['/home/head/Box Sync/data', 'Box'],
    ['/home/box/data', null],
    ['/srv/markbook/data', null],
    ['/home/dropboxer/my-onedrive-notes/data', null],
  ])('%s: %s', (path, service) => expect(syncServiceOf({ path, above: [] })).toBe(service))

  test.each([
    ['.stfolder', 'Syncthing'],
    ['.dropbox.cache', 'Dropbox'],
    ['.tmp.drivedownload', 'Google Drive'],
    ['.sync_8d2a1f9c.db', 'Nextcloud'],
    ['.git', null],
  ])('a folder with %s above: %s', (name, service) => expect(syncServiceOf({ path: '/srv/data', above: [name] })).toBe(service))

  test.each([
    ['\\\\nas\\school\\data', null, '\\\\nas\\school'],
    ['\\\\?\\UNC\\nas\\school\\data', null, '\\\\nas\\school'],
    ['\\\\?\\C:\\data', null, null],
    ['/mnt/nas', { point: '/mnt/nas', type: 'nfs4', source: 'nas:/school' }, 'nas:/school (nfs4)'],
    ['/mnt/nas', { point: '/mnt/nas', type: 'cifs', source: '//nas/school' }, '//nas/school (cifs)'],
    ['/mnt/x', { point: '/mnt/x', type: 'fuse.sshfs', source: 'nas:' }, 'nas: (fuse.sshfs)'],
    ['/mnt/c', { point: '/mnt/c', type: '9p', source: 'C:\\' }, 'C:\\ (9p)'],
    ['/srv', { point: '/', type: 'ext4', source: '/dev/sda1' }, null],
    ['/srv', { point: '/', type: 'fuse.lxcfs', source: 'x' }, null],
  ])('%s on %j: %s', (path, mount, share) => expect(shareOf({ path, mount })).toBe(share))

  test('is a problem in a cloud folder or on a network share, and a notice on a disk without file owners', () => {
    const place = { path: '/srv/data', above: [], mount: null, central: false }
    expect(severities(checkFolder(place))).toEqual(['ok'])
    expect(severities(checkFolder({ ...place, above: ['.stfolder'] }))).toEqual(['problem'])
    expect(severities(checkFolder({ ...place, path: '\\\\nas\\x\\y' }))).toEqual(['problem'])
    expect(severities(checkFolder({ ...place, mount: { point: '/srv', type: 'exfat', source: '/dev/sdb1' } }))).toEqual(['notice'])
  })
})

describe('rights', () => {
  const file: FileRights = { path: '/d/session-secret', kind: 'secret', uid: 999, mode: 0o600, usable: true }
  const found = { account: 999, owner: 999, ownerName: 'markbook', entries: [file] }
  const shut = { ...file, usable: false }
  test('of files that others can read, or that the server cannot use, are a problem', () => {
    expect(checkRights(null)).toEqual([])
    expect(severities(checkRights(found))).toEqual(['ok'])
    expect(checkRights({ ...found, entries: [{ ...file, mode: 0o644 }] })).toMatchObject([{ severity: 'problem', fix: 'rights' }])
    expect(checkRights({ ...found, account: 0, entries: [{ ...file, uid: 0 }] })).toMatchObject([{ severity: 'problem', fix: 'rights' }])
    expect(checkRights({ ...found, entries: [{ ...file, uid: 0 }] })[0]).not.toHaveProperty('fix')
    expect(severities(checkRights({ ...found, account: 1000, entries: [shut] }))).toEqual(['problem'])
    expect(severities(checkRights({ ...found, account: 0, entries: [shut] }))).toEqual(['ok'])
  })
})

test('the severity of each state of server, port, memory and settings', () => {
  const server = { dataDir: '/d', url: 'http://localhost:3000', since: NOW, duplicates: [], namesakes: [] }
  const [sameName] = checkServer({ ...server, state: 'ours', namesakes: ['https://192.168.1.31:3000'] })
  expect(sameName).toMatchObject({ severity: 'notice', what: expect.stringContaining('is called markbook.local on this network too') })
  const states = ['ours', 'unready', 'silent', 'another', 'ended', 'none'] as const
  expect(states.map((state) => severities(checkServer({ ...server, state }))[0])).toEqual([
    'ok',
    'problem',
    'problem',
    'problem',
    'notice',
    'notice',
  ])
  const [two] = checkServer({ ...server, state: 'ours', duplicates: ['https://192.168.1.31:3000'] })
  expect(two).toMatchObject({ severity: 'problem', what: expect.stringContaining('https://192.168.1.31:3000') })
  const port = { port: 3000, host: '0.0.0.0', by: 'nginx (process 12)' }
  const ports = ['free', 'ours', 'taken', 'forbidden', 'no address'] as const
  expect(ports.map((state) => severities(checkPort({ ...port, state }))[0])).toEqual(['ok', 'ok', 'problem', 'problem', 'problem'])
  expect(whats(checkPort({ ...port, state: 'taken' }))).toBe('Port 3000 is taken by nginx (process 12).')
  expect(severities(checkMemory({ total: 2 ** 28, free: null }))).toEqual(['problem'])
  expect(severities(checkMemory({ total: 2 ** 32, free: 2 ** 25 }))).toEqual(['notice'])
  expect(severities(checkMemory({ total: 2 ** 32, free: null }))).toEqual(['ok'])
  expect(severities(checkSettings({ file: null, warnings: ['There is no setting PROT.'] }))).toEqual(['notice'])
})

test('each sentence of a finding ends with a full stop or an exclamation mark', () => {
  const all = [
    ...checkDisks([{ device: '1', folder: '/srv', holds: ['copies'], free: 0, files: null }]),
    ...checkMail({ server: null, greeting: null, queue: null }),
    ...checkServer({ state: 'none', dataDir: '/d', url: null, since: null, duplicates: [], namesakes: [] }),
  ]
  for (const finding of all)
    if (finding.severity !== 'ok') expect([finding.what, finding.means].every((text) => /[.!]$/.test(text))).toBe(true)
})

describe('replication', () => {
  const parent: ParentFound = {
    kind: 'centre',
    isLaptop: false,
    url: 'https://centre.example',
    answers: true,
    distrust: null,
    authority: '/d/tls/parent.pem',
    state: 'up_to_date',
    obstacle: null,
    heard: NOW - 20_000,
    waiting: 0,
    oldest: null,
    difference: null,
    clockOffset: 900,
  }
  const alone: ReplicationFound = {
    now: NOW,
    parent: null,
    conflicts: { open: 0, oldest: null },
    held: { rows: 0, oldest: null },
    refused: 0,
    refusedBelow: 0,
    children: { count: 0, silent: [], copies: [] },
  }
  const under = (change: Partial<ParentFound>) => checkReplication({ ...alone, parent: { ...parent, ...change } })
  test('is not mentioned where a server works alone, and is ok where everything has arrived', () => {
    expect(checkReplication(alone)).toEqual([])
    expect(under({})).toMatchObject([{ severity: 'ok', what: 'Everything is at the centre.' }])
    expect(under({ state: 'sending', waiting: 3, oldest: NOW - 1_000 })).toMatchObject([{ severity: 'ok' }])
    expect(under({ kind: 'school', state: null })).toMatchObject([{ severity: 'ok', what: 'Everything is at the school.' }])
    expect(checkReplication({ ...alone, children: { ...alone.children, count: 2, silent: [DAY, HOUR] } })).toMatchObject([
      { severity: 'ok', what: '2 servers and laptops replicate with this server.' },
    ])
  })
  test('of a revoked laptop is reported with the command to join again', () => {
    const [found] = under({ state: 'revoked', isLaptop: true })
    expect(JSON.stringify(found)).toContain('markbook join https://centre.example <code> --laptop')
  })
  test.each<[string, Partial<ParentFound>, 'notice' | 'problem', RegExp]>([
    [
      'no line for some hours',
      { answers: false, heard: NOW - 5 * HOUR, waiting: 37, oldest: NOW - 4 * HOUR },
      'notice',
      /last heard 5 hours ago\. 37 rows wait, the oldest for 4 hours/,
    ],
    ['no line for weeks', { answers: false, heard: NOW - 9 * DAY }, 'problem', /does not answer from here, and was last heard 9 days ago/],
    [
      'a parent with another certificate, just heard',
      { state: 'offline', distrust: 'box:3000 shows a certificate that nobody here vouches for.', waiting: 1, oldest: NOW - HOUR },
      'problem',
      /answers, but there is no line to it\. box:3000 shows a certificate .* 1 row waits/,
    ],
    ['a parent that never answered', { answers: false, heard: null }, 'problem', /and never was/],
    ['revoked', { state: 'revoked' }, 'problem', /has revoked this server/],
    ['too old', { state: 'upgrade', waiting: 1, oldest: NOW - HOUR }, 'problem', /too old for The centre .* 1 row waits, the oldest/],
    [
      'a parent whose program is too old',
      { state: 'offline', obstacle: 'parent_older', heard: NOW - HOUR, waiting: 2, oldest: NOW - HOUR },
      'problem',
      /program of The centre .* is too old for this one\. 2 rows wait/,
    ],
    ['a parent that answers, and nothing goes', { state: 'offline', heard: NOW - 2 * HOUR }, 'problem', /do not replicate/],
    [
      'another server at its address',
      { state: 'offline', obstacle: 'altered', heard: NOW - 60_000, waiting: 2, oldest: NOW - 60_000 },
      'problem',
      /^What answers at \S+ is not the server that this one has joined: nothing of it was taken\. 2 rows wait/,
    ],
    [
      'rows that do not arrive',
      { state: 'sending', waiting: 2, oldest: NOW - 3 * DAY },
      'notice',
      /oldest for 3 days, although it answers/,
    ],
    [
      'rows that one of the two has lost, just found',
      { difference: { tables: ['grade'], found: NOW - 2 * HOUR, healed: null } },
      'notice',
      /did not hold the same \(grade\), found 2 hours ago/,
    ],
    [
      'the same, and merging has not helped',
      { difference: { tables: ['grade', 'student'], found: NOW - 3 * DAY, healed: null } },
      'problem',
      /\(grade, student\), found 3 days ago/,
    ],
    [
      'the same, mended',
      { difference: { tables: ['grade'], found: NOW - 3 * DAY, healed: NOW - 3 * DAY } },
      'notice',
      /found 3 days ago, and is mended/,
    ],
    ['a line that others can read', { url: 'http://192.168.1.10:3000' }, 'notice', /\(http:\/\/192\.168\.1\.10:3000\) is insecure/],
    ['a clock that is off', { clockOffset: -600_000 }, 'notice', /10 minutes behind that of the centre/],
  ])('%s', (_, change, severity, words) => {
    const found = under(change)
    expect(severities(found)).toEqual([severity])
    expect(whats(found)).toMatch(words)
  })
  test('reports refused writes and conflicts with the words of the page in the app', () => {
    const words = JSON.parse(readFileSync('desktop/ui/words/en/sync.json', 'utf8'))
    const found = checkReplication({
      ...alone,
      children: { ...alone.children, count: 1, silent: [0] },
      conflicts: { open: 1, oldest: NOW },
      refused: 1,
      refusedBelow: 1,
    })
    const [decide, own, below] = found.map((each) => (each.severity === 'ok' ? '' : each.do))
    expect(decide).toContain(`in the app under ${words.title}, «${words.toConflicts}»`)
    expect(own).toContain(`in the app under ${words.title}, «${words.refused}»`)
    expect(below).toContain(`in the app under ${words.title}, at what was «${words.notTaken.ofServer.replace('{{node}}', '…')}»`)
  })
  test('reports conflicts, held rows, refused writes, silent nodes and a copied node', () => {
    const found = checkReplication({
      ...alone,
      conflicts: { open: 2, oldest: NOW - 3 * DAY },
      held: { rows: 1, oldest: NOW - 2 * DAY },
      refused: 1,
      refusedBelow: 2,
      children: { ...alone.children, count: 3, silent: [HOUR, 40 * DAY, 90 * DAY] },
    })
    expect(severities(found)).toEqual(['notice', 'notice', 'notice', 'notice', 'notice'])
    expect(whats(found)).toMatch(/2 conflicts wait for a decision, the oldest for 3 days/)
    expect(whats(found)).toMatch(/1 row that came from another server cannot be written, for 2 days/)
    expect(whats(found)).toMatch(/1 write of this server was not taken/)
    expect(whats(found)).toMatch(/2 writes of laptops, or of servers that joined this one, were not taken here/)
    const children = { count: 2, silent: [HOUR, HOUR], copies: [['PC (2)', 'PC (3)']] as const }
    const [copy, ...others] = checkReplication({ ...alone, children })
    expect(others).toEqual([])
    expect(copy).toMatchObject({
      severity: 'notice',
      what: 'PC (2) and PC (3) were one computer, and both are heard: one is a copy.',
      do: expect.stringMatching(/node revoke "PC \(2\)", or markbook node revoke "PC \(3\)"$/),
    })
    expect(whats(found)).toMatch(/2 of 3 servers and laptops that joined this one were not heard for long, one for 90 days/)
    expect(
      severities(
        checkReplication({ ...alone, children: { ...alone.children, count: 1, silent: [0] }, held: { rows: 1, oldest: NOW - HOUR } }),
      ),
    ).toEqual(['ok'])
  })
})

describe('the lines to services of another machine', () => {
  const eth0 = { address: '192.0.2.7', family: 'IPv4' as const, internal: false, netmask: '', mac: '', cidr: null }
  const machine = { hostname: 'centre', interfaces: { eth0: [eth0] } }
  const s3 = { endpoint: 'https://s3.example', region: '', accessKeyId: '', secretAccessKey: '', bucketPrefix: '' }
  const settings = { databaseUrl: null, redisUrl: null, s3: null }
  const found = (more: Partial<Parameters<typeof lookAtLines>[0]>) =>
    lookAtLines({ ...settings, ...more }, machine).map(({ setting, host }) => `${setting} ${host}`)

  test.each([
    'postgres://m:secret@db.example/markbook',
    'postgres://m:secret@db.example/markbook?sslmode=disable',
    'postgres://m:secret@db.example/markbook?sslmode=prefer',
    'postgres://m:secret@127.0.0.1,db.example/markbook',
  ])('%s is reported, without its password', (databaseUrl) => {
    expect(found({ databaseUrl })).toEqual(['DATABASE_URL db.example'])
    const [finding] = checkLines(lookAtLines({ ...settings, databaseUrl }, machine), { ...settings, databaseUrl })
    expect(finding).toMatchObject({ severity: 'notice', do: expect.stringContaining('sslmode=verify-full') })
    expect(JSON.stringify(finding)).not.toContain('secret')
  })

  test.each([
    'postgres://m@db.example/markbook?sslmode=require',
    'postgres://m@db.example/markbook?sslmode=verify-full',
    'postgres://m@localhost/markbook',
    'postgres://m@[::1]/markbook',
    'postgres://m@192.0.2.7/markbook',
    'postgres://m@centre/markbook',
    'postgres://m@%2Fvar%2Frun%2Fpostgresql/markbook',
  ])('%s is not reported', (databaseUrl) => {
    expect(found({ databaseUrl })).toEqual([])
  })

  test('to Redis and S3 are reported without TLS; a school without such services has none', () => {
    expect(found({ redisUrl: 'redis://cache.example:6379', s3: { ...s3, endpoint: 'http://s3.example:9000' } })).toEqual([
      'REDIS_URL cache.example',
      'S3_ENDPOINT s3.example',
    ])
    expect(found({ redisUrl: 'rediss://cache.example:6379', s3 })).toEqual([])
    expect(found({ redisUrl: 'redis://localhost', s3: { ...s3, endpoint: 'http://127.0.0.1:9000' } })).toEqual([])
    expect(checkLines([], settings)).toEqual([])
    expect(severities(checkLines([], { ...settings, s3 }))).toEqual(['ok'])
  })
})
