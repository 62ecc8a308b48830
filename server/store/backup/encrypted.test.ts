import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { people, stBrigids } from '@markbook/shared/story/people'
import { Decrypter, Encrypter } from 'age-encryption'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { school } from '../../testing/school.ts'
import { asSystem } from '../tx.ts'
import { canBackUp, type Drill, drillOf } from './backup.fixtures.ts'
import { identitiesIn, isEncrypted, isRecipient, newKey, takeEncryptedBackup, withDecrypted } from './encrypted.ts'
import { beginRestore } from './restore.ts'

let drill: Drill
let folder: string
let key: Awaited<ReturnType<typeof newKey>>
/** Of a backup for `key`, the file. */
let file: string
const passphrase = 'correct horse battery staple'
const LIGHT = 10

beforeAll(async () => {
  if (!canBackUp) return
  drill = drillOf(await school())
  folder = mkdtempSync(join(tmpdir(), 'markbook-usb-'))
  key = await newKey()
  file = (await takeEncryptedBackup(drill.place, { folder, lock: { recipients: [key.recipient] } })).path
})
afterAll(async () => {
  if (!canBackUp) return
  await drill.end()
  rmSync(folder, { recursive: true, force: true })
})

const leftIn = () => readdirSync(drill.place.dataDir).filter((name) => name.startsWith('.unfinished-'))
const opened = (path: string, opener: Parameters<typeof withDecrypted>[1]['opener']) =>
  withDecrypted(drill.place, { file: path, opener }, async (inside) => readdirSync(inside).sort())
const changed = (change: (bytes: Buffer) => Buffer) => {
  const path = join(folder, 'changed.age')
  writeFileSync(path, change(readFileSync(file)))
  return path
}

describe.runIf(canBackUp)('an encrypted backup', () => {
  test('is one file, says nothing of the school, and leaves no plain copy', () => {
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\d{4}-.*-manual\.age$/)])
    expect(isEncrypted(file)).toBe(true)
    const bytes = readFileSync(file)
    for (const word of ['St Brigid', people.okafor.email, 'manifest', 'SQLite format']) expect(bytes.includes(word)).toBe(false)
    expect(leftIn()).toEqual([])
  })

  test('comes back row by row with the key', async () => {
    const before = drill.st.services.store
    const wanted = await drill.contents(before)
    await before.write(asSystem(people.okafor.id), (tx) =>
      tx.insert('subject', [{ id: tx.newId(), school_id: stBrigids, name: 'Later', code: 'LATER', sort_order: 1, is_active: true }]),
    )
    await before.close()
    await withDecrypted(drill.place, { file, opener: { identities: [key.identity] } }, async (inside) => {
      const restoring = await beginRestore(drill.place, inside)
      await restoring.carryOut()
      await restoring.done()
    })
    const after = await drill.open()
    const found = await drill.contents(after)
    await after.close()
    for (const table of ['grade', 'student', 'subject', 'assessment', 'report_book'])
      expect([table, found[table]]).toEqual([table, wanted[table]])
    expect(leftIn()).toEqual([])
  })

  test('opens with the passphrase alone', async () => {
    const { path } = await takeEncryptedBackup(drill.place, { folder, lock: { passphrase, workFactor: LIGHT } })
    expect(await opened(path, { passphrase })).toContain('manifest.json')
    await expect(opened(path, { passphrase: `${passphrase}.` })).rejects.toThrow(/This passphrase does not open it/)
    await expect(opened(path, { identities: [key.identity] })).rejects.toThrow(/encrypted with a passphrase, not for a key/)
    await expect(opened(file, { passphrase })).rejects.toThrow(/encrypted for a key \(--key\), not with a passphrase/)
  })

  test('a key that was typed from paper: in small letters, in groups, over two lines', async () => {
    const typed = `# from the paper\n${key.identity.toLowerCase().slice(0, 40).replace(/.{10}/g, '$& ')}\n${key.identity.slice(40)}\n`
    expect(identitiesIn(typed)).toEqual([key.identity])
    expect(await opened(file, { identities: identitiesIn(`${typed}${(await newKey()).identity}`) })).toContain('manifest.json')
    for (const wrong of [key.identity.slice(0, -1), key.identity.replace(/.$/, (last) => (last === 'Q' ? 'P' : 'Q'))])
      await expect(opened(file, { identities: identitiesIn(wrong) })).rejects.toThrow(/compare it with the paper/)
  })

  test('another’s key does not open it, nor what is no key', async () => {
    await expect(opened(file, { identities: [(await newKey()).identity] })).rejects.toThrow(/These keys do not open it/)
    await expect(opened(file, { identities: ['AGE-SECRET-KEY-1NONSENSE'] })).rejects.toThrow(/compare it with the paper/)
    await expect(opened(file, { identities: identitiesIn(key.recipient) })).rejects.toThrow(/no key that opens/)
    expect([isRecipient(key.recipient), isRecipient(key.identity), isRecipient('age1nonsense')]).toEqual([true, false, false])
  })

  test.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100_000)],
    ['cut at the end of a chunk', (bytes: Buffer) => bytes.subarray(0, bytes.length - ((bytes.length - 216) % 65_552))],
    ['with one bit changed in the middle', (bytes: Buffer) => flipped(bytes, bytes.length >> 1)],
    ['with one bit changed at the end', (bytes: Buffer) => flipped(bytes, bytes.length - 1)],
    ['with one bit changed in its head', (bytes: Buffer) => flipped(bytes, 60)],
  ])('%s it is refused, and nothing of it stays', async (_what, change) => {
    await expect(opened(changed(change), { identities: [key.identity] })).rejects.toThrow(/damaged|do not open it/)
    expect(leftIn()).toEqual([])
  })

  test.each(['../outside', '/etc/outside', 'a/../../outside', 'only', 'a//b', 'a\\..\\b/c', 'C:/x'])(
    'an archive that names %s is no backup',
    async (name) => {
      const archive = pack()
      archive.entry({ name }, 'x')
      archive.finalize()
      const encrypter = new Encrypter()
      encrypter.addRecipient(key.recipient)
      const path = join(folder, 'evil.age')
      const chunks: Buffer[] = []
      for await (const part of archive) chunks.push(part as Buffer)
      writeFileSync(path, await encrypter.encrypt(Buffer.concat(chunks)))
      await expect(opened(path, { identities: [key.identity] })).rejects.toThrow(/no backup of Markbook/)
      expect(existsSync(join(drill.place.dataDir, 'outside'))).toBe(false)
      expect(leftIn()).toEqual([])
    },
  )

  test('is a tar archive of one folder inside, which other programs read', async () => {
    const decrypter = new Decrypter()
    decrypter.addIdentity(key.identity)
    const tar = Buffer.from(await decrypter.decrypt(readFileSync(file)))
    expect(tar.subarray(257, 262).toString()).toBe('ustar')
    expect(tar.subarray(0, 100).toString()).toMatch(/^\d{4}-.*-manual\/(?:files\/|manifest\.json|markbook)/)
  })

  test('where a folder cannot be written to nothing plain stays, nor what a power cut left before', async () => {
    mkdirSync(join(drill.place.dataDir, '.unfinished-decrypted'), { recursive: true })
    writeFileSync(join(folder, 'a-file'), randomBytes(8))
    const lock = { recipients: [key.recipient] }
    await expect(takeEncryptedBackup(drill.place, { folder: join(folder, 'a-file'), lock })).rejects.toThrow()
    expect(leftIn()).toEqual([])
  })
})

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
