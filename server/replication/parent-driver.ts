import { randomInt } from 'node:crypto'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { Driver } from '@markbook/sync/driver'
import type { Barred, Bounds, Notice } from '@markbook/sync/machine'
import type { Services } from '../http/services.ts'
import { CentreProgress } from './identity/parent-state.ts'
import { beginAnew } from './incarnation/incarnation.ts'
import { LineFailure, NOT_AUTHENTIC, PARENT_OLDER, type ParentLine } from './line/parent-line.ts'
import { Child } from './upstream/child.ts'
import type { Comparison } from './upstream/comparison.ts'
import type { Copy, Obstacle } from './upstream/upstream-status.ts'

/**
 * What the driver reports. `tell`: how it goes, and what is in the way; `copying`: how far a first copy has come; `reached`: how far the
 * centre has this node's feed; `again`: this node began anew; `carryFiles`: files may be carried.
 */
export type DriverEvents = {
  tell(notice: Notice, reason: string | null, obstacle: Obstacle | null): void
  copying(copy: Copy | null): void
  reached(above: number | null): void
  again(): void
  carryFiles(): void
  /** Carries out the order, given at `askedAt`, that this laptop be erased. */
  wipe(askedAt: string, child: Child): Promise<void>
}

/** How long the loop waits after a failure, and how long a pull waits for news. */
export type Rhythm = Bounds & { longPollSeconds: number }
export const usualRhythm: Rhythm = { ...limits.sync.backOff, longPollSeconds: limits.sync.longPollSeconds }

/** The loop with one parent, not started yet. `comparison`: of this node with this parent; null where it is compared with another. */
export function driverFor(
  services: Services,
  parent: Row<'sync_peer'>,
  line: ParentLine,
  events: DriverEvents,
  comparison: Comparison | null,
  rhythm: Rhythm,
): Driver {
  const { tell, copying, reached, again, carryFiles, wipe } = events
  const child = new Child(services, parent.id, line)
  let obstacle: Obstacle | null = null
  // The last long poll brought nothing.
  let isQuiet = false
  let askedAt = ''
  let unproved = 0
  const above = parent.user_id === null ? null : new CentreProgress()
  return new Driver(
    {
      greet: async () => {
        const { anew, wipe: asked } = await child.greet()
        unproved = 0
        askedAt = asked ?? ''
        return { anew, wipe: asked !== null }
      },
      wipe: () => wipe(askedAt, child),
      renew: async () => {
        await beginAnew(services, parent.id, line)
        again()
      },
      push: async () => {
        isQuiet = false
        const pushed = await child.push()
        // Files follow their rows.
        if (!pushed.more) carryFiles()
        return pushed
      },
      pull: async (wait, signal) => {
        const listens = wait > 0
        if (listens && isQuiet && comparison?.wait() === 0) {
          // After each step news goes first.
          isQuiet = false
          await comparison.step(parent.id, { child, line }, signal)
          return { news: false, more: false }
        }
        const most = comparison ? Math.ceil(comparison.wait() / 1_000) : wait
        const heard = await child.pull(Math.min(wait, most), signal)
        isQuiet = listens && !heard.news && !heard.more
        const { copied, total } = heard.page
        copying(copied === null || total === null ? null : { copied, total })
        if (above) reached(above.heard(heard.page, heard.sent))
        if (!heard.more) carryFiles()
        return heard
      },
      later: (ms, then) => {
        const timer = setTimeout(then, ms).unref()
        return () => clearTimeout(timer)
      },
      random: () => randomInt(1_000_000) / 1_000_000,
      tell: (notice, reason) => tell(notice, reason, notice === 'offline' ? obstacle : null),
      meaningOf: (error) => {
        obstacle = error instanceof LineFailure ? (OBSTACLES[error.code] ?? null) : null
        unproved = isUnproved(error) ? unproved + 1 : 0
        return unproved < UNPROVED ? meaningOf(error) : 'revoked'
      },
    },
    rhythm,
  )
}

const OBSTACLES: Readonly<Record<string, Obstacle>> = { [NOT_AUTHENTIC]: 'altered', [PARENT_OLDER]: 'parent_older' }

/**
 * How many greetings in a row the parent says were not signed by whom it enrolled. One may have been altered on its way; of several this
 * database has other keys than it joined with: it was put back where the secret is another.
 */
const UNPROVED = 3
const isUnproved = (error: unknown) => error instanceof LineFailure && error.code === 'sync.bad_signature'

const BARRED: Readonly<Record<string, Barred>> = {
  'sync.revoked': 'revoked',
  'sync.unknown_node': 'revoked',
  'sync.upgrade_needed': 'upgrade',
}

export function meaningOf(error: unknown): 'line' | 'session' | Barred {
  if (!(error instanceof LineFailure)) return 'line'
  return BARRED[error.code] ?? (error.code === 'sync.stale_session' ? 'session' : 'line')
}
