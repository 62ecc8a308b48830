import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from '../../atomic-write.ts'
import { ConfigError } from '../../config.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import { decrypt, encrypt } from '../../store/encryption.ts'
import { heldKey, keyNameOf } from '../../store/sqlite.file.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { takeKey } from './database-key.ts'

export const SECRET = 'session-secret'
/** Its content: the name of the database's key, a dot, and the secret encrypted with that key. */
export const SEALED_SECRET = 'session-secret.sealed'
const USE = 'markbook: the secret of a server beside an encrypted database'

export const hasSecret = (dataDir: string): boolean => [SECRET, SEALED_SECRET].some((file) => existsSync(join(dataDir, file)))

const keyOf = (name: string): Buffer | null => {
  const key = heldKey(name)
  return key && createHmac('sha256', key).update(USE).digest()
}
const nameIn = (sealed: string): string => sealed.split('.')[0] ?? ''

function sealedIn(dataDir: string): string | null {
  const path = join(dataDir, SEALED_SECRET)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
}

function open(sealed: string): string | null {
  const name = nameIn(sealed)
  const key = keyOf(name)
  return key && (decrypt(sealed.slice(name.length + 1), key, USE)?.toString('utf8') ?? null)
}

/**
 * The decrypted secret, where this process has the key; undefined where there is no sealed secret. Throws ConfigError where it cannot be
 * decrypted.
 */
export function sealedSecret(dataDir: string): string | undefined {
  const sealed = sealedIn(dataDir)
  if (sealed === null || existsSync(join(dataDir, SECRET))) return undefined
  const secret = open(sealed)
  if (secret !== null) return secret
  throw new ConfigError(
    `The secret of this server (${join(dataDir, SEALED_SECRET)}) needs the key of its database, which did not come from the keyring.`,
  )
}

/**
 * Seals the server's secret with the key of an encrypted database, since whoever has the secret can act as this laptop. Keeps it plain
 * beside a plain database. A secret that no key opens is replaced; then everybody must sign in again. Throws ConfigError where the keyring
 * does not answer.
 */
export async function settleSecret(dataDir: string, keyring: Keyring): Promise<void> {
  const name = keyNameOf(join(dataDir, DATABASE_FILE))
  const [plainPath, sealedPath] = [SECRET, SEALED_SECRET].map((file) => join(dataDir, file)) as [string, string]
  const sealed = sealedIn(dataDir)
  if (sealed !== null && name === nameIn(sealed) && open(sealed) !== null) return rmSync(plainPath, { force: true })
  const plain = existsSync(plainPath) ? readFileSync(plainPath, 'utf8').trim() : null
  if (plain === null && sealed !== null) {
    const refused = await takeKey(nameIn(sealed), keyring)
    if (refused?.state === 'silent') throw new ConfigError(`The keyring does not answer (${refused.why}); it has what opens ${sealedPath}.`)
  }
  const secret = plain ?? (sealed === null ? null : open(sealed))
  const key = name === null ? null : keyOf(name)
  if (name && key) {
    const kept = Buffer.from(secret ?? randomBytes(32).toString('base64url'))
    writeAtomically(sealedPath, `${name}.${encrypt(kept, key, USE)}\n`)
    rmSync(plainPath, { force: true })
  } else {
    if (secret !== null && plain === null) writeAtomically(plainPath, secret)
    rmSync(sealedPath, { force: true })
  }
}
