import { statSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import { readOwnerNote } from '../../store/backup/database-owner.ts'
import { folderOfDatabase } from '../../store/backup/manifest.ts'
import { bytes, counted } from '../words.ts'
import { type Finding, notice } from './finding.ts'
import { inFolder } from './paths.ts'

/** Files that were begun and not finished, as after a power cut. */
export type Leftovers = { paths: readonly string[]; size: number }

export const checkLeftovers = ({ paths, size }: Leftovers): Finding[] =>
  paths.length === 0
    ? []
    : notice('leftovers', {
        what: `${counted(paths.length, 'unfinished file or folder')} lie here from a backup, restore or upload that was cut off (${bytes(size)}): ${paths[0]}.`,
        means: 'Nothing: they are no part of the marks, and only take room.',
        do: 'markbook doctor --fix removes them.',
        fix: 'leftovers',
      })

type Where = { dataDir: string; backupDir: string; backupCopyDir: string | null }

/** Finds leftovers by their names. A file younger than an hour may still be in use. */
export function lookAtLeftovers({ dataDir, backupDir, backupCopyDir }: Where, now: number): Leftovers {
  // Other schools may share the folder: only the files of this database.
  const whose = readOwnerNote(dataDir)
  const ownFolders = [backupDir, backupCopyDir].flatMap((folder) => (folder && whose ? [folderOfDatabase(folder, whose.id)] : []))
  const paths = [
    ...inFolder(dataDir, /^markbook\.(?:restoring|converting)\.sqlite/),
    ...[dataDir, join(dataDir, 'tls')].flatMap((folder) => inFolder(folder, /\.unfinished$/)),
    ...[backupDir, ...ownFolders].flatMap((folder) => inFolder(folder, /^\.unfinished-/)),
  ]
  const old = paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats && now - stats.mtimeMs > limits.doctor.leftoverAgeMs ? [{ path, size: stats.size }] : []
  })
  return { paths: old.map(({ path }) => path), size: old.reduce((sum, { size }) => sum + size, 0) }
}
