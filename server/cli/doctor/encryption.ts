import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../../config.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import { orNull } from '../../or-null.ts'
import { isFolderOfDatabase, isSetAside } from '../../store/backup/manifest.ts'
import { kindOf } from '../../store/convert.ts'
import { keyNameOf } from '../../store/sqlite.file.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { type Finding, fine, notice } from './finding.ts'

/**
 * The encryption of a laptop's database. `silent`: why no keyring answers, null where one does; `plain`: the paths of plain copies beside
 * an encrypted database.
 */
export type EncryptionFound = { isEncrypted: boolean; silent: string | null; plain: string[] }

/**
 * No findings for a school or a centre: their servers start without anybody signed in, so no keyring could give a key. There the disk is
 * encrypted.
 */
export function checkEncryption(found: EncryptionFound | null): Finding[] {
  if (!found) return []
  const { silent, isEncrypted, plain } = found
  if (isEncrypted && plain.length > 0)
    return notice('encryption', {
      what: `The database of this laptop is encrypted, and copies from before are not: ${plain.join(', ')}.`,
      means: 'Whoever takes the laptop can read the marks and names in them.',
      do: 'Remove them when nobody needs them any more.',
    })
  if (isEncrypted)
    return fine(
      'encryption',
      'The database of this laptop is encrypted; its key is in the keyring of this account. Uploaded files are not encrypted.',
    )
  return notice('encryption', {
    what: `The database of this laptop is not encrypted${silent === null ? '' : `: no keyring answers (${silent})`}.`,
    means: 'Whoever takes the laptop or its disk, or copies the folder, can read the marks and names on it.',
    do:
      silent === null
        ? 'Start Markbook again: it encrypts the database then. Have the operating system encrypt the disk too (BitLocker, FileVault, LUKS).'
        : 'Have the operating system encrypt the disk (BitLocker, FileVault, LUKS); or start Markbook at a desktop whose keyring is unlocked.',
  })
}

type Looked = Pick<Config, 'role' | 'dataDir' | 'backupDir' | 'windowSecret'>

/**
 * Null for the plain database of a school or a centre, and where the database cannot be opened (`checkDatabase` reports that). Asks the
 * keyring only where a database that should be encrypted is plain.
 */
export async function lookAtEncryption(
  { role, dataDir, backupDir, windowSecret }: Looked,
  keyring: Keyring,
): Promise<EncryptionFound | null> {
  if (role !== 'school' || !existsSync(join(dataDir, DATABASE_FILE))) return null
  const kind = orNull(() => kindOf(dataDir))
  const isEncrypted = keyNameOf(join(dataDir, DATABASE_FILE)) !== null
  if (kind === null || (kind !== 'laptop' && !isEncrypted && windowSecret === null)) return null
  if (isEncrypted) return { isEncrypted, silent: null, plain: plainCopies(dataDir, backupDir) }
  const kept = await keyring.read(ANY_NAME, limits.keyring.timeoutMs)
  return { isEncrypted, silent: kept.state === 'silent' ? kept.why : null, plain: [] }
}

/**
 * Databases that a start or a restore set aside; no backup replaces them. Plain backups are not listed: they are removed after the first
 * encrypted one.
 */
function plainCopies(dataDir: string, backupDir: string): string[] {
  const folders = [backupDir, ...filesIn(backupDir, isFolderOfDatabase)]
  const aside = folders.flatMap((folder) => filesIn(folder, isSetAside)).map((folder) => join(folder, DATABASE_FILE))
  const files = [...filesIn(dataDir, (name) => /^damaged-[-0-9T]+\.sqlite$/.test(name)), ...aside]
  return files.filter((file) => existsSync(file) && keyNameOf(file) === null)
}
const filesIn = (folder: string, isWanted: (name: string) => boolean): string[] =>
  (orNull(() => readdirSync(folder)) ?? []).filter(isWanted).map((name) => join(folder, name))
const ANY_NAME = '0000000000000000'
