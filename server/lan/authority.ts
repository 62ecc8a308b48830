import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import { writeAtomically } from '../atomic-write.ts'
import { codeOf } from '../error-code.ts'
import { makeFolder } from '../make-folder.ts'
import type { Names } from '../network/addresses.ts'
import { isAboutToEnd, isFresh, isIssuedBy, isPair, makeAuthority, makeCertificate, missingFrom, type Pair } from './certificate.ts'

/** The folder of the school's own certificates, readable by the server's account alone. */
export const tlsFolder = (dataDir: string) => join(dataDir, 'tls')
/** Key and certificate are one file each, so that a power cut never leaves a key beside the certificate of another. */
const AUTHORITY = 'authority.pem'
const SERVER = 'server.pem'

const PEM = /-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----\n?/g

function readPair(path: string): Pair | 'absent' | 'damaged' {
  const text = textOf(path)
  if (text === null) return 'absent'
  const blocks = [...text.matchAll(PEM)]
  const of = (kind: RegExp) =>
    blocks
      .filter(([, name = '']) => kind.test(name))
      .map(([text]) => text)
      .join('')
  const pair = { key: of(/PRIVATE KEY/), cert: of(/CERTIFICATE/) }
  try {
    return isPair(pair) ? pair : 'damaged'
  } catch {
    return 'damaged'
  }
}

/** Null where there is no such file; a folder that this account may not look into is none of these. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

const writePair = (path: string, { key, cert }: Pair) => writeAtomically(path, key + cert)

/** The certificates of a school node, without making any. Null for one that is absent or damaged. */
export function readCertificates(dataDir: string): { authority: Pair | null; server: Pair | null } {
  const read = (file: string) => {
    const pair = readPair(join(tlsFolder(dataDir), file))
    return typeof pair === 'string' ? null : pair
  }
  return { authority: read(AUTHORITY), server: read(SERVER) }
}

/** `notes`: what was made, in sentences for the operator. */
export type Certificates = { authority: Pair; server: Pair; notes: string[] }
type Wanted = { hostname: string; names: Names; now: number; anew?: boolean }

/**
 * The school's authority and its server's certificate. Makes what is missing, damaged, about to end or not for these names; `anew` makes
 * the server's in any case. The authority is replaced only where it is damaged or about to expire, because every device has to trust it.
 */
export async function keepCertificates(dataDir: string, { hostname, names, now, anew = false }: Wanted): Promise<Certificates> {
  const folder = tlsFolder(dataDir)
  makeFolder(folder, 0o700)
  const notes: string[] = []
  const authority = await keepAuthority(join(folder, AUTHORITY), hostname, now, notes)
  const path = join(folder, SERVER)
  const found = readPair(path)
  const isSound = typeof found !== 'string' && isIssuedBy(found, authority) && isFresh(found, now) && missingFrom(found, names).length === 0
  if (isSound && !anew) return { authority, server: withIssuer(found, authority), notes }
  const server = await makeCertificate(authority, names, now)
  writePair(path, server)
  notes.push(found === 'absent' ? 'Made a certificate for this server.' : 'Renewed the certificate of this server.')
  return { authority, server: withIssuer(server, authority), notes }
}

async function keepAuthority(path: string, hostname: string, now: number, notes: string[]): Promise<Pair> {
  const found = readPair(path)
  // One that begins later than now is kept: the clock is behind, and to tell every device of another takes days.
  if (typeof found !== 'string' && !isAboutToEnd(found, now)) return found
  if (found !== 'absent') archive(path, now)
  const authority = await makeAuthority(hostname, now)
  writePair(path, authority)
  const why =
    found === 'absent'
      ? ''
      : found === 'damaged'
        ? ' The one before was damaged and is kept beside it.'
        : ' The one before is about to end.'
  notes.push(`Made a certificate authority of this school’s own; devices must be told to trust it (markbook cert export).${why}`)
  return authority
}

const archive = (path: string, now: number) => renameSync(path, `${path}.${toInstant(now).replaceAll(':', '-')}`)

/** Renames the authority's file, so that the next certificate gets a new authority. */
export function removeAuthority(dataDir: string, now: number): void {
  const path = join(tlsFolder(dataDir), AUTHORITY)
  if (existsSync(path)) archive(path, now)
}

/** Sent along, so that a device's error names the authority that it does not trust. */
const withIssuer = ({ key, cert }: Pair, authority: Pair): Pair => ({ key, cert: cert + authority.cert })
