import type { Clock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { Services } from '../../http/services.ts'

/** Something that another node sent and that was refused: which row, and why. Never a value. */
export type Refusal = { table: string | null; row: string | null; code: string }
/** The sender of a request: the id of its enrolment here, its number, and whose laptop it is; null for what is unknown. */
export type Sender = { peer: string | null; node: string | null; kind: string | null; person: string | null }

/** The sender of an enrolment. */
export const senderOf = ({ id, node_id, kind, user_id }: Pick<Row<'sync_peer'>, 'id' | 'node_id' | 'kind' | 'user_id'>): Sender => ({
  peer: id,
  node: node_id,
  kind,
  person: user_id,
})

type Line = Omit<Sender, 'peer'> & Refusal & { count: number }
type Used = { clock: Pick<Clock, 'now'>; log: { warn(fields: Line, message: string): void } }

/**
 * Writes to the log what was refused of other nodes: for each enrolment at most one line in `limits.sync.refusalLog.everyMs`, with the
 * first refusal and how many there were since the line before. All requests without an enrolment count as one sender, so that nobody fills
 * the log under names of their own choice.
 */
export class RefusalLog {
  private readonly last = new Map<string, { at: number; count: number }>()

  constructor(private readonly used: Used) {}

  note({ peer, ...sender }: Sender, refusals: readonly Refusal[]): void {
    const [first] = refusals
    if (!first) return
    const { everyMs, senders } = limits.sync.refusalLog
    const [key, now] = [peer ?? '', this.used.clock.now()]
    const before = this.last.get(key)
    const count = (before?.count ?? 0) + refusals.length
    if (before && Math.abs(now - before.at) < everyMs) {
      before.count = count
      return
    }
    this.last.delete(key)
    this.last.set(key, { at: now, count: 0 })
    const [oldest] = this.last.keys()
    if (this.last.size > senders && oldest !== undefined) this.last.delete(oldest)
    this.used.log.warn({ ...sender, ...first, count }, NOT_TAKEN)
  }
}

const NOT_TAKEN = 'something that another node sent was not taken'

const ofServices = new WeakMap<Services['log'], RefusalLog>()

/** The log of this server. */
export function refusalLogOf({ clock, log }: Pick<Services, 'clock' | 'log'>): RefusalLog {
  const known = ofServices.get(log) ?? new RefusalLog({ clock, log })
  ofServices.set(log, known)
  return known
}
