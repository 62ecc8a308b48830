import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import { makeFolder } from '../../make-folder.ts'
import { checkBackup, withCheckedDatabase } from './check.ts'
import { chunksOf } from './content.ts'
import { type DatabaseOwner, isCalled, ownerText, readOwnerNote, schoolOption, writeOwnerNote } from './database-owner.ts'
import type { Progress } from './engine.ts'
import { restoreFiles } from './files.ts'
import { needRoom, takeTurn } from './folder.ts'
import {
  type Backup,
  BackupError,
  type Counts,
  folderOfDatabase,
  type Listed,
  listBackups,
  nameOf,
  openBackup,
  SET_ASIDE,
  type StoredFile,
  UnsoundError,
} from './manifest.ts'
import { newestOwn, ownerOfBackup } from './own.ts'
import { type BackupLocation, engineOf, takeInTurn } from './take.ts'

/** What a restore would do; nothing has been changed yet. `age` in ms, negative where the clock says that it is not yet made. */
export type Plan = {
  backup: Backup
  whose: DatabaseOwner | null
  age: number
  grades: { inBackup: number; now: number | null }
  damaged: StoredFile[]
  hasDatabase: boolean
}
export type Restored = { nodeId: string; keptIn: string | null; warnings: string[]; files: number }

/** A checked plan, and the doing of it; servers and other backups are kept out until `done`. */
export type Restoring = { plan: Plan; carryOut(progress?: Progress): Promise<Restored>; done(): Promise<void> }

type Folders = Pick<BackupLocation, 'backupDir' | 'copyDir'>
/** A backup on a disk, and whose it is, as far as that can be known. */
export type KnownBackup = Listed & { whose: DatabaseOwner | null }

/** Every backup that this place knows, of whichever school, oldest first; one that is in both folders counts once. */
export async function knownBackups({ backupDir, copyDir }: Folders): Promise<KnownBackup[]> {
  const known = new Map<string, KnownBackup>()
  const there = copyDir && existsSync(copyDir) ? listBackups(copyDir) : []
  for (const backup of [...there, ...listBackups(backupDir)]) {
    const whose = await ownerOfBackup(backup)
    known.set(`${whose?.id} ${backup.name}`, { ...backup, whose })
  }
  return [...known.values()].sort((a, b) => a.at - b.at)
}

/** Whose database is here, or belongs here where it is gone or damaged; null where there never was one. */
const databaseHere = (place: BackupLocation): Promise<DatabaseOwner | null> =>
  engineOf(place)
    .whose()
    .catch(() => readOwnerNote(place.dataDir))

/** The same; null also where it holds no school, so that nobody's marks are replaced. */
export async function ownerHere(place: BackupLocation): Promise<DatabaseOwner | null> {
  const whose = await databaseHere(place)
  return whose?.school ? whose : null
}

/** The newest backup of the database that is here, and its newest copy in the second folder. */
export async function newestHere(
  place: BackupLocation,
): Promise<{ whose: DatabaseOwner | null; backup: Listed | null; copy: Listed | null }> {
  const whose = await databaseHere(place)
  const newest = async (folder: string | null) => (whose && folder ? newestOwn(folder, whose.id, place.clock.now()) : null)
  return { whose, backup: await newest(place.backupDir), copy: await newest(place.copyDir) }
}

/** The backups that may be proposed here: those of `school` where it is named, else those of the database that is here. */
export async function ownOf(known: readonly KnownBackup[], place: BackupLocation, school?: string): Promise<readonly KnownBackup[]> {
  const mine = await ownerHere(place)
  const others = known.filter(({ whose }) => whose?.school)
  if (school !== undefined) return oneDatabase(known.filter(({ whose }) => whose && isCalled(whose, school)))
  if (mine) return known.filter(({ whose }) => whose?.id === mine.id)
  return oneDatabase(others.length > 0 ? others : known)
}

/** Where nothing says which of several schools is meant, none is chosen. */
function oneDatabase(backups: readonly KnownBackup[]): readonly KnownBackup[] {
  const databases = new Map(backups.map(({ whose }) => [whose?.id, whose]))
  if (databases.size < 2) return backups
  throw new BackupError(
    `There are backups of several schools here. Say which:\n${[...databases.values()].map((whose) => `  ${naming(whose)}`).join('\n')}`,
  )
}

/** How a school is named on the command line; by its number where another bears the same name. */
const naming = (whose: DatabaseOwner | null) => `--school ${whose?.id}   (${ownerText(whose)})`

/**
 * The newest. Only where there is no other: one dated after now (the clock was wrong once), and one made before a restore, which is
 * what that restore was to be rid of. Never that of another school than the one that is here, unless it is named.
 */
