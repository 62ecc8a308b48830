import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { orNull } from '../or-null.ts'

/**
 * The key of an encrypted database. `name`: 16 hexadecimal digits, under which a keyring stores it; also written in the file. `secret`: 32
 * bytes.
 */
export type DatabaseKey = { name: string; secret: Buffer }

/** The database is encrypted, and this process does not have its key. */
export class LockedError extends Error {
  constructor(
    readonly path: string,
    readonly keyName: string,
  ) {
    super(`${path} is encrypted, and its key (${keyName}) did not come from the keyring of this account. Nothing was changed.`)
  }
}

/**
 * The WAL was deleted or moved while its index is still there. SQLite would open the database without what was only in the WAL, say
 * nothing, and make the WAL useless. The code makes it damage, like what SQLite itself finds.
 */
export class LogGoneError extends Error {
  readonly code = 'SQLITE_CORRUPT_LOG'
  constructor(readonly path: string) {
    super(`${path}-wal, with the newest marks, was deleted or moved; markbook start says what to do`)
  }
}

/**
 * SQLite creates the WAL before its index and deletes it after it, so an index alone shows that somebody else took the WAL. Asked twice,
 * because another process may close the database between two questions.
 */
export const isLogGone = (path: string): boolean =>
  [1, 2].every(() => existsSync(`${path}-shm`) && !existsSync(`${path}-wal`) && existsSync(path))

/**
 * An encrypted file begins with these eight bytes, then eight with the name of its key. The cipher's format has a 16-byte salt there,
 * which a key of 32 random bytes does not need.
 */
const MARK = 'markbook'
const HEAD = 16

/** The name of the key for a file with this beginning; null for a file that is not encrypted. */
export const keyNameIn = (head: Buffer): string | null =>
  head.length >= HEAD && head.toString('latin1', 0, MARK.length) === MARK ? head.toString('hex', MARK.length, HEAD) : null

/** The keys given to this process, by name. */
const held = new Map<string, Buffer>()
export const holdKey = ({ name, secret }: DatabaseKey): void => void held.set(name, secret)
export const heldKey = (name: string): Buffer | null => held.get(name) ?? null
export const letGoOfKey = (name: string): void => void held.delete(name)

/**
 * The key name of each file that was read, by inode. The beginning of a file is read before this process opens it as a database: on POSIX,
 * closing any handle of a file drops SQLite's locks on it.
 */
const known = new Map<string, string | null>()
const numberOf = (path: string): string | null => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.dev} ${stats.ino} ${stats.birthtimeNs}` : null
}

/** The name of the key that a database file needs; null where it is plain, empty or absent. */
export function keyNameOf(path: string): string | null {
  const number = numberOf(path)
  if (number === null) return null
  const found = known.get(number)
  if (found !== undefined) return found
  // An unreadable file is left to SQLite, which reports the error.
  const head = orNull(() => headOf(path))
  if (head === null) return null
  const name = keyNameIn(head)
  if (head.length === HEAD) known.set(number, name)
  return name
}

/** Whether the file is encrypted and this process does not have its key. */
export function isLockedFile(path: string): boolean {
  const name = keyNameOf(path)
  return name !== null && !held.has(name)
}

/** Whether a file that this process has not opened is encrypted with this key; also true where it exists and cannot be read. */
export const mayNeedKey = (path: string, name: string): boolean =>
  existsSync(path) && (orNull(() => keyNameIn(headOf(path)) === name) ?? true)

/** The first bytes of a file that this process has not opened as a database. */
export function headOf(path: string): Buffer {
  const head = Buffer.alloc(HEAD)
  const file = openSync(path, 'r')
  try {
    return head.subarray(0, readSync(file, head, 0, HEAD, 0))
  } finally {
    closeSync(file)
  }
}

/**
 * Opens a database file, with its key where it is encrypted. The program makes all its connections here. Throws `LockedError` where this
 * process does not have the key, and `LogGoneError` where the WAL was taken away.
 */
export function openFile(path: string, options: Database.Options = {}): Database.Database {
  if (isLogGone(path)) throw new LogGoneError(path)
  const name = keyNameOf(path)
  if (name === null) {
    const plain = new Database(path, options)
    const number = numberOf(path)
    if (number !== null) known.set(number, null)
    return plain
  }
  const secret = held.get(name)
  if (!secret) throw new LockedError(path, name)
  const connection = new Database(path, options)
  chooseCipher(connection)
  connection.key(Buffer.concat([RAW, secret]))
  return connection
}

/** Creates an empty encrypted database where there is no file. */
export function makeEncrypted(path: string, key: DatabaseKey): void {
  const connection = new Database(path)
  try {
    chooseCipher(connection)
    connection.key(keyWithName(key))
    connection.pragma('user_version = 0')
    connection.exec('vacuum')
  } finally {
    connection.close()
  }
}

/**
 * Encrypts a database that nobody else has open, or decrypts it where `key` is null. In place and without a journal: if interrupted, the
 * file is lost.
 */
export function encryptFile(path: string, key: DatabaseKey | null): void {
  const connection = openFile(path, { fileMustExist: true })
  try {
    connection.pragma('locking_mode = EXCLUSIVE')
    connection.pragma('journal_mode = OFF')
    connection.pragma('temp_store = MEMORY')
    if (key) chooseCipher(connection)
    connection.rekey(key ? keyWithName(key) : Buffer.alloc(0))
  } finally {
    connection.close()
  }
  const number = numberOf(path)
  if (number !== null) known.delete(number)
}

/**
 * AEGIS-256: each page has a random nonce of 256 bits and a tag. With AES instructions a write costs hardly more than in a plain file;
 * with ChaCha20-Poly1305 a third more (docs/decisions/0066-laptops-encrypt-their-database.md).
 */
function chooseCipher(connection: Database.Database): void {
  connection.pragma("cipher = 'aegis'")
  connection.pragma("algorithm = 'aegis-256'")
}

/** The prefix that marks a raw key rather than a passphrase. */
const RAW = Buffer.from('raw:')

const keyWithName = ({ name, secret }: DatabaseKey): Buffer => Buffer.concat([RAW, secret, Buffer.from(MARK), Buffer.from(name, 'hex')])

const AT_ONCE = 1_048_576
/**
 * Handles of databases that were read as files. Never closed, because closing one drops SQLite's locks (see `known`); except on Windows,
 * where an open file cannot be replaced.
 */
const handles = new Map<string, number>()

/** Copies the bytes of a file that this process may have open as a database. */
export function copyBytes(from: string, to: string): void {
  const number = numberOf(from) ?? from
  const source = handles.get(number) ?? openSync(from, 'r')
  handles.set(number, source)
  const target = openSync(to, 'w', 0o600)
  try {
    const part = Buffer.allocUnsafe(AT_ONCE)
    for (let at = 0; ; ) {
      const read = readSync(source, part, 0, AT_ONCE, at)
      if (read === 0) return
      for (let written = 0; written < read; ) written += writeSync(target, part, written, read - written, at + written)
      at += read
    }
  } finally {
    closeSync(target)
    if (process.platform === 'win32') {
      closeSync(source)
      handles.delete(number)
    }
  }
}
