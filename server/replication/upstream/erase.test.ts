import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqlite } from '../../store/sqlite.ts'
import { memoryKeyring } from '../../testing/memory-keyring.ts'
import { readWipeNote, type WipeNote, writeWipeNote } from '../identity/wipe-note.ts'
import { finishErasing } from './erase.ts'

let dataDir: string
let elsewhere: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'markbook-erase-'))
  elsewhere = mkdtempSync(join(tmpdir(), 'markbook-erase-backups-'))
})
afterEach(() => {
  for (const folder of [dataDir, elsewhere]) rmSync(folder, { recursive: true, force: true })
})

const note: WipeNote = {
  by: 'The school',
  asked_at: '2026-01-12T10:00:00.000Z',
  at: '2026-01-12T11:00:00.000Z',
  isErased: false,
  lastWord: null,
  authority: null,
}
const OWN = [
  'session-secret',
  'session-secret.sealed',
  'markbook.sqlite',
  'markbook.sqlite-wal',
  'markbook.sqlite-shm',
  'markbook.restoring.sqlite',
  'markbook.converting.sqlite',
  'locked-2026-01-12T11-00-00.sqlite',
  'locked-2026-01-12T11-00-00.session-secret.sealed',
  'session-secret.unfinished',
  'session-secret.sealed.unfinished',
  'running.json',
]
const FOREIGN = ['markbook.conf', 'holiday.jpg']
const BACKUPS = [
  '2026-01-12T10-00-00Z-hourly',
  '2026-01-12T10-00-00Z-manual-2',
  '.unfinished-2026-01-12T11-00-00Z-nightly',
  'as-it-was-2026-01-12T11-00-00Z-restore',
]

/** A laptop’s folder as it is in use, with what somebody else has put there. */
function filled(backupDir: string): void {
  for (const name of [...OWN, ...FOREIGN]) writeFileSync(join(dataDir, name), name)
  for (const folder of ['files', 'tls', 'photographs']) {
    mkdirSync(join(dataDir, folder, 'deeper'), { recursive: true })
    writeFileSync(join(dataDir, folder, 'deeper', 'one'), folder)
  }
  for (const name of BACKUPS) {
    mkdirSync(join(backupDir, name), { recursive: true })
    writeFileSync(join(backupDir, name, 'markbook.sqlite'), 'marks')
  }
  mkdirSync(join(backupDir, 'letters'))
}
const forget = async () => true
const left = () => readdirSync(dataDir).sort()

const encrypted = (key: string) => Buffer.concat([Buffer.from('markbook'), Buffer.from(key, 'hex'), Buffer.alloc(4_080)])

test('the key of an encrypted database leaves the keyring first, also when it is cut off and begun again', async () => {
  const keyring = memoryKeyring()
  keyring.kept.set('00112233445566ff', 'a key')
  writeWipeNote(dataDir, note)
  writeFileSync(join(dataDir, 'session-secret'), 'secret')
  writeFileSync(join(dataDir, 'markbook.sqlite'), encrypted('00112233445566ff'))
  const cut = async () => {
    expect(left()).toContain('session-secret')
    throw new Error('cut off')
  }
  await expect(finishErasing({ dataDir, backupDir: elsewhere }, cut)).rejects.toThrow('cut off')
  await finishErasing({ dataDir, backupDir: elsewhere }, keyring.remove)
  expect(keyring.asked).toEqual(['remove 00112233445566ff'])
  expect(keyring.kept.size).toBe(0)
  expect(left()).toEqual(['server.lock', 'wipe.json'])
})

test('the keys of databases that were put aside leave the keyring too', async () => {
  const keyring = memoryKeyring()
  const names = {
    'markbook.sqlite': '00112233445566ff',
    'locked-2026-01-12T11-00-00.sqlite': '8899aabbccddeeff',
    'other.sqlite': '0123456789abcdef',
  }
  for (const [file, key] of Object.entries(names)) {
    keyring.kept.set(key, 'a key')
    writeFileSync(join(dataDir, file), encrypted(key))
  }
  writeWipeNote(dataDir, note)
  await finishErasing({ dataDir, backupDir: elsewhere }, keyring.remove)
  expect([...keyring.kept.keys()]).toEqual([names['other.sqlite']])
  expect(left()).toEqual(['other.sqlite', 'server.lock', 'wipe.json'])
})

test('all that Markbook made goes, settings and what it did not make stay', async () => {
  const backupDir = join(dataDir, 'backups')
  filled(backupDir)
  writeWipeNote(dataDir, note)
  await finishErasing({ dataDir, backupDir }, forget)
  expect(left()).toEqual(['backups', 'holiday.jpg', 'markbook.conf', 'photographs', 'server.lock', 'wipe.json'])
  expect(readdirSync(backupDir).sort()).toEqual(['backup.lock', 'letters'])
  expect(readWipeNote(dataDir)).toEqual({ ...note, isErased: true })
})

test('so do the backups in the folder of this laptop, and those of another school stay', async () => {
  const [own, other] = ['01920000-0000-7000-8000-000000000001', '01920000-0000-7000-8000-000000000002']
  for (const id of [own, other]) mkdirSync(join(elsewhere, id, '2026-01-12T10-00-00Z-hourly'), { recursive: true })
  writeFileSync(join(dataDir, 'database.json'), JSON.stringify({ id: own, school: 'St Brigid’s' }))
  writeWipeNote(dataDir, note)
  await finishErasing({ dataDir, backupDir: elsewhere }, forget)
  expect(readdirSync(elsewhere).sort()).toEqual([other, 'backup.lock'])
  expect(left()).not.toContain('database.json')
  writeWipeNote(dataDir, note)
  await finishErasing({ dataDir, backupDir: elsewhere }, forget)
  expect(readdirSync(elsewhere)).toEqual(['backup.lock'])
})

test('backups in a folder elsewhere go too', async () => {
  filled(elsewhere)
  writeWipeNote(dataDir, note)
  await finishErasing({ dataDir, backupDir: elsewhere }, forget)
  expect(readdirSync(elsewhere).sort()).toEqual(['backup.lock', 'letters'])
})

test.each([0, 1, 3, 6])('cut off after %i of the files, the next start goes on', async (gone) => {
  filled(elsewhere)
  writeWipeNote(dataDir, note)
  for (const name of OWN.slice(0, gone)) rmSync(join(dataDir, name))
  await finishErasing({ dataDir, backupDir: elsewhere }, forget)
  expect(left().filter((name) => OWN.includes(name))).toEqual([])
  expect(readWipeNote(dataDir)?.isErased).toBe(true)
})

test('without a note, and after it is done, nothing is touched', async () => {
  const all = { dataDir, backupDir: elsewhere }
  filled(elsewhere)
  const before = left()
  await finishErasing(all, forget)
  expect(left()).toEqual(before)
  writeWipeNote(dataDir, { ...note, isErased: true })
  await finishErasing(all, forget)
  expect(left()).toEqual([...before, 'wipe.json'].sort())
})

test('with a note that cannot be read nothing begins', async () => {
  writeFileSync(join(dataDir, 'wipe.json'), '{"by":')
  await expect(finishErasing({ dataDir, backupDir: elsewhere }, forget)).rejects.toThrow()
})

test('nothing is erased while a server holds the folder', async () => {
  const { close } = openSqlite(dataDir)
  writeWipeNote(dataDir, note)
  await expect(finishErasing({ dataDir, backupDir: elsewhere }, forget)).rejects.toThrow(/^Another Markbook server is running on /)
  expect(left()).toContain('markbook.sqlite')
  close()
})
