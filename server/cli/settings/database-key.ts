import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import { type Config, ConfigError } from '../../config.ts'
import type { Kept, Keyring } from '../../keyring/keyring.ts'
import { BackupError } from '../../store/backup/manifest.ts'
import { beginEncrypted, type ConvertOptions, convert, kindOf } from '../../store/convert.ts'
import { type DatabaseKey, heldKey, holdKey, keyNameOf, mayNeedKey } from '../../store/sqlite.file.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'

type Settings = Pick<Config, 'role' | 'dataDir' | 'windowSecret'>

/**
 * Reads the key with a name from the keyring and keeps it in this process. Null where this succeeded or `name` is null, else why it failed.
 */
export async function takeKey(name: string | null, keyring: Keyring): Promise<Exclude<Kept, { state: 'found' }> | null> {
  if (name === null || heldKey(name)) return null
  const kept = await keyring.read(name, limits.keyring.unlockTimeoutMs)
  if (kept.state !== 'found') return kept
  const secret = Buffer.from(kept.secret, 'base64')
  if (secret.length !== KEY_BYTES) return { state: 'absent' }
  holdKey({ name, secret })
  return null
}
const KEY_BYTES = 32

/** The same for the database in a folder. The keyring is not asked for a plain one, as at every school. */
export const unlock = async (dataDir: string, keyring: Keyring) => takeKey(keyNameOf(join(dataDir, DATABASE_FILE)), keyring)

/**
 * Throws where the database is encrypted and its key is not available: an empty one in its place could be taken for the real one. `anew`:
 * the person asked for an empty database. They get it where the key is gone, but not while the keyring does not answer.
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

/** `isLaptop`: the program that starts is about to join a school as a laptop. */
type Settling = { keyring: Keyring; isLaptop?: boolean; tell?: (line: string) => void } & Pick<ConvertOptions, 'done' | 'room'>

/**
 * Encrypts the database of a laptop, and a new one of the teachers' program or of a laptop that joins, where a keyring takes the key. Makes
 * the database of a teacher who works alone plain again: it is the only copy of these marks, which must not depend on a keyring. What fails
 * now is tried at the next start, and the marks stay as they were. Never asks the keyring at a school.
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

/** Stores the key, and reads it back to be sure. */
async function isKept({ name, secret }: DatabaseKey, keyring: Keyring): Promise<boolean> {
  const written = secret.toString('base64')
  if (!(await keyring.write(name, written))) return false
  const kept = await keyring.read(name, limits.keyring.timeoutMs)
  return kept.state === 'found' && kept.secret === written
}

async function begin(
  dataDir: string,
  key: DatabaseKey,
  { tell, ...options }: { tell: (line: string) => void } & ConvertOptions,
): Promise<boolean> {
  try {
    await beginEncrypted(dataDir, key, options)
    return true
  } catch (error) {
    // The file may be in place already: without this key nobody could open it.
    if (mayNeedKey(join(dataDir, DATABASE_FILE), key.name)) return true
    tell(`${STAYS} ${(error as Error).message}`)
    return false
  }
}

async function convertOrTell(
  dataDir: string,
  key: DatabaseKey | null,
  { tell, ...options }: { tell: (line: string) => void } & ConvertOptions,
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
