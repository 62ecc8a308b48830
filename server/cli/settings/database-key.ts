import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import { type Config, ConfigError } from '../../config.ts'
import type { Kept, Keyring } from '../../keyring/keyring.ts'
import { BackupError } from '../../store/backup/manifest.ts'
import { beginEncrypted, type Converting, convert, kindOf } from '../../store/convert.ts'
import { type DatabaseKey, heldKey, holdKey, keyNameOf, mayNeedKey } from '../../store/sqlite.file.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'

type Settings = Pick<Config, 'role' | 'dataDir' | 'windowSecret'>

/** Asks for the key of a name, and keeps it for this process. Null where there is nothing to ask for, or it came. */
export async function takeKey(name: string | null, keyring: Keyring): Promise<Exclude<Kept, { state: 'found' }> | null> {
  if (name === null || heldKey(name)) return null
  const kept = await keyring.read(name, limits.keyring.patienceLocked)
  if (kept.state !== 'found') return kept
  const secret = Buffer.from(kept.secret, 'base64')
  if (secret.length !== KEY_BYTES) return { state: 'absent' }
  holdKey({ name, secret })
  return null
}
const KEY_BYTES = 32

/** The same for the database of a folder. A plain one, as at every school, asks nobody. */
export const unlock = async (dataDir: string, keyring: Keyring) => takeKey(keyNameOf(join(dataDir, DATABASE_FILE)), keyring)

/**
 * Refuses to start where the database is encrypted and its key does not come: an empty one in its place would be taken for the real one.
 * `anew`: somebody wants an empty one in the place of what cannot be read, which they get where the key is gone, and not while it may come.
 */
export async function demandUnlocked({ role, dataDir }: Settings, keyring: Keyring, { anew = false } = {}): Promise<void> {
  const refused = role === 'school' ? await unlock(dataDir, keyring) : null
  if (refused?.state === 'silent') throw new ConfigError(silentPage(dataDir, refused.why))
  if (refused && !anew) throw new ConfigError(lostPage(dataDir))
}

const lostPage = (dataDir: string) =>
  [
    `The database ${join(dataDir, DATABASE_FILE)} is encrypted, and the keyring of this account does not have its key any more.`,
    'Markbook has not started, so that nobody works in an empty school while the real marks are here.',
    '',
    'That happens where the keyring was reset or the system was installed anew, and to a copy of the folder at another computer or account.',
    'Does this folder belong to another account of this computer, or is the keyring locked? Then nothing is lost: start Markbook as that',
    'account, or unlock the keyring first.',
    '',
    'Without the key nobody can read this database. What this laptop had sent is at its school; what it had not sent is lost with it.',
    'What to type:',
    '  markbook start --new              begins anew, and the encrypted database is kept under another name; then join the school again',
    '                                    with a new invitation, and revoke this laptop there, or have it wiped',
    '  markbook restore <file>.age       puts back an encrypted backup that somebody carried away, if there is one',
    'In the teachers’ program, instead of the first: close it, give that folder another name, and open it again.',
    'The backups in the folder of this laptop need the same key.',
    '',
    'In short: the key of the database is gone from the keyring; markbook start --new, then join the school again.',
  ].join('\n')

const silentPage = (dataDir: string, why: string) =>
  [
    `The database ${join(dataDir, DATABASE_FILE)} is encrypted, and the keyring that has its key does not answer (${why}).`,
    'Nothing is lost. Markbook has not started, because it cannot read the marks without the key.',
    '',
    'What to do: sign in at the desktop of the account whose folder it is, unlock its keyring (Passwords, Keychain, KWallet) where it asks',
    'for a password, and start Markbook again there. Under sudo and over ssh most keyrings do not answer.',
    '',
    'In short: unlock the keyring of this account, then start Markbook again.',
  ].join('\n')

/** `isLaptop`: whoever starts this is about to join a school as a laptop. */
type Settling = { keyring: Keyring; isLaptop?: boolean; tell?: (line: string) => void } & Pick<Converting, 'done' | 'room'>

/**
 * Encrypts the database of a laptop, and begins that of the teachers' program encrypted, where a keyring keeps the key. Whoever began alone
 * there has the only copy of those marks, which must not depend on a keyring: that one is made plain. What cannot be done now is tried at the
 * next start, and the marks stay as they were. Never asks the keyring at a school.
 */
export async function settleEncryption(
  config: Settings,
  { keyring, isLaptop = false, tell = console.error, ...options }: Settling,
): Promise<void> {
  const { role, dataDir, windowSecret } = config
  if (role !== 'school') return
  const kind = kindOf(dataDir)
  const isEncrypted = keyNameOf(join(dataDir, DATABASE_FILE)) !== null
  const isNew = kind === 'none' || kind === 'new'
  const isWanted = kind === 'laptop' || (isNew && (windowSecret !== null || isLaptop || isEncrypted))
  if (isWanted === isEncrypted) return
  if (!isWanted) return convertOrTell(dataDir, null, { tell, ...options }).then(() => {})
  const key = { name: randomBytes(8).toString('hex'), secret: randomBytes(KEY_BYTES) }
  if (!(await isKept(key, keyring))) return tell(`${STAYS} No keyring of this account takes its key. markbook doctor says what to do.`)
  const isDone = await (kind === 'none' ? begin(dataDir, key, { tell, ...options }) : convertOrTell(dataDir, key, { tell, ...options }))
  if (!isDone) await keyring.remove(key.name)
}

const STAYS = 'Warning: The database of this laptop stays without encryption.'

/** A key that does not come back is none. */
async function isKept({ name, secret }: DatabaseKey, keyring: Keyring): Promise<boolean> {
  const written = secret.toString('base64')
  if (!(await keyring.write(name, written))) return false
  const kept = await keyring.read(name, limits.keyring.patience)
  return kept.state === 'found' && kept.secret === written
}

async function begin(
  dataDir: string,
  key: DatabaseKey,
  { tell, ...options }: { tell: (line: string) => void } & Converting,
): Promise<boolean> {
  try {
    await beginEncrypted(dataDir, key, options)
    return true
  } catch (error) {
    // The file has its name already: without this key nobody opens it again.
    if (mayNeedKey(join(dataDir, DATABASE_FILE), key.name)) return true
    tell(`${STAYS} ${(error as Error).message}`)
    return false
  }
}

async function convertOrTell(
  dataDir: string,
  key: DatabaseKey | null,
  { tell, ...options }: { tell: (line: string) => void } & Converting,
): Promise<boolean> {
  tell(key ? 'Encrypting the database of this laptop …' : 'Taking the encryption from the database, of which there is no other copy …')
  try {
    await convert(dataDir, key, options)
    tell(key ? 'Encrypted: the key is in the keyring of this account.' : 'Done: the database is plain.')
    return true
  } catch (error) {
    if (key ? mayNeedKey(join(dataDir, DATABASE_FILE), key.name) : keyNameOf(join(dataDir, DATABASE_FILE)) === null) return true
    const why = error instanceof BackupError ? error.message.replace('a backup needs', 'the copy needs') : (error as Error).message
    tell(key ? `${STAYS} ${why}` : `Warning: The database stays encrypted. ${why}`)
    return false
  }
}
