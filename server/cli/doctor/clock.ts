import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import { listBackups } from '../../store/backup/manifest.ts'
import type { Newest, NewestOf } from '../../store/soundness/soundness.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { askServer } from '../ask-server.ts'
import { day, lasting, moment } from '../words.ts'
import { type Finding, findings, fine, notice, problem } from './finding.ts'

/**
 * What the clock is compared with. Times in ms since 1970. `newestMark`: the newest history entry written by this machine; `marksOfOthers`:
 * the newest of each other node; `newestFile`: the newest file in the data folder; `others`: the time that other servers answered, with how
 * long the answer took; `synchronised`: whether the system follows network time, null where unknown.
 */
export type Times = {
  now: number
  zone: string
  newestMark: number | null
  marksOfOthers: readonly NewestOf[]
  newestFile: { path: string; at: number } | null
  others: readonly { name: string; at: number; underWay: number }[]
  synchronised: boolean | null
}

/** Markbook exists since 2026: a clock with an earlier year is wrong. */
const OLDEST = Date.parse('2026-01-01T00:00:00Z')
const LATEST = Date.parse('2100-01-01T00:00:00Z')
const { clockSlackMs, clockOffsetMs, clockFarMs, noEntriesMs } = limits.doctor

const MEANS = 'Marks are written down with a wrong time, certificates and sign-in codes are refused, and backups are kept in a wrong order.'
export const SET_CLOCK =
  'Set the date and time of this machine (on Linux: sudo timedatectl set-ntp true), and replace its battery if this comes again.'

export function checkClock(times: Times): Finding[] {
  const wrong = isAbsurd(times) ?? againstOthers(times)
  const ahead = aheadOf(times)
  const { now, zone, synchronised } = times
  if (wrong) return problem('clock', { what: wrong, means: MEANS, do: SET_CLOCK })
  if (ahead && !isVouchedFor(times))
    return problem('clock', {
      what: `The clock is behind: it says ${moment(now)}, but ${ahead.what} was written at ${moment(ahead.at)}.`,
      means: MEANS,
      do: `Compare it with a telephone, and set it where it is wrong. Where it is right, it was ahead then: no mark is lost, and this line goes on ${day(ahead.at)}.`,
    })
  const lastWritten = newestUntil(times)
  const found = findings(
    ahead !== null &&
      notice('clock', {
        what: `The clock of this machine was ahead once: ${ahead.what} says ${moment(ahead.at)}. Now it is right.`,
        means: 'No mark is lost by it; of two that were entered at the same time the wrong one may count as the later.',
        do: `Nothing, where a telephone agrees that it is ${moment(now)}. This line goes on ${day(ahead.at)}.`,
      }),
    ...times.marksOfOthers.filter(({ at }) => at - now > clockSlackMs).map((other) => ofOther(other, now)),
    synchronised === false &&
      notice('clock', {
        what: 'The clock of this machine follows no clock of the network.',
        means: 'It drifts by some seconds a week; after some minutes the codes of authenticator apps are refused.',
        do: 'Where there is internet: sudo timedatectl set-ntp true; elsewhere compare it with a telephone once a month.',
      }),
    lastWritten !== null &&
      now - lastWritten > noEntriesMs &&
      notice('clock', {
        what: `Nothing was written for ${lasting(now - lastWritten)}: the last was on ${day(lastWritten)}.`,
        means: 'After a long holiday that is as it should be; otherwise the clock has jumped ahead.',
        do: `Compare with a telephone: this machine says that it is ${moment(now)}.`,
      }),
    /^(Etc\/)?(UTC|GMT|Unknown)?$/.test(zone) &&
      notice('clock', {
        what: `The time zone of this machine is ${zone || 'not set'}.`,
        means: 'Marks are not concerned; the nightly backup and the times that this program prints follow that zone.',
        do: 'Unless it is yours: sudo timedatectl set-timezone Africa/Accra (with your own), then start the server again.',
      }),
  )
  return found.length > 0 ? found : fine('clock', `The clock says ${moment(now)} (${zone}), and nothing speaks against it.`)
}

/** Each node has a clock of its own: an entry dated ahead by another node is no proof that the clock here is wrong. */
const ofOther = ({ name, by, at }: NewestOf, now: number): Finding[] => {
  const whose = name ?? (by ? `a computer that replicates with ${by}` : 'a computer that is not listed here')
  return notice('clock', {
    what: `The clock of ${whose} is or was ahead: its newest entry says ${moment(at)}, ${lasting(at - now)} from now.`,
    means: 'No mark is lost by it; of two that were entered at the same time the wrong one may count as the later.',
    do: `Look at the clock there. Leave this one as it is where a telephone agrees that it is ${moment(now)}.`,
  })
}

/** The time of the newest entry of any node, without entries dated ahead. */
function newestUntil({ now, newestMark, marksOfOthers }: Times): number | null {
  const past = [newestMark, ...marksOfOthers.map(({ at }) => at)].filter((at) => at !== null && at <= now + clockSlackMs)
  return past.length === 0 ? null : Math.max(...past.map(Number))
}

/** A sentence where the clock cannot be right, whatever else is known; else null. */
export const isAbsurd = ({ now }: Pick<Times, 'now'>): string | null =>
  now < OLDEST || now > LATEST ? `The clock says that it is ${new Date(now).getUTCFullYear()}, which cannot be.` : null

/** Tolerates the time that the answer took; the Date header is only exact to a second. */
function againstOthers({ now, others }: Times): string | null {
  for (const { name, at, underWay } of others) {
    const off = now - at
    if (Math.abs(off) > clockOffsetMs + underWay) return `The clock is ${lasting(off)} ${off > 0 ? 'ahead of' : 'behind'} that of ${name}.`
  }
  return null
}

/** What this machine wrote later than its clock says: the clock is behind, or it was ahead once. */
function aheadOf({ now, newestMark, newestFile }: Times): { what: string; at: number } | null {
  if (newestMark !== null && newestMark - now > clockSlackMs) return { what: 'the newest entry of this machine', at: newestMark }
  return newestFile && newestFile.at - now > clockFarMs ? { what: newestFile.path, at: newestFile.at } : null
}

/** Called where no other server contradicts the clock. */
const isVouchedFor = ({ synchronised, others }: Times) => synchronised === true || others.length > 0

type Where = { dataDir: string; backupDir: string; sites: readonly string[] }

/** Collects the times to compare. `sites`: URLs of servers whose Date header is asked for; `newest`: the newest entries of the history. */
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

/** The time that a server answers, and how long the answer took; null where it does not answer. */
async function timeAt(clock: Clock, site: string): Promise<Times['others'][number] | null> {
  const before = clock.now()
  const { date } = (await askServer(site, '/healthz')) ?? {}
  // The header is cut to whole seconds; half a second is added to be right on average.
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

/** Whether systemd says that the clock follows network time; null without systemd. */
async function isSynchronised(): Promise<boolean | null> {
  const args = ['show', '--property=NTPSynchronized', '--value']
  const answer = await promisify(execFile)('timedatectl', args, { timeout: 3_000 }).catch(() => null)
  return { yes: true, no: false }[answer?.stdout.trim() ?? ''] ?? null
}
