import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '../store/sqlite.ts'
import type { Held, RightsFound } from './check.rights.ts'
import { inFolder } from './look.place.ts'

type Where = { dataDir: string; backupDir: string }

/** What others must not read, and what the server must write. Null on Windows, where a folder's list of rights is the administrator's. */
export function lookAtRights({ dataDir, backupDir }: Where): RightsFound | null {
  const account = process.getuid?.()
  const folder = statSync(dataDir, { throwIfNoEntry: false })
  if (account === undefined || !folder) return null
  const found: [string, Held['kind']][] = [
    [dataDir, 'folder'],
    ...inFolder(dataDir, new RegExp(`^${DATABASE_FILE}(-wal|-shm)?$`)).map((path): [string, Held['kind']] => [path, 'marks']),
    [join(dataDir, 'files'), 'folder'],
    [backupDir, 'folder'],
    [join(dataDir, 'session-secret'), 'secret'],
    [join(dataDir, 'tls'), 'folder'],
    ...inFolder(join(dataDir, 'tls'), /\.pem/).map((path): [string, Held['kind']] => [path, 'secret']),
  ]
  const held = found.flatMap(([path, kind]): Held[] => {
    const stats = lookAt(path)
    return stats ? [{ path, kind, uid: stats.uid, mode: stats.mode & 0o777, usable: usable(path, stats) }] : []
  })
  return { account, owner: folder.uid, ownerName: nameOf(folder.uid), held }
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // Below a folder that this account may not enter; the folder itself is told.
    return undefined
  }
}

function usable(path: string, stats: Stats): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (stats.isDirectory() ? constants.X_OK : 0))
    return true
  } catch {
    return false
  }
}

function nameOf(uid: number): string {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((each) => each.split(':')[2] === String(uid))
    return line?.split(':')[0] ?? `account ${uid}`
  } catch {
    return `account ${uid}`
  }
}
