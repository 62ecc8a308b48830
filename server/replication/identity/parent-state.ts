import type { Row } from '@markbook/shared/tables/tables'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import type { Page } from '@markbook/sync/protocol/messages'
import { and, eq, gt, isNull, ne, or } from 'drizzle-orm'
import { setPeer } from '../../store/peer-row.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { parentsOf } from './enrolment.ts'

type Peer = Row<'sync_peer'>

/** Up to which number of this node's own feed its parent has everything; null where nobody is above it. */
export async function acknowledgedByParent(tx: ReadTx, school: string): Promise<number | null> {
  return (await parentsOf(tx)).find(({ school_id }) => school_id === school)?.own_seq ?? null
}

/** The number of the parent's database, as it was when it was met last; null where nobody is above. */
export async function parentNumber(tx: ReadTx, school: string): Promise<string | null> {
  return (await parentsOf(tx)).find(({ school_id }) => school_id === school)?.node_id ?? null
}

const hasRowsFrom = statement<{ school: string; source: string }>()(({ db, t: { sync_row }, p }) =>
  db
    .select({ id: sync_row.row_id })
    .from(sync_row)
    .where(and(eq(sync_row.school_id, p.school), eq(sync_row.source_id, p.source)))
    .limit(1),
)

/**
 * At a laptop with two parents: whether the first, `school`, has met the other's database after it was restored, which this laptop has not.
 * What came here from the one before, and not by way of the school, is then kept back from the school no longer.
 */
export async function isParentRestored(tx: WriteTx, school: Peer, above: string | null | undefined): Promise<boolean> {
  if (school.user_id === null || !above) return false
  const former = (await parentsOf(tx)).filter(({ id, node_id }) => id !== school.id && node_id !== above)
  // What this laptop has had rows from is of the days before: then the school is the one that is late.
  if (former.length === 0 || (await hasRowsFrom(tx, { school: school.school_id as string, source: above })).length > 0) return false
  // Its key stays the one of the database that was met, whose number `their_epoch` is.
  for (const { id, node_id, their_epoch } of former) await setPeer(tx, id, { node_id: above, their_epoch: their_epoch ?? node_id })
  return former.length > 0
}

/** The same where this laptop is the one that meets the restored parent: its first is told everything once more. */
export async function resendToFirst(tx: WriteTx, restored: Peer): Promise<void> {
  const [first] = await parentsOf(tx)
  if (restored.user_id !== null && first && first.id !== restored.id) await setPeer(tx, first.id, { own_seq: 0 })
}

const firstUnsent = statement<{ school: string; parent: string; seq: number }>()(({ db, t: { sync_row }, p }) =>
  db
    .select({ seq: sync_row.seq })
    .from(sync_row)
    .where(and(eq(sync_row.school_id, p.school), gt(sync_row.seq, p.seq), or(isNull(sync_row.source_id), ne(sync_row.source_id, p.parent))))
    .limit(1),
)

/** Up to which number of this node's own feed the parent has everything, with what came from there itself. */
export async function sentUpTo(tx: ReadTx, { school_id, node_id, own_seq }: Peer): Promise<number> {
  const [school, parent] = [school_id as string, node_id]
  const [unsent] = await firstUnsent(tx, { school, parent, seq: own_seq })
  return unsent ? own_seq : (await tx.dialect.feedOf(tx.connection, school)).seq
}

type FeedNumbers = { theirs: number; ours: number }

/**
 * How much of a laptop's feed has come as far as the centre. The school says with each page how far its own feed has gone
 * on; once that is further than the school's feed was when it had all of ours, ours has gone on too.
 */
export class CentreProgress {
  private reached: FeedNumbers = { theirs: 0, ours: 0 }
  private awaited: FeedNumbers | null = null

  /** `ours`: the number up to which the parent had this node's feed before it was asked. Answers the number up to which the centre has it. */
  heard({ cursor, is_last, above }: Pick<Page, 'cursor' | 'is_last' | 'above'>, ours: number): number | null {
    const at = textToCursor(cursor)
    if (above == null) {
      this.reached = { theirs: 0, ours: 0 }
      this.awaited = null
      return null
    }
    // The centre has less than it had: it was restored, and nothing is known until it has all again.
    if (above < this.reached.theirs) this.reached = { theirs: 0, ours: 0 }
    if (this.awaited && above >= this.awaited.theirs) {
      this.reached = this.awaited
      this.awaited = null
    }
    if (is_last && at?.kind === 'feed') {
      const now = { theirs: at.seq, ours }
      if (above >= now.theirs) this.reached = now
      else this.awaited ??= now
    }
    return this.reached.ours
  }
}
