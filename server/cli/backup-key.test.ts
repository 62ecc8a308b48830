import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isEncrypted } from '../store/backup/encrypted.ts'
import { openerOf } from './backup-key.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-key-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const fileOf = (text: string) => {
  const path = join(folder, 'backup.age')
  writeFileSync(path, text)
  return path
}
const head = (lock: string) => `age-encryption.org/v1\n-> ${lock} TEiF0ypqr+bpvcqXNyCVJpL7OuwPdVwPL7KQEbFDOCc\n`

describe('what opens an encrypted backup', () => {
  test('a backup for a key asks for the key, and for no passphrase', async () => {
    await expect(openerOf(fileOf(head('X25519')), {})).rejects.toThrow(/was encrypted for a key: name the file with the private key, --key/)
    await expect(openerOf(fileOf(head('X25519')), { key: join(folder, 'none.key') })).rejects.toThrow(/none\.key is not there/)
  })

  test('a backup with a passphrase asks for it', async () => {
    const passphraseFile = join(folder, 'words')
    writeFileSync(passphraseFile, 'correct horse battery staple\r\n')
    expect(await openerOf(fileOf(head('scrypt')), { passphraseFile })).toEqual({ passphrase: 'correct horse battery staple' })
    await expect(openerOf(fileOf(head('scrypt')), {})).rejects.toThrow(/nobody to ask for the passphrase/)
  })

  test.each(['', 'age-encry'])('a copy that ends after «%s» is called damaged', async (text) => {
    const path = fileOf(text)
    expect(isEncrypted(path)).toBe(true)
    await expect(openerOf(path, { key: 'school.key' })).rejects.toThrow(/backup\.age is damaged or cut short/)
  })
})
