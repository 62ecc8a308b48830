import { toInstant } from '@markbook/shared/clock'
import type { RefusedWrite } from '@markbook/shared/contract/replication.rows'
import type { Description } from '@markbook/shared/tables/describe'
import { hasWrongId } from '@markbook/shared/tables/natural'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { travelling } from '@markbook/sync/protocol/page'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, count, desc, eq, isNotNull, isNull, type SQL } from 'drizzle-orm'
import { isWritable } from '../../replication/scope/normal-form.ts'
import { keyOf } from '../../store/replica/links.ts'
import { rowsNaming } from '../../store/replica/states.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import type { Overruled, OverruledGroup } from './conflict-groups.ts'
import { canBeWritten } from './decide.ts'
import { namesOf, rowNameOf } from './naming.ts'
import { maximaOf } from './past.ts'
import { peopleNamed } from './people.ts'
import { currentRows } from './replication.queries.ts'

type Refused = Row<'sync_refused'>
type Stored = Readonly<Record<string, unknown>>
/** `own`: refused to this node by its parent; `below`: by this node to one below. */
export type Side = 'own' | 'below'

const ofSide = ({ t: { sync_refused: of } }: ReadTx, side: Side) => (side === 'own' ? isNull(of.peer_id) : isNotNull(of.peer_id))

/** The units that one person wrote to one row and one reply refused are one refused write to people. */
const together = ({ t: { sync_refused: of } }: ReadTx) =>
  [of.school_id, of.peer_id, of.table_name, of.row_id, of.actor_id, of.code, of.refused_at] as const
const keyOfWrite = ({ peer_id, table_name, row_id, actor_id, code, refused_at }: Refused) =>
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

export const refusedById = rowsBy('sync_refused', { school: 'school_id', id: 'id' })

/** The entries of all units of a write. */
const isWith = ({ t: { sync_refused: of } }: ReadTx, refused: Refused): SQL | undefined => {
  const { school_id, table_name, row_id, code, refused_at, peer_id, actor_id } = refused
  return and(
    eq(of.school_id, school_id),
    eq(of.table_name, table_name),
    eq(of.row_id, row_id),
    eq(of.code, code),
    eq(of.refused_at, refused_at),
    peer_id === null ? isNull(of.peer_id) : eq(of.peer_id, peer_id),
    actor_id === null ? isNull(of.actor_id) : eq(of.actor_id, actor_id),
  )
}

/** A refused write with all its units, as a decision takes it. */
export async function writeOf(tx: ReadTx, refused: Refused): Promise<OverruledGroup> {
  const rows: Refused[] = await tx.db.select().from(tx.t.sync_refused).where(isWith(tx, refused))
  return groupOf(rows as [Refused, ...Refused[]])
}

/** Of a deletion only that: what else was written to the row goes with it. */
function groupOf(units: readonly [Refused, ...Refused[]]): OverruledGroup {
  const [first, ...others] = units
  const deletion = units.find(isDeletion)
  return deletion ? [overruled(deletion)] : [overruled(first), ...others.map(overruled)]
}
const isDeletion = ({ unit, value }: Refused) => unit === EXISTENCE && value === null
/** Who made the row is named only where that is who wrote it, and the node answers for them. */
function overruled({ table_name, value, actor_id, code, ...row }: Refused): Overruled {
  const isForged = value?.['created_by'] != null && (value['created_by'] !== actor_id || code === 'not_yours')
  return { ...row, entity: table_name, value: isForged ? { ...value, created_by: null } : value }
}

/** Dismisses a write with all its units. An earlier dismissal keeps its time. */
export async function putAside(tx: WriteTx, refused: Refused): Promise<void> {
  await tx.local
    .update(tx.t.sync_refused)
    .set({ seen_at: tx.now })
    .where(and(isWith(tx, refused), isNull(tx.t.sync_refused.seen_at)))
}

/** Whether a refused write can be written here by somebody who may: all of it is kept and can be read. */
export function canBeEntered(group: OverruledGroup, code: string, row: Stored | undefined): boolean {
  const isWhole = group.every(({ value }) => value === null || Object.keys(value).length > 0)
  return code !== 'malformed' && isWhole && canBeWritten(group, row) && isSound(group, row)
}

/** Whether a person could have typed it: where a right was missing, nobody has looked at the values yet. */
function isSound(group: OverruledGroup, row: Stored | undefined): boolean {
  const table = group[0].entity as Replicated
  const written: Stored = Object.assign({}, ...group.map(({ value }) => value))
  const values = { ...row, ...written }
  const columns = travelling(table).filter((column) => column in written)
  return isWritable(table, values, columns) && (row !== undefined || !hasWrongId(table, values))
}

/** `seesAll`: the person sees every row that is here. `may`: whether they may write the row of a write. */
type Viewer = { of: string | null; seesAll: boolean; may(write: OverruledGroup): Promise<boolean> | boolean }
/** Of the service, which may everything. */
export const SERVICE: Viewer = { of: null, seesAll: true, may: () => true }

