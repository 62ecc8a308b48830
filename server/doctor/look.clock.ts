import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '@markbook/shared/clock'
import { askServer } from '../asking.ts'
import { listBackups } from '../store/backup/manifest.ts'
import type { Newest } from '../store/soundness/soundness.ts'
import { DATABASE_FILE } from '../store/sqlite.ts'
import type { Times } from './check.clock.ts'

type Where = { dataDir: string; backupDir: string; sites: readonly string[] }

export async function lookAtClock(clock: Clock, { dataDir, backupDir, sites }: Where, newest: Newest): Promise<Times> {
  const others = await Promise.all(sites.map((site) => timeAt(clock, site)))
  return {
    now: clock.now(),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? '',
    newestMark: newest.own,
    marksOfOthers: newest.others,
    newestFile: newestFile(dataDir, backupDir),
    others: others.filter((other) => other !== null),
    synchronised: await isSynchronised(),
  }
}

/** What a server says the time is, and how long its answer took. */
async function timeAt(clock: Clock, site: string): Promise<Times['others'][number] | null> {
  const before = clock.now()
  const { date } = (await askServer(site, '/healthz')) ?? {}
  // The header has no parts of a second: the middle of it is meant.
  return date ? { name: new URL(site).host, at: date + 500, underWay: clock.now() - before } : null
}

function newestFile(dataDir: string, backupDir: string): Times['newestFile'] {
  const files = ['', '-wal'].map((side) => join(dataDir, DATABASE_FILE + side))
  const found = files.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats ? [{ path, at: stats.mtimeMs }] : []
  })
  const backup = listBackups(backupDir).at(-1)
  if (backup) found.push({ path: backup.path, at: backup.at })
  return found.sort((a, b) => b.at - a.at)[0] ?? null
}

/** By systemd's own word; null where there is none. */
async function isSynchronised(): Promise<boolean | null> {
  try {
    const { stdout } = await promisify(execFile)('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { timeout: 3_000 })
    return { yes: true, no: false }[stdout.trim()] ?? null
  } catch {
    return null
  }
}
