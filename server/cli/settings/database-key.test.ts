import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readWithoutSecret } from '../../config.ts'
import { systemKeyring } from '../../keyring/system.ts'
import { BackupError } from '../../store/backup/manifest.ts'
import type { Step } from '../../store/convert.ts'
import { quickCheckOfSqlite } from '../../store/soundness/quick-check.ts'
import { keyNameOf, letGoOfKey, openFile } from '../../store/sqlite.file.ts'
import { DATABASE_FILE, openSqliteBeside } from '../../store/sqlite.ts'
import { openSchoolStore } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { filesSaying, storyFolders } from '../../testing/laptop-database.ts'
import { memoryFolder } from '../../testing/memory-folder.ts'
import { type MemoryKeyring, memoryKeyring } from '../../testing/memory-keyring.ts'
import { putDamagedAside } from './database-gone.ts'
import { demandUnlocked, settleEncryption } from './database-key.ts'
import { SEALED_SECRET, sealedSecret, settleSecret } from './sealed-secret.ts'

/** Names of pupils in the story, and the first bytes of every plain database. */
const PLAIN = ['Oisín', 'Fatima', 'SQLite format 3']
const SECRET = 'a window secret of more than thirty-two letters'
const of = storyFolders()

let dataDir: string
let keyring: MemoryKeyring
let told: string[]
beforeEach(() => {
  dataDir = memoryFolder('markbook-key-')
  keyring = memoryKeyring()
  told = []
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const path = () => join(dataDir, DATABASE_FILE)
const begin = (from: string) => cpSync(from, dataDir, { recursive: true })
const configOf = (windowSecret: string | null = null, folder = dataDir) => ({
  role: 'school' as 'school' | 'centre',
  dataDir: folder,
  windowSecret,
})
type More = Partial<Parameters<typeof settleEncryption>[1]>
const settle = (config = configOf(), more: More = {}) =>
  settleEncryption(config, { keyring, tell: (line) => void told.push(line), room: async () => {}, ...more })
const pupils = (folder = dataDir) => {
  const connection = openFile(join(folder, DATABASE_FILE), { fileMustExist: true })
  try {
    return connection.prepare('select first_name from student order by id').pluck().all()
  } finally {
    connection.close()
  }
}
/** The lock file is a plain database too, without rows. */
const plainIn = (folder: string) => filesSaying(folder, PLAIN).filter((name) => !name.startsWith('server.lock'))
/** Forgets the keys in this process, as after a restart. */
const forget = () => {
  for (const name of keyring.kept.keys()) letGoOfKey(name)
}
const newId = idSource(systemClock.now, (size) => randomBytes(size))
const openStore = () => openSchoolStore(dataDir, { clock: systemClock, newId, role: 'school' })

describe('the database of a laptop', () => {
  test('is encrypted whole at a start, and no plain file stays beside it', async () => {
    begin(of.laptop)
    expect(plainIn(dataDir)).toEqual([DATABASE_FILE])
    await settle()
    expect(plainIn(dataDir)).toEqual([])
    expect(readdirSync(dataDir).filter((name) => !name.startsWith('server.lock'))).toEqual([DATABASE_FILE])
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect([...keyring.kept.keys()]).toEqual([keyNameOf(path())])
    forget()
    expect(quickCheckOfSqlite(dataDir)).toEqual({ state: 'locked' })
    await demandUnlocked(configOf(), keyring)
    expect(pupils()).toEqual(pupils(of.laptop))
    const store = await openStore()
    expect(await store.read(asSystem(), async (tx) => (await tx.db.select().from(tx.t.student)).length)).toBe(pupils(of.laptop).length)
    await store.close()
    const asked = keyring.asked.length
    await settle()
    expect(keyring.asked.length).toBe(asked)
  })

  test.each(['copied', 'encrypted', 'checked', 'placed'] satisfies Step[])(
    'after a power cut when it is %s it opens, and the next start goes on',
    async (at) => {
      begin(of.laptop)
      const image = memoryFolder('markbook-key-image-')
      await settle(configOf(), {
        done: (step) => step === at && cpSync(dataDir, image, { recursive: true, filter: (from) => !from.endsWith('.lock') }),
      })
      expect(existsSync(join(image, 'markbook.converting.sqlite'))).toBe(at !== 'placed')
      expect(pupils(image)).toEqual(pupils(of.laptop))
      await settle(configOf(null, image))
      expect(plainIn(image)).toEqual([])
      expect(pupils(image)).toEqual(pupils(of.laptop))
      expect(readdirSync(image).filter((name) => !name.startsWith('server.lock'))).toEqual([DATABASE_FILE])
      rmSync(image, { recursive: true })
    },
  )

  test.each(['copied', 'encrypted', 'checked'] satisfies Step[])(
    'an error after it is %s leaves it plain, and no key in the keyring',
    async (at) => {
      begin(of.laptop)
      await settle(configOf(), {
        done: (step) => {
          if (step === at) throw new Error('the disk failed')
        },
      })
      expect(told.at(-1)).toBe('Warning: The database of this laptop stays without encryption. the disk failed')
      expect(keyring.kept.size).toBe(0)
      expect(keyNameOf(path())).toBeNull()
      expect(pupils()).toEqual(pupils(of.laptop))
    },
  )

  test.each(['an old one', 'a new one'])('an error once %s is in place leaves its key in the keyring', async (which) => {
    if (which === 'an old one') begin(of.laptop)
    await settle(configOf(SECRET), {
      done: (step) => {
        if (step === 'placed') throw new Error('the disk failed')
      },
    })
    expect([...keyring.kept.keys()]).toEqual([keyNameOf(path())])
    forget()
    await demandUnlocked(configOf(), keyring)
    expect(quickCheckOfSqlite(dataDir).state).toBe(which === 'an old one' ? 'there' : 'empty')
  })

  test('is not replaced where another start made it while the keyring was asked', async () => {
    const slow: MemoryKeyring = {
      ...keyring,
      write: async (name, secret) => {
        begin(of.laptop)
        return keyring.write(name, secret)
      },
    }
    await settle(configOf(SECRET), { keyring: slow })
    expect(pupils()).toEqual(pupils(of.laptop))
    expect(keyring.kept.size).toBe(0)
  })

  test('stays plain with a warning where the disk has no room for two', async () => {
    begin(of.laptop)
    const needed: number[] = []
    await settle(configOf(), {
      room: async (_, bytes) => {
        needed.push(bytes)
        throw new BackupError('The disk is nearly full (a backup needs 3 MB).')
      },
    })
    expect(needed).toEqual([statSync(path()).size])
    expect(told.at(-1)).toMatch(/stays without encryption\. The disk is nearly full \(the copy needs 3 MB\)\.$/)
    expect(pupils()).toEqual(pupils(of.laptop))
  })

  test('stays plain while another program has it open', async () => {
    begin(of.laptop)
    const beside = openSqliteBeside(dataDir)
    beside.reader.prepare('select count(*) from student').get()
    await settle()
    expect(told.at(-1)).toMatch(/stays without encryption/)
    beside.close()
    expect(keyNameOf(path())).toBeNull()
    expect(pupils()).toEqual(pupils(of.laptop))
    await settle()
    expect(keyNameOf(path())).not.toBeNull()
  })

  test.each([
    ['answers nothing', (ring: MemoryKeyring) => Object.assign(ring, { silent: true })],
    ['keeps something else', (ring: MemoryKeyring) => Object.assign(ring, { read: async () => ({ state: 'found', secret: 'another' }) })],
    ['forgets at once', (ring: MemoryKeyring) => Object.assign(ring, { read: async () => ({ state: 'absent' }) })],
  ])('stays plain with a keyring that %s', async (_, spoil) => {
    begin(of.laptop)
    spoil(keyring)
    await settle()
    expect(told).toEqual([expect.stringMatching(/^Warning: The database of this laptop stays without encryption\. No keyring/)])
    expect(pupils()).toEqual(pupils(of.laptop))
  })
})

describe('a new database', () => {
  test.each([
    ['of the teachers’ program', SECRET, false],
    ['of a laptop that joins', null, true],
  ])('%s is encrypted from the beginning', async (_, windowSecret, isLaptop) => {
    await settle(configOf(windowSecret), { isLaptop })
    const name = keyNameOf(path())
    expect(name).not.toBeNull()
    const store = await openStore()
    expect(readdirSync(dataDir)).toContain(`${DATABASE_FILE}-wal`)
    expect(plainIn(dataDir)).toEqual([])
    await store.close()
    await settle(configOf(windowSecret), { isLaptop })
    expect(keyNameOf(path())).toBe(name)
  })

  test('is encrypted also where the log of a removed database is left', async () => {
    begin(of.laptop)
    const beside = openSqliteBeside(dataDir)
    beside.writer.exec('create table later (name)')
    const log = readFileSync(`${path()}-wal`)
    beside.close()
    rmSync(path())
    writeFileSync(`${path()}-wal`, log)
    await settle(configOf(SECRET))
    const store = await openStore()
    await store.close()
    expect(keyNameOf(path())).not.toBeNull()
  })

  test('is plain without a keyring, and encrypted once there is one', async () => {
    keyring.silent = true
    await settle(configOf(SECRET))
    expect(existsSync(path())).toBe(false)
    await (await openStore()).close()
    keyring.silent = false
    await settle(configOf(SECRET))
    expect(keyNameOf(path())).not.toBeNull()
  })
})

test('the database of a teacher who works alone is plain from the next start on', async () => {
  begin(of.laptop)
  await settle()
  const connection = openFile(path())
  connection.exec('delete from sync_peer')
  connection.close()
  await settle(configOf(SECRET))
  expect(keyNameOf(path())).toBeNull()
  expect(pupils()).toEqual(pupils(of.laptop))
  // Older backups still need the key.
  expect(keyring.kept.size).toBe(1)
})

test('a school and a centre never ask the keyring', async () => {
  begin(of.school)
  const before = readFileSync(path())
  for (const secret of [null, SECRET]) await settle(configOf(secret))
  await demandUnlocked(configOf(), keyring)
  writeFileSync(path(), Buffer.alloc(20_000, 0xa5))
  await demandUnlocked(configOf(), keyring)
  writeFileSync(path(), before)
  rmSync(path())
  await settle()
  await settle({ ...configOf(SECRET), role: 'centre' })
  expect(keyring.asked).toEqual([])
  expect(told).toEqual([])
})

describe('without its key an encrypted database is not opened', () => {
  beforeEach(async () => {
    begin(of.laptop)
    await settle()
    forget()
  })
  const refusal = () => demandUnlocked(configOf(), keyring).then(String, (error: Error) => error.message)

  test('where the keyring lost the key, the message says what was found and what to type', async () => {
    const before = readFileSync(path())
    keyring.kept.clear()
    const page = await refusal()
    expect(page).toContain(`The database ${path()} is encrypted`)
    expect(page).toContain('markbook start --new')
    expect(page).toContain('markbook restore <file>.age')
    expect(page.split('\n').at(-1)).toMatch(/^In short: the key of the database is gone/)
    await demandUnlocked(configOf(), keyring, { anew: true })
    expect(readFileSync(path()).equals(before)).toBe(true)
  })

  test('a new start sets the sealed secret aside together with the old database', async () => {
    const sealed = Buffer.from(`${keyNameOf(path())}.sealed`)
    writeFileSync(join(dataDir, SEALED_SECRET), sealed)
    const aside = putDamagedAside(readWithoutSecret({ DATA_DIR: dataDir })) ?? ''
    expect(basename(aside)).toMatch(/^locked-/)
    expect(readFileSync(aside.replace(/sqlite$/, SEALED_SECRET)).equals(sealed)).toBe(true)
    expect(existsSync(join(dataDir, SEALED_SECRET))).toBe(false)
  })

  test('where the keyring does not answer, the message says that nothing is lost', async () => {
    keyring.silent = true
    const page = await refusal()
    expect(page).toContain('does not answer (it is locked)')
    expect(page).toContain('Nothing is lost.')
    // Not even `--new` begins an empty database here: the key may still come.
    await expect(demandUnlocked(configOf(), keyring, { anew: true })).rejects.toThrow('Nothing is lost.')
    keyring.silent = false
    await demandUnlocked(configOf(), keyring)
    expect(pupils()).toEqual(pupils(of.laptop))
  })

  test('the key is in no file and in no printed line', async () => {
    const [secret = ''] = keyring.kept.values()
    expect(Buffer.from(secret, 'base64').length).toBe(32)
    expect(filesSaying(dataDir, [secret, Buffer.from(secret, 'base64').toString('hex')])).toEqual([])
    expect(told.join('\n')).not.toContain(secret)
  })
})

describe('the secret of a server', () => {
  const inFolder = (name: string) => join(dataDir, name)
  beforeEach(() => {
    begin(of.laptop)
    writeFileSync(inFolder('session-secret'), 'a secret of a server')
  })
  const files = () => readdirSync(dataDir).filter((name) => name.startsWith('session-secret'))

  test('is sealed beside an encrypted database, and plain beside a plain one', async () => {
    await settleSecret(dataDir, keyring)
    expect(files()).toEqual(['session-secret'])
    expect(sealedSecret(dataDir)).toBeUndefined()
    await settle()
    await settleSecret(dataDir, keyring)
    expect(files()).toEqual(['session-secret.sealed'])
    expect(filesSaying(dataDir, ['a secret of a server'])).toEqual([])
    expect(sealedSecret(dataDir)).toBe('a secret of a server')
    rmSync(path())
    cpSync(join(of.laptop, DATABASE_FILE), path())
    await settleSecret(dataDir, keyring)
    expect(files()).toEqual(['session-secret'])
    expect(readFileSync(inFolder('session-secret'), 'utf8')).toBe('a secret of a server')
  })

  test('is sealed again after an interrupted change, and after a change of the key', async () => {
    await settle()
    await settleSecret(dataDir, keyring)
    writeFileSync(inFolder('session-secret'), 'a secret of a server')
    await settleSecret(dataDir, keyring)
    expect(files()).toEqual(['session-secret.sealed'])
    const before = readFileSync(inFolder('session-secret.sealed'), 'utf8')
    forget()
    cpSync(join(of.laptop, DATABASE_FILE), path())
    await settle()
    await settleSecret(dataDir, keyring)
    expect(readFileSync(inFolder('session-secret.sealed'), 'utf8')).not.toBe(before)
    expect(sealedSecret(dataDir)).toBe('a secret of a server')
  })

  test('that no key opens is refused by a command, and replaced by a start', async () => {
    await settle()
    await settleSecret(dataDir, keyring)
    forget()
    keyring.kept.clear()
    expect(() => sealedSecret(dataDir)).toThrow(/needs the key of its database/)
    rmSync(path())
    await settle(configOf(SECRET))
    await settleSecret(dataDir, keyring)
    expect(sealedSecret(dataDir)).toMatch(/^[\w-]{43}$/)
  })
})

test('a keyring that hangs is given up, and the process that asked it is ended', async () => {
  const pidFile = join(dataDir, 'pid')
  const hangs = systemKeyring([
    '-e',
    `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`,
  ])
  expect(await hangs.read('00', 1_500)).toEqual({ state: 'silent', why: 'the keyring does not answer' })
  const pid = Number(readFileSync(pidFile, 'utf8'))
  await expect.poll(() => isRunning(pid)).toBe(false)
})

test('the process that asks the keyring says why there is none', async () => {
  expect(await systemKeyring().read('0000000000000000', 10_000)).toEqual({ state: 'silent', why: expect.any(String) })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
