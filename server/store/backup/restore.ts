import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import { checkBackup, checkDatabase } from './check.ts'
import type { Progress } from './engine.ts'
import { restoreFiles } from './files.ts'
import { needRoom, takeTurn } from './folder.ts'
import {
  type Backup,
  BackupError,
  type Counts,
  type Listed,
  listBackups,
  nameOf,
  openBackup,
  type StoredFile,
  UnsoundError,
} from './manifest.ts'
import { type BackupLocation, engineOf, takeInTurn } from './take.ts'

/** What a restore would do; nothing has been changed yet. `age` in ms, negative where the clock says that it is not yet made. */
export type Plan = {
  backup: Backup
  age: number
  grades: { inBackup: number; now: number | null }
  damaged: StoredFile[]
  hasDatabase: boolean
}
export type Restored = { nodeId: string; keptIn: string | null; warnings: string[]; files: number }

/** A checked plan, and the doing of it; servers and other backups are kept out until `done`. */
export type Restoring = { plan: Plan; carryOut(progress?: Progress): Promise<Restored>; done(): Promise<void> }

/** Every backup that this place knows, oldest first; one that is in both folders counts once. */
export function knownBackups({ backupDir, copyDir }: Pick<BackupLocation, 'backupDir' | 'copyDir'>): Listed[] {
  const here = listBackups(backupDir)
  const names = new Set(here.map(({ name }) => name))
  const there = copyDir && existsSync(copyDir) ? listBackups(copyDir).filter(({ name }) => !names.has(name)) : []
  return [...here, ...there].sort((a, b) => a.at - b.at)
}

/**
 * The newest. Only where there is no other: one dated after now (the clock was wrong once), and one made before a restore, which is
 * what that restore was to be rid of.
 */
export function latestBackup(place: Pick<BackupLocation, 'backupDir' | 'copyDir' | 'clock'>): Listed {
  const known = knownBackups(place)
  const past = known.filter(({ at }) => at <= place.clock.now())
  const latest = past.findLast(({ reason }) => reason !== 'restore') ?? past.at(-1) ?? known.at(-1)
  if (latest) return latest
  throw new BackupError(`There is no backup in ${[place.backupDir, place.copyDir].filter(Boolean).join(' or ')}.`)
}

/**
 * Takes the database out of service, reads the backup whole and says what restoring it means. Throws `BackupError` in one line
 * where a server runs, or where the backup is damaged, foreign, or newer than this program.
 */
export async function beginRestore(place: BackupLocation, given: string): Promise<Restoring> {
  const engine = engineOf(place)
  const release = await engine.hold()
  let endTurn = () => {}
  const done = async () => {
    endTurn()
    await release()
  }
  try {
    endTurn = await takeTurn(place.backupDir)
    const backup = openBackup(given)
    const damaged = await checkBackup(backup, engine)
    const [now, hasDatabase] = [await engine.countsNow(), await engine.exists()]
    const grades = { inBackup: gradesIn(backup.manifest.counts), now: now && gradesIn(now) }
    const age = place.clock.now() - Date.parse(backup.manifest.created_at)
    const plan = { backup, age, grades, damaged, hasDatabase }
    return { plan, carryOut: (progress = () => {}) => carryOut(place, plan, progress), done }
  } catch (error) {
    await done()
    throw error
  }
}

const gradesIn = (counts: Counts) => counts['grade'] ?? counts['grading.grade'] ?? 0

async function carryOut(place: BackupLocation, { backup, damaged, hasDatabase }: Plan, progress: Progress): Promise<Restored> {
  const engine = engineOf(place)
  const warnings: string[] = []
  let keptIn: string | null = null
  if (hasDatabase) {
    try {
      const kept = await takeInTurn(place, { reason: 'restore', progress })
      keptIn = kept.backup.path
      warnings.push(...kept.warnings)
    } catch (error) {
      if (!(error instanceof UnsoundError)) throw error
      keptIn = await engine.setAside(join(place.backupDir, `as-it-was-${nameOf(place.clock.now(), 'restore')}`))
      if (!keptIn) throw error
      warnings.push(`The database as it was is damaged, so it was kept as it lay, file by file. ${error.message}`)
    }
  }
  const { clock, newId } = place
  await checkDatabase(backup, engine)
  await needRoom(place.dataDir, backup.manifest.size)
  const files = await restoreFiles(backup, place.dataDir, damaged)
  const { manifest } = backup
  const options = { clock, newId, now: clock.now(), takenAt: toInstant(Date.parse(manifest.created_at)), progress }
  const { nodeId, before } = await engine.putBack(join(backup.path, manifest.file), options)
  if (before) warnings.push(`The database as it was is also still there, under the name ${before}; drop it when you are content.`)
  return { nodeId, keptIn, warnings, files }
}
