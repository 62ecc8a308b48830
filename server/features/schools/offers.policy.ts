import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import { AWAITS_PERSON } from '../../replication/scope/consent.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'

type Entry = Row<'sync_refused'>
type Role = Row<'school_management'>['role']
/**
 * A place in a school that the school's server has given a person, and that waits for their agreement here. `role` is null where the
 * server only sent a join request in their name, with the id `requestId`.
 */
type Offer = { school: { id: string; name: string }; role: Role | null; offered_at: string; requestId: string | null; entries: string[] }

export const activeSchool = rowsBy('school', { id: 'id' }, { columns: ['id', 'name'], where: { is_active: true } })

/**
 * The offers to a person, newest first. A membership is recognised by its id, which is computed from person and school; a request by its
 * requester. Needs a transaction of the service (`as: 'system'`).
 */
export async function offersTo(tx: ReadTx, user: string): Promise<Offer[]> {
  const { sync_refused: of } = tx.t
  const isOpen = and(eq(of.code, AWAITS_PERSON), isNotNull(of.peer_id), isNull(of.seen_at))
  const isPlace = inArray(of.table_name, ['school_management', 'school_join_request'])
  const found: { id: string }[] = await tx.db.selectDistinct({ id: of.school_id }).from(of).where(and(isOpen, isPlace))
  const offers: Offer[] = []
  for (const { id } of found) {
    const rows: Entry[] = await tx.db
      .select()
      .from(of)
      .where(and(isOpen, isPlace, eq(of.school_id, id)))
    const own = rows.filter((each) => isOf(each, user)).sort((a, b) => b.hlc - a.hlc)
    const [school] = own.length > 0 ? await activeSchool(tx, { id }) : []
    if (school) offers.push(offerOf(school, own))
  }
  return offers.sort((a, b) => (a.offered_at < b.offered_at ? 1 : -1))
}

const isOf = ({ table_name, row_id, school_id, actor_id }: Entry, user: string) =>
  table_name === 'school_management' ? row_id === naturalId('membership', user, school_id) : actor_id === user

/** `rows`: newest first. */
function offerOf(school: Offer['school'], rows: readonly Entry[]): Offer {
  const role = rows.find(({ table_name, value }) => table_name === 'school_management' && value?.['role'])?.value?.['role']
  const request = rows.find(({ table_name }) => table_name === 'school_join_request')
  return {
    school,
    role: (role as Role | undefined) ?? null,
    offered_at: rows.map(({ refused_at }) => refused_at).sort()[0] as string,
    requestId: role === undefined ? (request?.row_id ?? null) : null,
    entries: rows.map(({ id }) => id),
  }
}

/** Closes an answered offer: the refused writes of the school's server stay in the lists, and are not offered again. */
export async function closeOffer(tx: WriteTx, { entries }: Offer): Promise<void> {
  const { sync_refused } = tx.t
  await tx.local.update(tx.t.sync_refused).set({ seen_at: tx.now }).where(inArray(sync_refused.id, entries))
}
