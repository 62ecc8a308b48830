import { createHash } from 'node:crypto'
import { closeSync, createReadStream, createWriteStream, existsSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { extract, pack } from 'tar-stream'
import { syncPath } from '../../atomic-write.ts'
import { isDiskFull } from '../../disk-state.ts'
import { makeFolder } from '../../make-folder.ts'
import type { Progress } from './engine.ts'
import { needRoom, startFolder, sweepUnfinished, troubleOf } from './folder.ts'
import { type Backup, BackupError, digestOf } from './manifest.ts'
import { type BackupLocation, takeBackup } from './take.ts'

/** For whom a backup is encrypted: public keys of age (`age1…`), or whoever knows the passphrase. */
export type Lock = { recipients: readonly string[] } | { passphrase: string; workFactor?: number }
/** What opens it: private keys of age (`AGE-SECRET-KEY-1…`), or the passphrase. */
export type Opener = { identities: readonly string[] } | { passphrase: string }

/** How the file of an encrypted backup ends. */
const ENCRYPTED = '.age'
const HEADER = 'age-encryption.org/v1\n'
/** A backup has a manifest, a database and stored files: more entries are no backup. */
const MOST_ENTRIES = 5_000_000

export const newKey = async (): Promise<{ identity: string; recipient: string }> => {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** Whether a key is one that somebody could be encrypted for. */
export function isRecipient(key: string): boolean {
  try {
    new Encrypter().addRecipient(key)
    return true
  } catch {
    return false
  }
}

/** True for a file that was encrypted with age, whoever did it, and for one that is called so: its beginning may be lost. */
export const isEncrypted = (path: string): boolean =>
  existsSync(path) && statSync(path).isFile() && (path.endsWith(ENCRYPTED) || headOf(path).startsWith(HEADER))

/** What opens an encrypted file, by its first lines; null where they are no head of age. */
export function opensWith(path: string): 'passphrase' | 'key' | null {
  const head = headOf(path)
  if (!head.startsWith(`${HEADER}-> `)) return null
  return head.startsWith(`${HEADER}-> scrypt `) ? 'passphrase' : 'key'
}

function headOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(64)
    return head.subarray(0, readSync(file, head, 0, head.length, 0)).toString('latin1')
  } finally {
    closeSync(file)
  }
}

/** The private keys in a text: also in small letters, with spaces, and over several lines, as one is typed from paper. */
export const identitiesIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.trim().startsWith('#'))
    .join('')
    .replace(/\s/g, '')
    .toUpperCase()
    .split(/(?=AGE-SECRET-KEY-)/)
    .filter(Boolean)

/**
 * Makes a backup and encrypts it into one file of `folder`: a tar archive in the format of age, which the programs `age` and `tar` open
 * too. Its plain form lies in the data folder meanwhile, beside the database, and never in `folder`. What was written is read once more.
 * Throws `BackupError` with one line.
 */
export async function takeEncryptedBackup(
  place: BackupLocation,
  { folder, lock, progress = () => {} }: { folder: string; lock: Lock; progress?: Progress },
): Promise<{ path: string; backup: Backup }> {
  return withScratch(place.dataDir, 'to-encrypt', async (scratch) => {
    const { backup } = await takeBackup(place, { reason: 'manual', to: scratch, readable: true, progress })
    makeFolder(folder, 0o700)
    const files = filesIn(backup.path)
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    await needRoom(folder, bytes)
    const path = freeName(folder, backup.name)
    const part = `${path}.unfinished`
    try {
      await encryptInto(part, { name: backup.name, root: backup.path, files, bytes }, { lock, progress })
      await rename(part, path)
      await syncPath(folder)
    } catch (error) {
      rmSync(part, { force: true })
      throw inWords(error, folder)
    }
    return { path, backup }
  })
}

/** A folder for what lies there in plain form only for a moment: removed at the end, also by Ctrl+C, and after a power cut by the next one. */
async function withScratch<T>(dataDir: string, name: string, use: (scratch: string) => Promise<T>): Promise<T> {
  sweepUnfinished(dataDir)
  let scratch: string | undefined
  const remove = () => scratch !== undefined && rmSync(scratch, { recursive: true, force: true })
  const stop = () => process.exit(130)
  // Before the folder is there and until it is gone: a signal that comes between must not leave it.
  process.once('exit', remove).once('SIGINT', stop).once('SIGTERM', stop)
  try {
    scratch = startFolder(dataDir, name)
    return await use(scratch)
  } finally {
    remove()
    process.off('exit', remove).off('SIGINT', stop).off('SIGTERM', stop)
  }
}

type Entry = { path: string; size: number }
type Packed = { name: string; root: string; files: readonly Entry[]; bytes: number }

const filesIn = (root: string): Entry[] =>
  (readdirSync(root, { recursive: true, encoding: 'utf8' }) as string[])
    .map((path) => ({ path, stats: statSync(join(root, path)) }))
    .filter(({ stats }) => stats.isFile())
    .map(({ path, stats }) => ({ path: path.replaceAll('\\', '/'), size: stats.size }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))

function freeName(folder: string, name: string): string {
  for (let count = 1; ; count += 1) {
    const path = join(folder, `${name}${count > 1 ? `-${count}` : ''}${ENCRYPTED}`)
    if (!existsSync(path)) return path
  }
}

