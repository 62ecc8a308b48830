import { toInstant } from '@markbook/shared/clock'
import type { Conflict, HeldRow, SyncNode } from '@markbook/shared/contract/replication.rows'
import type { Description } from '@markbook/shared/tables/describe'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { compareStamps, EXISTENCE, type Stamp, sameDot } from '@markbook/sync/versions'
import { and, desc, eq, type SQL } from 'drizzle-orm'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { successorOf } from '../../replication/identity/nodes.ts'
import { currentParent, type UpstreamStatus } from '../../replication/upstream/upstream-status.ts'
import { incarnations } from '../../store/node.ts'
import { type AnyRow, idsByTable, keyOf } from '../../store/replica/links.ts'
import { rowsById, versionsByKey } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { clocksOf, offsetOf } from './clocks.ts'
import { differingRecords, groupsOf, valuesOf } from './conflict-groups.ts'
import { type Named, namesOf, rowNameOf } from './naming.ts'
import { maximaOf, valuesBeforeBoth } from './past.ts'
import { peopleNamed } from './people.ts'

export async function conflictsWhere(tx: ReadTx, school: string, where?: SQL): Promise<Row<'sync_conflict'>[]> {
  const { sync_conflict } = tx.t
  return tx.db
    .select()
    .from(sync_conflict)
    .where(and(eq(sync_conflict.school_id, school), where))
    .orderBy(desc(sync_conflict.hlc), desc(sync_conflict.id))
}

type Viewer = { here: Here; mayDecide: (conflict: Row<'sync_conflict'>) => boolean }

/** One item for each group of conflicts, with the present value, its author and its node. */
export async function shownConflicts(
  tx: ReadTx,
  school: string,
  rows: readonly Row<'sync_conflict'>[],
  { here, mayDecide }: Viewer,
): Promise<Conflict[]> {
  const current = await currentRows(tx, school, rows)
  const written = await writtenBy(tx, school, rows)
  const stamps = rows.map((each) => written(each)?.stamp)
  const named = await peopleNamed(tx, school, [
    ...rows.flatMap(({ actor_id, resolved_by }) => [actor_id, resolved_by]),
    ...stamps.map((stamp) => stamp?.[3] ?? null),
  ])
  const nodes = await nodeNames(tx, here)
  const clockOff = await clocksOf(tx, here)
  const nodeName = (node: string) => nodes.get(node) ?? null
  const where = await namesOf(tx, school, rows)
  const before = await valuesBeforeBoth(
    tx,
    school,
    rows.map((conflict) => ({
      conflict,
      row: current(conflict),
      standing: written(conflict)?.stamp,
    })),
  )
  const maximum = await maximaOf(tx, school, rows)
  const standing = (records: readonly Row<'sync_conflict'>[]) => {
    const found = records.flatMap((each) => written(each) ?? [])
    const stamp = found
      .map((each) => each.stamp)
      .sort(compareStamps)
      .at(-1)
    return stamp
      ? { actor: named(stamp[3]), at: toInstant(stamp[2]), node: nodeName(stamp[0]), clock_off_ms: clockOff(stamp[0], stamp[2]) }
      : null
  }
  return groupsOf(rows).map((group) => {
    const [first] = group
    const { id, entity, row_id, unit, kind, reason, node_id, status, resolved_at } = first
    const now = current(first)
    const records = differingRecords(group, now)
    const kept = valuesOf(records)
    const columns = kept ? Object.keys(kept) : (written(first)?.columns ?? [])
    const befores = records.flatMap((each) => before(each.id) ?? [])
    const hlc = Math.max(...group.map((each) => each.hlc))
    return {
      id,
      entity,
      row_id,
      unit,
      units: records.map((each) => each.unit),
      kind,
      reason,
      kept,
      current: now ? Object.fromEntries(columns.map((column) => [column, now[column] ?? null])) : null,
      before: befores.length > 0 ? Object.assign({}, ...befores) : null,
      out_of: maximum(first),
      where: where(first),
      actor: named(first.actor_id),
      at: toInstant(hlc),
      node: nodeName(node_id),
      clock_off_ms: clockOff(node_id, hlc),
      // A value that a rule keeps has no author: the stamp of its unit is that of the overruled write.
      standing: now && kind !== 'rule' ? standing(records) : null,
      may_decide: mayDecide(first),
      status,
      resolved_at,
      resolved_by: named(first.resolved_by),
    }
  })
}

