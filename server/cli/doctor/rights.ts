import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../../or-null.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { counted } from '../words.ts'
import { type Finding, findings, fine, problem } from './finding.ts'
import { inFolder } from './paths.ts'

/**
 * A file or folder that other accounts should not read; `mode` as in stat. Not on Windows, which has neither modes nor numeric accounts.
 */
export type FileRights = { path: string; kind: 'folder' | 'marks' | 'secret'; uid: number; mode: number; usable: boolean }
/** `account`: the uid of this process; `owner`: the uid that the data folder belongs to. */
export type RightsFound = { account: number; owner: number; ownerName: string; entries: readonly FileRights[] }

const ROOT = 0
const OTHERS = 0o077

export function checkRights(found: RightsFound | null): Finding[] {
  if (!found || found.entries.length === 0) return []
  const { account, owner, ownerName, entries } = found
  const shut = entries.filter(({ usable }) => !usable)
  const foreign = entries.filter(({ uid }) => uid !== owner)
  const open = entries.filter(({ mode }) => (mode & OTHERS) !== 0)
  const all = findings(
    shut.length > 0 &&
      account !== ROOT &&
      problem('rights', {
        what: `This account may not read and write ${listed(shut)}.`,
        means: 'A server of this account cannot start, or cannot save marks.',
        do: owner === account ? 'markbook doctor --fix sets it right.' : `Run this as ${ownerName}, the owner of the folder, or with sudo.`,
        ...(owner === account && { fix: 'rights' as const }),
      }),
    foreign.length > 0 &&
      problem('rights', {
        what: `${listed(foreign)} ${foreign.length === 1 ? 'belongs' : 'belong'} to another account than the folder, which is ${ownerName}’s.`,
        means: 'The server may be unable to open them, and then saves no mark.',
        do: 'sudo markbook doctor --fix gives them to the owner of the folder.',
        ...(account === ROOT && { fix: 'rights' as const }),
      }),
    open.length > 0 &&
      problem('rights', {
        what: `Other accounts of this machine can read ${listed(open)}.`,
        means: open.some(({ kind }) => kind === 'secret')
          ? 'Whoever reads the secrets can sign in as anybody and change marks.'
          : 'Whoever has an account on this machine can read the marks of all children.',
        do: 'markbook doctor --fix closes them to everybody but the owner.',
        ...((account === ROOT || account === owner) && { fix: 'rights' as const }),
      }),
  )
  return all.length > 0 ? all : fine('rights', `The data folder is ${ownerName}’s, and closed to other accounts.`)
}

const listed = (entries: readonly FileRights[]) => {
  const [first, ...others] = entries
  return others.length === 0 ? first?.path : `${first?.path} and ${counted(others.length, 'other')}`
}

/** The files that others must not read and the server must write. Null on Windows, where the administrator sets access lists. */
export function lookAtRights({ dataDir, backupDir }: { dataDir: string; backupDir: string }): RightsFound | null {
  const account = process.getuid?.()
  const folder = statSync(dataDir, { throwIfNoEntry: false })
  if (account === undefined || !folder) return null
  const found: [string, FileRights['kind']][] = [
    [dataDir, 'folder'],
    ...inFolder(dataDir, new RegExp(`^${DATABASE_FILE}(-wal|-shm)?$`)).map((path): [string, FileRights['kind']] => [path, 'marks']),
    [join(dataDir, 'files'), 'folder'],
    [backupDir, 'folder'],
    [join(dataDir, 'session-secret'), 'secret'],
    [join(dataDir, 'session-secret.sealed'), 'secret'],
    [join(dataDir, 'tls'), 'folder'],
    ...inFolder(join(dataDir, 'tls'), /\.pem/).map((path): [string, FileRights['kind']] => [path, 'secret']),
  ]
  const entries = found.flatMap(([path, kind]): FileRights[] => {
    // In a folder that this account may not enter, only the folder itself is reported.
    const stats = orNull(() => statSync(path))
    return stats ? [{ path, kind, uid: stats.uid, mode: stats.mode & 0o777, usable: usable(path, stats) }] : []
  })
  return { account, owner: folder.uid, ownerName: nameOf(folder.uid), entries }
}

const usable = (path: string, stats: Stats): boolean =>
  orNull(() => accessSync(path, constants.R_OK | constants.W_OK | (stats.isDirectory() ? constants.X_OK : 0))) !== null

function nameOf(uid: number): string {
  const accounts = (orNull(() => readFileSync('/etc/passwd', 'utf8')) ?? '').split('\n').map((line) => line.split(':'))
  return accounts.find(([, , id]) => id === String(uid))?.[0] ?? `account ${uid}`
}