async function encryptInto(path: string, packed: Packed, { lock, progress }: { lock: Lock; progress: Progress }): Promise<void> {
  const encrypter = new Encrypter()
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase)
    if (lock.workFactor !== undefined) encrypter.setScryptWorkFactor(lock.workFactor)
  } else for (const recipient of lock.recipients) encrypter.addRecipient(recipient)
  const hash = createHash('sha256')
  let size = 0
  const counting = new Transform({
    transform(part: Buffer, _encoding, done) {
      hash.update(part)
      size += part.length
      progress('Encrypting', Math.min(1, size / Math.max(1, packed.bytes)))
      done(null, part)
    },
  })
  const encrypted = await encrypter.encrypt(Readable.toWeb(Readable.from(tarOf(packed))) as globalThis.ReadableStream<Uint8Array>)
  await pipeline(Readable.fromWeb(encrypted as ReadableStream), counting, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
  await syncPath(path)
  progress('Verifying')
  const written = await digestOf(path)
  if (written.size !== size || written.digest !== hash.digest('hex'))
    throw new BackupError('No backup was made: what the disk holds is not what was written.')
}

/** A tar archive of a backup, made as it is read. */
async function* tarOf({ name, root, files }: Packed): AsyncGenerator<Uint8Array> {
  const archive = pack()
  const fill = async () => {
    for (const { path, size } of files) {
      const entry = archive.entry({ name: `${name}/${path}`, size, mode: 0o600 })
      await pipeline(createReadStream(join(root, path), { highWaterMark: 1_048_576 }), entry)
    }
    archive.finalize()
  }
  const filling = fill().catch((error) => archive.destroy(error))
  for await (const part of archive) yield part as Uint8Array
  await filling
}

/**
 * Decrypts a backup into the data folder, gives `use` the folder in which it lies, and removes it again. Throws `BackupError` with one line
 * where nothing opens it, where it is damaged or cut short, and where it is no backup; the rest of the disk is not touched.
 */
export async function withDecrypted<T>(
  { dataDir }: Pick<BackupLocation, 'dataDir'>,
  { file, opener, progress = () => {} }: { file: string; opener: Opener; progress?: Progress },
  use: (folder: string) => Promise<T>,
): Promise<T> {
  makeFolder(dataDir)
  const { size } = statSync(file)
  await needRoom(dataDir, size)
  return withScratch(dataDir, 'decrypted', async (scratch) => use(await decryptInto(scratch, { file, size, opener, progress })))
}

type Encrypted = { file: string; size: number; opener: Opener; progress: Progress }

async function decryptInto(scratch: string, { file, size, opener, progress }: Encrypted): Promise<string> {
  const decrypter = new Decrypter()
  try {
    if ('passphrase' in opener) decrypter.addPassphrase(opener.passphrase)
    else for (const identity of opener.identities) decrypter.addIdentity(identity)
  } catch {
    const isTyped = 'identities' in opener && opener.identities.some((identity) => identity.startsWith('AGE-SECRET-KEY-1'))
    throw new BackupError(
      isTyped
        ? 'The key has a wrong character, or one too few or too many: compare it with the paper. It has 74 in all, and after AGE-SECRET-KEY-1 neither 1, B, I nor O. Nothing was changed.'
        : 'That is no key that opens a backup: one begins with AGE-SECRET-KEY-1. Nothing was changed.',
    )
  }
  let read = 0
  const source = createReadStream(file, { highWaterMark: 1_048_576 })
  const counting = new Transform({
    transform(part: Buffer, _encoding, done) {
      read += part.length
      progress('Decrypting', read / size)
      done(null, part)
    },
  })
  source.on('error', (error) => counting.destroy(error)).pipe(counting)
  const plain = await decrypter.decrypt(Readable.toWeb(counting) as globalThis.ReadableStream<Uint8Array>).catch((error: Error) => {
    source.destroy()
    const isKey = /no identity matched|passphrase/i.test(error.message)
    const why = isKey ? whyNot(opener, opensWith(file)) : 'it is damaged'
    throw new BackupError(`The backup ${file} cannot be decrypted: ${why}. Nothing was changed.`)
  })
  const tops = new Set<string>()
  let entries = 0
  const archive = extract()
  const unpacking = pipeline(Readable.fromWeb(plain as ReadableStream), archive)
  // Awaited below; until then its failure is that of the loop.
  unpacking.catch(() => {})
  try {
    for await (const entry of archive) {
      entries += 1
      const { name, type } = entry.header
      const parts = name.split('/')
      const isBelow = parts.length > 1 && parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\:\0]/.test(part))
      if (type !== 'file' || !isBelow || entries > MOST_ENTRIES) throw new BackupError(`The backup ${file} is no backup of Markbook.`)
      tops.add(parts[0] ?? '')
      const path = join(scratch, ...parts)
      makeFolder(dirname(path), 0o700)
      await pipeline(entry, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
    }
    await unpacking
  } catch (error) {
    archive.destroy()
    if (error instanceof BackupError) throw error
    if (isDiskFull(error)) throw new BackupError(`The disk of ${scratch} is full. Nothing was changed.`)
    throw new BackupError(`The backup ${file} is damaged or cut short. Nothing was changed.`)
  }
  const [top, ...more] = tops
  if (!top || more.length > 0) throw new BackupError(`The backup ${file} is no backup of Markbook.`)
  return join(scratch, basename(top))
}

function whyNot(opener: Opener, needed: ReturnType<typeof opensWith>): string {
  if ('passphrase' in opener)
    return needed === 'key' ? 'it was encrypted for a key (--key), not with a passphrase' : 'This passphrase does not open it'
  return needed === 'passphrase' ? 'it was encrypted with a passphrase, not for a key' : 'These keys do not open it'
}

function inWords(error: unknown, folder: string): unknown {
  const trouble = troubleOf(error)
  return trouble ? new BackupError(`No backup was made: ${folder} ${trouble}.`) : error
}
