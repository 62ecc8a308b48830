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
  /** In place of this program. */
  program?: Program
}

/** What `markbook doctor --pages` ends with where it found damage. */
export const DAMAGED = 3

/**
 * Reads every page of a school's database once the server has started, which takes seconds and would be too long before. Damage is said
 * loudly, in the log, the metrics and `markbook status`; the server goes on, for what can be read and saved is better than nothing.
 */
export function watchPages({ dataDir, log, registry, afterStart = limits.database.checkAfterStart, program }: WatchOptions) {
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
