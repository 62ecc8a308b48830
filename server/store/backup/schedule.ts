import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import { Cron } from 'croner'
import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'
import { orNull } from '../../or-null.ts'
import type { Reason } from './manifest.ts'
import { newestOwn } from './own.ts'

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
  /** The program and its first arguments, as this one was started. */
  program?: readonly string[]
}

/** The hour of the nightly backup, on the machine's own clock. */
const NIGHT = 2

/** The bundle, or the source through tsx. */
const thisProgram = (): string[] =>
  import.meta.filename.endsWith('.mjs')
    ? [import.meta.filename]
    : ['--import', 'tsx', join(import.meta.dirname, '..', '..', 'cli', 'main.ts')]

/**
 * A backup every hour, the one at 02:00 being the nightly one, and soon after a start that follows a gap. Each is made by a process
 * of its own, at low priority, so that reading the whole database never holds up a teacher.
 */
export function scheduleBackups(options: ScheduleOptions): { stop(): Promise<void> } {
  const { dataDir, backupDir, databaseId, clock, log, program = thisProgram() } = options
  const failures = measure(options)
  let current: { child: ChildProcess; ended: Promise<void> } | null = null

  const make = (reason: Reason) => {
    if (current) return
    const args = [...program, 'backup', '--reason', reason, '--data-dir', dataDir]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output = (output + part).slice(-4_000)))
    const ended = new Promise<void>((resolve) => {
      const settle = (code: number | null) => {
        current = null
        const message = output.trim()
        if (code === 0 && !/^Warning: /m.test(message)) log.info({ reason }, message)
        else if (code === 0) log.warn({ reason }, message)
        else {
          failures.inc()
          log.error({ reason, code }, `the backup failed: ${message}`)
        }
        resolve()
      }
      child.once('error', (error) => {
        output = error.message
        settle(null)
      })
      child.once('close', settle)
    })
    current = { child, ended }
    lowerPriority(child)
  }

  const hourly = new Cron('0 * * * *', { unref: true }, () => make(new Date(clock.now()).getHours() === NIGHT ? 'nightly' : 'hourly'))
  const missed = setTimeout(async () => {
    const newest = await newestOwn(backupDir, databaseId).catch(() => null)
    if (!newest || Math.abs(clock.now() - newest.at) > 3_600_000) make('hourly')
  }, options.afterStart ?? limits.backup.afterStart).unref()

  return {
    async stop() {
      hourly.stop()
      clearTimeout(missed)
      current?.child.kill('SIGTERM')
      await current?.ended
    },
  }
}

function lowerPriority({ pid }: ChildProcess) {
  if (pid) orNull(() => setPriority(pid, 10))
}

/** What the metrics say of backups: when the newest was made, read from the disk, and how many failed since the start. */
function measure({ backupDir, databaseId, registry }: ScheduleOptions): Counter {
  new Gauge({
    name: 'markbook_backup_last_timestamp_seconds',
    help: 'When the newest backup was made, in seconds since 1970; 0 where there is none',
    registers: [registry],
    async collect() {
      this.set(((await newestOwn(backupDir, databaseId))?.at ?? 0) / 1_000)
    },
  })
  return new Counter({ name: 'markbook_backup_failures_total', help: 'Scheduled backups that failed', registers: [registry] })
}
