import { limits } from '@markbook/shared/limits'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import { type Program, runAside } from '../low-priority.ts'

export type WatchOptions = {
  dataDir: string
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  registry: Registry
  /** Milliseconds from the start until the database is read. */
  afterStart?: number
  /** Replaces this program, for tests. */
  program?: Program
}

/** The exit code of `markbook doctor --pages` where it found damage. */
export const DAMAGED = 3

/**
 * Checks every page of a school's database after the server has started, since that takes seconds. Damage is reported in the log, the
 * metrics and `markbook status`. The server keeps running, so that readable data can still be read and saved.
 */
export function watchPages({ dataDir, log, registry, afterStart = limits.database.startDelayMs, program }: WatchOptions) {
  const damaged = new Gauge({
    name: 'markbook_database_damaged',
    help: 'Whether pages of the database were found damaged when it was read whole after the start',
    registers: [registry],
  })
  let current: ReturnType<typeof runAside> | null = null
  const timer = setTimeout(async () => {
    current = runAside(['doctor', '--pages', '--data-dir', dataDir], program)
    const { code, message } = await current.ended
    current = null
    if (code === 0) log.info(message)
    else if (code === DAMAGED) {
      damaged.set(1)
      log.error(message)
    } else if (code !== null) log.warn(`the database could not be read whole: ${message}`)
  }, afterStart).unref()
  return {
    async stop() {
      clearTimeout(timer)
      current?.stop()
      await current?.ended
    },
  }
}
