import { createHash, createHmac } from 'node:crypto'
import { COMMONS } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { type Checkpoint, type Cursor, placeToText, textToCursor } from '@markbook/sync/protocol/cursor'
import { and, desc, eq, lte } from 'drizzle-orm'
import { incarnations } from '../../store/node.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

type Peer = Row<'sync_peer'>
type Spot = Pick<Cursor, 'epoch' | 'seq' | 'people'>

const lastEntry = statement<{ school: string; upTo: number }>()(({ db, t: { history }, p }) =>
  db
    .select({ id: history.id, seq: history.seq })
    .from(history)
    .where(and(eq(history.school_id, p.school), lte(history.seq, p.upTo)))
    .orderBy(desc(history.seq), desc(history.id))
    .limit(1),
)

/** A digest of the last history entry of the school, and of people, up to a place in their feeds. No other history has these ids there. */
async function digestAt(tx: ReadTx, school: string, { seq, people }: Spot): Promise<string> {
  const own = await lastEntry(tx, { school, upTo: seq })
  const ofPeople = await lastEntry(tx, { school: COMMONS, upTo: people })
  const last = [...own, ...ofPeople].map((entry) => [entry.id, entry.seq])
  return createHash('sha256')
    .update(JSON.stringify([own.length, last]))
    .digest('base64url')
    .slice(0, 12)
}

const sealOf = (key: Buffer, school: string, cursor: Cursor, { digest, acknowledged, former }: Omit<Checkpoint, 'seal'>): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['markbook:imprint', school, placeToText(cursor), digest, acknowledged, former]))
    .digest('base64url')
    .slice(0, 16)

/** The part of an id that is not its time. */
const ending = (id: string) => id.slice(-12)
const FIRST = 'first'

/** A place in this node's feed for a child, with a sealed checkpoint of what this node knows there. */
export async function withCheckpoint(tx: ReadTx, peer: Peer, cursor: Cursor, key: Buffer): Promise<Cursor> {
  const school = peer.school_id as string
  const [, before] = await incarnations(tx)
  const known = { digest: await digestAt(tx, school, cursor), acknowledged: peer.highest_counter, former: before ? ending(before) : FIRST }
  return { ...cursor, checkpoint: { ...known, seal: sealOf(key, school, cursor, known) } }
}

/**
 * What shows that the database was put back.
 * - `beyond`: a place beyond the end of its feed
 * - `history`: another history at the place
 * - `acknowledged`: less of the child's feed than it had
 * - `number`: a place under a number that it had later
 */
type Sign = 'beyond' | 'history' | 'acknowledged' | 'number'
/** `number`: of the place. `common`: up to where this database is as it was when it wrote the place; 0 where nothing shows it. */
export type DatabaseDivergence = { sign: Sign; number: string; common: { seq: number; people: number } }

/** What a child's place shows against this database; null where it shows nothing, or where this database did not write it. */
export async function divergenceOf(
  tx: ReadTx,
  peer: Peer,
  epoch: string,
  text: string | null,
  key: Buffer,
): Promise<DatabaseDivergence | null> {
  const school = peer.school_id as string
  const cursor = ownWords(school, text, key)
  if (!cursor) return null
  const number = cursor.epoch
  const last = ownWords(school, peer.their_cursor, key)
  const heard = last?.epoch === epoch ? last : null
  if (cursor.epoch !== epoch)
    return (await isOfLater(tx, cursor, epoch)) ? { sign: 'number', number, common: heard ? spotOf(heard) : BEGINNING } : null
  const [own, ofPeople] = [await tx.dialect.feedOf(tx.connection, school), await tx.dialect.feedOf(tx.connection, COMMONS)]
  const common = commonWith(cursor, heard)
  if (cursor.seq > own.seq || cursor.people > ofPeople.seq) return { sign: 'beyond', number, common }
  if ((await digestAt(tx, school, cursor)) !== cursor.checkpoint.digest) return { sign: 'history', number, common }
  if (cursor.checkpoint.acknowledged <= peer.highest_counter) return null
  return { sign: 'acknowledged', number, common: spotOf(cursor) }
}

/** The cursor, where this database wrote it, or the one that it is a copy of; else null. */
function ownWords(school: string, text: string | null, key: Buffer): (Cursor & { checkpoint: Checkpoint }) | null {
  const cursor = textToCursor(text)
  const { checkpoint } = cursor ?? {}
  if (!cursor || !checkpoint) return null
  return checkpoint.seal === sealOf(key, school, cursor, checkpoint) ? { ...cursor, checkpoint } : null
}

/**
 * Whether the place is of a number that came after the present one, and of which this database knows nothing. After `markbook restore` the
 * present number is a new one: then a place from the lost days is no sign.
 */
async function isOfLater(
  tx: ReadTx,
  { epoch, checkpoint: { former } }: Cursor & { checkpoint: Checkpoint },
  present: string,
): Promise<boolean> {
  const known = await incarnations(tx)
  if (known.includes(epoch) || (former !== ending(present) && known.some((id) => ending(id) === former))) return false
  return (await shownBefore(tx, { school: COMMONS, near: COMMONS, number: epoch })).length === 0
}
const shownBefore = rowsBy('history', { school: 'school_id', near: 'near_id', number: 'row_id' }, { columns: ['id'], limit: 1 })

const BEGINNING: DatabaseDivergence['common'] = { seq: 0, people: 0 }
const spotOf = ({ seq, people }: Spot): DatabaseDivergence['common'] => ({ seq, people })

/** A child that shows a sign got no answer since the database was put back, so what was last heard of it is from before. */
function commonWith(cursor: Spot, heard: Spot | null): DatabaseDivergence['common'] {
  return heard !== null && heard.seq <= cursor.seq && heard.people <= cursor.people ? spotOf(heard) : BEGINNING
}
