import type { Clock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import { Cron } from 'croner'
import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'
import { type Ended, type Program, runAside } from '../low-priority.ts'
import type { Reason } from './manifest.ts'
import { newestOwn } from './own.ts'
import { isDue, lastRehearsal } from './rehearsal-record.ts'

/** `databaseId`: whose backups they are (`Whose`); others may lie in the same folder. */
export type ScheduleOptions = {
  dataDir: string
  backupDir: string
  databaseId: string
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  registry: Registry
  /** Milliseconds from the start to the backup that was missed. */
  afterStart?: number
  /** In place of this program. */
  program?: Program
}

/** The hour of the nightly backup, on the machine's own clock. */
const NIGHT = 2

/**
 * A backup every hour, the one at 02:00 being the nightly one, and soon after a start that follows a gap. Each is made by a process
 * of its own, at low priority, so that reading the whole database never holds up a teacher.
 */
export function scheduleBackups(options: ScheduleOptions): { stop(): Promise<void> } {
  const { dataDir, backupDir, databaseId, clock, log, program } = options
  const failures = measure(options)
  let isStopped = false
  let current: { ended: Promise<void>; stop(): void } | null = null

  const run = (what: 'backup' | 'rehearsal', reason: Reason, args: readonly string[], next: () => void = () => {}) => {
    const { ended, stop } = runAside(['backup', ...args, '--data-dir', dataDir], program)
    const settle = ({ code, message }: Ended) => {
      current = null
      if (code === 0 && !/^Warning: /m.test(message)) log.info({ reason }, message)
      else if (code === 0) log.warn({ reason }, message)
      else {
        failures.inc()
        log.error({ reason, code }, `the ${what} failed: ${message}`)
      }
      if (code === 0) next()
    }
    current = { ended: ended.then(settle), stop }
  }
  /** The newest is put back for trial once a week, right after it was made. */
  const rehearse = (reason: Reason) => {
    if (!isStopped && isDue(lastRehearsal(backupDir, databaseId), clock.now(), reason === 'nightly'))
      run('rehearsal', reason, ['--rehearse', '--if-due'])
  }
  const make = (reason: Reason) => {
    if (!current) run('backup', reason, ['--reason', reason], () => rehearse(reason))
  }

  const hourly = new Cron('0 * * * *', { unref: true }, () => make(new Date(clock.now()).getHours() === NIGHT ? 'nightly' : 'hourly'))
  const missed = setTimeout(async () => {
    const newest = await newestOwn(backupDir, databaseId, clock.now()).catch(() => null)
    if (!newest || Math.abs(clock.now() - newest.at) > 3_600_000) make('hourly')
  }, options.afterStart ?? limits.backup.startDelayMs).unref()

  return {
    async stop() {
      isStopped = true
      hourly.stop()
      clearTimeout(missed)
      current?.stop()
      await current?.ended
    },
  }
}

/** What the metrics say of backups: when the newest was made, read from the disk, and how many failed since the start. */
function measure({ backupDir, databaseId, clock, registry }: ScheduleOptions): Counter {
  new Gauge({
    name: 'markbook_backup_last_timestamp_seconds',
    help: 'When the newest backup was made, in seconds since 1970; 0 where there is none',
    registers: [registry],
    async collect() {
      this.set(((await newestOwn(backupDir, databaseId, clock.now()))?.at ?? 0) / 1_000)
    },
  })
  new Gauge({
    name: 'markbook_backup_rehearsed_timestamp_seconds',
    help: 'When a backup last came back whole in a rehearsal, in seconds since 1970; 0 where none did',
    registers: [registry],
    collect() {
      this.set(Date.parse(lastRehearsal(backupDir, databaseId)?.sound?.at ?? '1970-01-01T00:00:00Z') / 1_000)
    },
  })
  return new Counter({
    name: 'markbook_backup_failures_total',
    help: 'Scheduled backups, and rehearsals of them, that failed',
    registers: [registry],
  })
}