/** Newest first; `of`: only this person's. */
export async function refusedOf(tx: ReadTx, school: string, { of, seesAll, may }: Viewer): Promise<RefusedWrite[]> {
  const { sync_refused } = tx.t
  const rows: Refused[] = await tx.db
    .select()
    .from(sync_refused)
    .where(and(eq(sync_refused.school_id, school), of === null ? undefined : eq(sync_refused.actor_id, of)))
    .orderBy(desc(sync_refused.refused_at), desc(sync_refused.id))
  const groups = new Map<string, Refused[]>()
  for (const row of rows) groups.set(keyOfWrite(row), [...(groups.get(keyOfWrite(row)) ?? []), row])
  const from = await childrenById(tx, school)
  const isOurs = await ofThisSchool(tx, school, rows, from)
  const named = await peopleNamed(tx, school, [
    ...rows.flatMap((row) => (isOurs(row, row.actor_id) ? [row.actor_id] : [])),
    ...[...from.values()].map(({ user_id }) => user_id),
  ])
  const written = rows.map((row) => ({ ...row, entity: row.table_name }))
  const maximum = await maximaOf(tx, school, written)
  // Of a row that was never here, what the refused write says it belongs to.
  const made = new Map(
    written.flatMap((row) =>
      row.unit === EXISTENCE && row.value !== null && PEOPLE.every((column) => isOurs(row, (row.value?.[column] ?? null) as string | null))
        ? [[keyOf(rowNameOf(row)), row.value] as const]
        : [],
    ),
  )
  const where = await namesOf(
    tx,
    school,
    written.filter((row) => row.entity !== 'user_profile' || isOurs(row, row.row_id)),
    (row) => made.get(keyOf(rowNameOf(row))),
  )
  const present = await currentRows(tx, school, written.filter(isOfSchool))
  const shown: RefusedWrite[] = []
  for (const units of groups.values()) {
    const group = units as [Refused, ...Refused[]]
    const [first] = group
    const { table_name: entity, row_id, actor_id, code, refused_at, peer_id } = first
    const child = peer_id === null ? undefined : from.get(peer_id)
    const row = present({ entity, row_id })
    const value = writtenIn(units)
    const mayWrite = await may(groupOf(group))
    shown.push({
      id: units.map(({ id }) => id).sort()[0] as string,
      entity,
      row_id,
      where: where({ entity, row_id }),
      units: units.map(({ unit }) => unit).sort(),
      value,
      current: row && (seesAll || mayWrite) ? presentIn(entity, value, row) : null,
      may_enter: mayWrite && canBeEntered(groupOf(group), code, row),
      out_of: maximum({ entity, row_id }),
      actor: isOurs(first, actor_id) || actor_id === null ? named(actor_id) : { id: actor_id, first_name: null, last_name: null },
      at: toInstant(Math.max(...units.map(({ hlc }) => hlc))),
      code,
      refused_at,
      seen_at: units.some(({ seen_at }) => seen_at === null) ? null : first.seen_at,
      from: peer_id === null ? null : { id: peer_id, name: child?.name ?? null, user: named(child?.user_id ?? null) },
    })
  }
  return shown
}

/** A node below may name rows of other schools, and people whom everybody has. */
const isOfSchool = ({ entity, school_id, row_id }: { entity: string; school_id: string; row_id: string }): boolean => {
  const scope = Object.hasOwn(descriptions, entity) ? descriptions[entity as Replicated].scope : 'commons'
  return scope === 'school' || (scope === 'self' && row_id === school_id)
}

/** What stands in the columns that were written; under a deletion the whole row. */
function presentIn(entity: string, value: Stored | null, row: Stored): Stored {
  const columns = value ? Object.keys(value) : Object.values(descriptions[entity as Replicated].units).flat()
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
}

/**
 * All written columns, in the order of the table's units; null for a deletion. Of a new row without its identity, where it has other
 * columns.
 */
function writtenIn(units: readonly Refused[]): Refused['value'] {
  if (units.some(isDeletion)) return null
  const entity = units[0]?.table_name ?? ''
  const described: Description | null = Object.hasOwn(descriptions, entity) ? descriptions[entity as Replicated] : null
  const order = described ? [EXISTENCE, ...Object.keys(described.units)] : []
  const inOrder = [...units].sort((a, b) => order.indexOf(a.unit) - order.indexOf(b.unit))
  const all: Stored = Object.assign({}, ...inOrder.map(({ value }) => value))
  const others = Object.entries(all).filter(([column]) => !described?.identity.includes(column))
  return others.length > 0 ? Object.fromEntries(others) : all
}

async function childrenById({ db, t: { sync_peer } }: ReadTx, school: string): Promise<Map<string, Row<'sync_peer'>>> {
  const children: Row<'sync_peer'>[] = await db
    .select()
    .from(sync_peer)
    .where(and(eq(sync_peer.school_id, school), eq(sync_peer.side, 'child')))
  return new Map(children.map((child) => [child.id, child]))
}

/** Columns that name people, who belong to no school. */
const PEOPLE = ['user_profile_id', 'user_id'] as const

/** A node below may send the id of anybody, including people of other schools: only people of this school are named. */
async function ofThisSchool(tx: ReadTx, school: string, rows: readonly Refused[], children: ReadonlyMap<string, Row<'sync_peer'>>) {
  const asked = new Set(
    rows.flatMap(({ peer_id, actor_id, row_id, value }) =>
      peer_id === null ? [] : [actor_id, row_id, ...PEOPLE.map((column) => (value?.[column] ?? null) as string | null)],
    ),
  )
  const members = await rowsNaming(
    tx,
    'school_management',
    school,
    'user_id',
    [...asked].filter((id) => id !== null),
  )
  const ours = new Set([...members.map(({ user_id }) => user_id), ...[...children.values()].map(({ user_id }) => user_id)])
  return ({ peer_id }: Refused, person: string | null): boolean => peer_id === null || person === null || ours.has(person)
}