export async function latestBackup(place: BackupLocation, school?: string): Promise<KnownBackup> {
  const all = await knownBackups(place)
  const known = await ownOf(all, place, school)
  const past = known.filter(({ at }) => at <= place.clock.now())
  const latest = past.findLast(({ reason }) => reason !== 'restore') ?? past.at(-1) ?? known.at(-1)
  if (latest) return latest
  const mine = school ?? (await ownerHere(place))?.school
  const where = [place.backupDir, place.copyDir].filter(Boolean).join(' or ')
  const others = new Map(all.map(({ whose }) => [ownerText(whose), whose]))
  const there = [...others]
    .map(([name, whose]) => `\nThere are backups of ${name}: markbook restore --list ${schoolOption(whose)}`)
    .join('')
  throw new BackupError(`There is no backup${mine ? ` of ${mine}` : ''} in ${where}.${there}`)
}

/** Refuses the backup of another database than the one that is here, or than the one that was named. */
async function demandOwn(
  place: BackupLocation,
  { path, whose }: { path: string; whose: DatabaseOwner | null },
  school?: string,
): Promise<void> {
  if (school !== undefined) {
    if (whose && isCalled(whose, school)) return
    throw new BackupError(`The backup ${path} is of ${ownerText(whose)}, and not of ${school}. Nothing was changed.`)
  }
  const mine = await ownerHere(place)
  if (!mine || !whose || whose.id === mine.id) return
  throw new BackupError(
    `The backup ${path} is of ${ownerText(whose)}, and the database here is of ${ownerText(mine)}: it would take its place. ` +
      `Where that is what you want, name the school: ${schoolOption(whose)}. Nothing was changed.`,
  )
}

/**
 * Takes the database out of service, reads the backup whole and says what restoring it means. Throws `BackupError` in one line
 * where a server runs, or where the backup is damaged, foreign, or newer than this program.
 */
export async function beginRestore(place: BackupLocation, given: string, school?: string): Promise<Restoring> {
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
    const whose = await ownerOfBackup(backup)
    await demandOwn(place, { ...backup, whose }, school)
    if (!engine.streams) await needScratch(place, backup)
    const damaged = await checkBackup(backup, engine, scratchIn(place))
    const [now, hasDatabase] = [await engine.countsNow(), await engine.exists()]
    const grades = { inBackup: gradesIn(backup.manifest.counts), now: now && gradesIn(now) }
    const age = place.clock.now() - Date.parse(backup.manifest.created_at)
    const plan = { backup, whose, age, grades, damaged, hasDatabase }
    return { plan, carryOut: (progress = () => {}) => carryOut(place, plan, progress), done }
  } catch (error) {
    await done()
    throw error
  }
}

/** A database that is stored by content lies here while it is looked at. Of a node whose data folder is gone there is one by then. */
const scratchIn = ({ dataDir }: BackupLocation) => join(dataDir, 'markbook.restoring.sqlite-copy')

async function needScratch({ dataDir }: BackupLocation, backup: Backup): Promise<void> {
  makeFolder(dataDir)
  if (chunksOf(backup)) await needRoom(dataDir, backup.manifest.size)
}

const gradesIn = (counts: Counts) => counts['grade'] ?? counts['grading.grade'] ?? 0

async function carryOut(place: BackupLocation, { backup, whose, damaged, hasDatabase }: Plan, progress: Progress): Promise<Restored> {
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
      const mine = readOwnerNote(place.dataDir)
      const folder = mine ? folderOfDatabase(place.backupDir, mine.id) : place.backupDir
      keptIn = await engine.setAside(join(folder, `${SET_ASIDE}${nameOf(place.clock.now(), 'restore')}`))
      if (!keptIn) throw error
      warnings.push(`The database as it was cannot be read, so it was kept as it lay, file by file. ${error.message}`)
    }
  }
  const { clock, newId } = place
  const { manifest } = backup
  if (!engine.streams) await needRoom(place.dataDir, manifest.size)
  const options = { newId, now: clock.now(), takenAt: toInstant(Date.parse(manifest.created_at)), progress }
  const [files, { nodeId, before }] = await withCheckedDatabase(backup, engine, scratchIn(place), async (copy) => [
    await restoreFiles(backup, place.dataDir, damaged),
    await engine.putBack(copy, options),
  ])
  if (whose) writeOwnerNote(place.dataDir, whose)
  if (before) warnings.push(`The database as it was is also still there, under the name ${before}; drop it when you are content.`)
  return { nodeId, keptIn, warnings, files }
}
