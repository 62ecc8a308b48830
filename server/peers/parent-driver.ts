import { randomInt } from 'node:crypto'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { Driver } from '@markbook/sync/driver'
import type { Barred, Notice } from '@markbook/sync/machine'
import type { Services } from '../http/services.ts'
import { AboveParent } from './above.ts'
import { Child } from './child.ts'
import type { Copy } from './course.ts'
import { beginAnew } from './incarnation.ts'
import { LineFailure, type ParentLine } from './parent-line.ts'

/** Whom the driver tells what: how it goes, how far a first copy and the centre have come, that this node began anew, that files may go. */
export type Told = {
  tell(notice: Notice, reason: string | null): void
  copying(copy: Copy | null): void
  reached(above: number | null): void
  again(): void
  carryFiles(): void
}

/** The loop with one parent, not begun yet. */
export function driverFor(services: Services, parent: Row<'sync_peer'>, line: ParentLine, told: Told): Driver {
  const { tell, copying, reached, again, carryFiles } = told
  const child = new Child(services, parent.id, line)
  const above = parent.user_id === null ? null : new AboveParent()
  return new Driver(
    {
      greet: () => child.greet(),
      renew: async () => {
        await beginAnew(services, parent.id, line)
        again()
      },
      push: async () => {
        const pushed = await child.push()
        // Files follow their rows.
        if (!pushed.more) carryFiles()
        return pushed
      },
      pull: async (wait, signal) => {
        const heard = await child.pull(wait, signal)
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
      tell,
      meaningOf,
    },
    { ...limits.sync.backOff, wait: limits.sync.wait },
  )
}

const BARRED: Readonly<Record<string, Barred>> = {
  'sync.revoked': 'revoked',
  'sync.unknown_node': 'revoked',
  'sync.upgrade_needed': 'upgrade',
}

export function meaningOf(error: unknown): 'line' | 'session' | Barred {
  if (!(error instanceof LineFailure)) return 'line'
  return BARRED[error.code] ?? (error.code === 'sync.stale_session' ? 'session' : 'line')
}
