import { toInstant } from '@markbook/shared/clock'
import type { RefusedWrite } from '@markbook/shared/contract/replication.rows'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, count, desc, eq, isNotNull, isNull, type SQL } from 'drizzle-orm'
import { rowsNaming } from '../../store/replica/states.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { namesOf } from './naming.ts'
import { maximaOf } from './past.ts'
import { peopleNamed } from './people.ts'

type Refused = Row<'sync_refused'>
/** `own`: refused to this node by its parent; `below`: by this node to one below. */
export type Side = 'own' | 'below'

const ofSide = ({ t: { sync_refused: of } }: ReadTx, side: Side) => (side === 'own' ? isNull(of.peer_id) : isNotNull(of.peer_id))

/** The units that one person wrote to one row and one reply refused are one refused write to people. */
const together = ({ t: { sync_refused: of } }: ReadTx) =>
  [of.school_id, of.peer_id, of.table_name, of.row_id, of.actor_id, of.code, of.refused_at] as const
const keyOf = ({ peer_id, table_name, row_id, actor_id, code, refused_at }: Refused) =>
  [peer_id, table_name, row_id, actor_id, code, refused_at].join(' ')

/** The number of refused writes that nobody has dismissed; without `school`, for all schools of this database. */
export async function refusedUnseen(tx: ReadTx, side: Side, school?: string): Promise<number> {
  const { sync_refused: of } = tx.t
  const each = tx.db
    .select({ row_id: of.row_id })
    .from(of)
    .where(and(school === undefined ? undefined : eq(of.school_id, school), ofSide(tx, side), isNull(of.seen_at)))
    .groupBy(...together(tx))
    .as('each')
  const [found] = await tx.db.select({ count: count() }).from(each)
  return found?.count ?? 0
}

export const refusedById = statement<{ school: string; id: string }>()(({ db, t: { sync_refused: of }, p }) =>
  db
    .select()
    .from(of)
    .where(and(eq(of.school_id, p.school), eq(of.id, p.id))),
)

/** Dismisses a write with all its units. An earlier dismissal keeps its time. */
export async function putAside(tx: WriteTx, refused: Refused): Promise<void> {
  const { sync_refused: of } = tx.t
  const { school_id, table_name, row_id, code, refused_at, peer_id, actor_id } = refused
  const isTogether: (SQL | undefined)[] = [
    eq(of.school_id, school_id),
    eq(of.table_name, table_name),
    eq(of.row_id, row_id),
    eq(of.code, code),
    eq(of.refused_at, refused_at),
    peer_id === null ? isNull(of.peer_id) : eq(of.peer_id, peer_id),
    actor_id === null ? isNull(of.actor_id) : eq(of.actor_id, actor_id),
    isNull(of.seen_at),
  ]
  await tx.local
    .update(tx.t.sync_refused)
    .set({ seen_at: tx.now })
    .where(and(...isTogether))
}

/** Newest first; `of`: only this person's. */
export async function refusedOf(tx: ReadTx, school: string, of: string | null): Promise<RefusedWrite[]> {
  const { sync_refused } = tx.t
  const rows: Refused[] = await tx.db
    .select()
    .from(sync_refused)
    .where(and(eq(sync_refused.school_id, school), of === null ? undefined : eq(sync_refused.actor_id, of)))
    .orderBy(desc(sync_refused.refused_at), desc(sync_refused.id))
  const groups = new Map<string, Refused[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  const from = await childrenById(tx, school)
  const isOurs = await ofThisSchool(tx, school, rows, from)
  const named = await peopleNamed(tx, school, [
    ...rows.flatMap((row) => (isOurs(row, row.actor_id) ? [row.actor_id] : [])),
    ...[...from.values()].map(({ user_id }) => user_id),
  ])
  const written = rows.map((row) => ({ ...row, entity: row.table_name }))
  const maximum = await maximaOf(tx, school, written)
  const where = await namesOf(
    tx,
    school,
    written.filter((row) => row.entity !== 'user_profile' || isOurs(row, row.row_id)),
  )
  return [...groups.values()].map((units) => {
    const [first] = units as [Refused, ...Refused[]]
    const { table_name: entity, row_id, actor_id, code, refused_at, peer_id } = first
    const child = peer_id === null ? undefined : from.get(peer_id)
    return {
      id: units.map(({ id }) => id).sort()[0] as string,
      entity,
      row_id,
      where: where({ entity, row_id }),
      units: units.map(({ unit }) => unit).sort(),
      value: writtenIn(units),
      out_of: maximum({ entity, row_id }),
      actor: isOurs(first, actor_id) || actor_id === null ? named(actor_id) : { id: actor_id, first_name: null, last_name: null },
      at: toInstant(Math.max(...units.map(({ hlc }) => hlc))),
      code,
      refused_at,
      seen_at: units.some(({ seen_at }) => seen_at === null) ? null : first.seen_at,
      from: peer_id === null ? null : { id: peer_id, name: child?.name ?? null, user: named(child?.user_id ?? null) },
    }
  })
}

/** All written columns, in the order of the table's units; null for a deletion. */
function writtenIn(units: readonly Refused[]): Refused['value'] {
  if (units.some(({ unit, value }) => unit === EXISTENCE && value === null)) return null
  const entity = units[0]?.table_name ?? ''
  const order = Object.hasOwn(descriptions, entity) ? [EXISTENCE, ...Object.keys(descriptions[entity as Replicated].units)] : []
  const inOrder = [...units].sort((a, b) => order.indexOf(a.unit) - order.indexOf(b.unit))
  return Object.assign({}, ...inOrder.map(({ value }) => value))
}

async function childrenById({ db, t: { sync_peer } }: ReadTx, school: string): Promise<Map<string, Row<'sync_peer'>>> {
  const children: Row<'sync_peer'>[] = await db
    .select()
    .from(sync_peer)
    .where(and(eq(sync_peer.school_id, school), eq(sync_peer.side, 'child')))
  return new Map(children.map((child) => [child.id, child]))
}

/** A node below may send the id of anybody, including people of other schools: only people of this school are named. */
async function ofThisSchool(tx: ReadTx, school: string, rows: readonly Refused[], children: ReadonlyMap<string, Row<'sync_peer'>>) {
  const asked = new Set(rows.flatMap(({ peer_id, actor_id, row_id }) => (peer_id === null ? [] : [actor_id, row_id])))
  const members = await rowsNaming(
    tx,
    'school_management',
    school,
    'user_id',
    [...asked].filter((id) => id !== null),
  )
  const ours = new Set([...members.map(({ user_id }) => user_id), ...[...children.values()].map(({ user_id }) => user_id)])
  return ({ peer_id }: Refused, person: string | null): boolean => peer_id === null || ours.has(person)
}
