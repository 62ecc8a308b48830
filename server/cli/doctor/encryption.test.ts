import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { convert } from '../../store/convert.ts'
import { soundnessOfSqlite } from '../../store/soundness/sqlite.ts'
import { keyNameOf, letGoOfKey } from '../../store/sqlite.file.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { storyFolders } from '../../testing/laptop-database.ts'
import { memoryFolder } from '../../testing/memory-folder.ts'
import { type MemoryKeyring, memoryKeyring } from '../../testing/memory-keyring.ts'
import { checkEncryption, lookAtEncryption } from './encryption.ts'

const of = storyFolders()

let dataDir: string
let keyring: MemoryKeyring
beforeEach(() => {
  dataDir = memoryFolder('markbook-doctor-key-')
  keyring = memoryKeyring()
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const begin = (from: string) => cpSync(from, dataDir, { recursive: true })
type Looked = Parameters<typeof lookAtEncryption>[0]
const findings = async (config: Partial<Looked> = {}) =>
  checkEncryption(
    await lookAtEncryption({ role: 'school', dataDir, backupDir: join(dataDir, 'backups'), windowSecret: null, ...config }, keyring),
  )

describe('the encryption of the database', () => {
  test('of an encrypted laptop is ok, and the keyring is not asked', async () => {
    begin(of.laptop)
    await convert(dataDir, { name: randomBytes(8).toString('hex'), secret: randomBytes(32) }, { room: async () => {} })
    expect(await findings()).toMatchObject([{ check: 'encryption', severity: 'ok', what: expect.stringContaining('is encrypted') }])
    expect(keyring.asked).toEqual([])
  })

  test('of an encrypted laptop with plain copies beside it names the copies', async () => {
    begin(of.laptop)
    const [damaged, own] = [join(dataDir, 'damaged-2026-01-12T11-00-00.sqlite'), join(dataDir, 'backups', randomUUID())]
    const aside = join(own, 'as-it-was-2026-01-12T11-00-00Z-restore')
    cpSync(join(dataDir, DATABASE_FILE), damaged)
    mkdirSync(aside, { recursive: true })
    cpSync(damaged, join(aside, DATABASE_FILE))
    await convert(dataDir, { name: randomBytes(8).toString('hex'), secret: randomBytes(32) }, { room: async () => {} })
    cpSync(join(dataDir, DATABASE_FILE), join(dataDir, 'locked-2026-01-12T11-00-00.sqlite'))
    const [finding] = await findings()
    expect(finding).toMatchObject({ severity: 'notice', do: expect.stringContaining('Remove them') })
    expect(finding?.what).toContain(`are not: ${damaged}, ${join(aside, DATABASE_FILE)}.`)
  })

  test('of a plain laptop whose keyring answers advises another start', async () => {
    begin(of.laptop)
    expect(await findings()).toMatchObject([
      { severity: 'notice', what: 'The database of this laptop is not encrypted.', do: expect.stringContaining('Start Markbook again') },
    ])
  })

  test('of a laptop without a keyring says why it does not answer, and advises to encrypt the disk', async () => {
    begin(of.laptop)
    keyring.silent = true
    expect(await findings()).toMatchObject([
      {
        severity: 'notice',
        what: 'The database of this laptop is not encrypted: no keyring answers (it is locked).',
        do: expect.stringContaining('BitLocker'),
      },
    ])
  })

  test('is not reported at a school, at a centre and without a database', async () => {
    expect(await findings()).toEqual([])
    begin(of.school)
    expect(await findings()).toEqual([])
    expect(await findings({ role: 'centre' })).toEqual([])
    expect(keyring.asked).toEqual([])
  })

  test('is not reported where the key is gone or the file cannot be read', async () => {
    begin(of.laptop)
    await convert(dataDir, { name: randomBytes(8).toString('hex'), secret: randomBytes(32) }, { room: async () => {} })
    letGoOfKey(keyNameOf(join(dataDir, DATABASE_FILE)) ?? '')
    expect(await findings()).toEqual([])
    expect(await soundnessOfSqlite(dataDir, { quick: true, tell: () => {} })).toMatchObject({ state: 'locked' })
    rmSync(join(dataDir, DATABASE_FILE))
    writeFileSync(join(dataDir, DATABASE_FILE), Buffer.alloc(20_000, 0xa5))
    expect(await findings()).toEqual([])
  })
})