/**
 * The stamp of each unit's standing write: node, counter, hlc, actor. For a row in conflict with a deletion, its last write and the
 * columns of that; the deletion's own stamp is that of the row's existence.
 */
async function writtenBy(tx: ReadTx, school: string, rows: readonly Named[]) {
  const versions = await versionsByKey(tx, school, rows.map(rowNameOf))
  return ({ entity, row_id, unit, value }: Row<'sync_conflict'>): { stamp: Stamp; columns: string[] } | undefined => {
    const known = versions.get(keyOf({ table: entity, id: row_id }))?.units ?? {}
    const isDeletion = unit === EXISTENCE && value === null
    const others = Object.entries(known).filter(([name]) => name !== EXISTENCE)
    const last = others
      .map(([, stamp]) => stamp)
      .sort(compareStamps)
      .at(-1)
    const stamp = (isDeletion ? last : undefined) ?? known[unit]
    if (!stamp) return undefined
    const { units: columnsOf }: Description = descriptions[entity as Replicated]
    const written = isDeletion ? others.flatMap(([name, own]) => (sameDot(own, stamp) ? (columnsOf[name] ?? []) : [])) : []
    return { stamp, columns: written }
  }
}

/** The rows as they stand. */
export async function currentRows(tx: ReadTx, school: string, rows: readonly Named[]): Promise<(row: Named) => AnyRow | undefined> {
  const found = new Map<string, AnyRow>()
  for (const [table, ids] of idsByTable(rows.map(rowNameOf)))
    for (const row of await rowsById(tx, table, school, ids)) found.set(keyOf({ table, id: row.id }), row)
  return (row) => found.get(keyOf(rowNameOf(row)))
}

/** This node's id and name. */
export type Here = { id: string; name: string }

/** The name of each node id that this node knows; a node that began anew keeps its name. */
export async function nodeNames(tx: ReadTx, here: Here): Promise<Map<string, string>> {
  const peers = await tx.db.select({ id: tx.t.sync_peer.node_id, name: tx.t.sync_peer.name }).from(tx.t.sync_peer)
  const own = [here.id, ...(await incarnations(tx))]
  return new Map([...peers.map(({ id, name }) => [id, name] as const), ...own.map((id) => [id, here.name] as const)])
}

export async function heldOf(tx: ReadTx, school: string): Promise<HeldRow[]> {
  const rows: Row<'sync_held'>[] = await tx.db.select().from(tx.t.sync_held).where(eq(tx.t.sync_held.school_id, school))
  const held = rows.map(({ table_name, row_id, reason, since, tries }) => ({ entity: table_name, row_id, reason, since, tries }))
  const where = await namesOf(tx, school, held)
  return held.map((each) => ({ ...each, where: where(each) }))
}

export async function nodesOf(tx: ReadTx, school: string): Promise<SyncNode[]> {
  const { sync_peer } = tx.t
  const rows: Row<'sync_peer'>[] = await tx.db
    .select()
    .from(sync_peer)
    .where(eq(sync_peer.school_id, school))
    .orderBy(sync_peer.enrolled_at, sync_peer.id)
  const named = await peopleNamed(
    tx,
    school,
    rows.map(({ user_id }) => user_id),
  )
  return rows.map((each) => {
    const { id, side, kind, name, user_id, url, enrolled_at, last_seen_at, revoked_at, wipe_asked_at, wiped_at } = each
    const next = successorOf(each, rows)
    const began_anew = next && { name: next.name, at: next.at, both_heard: next.bothHeard }
    const clock_offset_ms = offsetOf(each)
    const times = { enrolled_at, last_seen_at, clock_offset_ms, revoked_at, wipe_asked_at, wiped_at }
    return { id, side, kind, name, user: named(user_id), url, ...times, began_anew }
  })
}

/** The parent in use, by `course`, else the first. */
export async function parentOf(tx: ReadTx, school: string, course: UpstreamStatus | null): Promise<Row<'sync_peer'> | null> {
  const parents = await parentsOf(tx)
  return currentParent(
    parents.filter(({ school_id }) => school_id === school),
    course,
  )
}
