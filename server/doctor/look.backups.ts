import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { checkBackup } from '../store/backup/check.ts'
import { REMEMBERED } from '../store/backup/copy.ts'
import { listBackups, openBackup } from '../store/backup/manifest.ts'
import { engineOf, type Place } from '../store/backup/take.ts'
import type { Backups } from './check.backups.ts'

type Known = Pick<Backups, 'scheduled' | 'hasDatabase' | 'newestMark' | 'failed'>

/** Reads the newest backup whole, as a restore would. */
export async function lookAtBackups(place: Place, known: Known): Promise<Backups> {
  const listed = listBackups(place.backupDir).at(-1)
  const newest = listed ? { at: listed.at, path: listed.path, flaw: await flawOf(listed.path, place) } : null
  return { ...known, now: place.clock.now(), folder: place.backupDir, newest, copies: copiesOf(place) }
}

async function flawOf(path: string, place: Place): Promise<string | null> {
  try {
    const damaged = await checkBackup(openBackup(path), engineOf(place))
    return damaged[0] ? `${damaged.length} of its files are damaged (${damaged[0].path})` : null
  } catch (error) {
    return (error as Error).message
  }
}

function copiesOf({ copyDir, backupDir }: Place): Backups['copies'] {
  if (!copyDir) return null
  const found = { folder: copyDir, newestAt: listBackups(copyDir).at(-1)?.at ?? null }
  const note = join(backupDir, REMEMBERED)
  const wasElsewhere = existsSync(note) && readFileSync(note, 'utf8') === copyDir
  const there = statSync(copyDir, { throwIfNoEntry: false })
  if (!there?.isDirectory()) return { ...found, state: wasElsewhere ? 'away' : 'missing' }
  const here = statSync(backupDir, { throwIfNoEntry: false })
  if (here && here.dev === there.dev) return { ...found, state: wasElsewhere ? 'away' : 'same disk' }
  return { ...found, state: 'there' }
}
