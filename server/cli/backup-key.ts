import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { codeOf } from '../error-code.ts'
import { identitiesIn, isRecipient, type Lock, newKey, type Opener, opensWith } from '../store/backup/encrypted.ts'
import { BackupError } from '../store/backup/manifest.ts'

/** In characters. Somebody who has the backup can try passphrases for years. */
const SHORTEST = 12
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'))

export type LockOptions = { encryptFor?: string; passphrase?: boolean; passphraseFile?: string }

/**
 * The recipients or the passphrase to encrypt a backup with, from the options typed; null for none. Asks for the passphrase after
 * `--passphrase`. Throws BackupError for a wrong key, a short passphrase, or several of the options.
 */
export async function lockOf({ encryptFor, passphrase, passphraseFile }: LockOptions): Promise<Lock | null> {
  const ways = [encryptFor, passphrase, passphraseFile].filter(Boolean).length
  if (ways > 1) throw new BackupError('Say one of --encrypt-for, --passphrase and --passphrase-file. No backup was made.')
  if (encryptFor !== undefined) {
    const recipients = encryptFor.startsWith('age1') ? [encryptFor] : linesOf(textOf(encryptFor))
    const wrong = recipients.find((key) => !isRecipient(key))
    if (recipients.length === 0 || wrong !== undefined)
      throw new BackupError(
        `${wrong === undefined ? encryptFor : 'What was given'} is no public key: one begins with age1. No backup was made.`,
      )
    return { recipients }
  }
  if (passphraseFile !== undefined) return { passphrase: longEnough(firstLineOf(passphraseFile)) }
  if (!passphrase) return null
  const typed = longEnough(await hidden('Passphrase: '))
  if ((await hidden('Once more: ')) !== typed) throw new BackupError('The two are not the same. No backup was made.')
  return { passphrase: typed }
}

/** The keys or the passphrase that decrypt a backup, from the options typed; asks for the passphrase where the backup has one. */
export async function openerOf(file: string, { key, passphraseFile }: { key?: string; passphraseFile?: string }): Promise<Opener> {
  const needed = opensWith(file)
  if (needed === null) throw new BackupError(`The backup ${file} is damaged or cut short. Nothing was changed.`)
  if (key !== undefined) return { identities: identitiesIn(textOf(key)) }
  if (passphraseFile !== undefined) return { passphrase: firstLineOf(passphraseFile) }
  if (needed === 'key')
    throw new BackupError(
      `The backup ${file} was encrypted for a key: name the file with the private key, --key school.key. Nothing was changed.`,
    )
  return { passphrase: await hidden('This backup is encrypted. Passphrase: ') }
}

/** Makes a key pair, and writes the private key into a new file. Returns the public key. Throws BackupError where the file exists. */
export async function makeKey(path: string): Promise<string> {
  const { identity, recipient } = await newKey()
  const text = `# Opens the backups of Markbook that are encrypted for\n# ${recipient}\n${identity}\n`
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const code = codeOf(error)
    throw new BackupError(code === 'EEXIST' ? `${path} is there already, and was left as it is.` : `${path} cannot be written (${code}).`)
  }
  return recipient
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    throw new BackupError(`${path} ${code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`}. Nothing was changed.`)
  }
}

const firstLineOf = (path: string) => textOf(path).split('\n')[0]?.replace(/\r$/, '') ?? ''

function longEnough(passphrase: string): string {
  if (passphrase.length >= SHORTEST) return passphrase
  throw new BackupError(`A passphrase has at least ${SHORTEST} characters; four words that have nothing to do with each other are good.`)
}

/** Asks a question at the terminal, and does not show the answer. */
async function hidden(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new BackupError('There is nobody to ask for the passphrase: give it with --passphrase-file.')
  process.stdout.write(question)
  const nowhere = new Writable({ write: (_part, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  // A terminal in raw mode gives Ctrl+C to the program, which must then end itself.
  terminal.on('SIGINT', () => {
    process.stdout.write('\n')
    process.exit(130)
  })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stdout.write('\n')
  }
}
