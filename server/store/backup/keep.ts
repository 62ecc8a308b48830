import { limits } from '@markbook/shared/limits'
import { removeFolder } from './folder.ts'
import { backupsIn } from './manifest.ts'

type Dated = { at: number; reason: string }

const HOUR = 3_600_000
const DAY = 24 * HOUR
const { hourly, nightly, weekly, special } = limits.backup.kept
const SPECIAL = new Set(['migration', 'restore', 'manual'])

/** 1970 began on a Thursday; weeks begin on Monday. */
const periods: readonly { of: (at: number) => number; count: number }[] = [
  { of: (at) => Math.floor(at / HOUR), count: hourly },
  { of: (at) => Math.floor(at / DAY), count: nightly },
  { of: (at) => Math.floor((at / DAY + 3) / 7), count: weekly },
]

/**
 * Which backups stay (docs/design/backup.md): the newest of each of the last 24 hours, 14 days and 12 weeks *that have one*, so that a box
 * that was off for the holidays keeps what it has; the newest few made before a change or by hand; always the newest of all, and `good`,
 * the last that was proved by being put back for trial. Those dated after `now` (the clock was wrong once) are counted apart and never push
 * out the others. Days and hours are UTC.
 */
export function keep<B extends Dated & { name?: string }>(backups: readonly B[], now: number, good: string | null = null): B[] {
  const kept = new Set<B>()
  for (const group of [backups.filter(({ at }) => at <= now), backups.filter(({ at }) => at > now)]) {
    const newestFirst = [...group].sort((a, b) => b.at - a.at)
    for (const { of, count } of periods) for (const backup of newestOfEach(newestFirst, of).slice(0, count)) kept.add(backup)
    for (const backup of newestFirst.filter(({ reason }) => SPECIAL.has(reason)).slice(0, special)) kept.add(backup)
  }
  return backups.filter((backup) => kept.has(backup) || (good !== null && backup.name === good))
}

const newestOfEach = <B extends Dated>(newestFirst: readonly B[], of: (at: number) => number): B[] => {
  const byPeriod = new Map<number, B>()
  for (const backup of newestFirst) if (!byPeriod.has(of(backup.at))) byPeriod.set(of(backup.at), backup)
  return [...byPeriod.values()]
}

/** Removes the backups whose time is over from a folder of one database's, without what they stored by content (`collect`). */
export async function removeOld(folder: string, now: number, good: string | null): Promise<void> {
  const listed = backupsIn(folder)
  const kept = new Set(keep(listed, now, good))
  for (const backup of listed) if (!kept.has(backup)) await removeFolder(folder, backup.name)
}
