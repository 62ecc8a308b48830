import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { idSource } from '@markbook/shared/ids'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { filesSaying, storyFolder } from '../../testing/laptop-database.ts'
import { convert } from '../convert.ts'
import { keyNameOf, LockedError, letGoOfKey, openFile } from '../sqlite.file.ts'
import { newKey, takeEncryptedBackup, withDecrypted } from './encrypted.ts'
import { type Backup, listBackups, openBackup } from './manifest.ts'
import { keyNameOfBackup } from './plain.ts'
import { rehearse } from './rehearsal.ts'
import { beginRestore } from './restore.ts'
import { type BackupLocation, takeBackup } from './take.ts'

const PLAIN = ['Oisín', 'Fatima', 'SQLite format 3']
const noRoomNeeded = { room: async () => {} }
let dataDir: string
let backupDir: string
let copyDir: string
let now: number
let key: { name: string; secret: Buffer }
const database = () => join(dataDir, 'markbook.sqlite')
const clock = { now: () => now }
const place = (): BackupLocation => ({
  dataDir,
  databaseUrl: null,
  backupDir,
  copyDir,
  clock,
  newId: idSource(clock.now, (size) => randomBytes(size)),
  needRoom: async () => {},
})
const encrypt = () => convert(dataDir, key, noRoomNeeded)
const take = async (reason: 'hourly' | 'manual' = 'hourly', to?: string): Promise<Backup> => {
  now += 3_600_000
  return (await takeBackup(place(), { reason, ...(to && { to }) })).backup
}
const onFile = <T>(work: (connection: ReturnType<typeof openFile>) => T): T => {
  const connection = openFile(database())
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}
const write = (name: string) => onFile((connection) => connection.prepare('update student set first_name = ?').run(name))
const names = () => onFile((connection) => connection.prepare('select distinct first_name from student order by 1').pluck().all())

beforeEach(async () => {
  dataDir = await storyFolder({ laptop: true })
  backupDir = join(dataDir, 'backups')
  copyDir = mkdtempSync(join(tmpdir(), 'markbook-copies-'))
  now = Date.UTC(2026, 10, 2, 8)
  key = { name: randomBytes(8).toString('hex'), secret: randomBytes(32) }
})
afterEach(() => {
  for (const folder of [dataDir, copyDir]) rmSync(folder, { recursive: true, force: true })
})

describe('backups of an encrypted database', () => {
  test('are encrypted too, and those of before go, in both folders', async () => {
    const before = await take()
    expect(filesSaying(dataDir, PLAIN)).not.toEqual([])
    await encrypt()
    const backup = await take()
    expect(await keyNameOfBackup(backup)).toBe(key.name)
    for (const folder of [backupDir, copyDir]) {
      expect(listBackups(folder).map(({ name }) => name)).toEqual([basename(backup.path)])
      expect(filesSaying(folder, PLAIN).filter((name) => !/(?:backup\.lock|server\.lock)$/.test(name))).toEqual([])
    }
    expect(before.path).not.toBe(backup.path)
  })

  test('share the pages that did not change, and come back whole by a rehearsal and a restore', async () => {
    await encrypt()
    onFile((connection) => connection.pragma('journal_mode = WAL'))
    const first = await take()
    const store = join(dirname(first.path), 'content')
    const bytes = () => readdirSync(store).reduce((sum, name) => sum + statSync(join(store, name)).size, 0)
    const whole = bytes()
    expect(whole).toBeGreaterThan(first.manifest.size / 2)
    onFile((connection) => connection.exec("update school set name = 'St Brigid’s'"))
    await take()
    expect(bytes() - whole).toBeLessThan(whole / 4)
    const kept = names()
    expect((await rehearse(place()))?.rehearsal).toMatchObject({ flaw: null })
    // What stands in the log alone is in the copy.
    const held = openFile(database())
    held.pragma('wal_autocheckpoint = 0')
    held.exec("update student set first_name = 'In the log'")
    const third = await take()
    held.close()
    write('Later')
    const restoring = await beginRestore(place(), third.path)
    await restoring.carryOut()
    await restoring.done()
    expect(names()).toEqual(['In the log'])
    expect(keyNameOf(database())).toBe(key.name)
    const again = await beginRestore(place(), first.path)
    await again.carryOut()
    await again.done()
    expect(names()).toEqual(kept)
  })

  test('need their key: at another computer they are refused, and nothing is changed', async () => {
    await encrypt()
    const backup = await take('manual', join(copyDir, 'stick'))
    expect(filesSaying(copyDir, PLAIN)).toEqual([])
    letGoOfKey(key.name)
    rmSync(database())
    await expect(beginRestore(place(), backup.path)).rejects.toThrow(LockedError)
    expect(readdirSync(dataDir)).not.toContain('markbook.sqlite')
  })

  test('for a key of age they come back without the keyring, and leave nothing plain behind', async () => {
    await encrypt()
    const kept = names()
    const age = await newKey()
    const { path } = await takeEncryptedBackup(place(), { folder: copyDir, lock: { recipients: [age.recipient] } })
    expect(filesSaying(dataDir, PLAIN).filter((name) => !name.endsWith('.lock'))).toEqual([])
    letGoOfKey(key.name)
    rmSync(database())
    await withDecrypted(place(), { file: path, opener: { identities: [age.identity] } }, async (folder) => {
      expect(await keyNameOfBackup(openBackup(folder))).toBeNull()
      const restoring = await beginRestore(place(), folder)
      await restoring.carryOut()
      await restoring.done()
    })
    expect(keyNameOf(database())).toBeNull()
    expect(names()).toEqual(kept)
  })

  test('come back over the database whose key is gone, which is kept as it lay', async () => {
    await encrypt()
    const kept = names()
    const age = await newKey()
    const { path } = await takeEncryptedBackup(place(), { folder: copyDir, lock: { recipients: [age.recipient] } })
    write('Later')
    const locked = readFileSync(database())
    letGoOfKey(key.name)
    await withDecrypted(place(), { file: path, opener: { identities: [age.identity] } }, async (folder) => {
      const restoring = await beginRestore(place(), folder)
      const { keptIn, warnings } = await restoring.carryOut()
      await restoring.done()
      expect(warnings).toEqual([expect.stringMatching(/^The database as it was cannot be read, so it was kept as it lay/)])
      expect(readFileSync(join(keptIn ?? '', 'markbook.sqlite')).equals(locked)).toBe(true)
    })
    expect(names()).toEqual(kept)
  })

  test('of a plain database stay where they are', async () => {
    const [first, second] = [await take(), await take()]
    expect(listBackups(backupDir).map(({ path }) => path)).toEqual([first.path, second.path])
  })
})
