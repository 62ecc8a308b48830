import { textToCursor } from '@markbook/sync/protocol/cursor'
import type { Page, Welcome } from '@markbook/sync/protocol/messages'
import { and, eq, gt, isNull, ne, or } from 'drizzle-orm'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { parentsOf } from './enrolment.ts'
import { isKey } from './keys.ts'

/** The parent with which a school is replicated; undefined without one. */
export const parentOfSchool = async (tx: ReadTx, school: string): Promise<Peer | undefined> =>
  (await parentsOf(tx)).find(({ school_id }) => school_id === school)

const hasRowsFrom = rowsBy('sync_row', { school: 'school_id', source: 'source_id' }, { columns: ['row_id'], limit: 1 })

/**
 * At a laptop with two parents: whether the first, `school`, has met the restored database of the other, of number `above`, and this laptop
 * has not. Then what came from the other before, and not by way of the school, is no longer withheld from the school. Notes the other's new
 * number.
 */
export async function isParentRestored(tx: WriteTx, school: Peer, above: string | null | undefined): Promise<boolean> {
  if (school.user_id === null || !above) return false
  const former = (await parentsOf(tx)).filter(({ id, node_id }) => id !== school.id && node_id !== above)
  // Where this laptop has rows from `above`, that is no new database: the school is late.
  if (former.length === 0 || (await hasRowsFrom(tx, { school: school.school_id as string, source: above })).length > 0) return false
  // The stored key is still that of the database that was met, whose number is `their_epoch`.
  for (const { id, node_id, their_epoch } of former) await setPeer(tx, id, { node_id: above, their_epoch: their_epoch ?? node_id })
  return former.length > 0
}

/** The same where this laptop itself meets the restored parent: its first parent is told everything once more. */
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

/** The number of this node's feed up to which the parent has everything; rows that came from the parent count. */
export async function sentUpTo(tx: ReadTx, { school_id, node_id, own_seq }: Peer): Promise<number> {
  const [school, parent] = [school_id as string, node_id]
  const [unsent] = await firstUnsent(tx, { school, parent, seq: own_seq })
  return unsent ? own_seq : (await tx.dialect.feedOf(tx.connection, school)).seq
}

/** The key columns of a parent, from its greeting; empty where these are no keys. */
export const heardKeys = ({ public_key, box_key }: Welcome['keys']): Partial<Pick<Peer, 'public_key' | 'box_key'>> =>
  isKey(public_key, 'ed25519') && isKey(box_key, 'x25519') ? { public_key, box_key } : {}

type FeedNumbers = { theirs: number; ours: number }

/**
 * Follows how far a laptop's feed has come to the centre. With each page the school says how much of its own feed the centre has (`above`).
 * Once that is as far as the school's feed was when it had all of the laptop's, the centre has that part of the laptop's feed too.
 */
export class CentreProgress {
  private reached: FeedNumbers = { theirs: 0, ours: 0 }
  private awaited: FeedNumbers | null = null

  /**
   * Takes a page of the school. `ours`: the number up to which the school had this node's feed before it was asked. Returns the number up
   * to which the centre has it; null where the school has no parent.
   */
  heard({ cursor, is_last, above }: Pick<Page, 'cursor' | 'is_last' | 'above'>, ours: number): number | null {
    const at = textToCursor(cursor)
    if (above == null) {
      this.reached = { theirs: 0, ours: 0 }
      this.awaited = null
      return null
    }
    // The centre has less than before: it was restored, and nothing is known until it has all again.
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
