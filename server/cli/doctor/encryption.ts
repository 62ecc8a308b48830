import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../../config.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import { orNull } from '../../or-null.ts'
import { kindOf } from '../../store/convert.ts'
import { keyNameOf } from '../../store/sqlite.file.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { type Finding, fine, notice } from './finding.ts'

/** Whether the database of a laptop is encrypted; `silent`: why no keyring answers, null where one does. */
export type EncryptionFound = { isEncrypted: boolean; silent: string | null }

/** Nothing for a school and a centre, whose servers run where nobody is signed in: their disk is to be encrypted. */
export function checkEncryption(found: EncryptionFound | null): Finding[] {
  if (!found) return []
  if (found.isEncrypted)
    return fine(
      'encryption',
      'The database of this laptop is encrypted; its key is in the keyring of this account. Uploaded files are not encrypted.',
    )
  const { silent } = found
  return notice('encryption', {
    what: `The database of this laptop is not encrypted${silent === null ? '' : `: no keyring answers (${silent})`}.`,
    means: 'Whoever takes the laptop or its disk, or copies the folder, can read the marks and names on it.',
    do:
      silent === null
        ? 'Start Markbook again: it encrypts the database then. Have the operating system encrypt the disk too (BitLocker, FileVault, LUKS).'
        : 'Have the operating system encrypt the disk (BitLocker, FileVault, LUKS); or start Markbook at a desktop whose keyring is unlocked.',
  })
}

type Looked = Pick<Config, 'role' | 'dataDir' | 'windowSecret'>

/** Null for what is no laptop, and where the database cannot be opened, which is said elsewhere. The keyring is asked only for a plain one. */
export async function lookAtEncryption({ role, dataDir, windowSecret }: Looked, keyring: Keyring): Promise<EncryptionFound | null> {
  if (role !== 'school' || !existsSync(join(dataDir, DATABASE_FILE))) return null
  const kind = orNull(() => kindOf(dataDir))
  const isEncrypted = keyNameOf(join(dataDir, DATABASE_FILE)) !== null
  if (kind === null || (kind !== 'laptop' && !isEncrypted && windowSecret === null)) return null
  if (isEncrypted) return { isEncrypted, silent: null }
  const kept = await keyring.read(ANY_NAME, limits.keyring.patience)
  return { isEncrypted, silent: kept.state === 'silent' ? kept.why : null }
}
const ANY_NAME = '0000000000000000'
