import { createHash } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import type { HeldRow, RefusedWrite, SyncNode } from '@markbook/shared/contract/replication.rows'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import type { ReadTx } from '../../store/tx.ts'
import { isApart } from './clocks.ts'
import { type ConflictGroup, groupsOf } from './conflict-groups.ts'
import { refusedOf, SERVICE } from './refused.ts'
import { conflictsWhere, heldOf, nodesOf } from './replication.queries.ts'

type About =
  | { kind: 'conflict'; about: Row<'sync_conflict'>; records: ConflictGroup }
  | { kind: 'refused'; about: RefusedWrite }
  | { kind: 'held'; about: HeldRow }
  | { kind: 'clock'; about: SyncNode }
  | { kind: 'copy'; about: SyncNode }
/**
 * An issue of this node. `ref`: its name, 16 hexadecimal digits hashed from what it is about, so that it is stable; any unambiguous prefix
 * is accepted. `isDone`: it was decided, or dismissed. A conflict's `about` is the oldest of its records, which are decided together.
 */
export type Issue = { ref: string; school: string; since: string; isDone: boolean } & About

const refOf = (kind: Issue['kind'], id: string): string => createHash('sha256').update(`${kind} ${id}`).digest('hex').slice(0, 16)

/** The issues of a school, by kind, newest first. `done`: the issues that were already decided or dismissed and remain in a list. */
export async function issuesOf(tx: ReadTx, school: string, { done = false }: { done?: boolean } = {}): Promise<Issue[]> {
  const { status } = tx.t.sync_conflict
  const conflicts = await conflictsWhere(tx, school, eq(status, done ? 'resolved' : 'open'))
  const refused = (await refusedOf(tx, school, SERVICE)).filter(({ seen_at }) => (seen_at !== null) === done)
  const of: Make = (since, id, about) => ({ ref: refOf(about.kind, id), school, since, isDone: done, ...about })
  return [
    ...groupsOf(conflicts).map((records) => of(latestOf(records), records[0].id, { kind: 'conflict', about: records[0], records })),
    ...refused.map((about) => of(about.refused_at, about.id, { kind: 'refused', about })),
    ...(done ? [] : await passingOf(tx, school, of)),
  ]
}

const latestOf = (records: ConflictGroup) => toInstant(Math.max(...records.map(({ hlc }) => hlc)))

type Make = (since: string, id: string, about: About) => Issue

/** Issues that need no decision here, and end with their cause. */
async function passingOf(tx: ReadTx, school: string, of: Make): Promise<Issue[]> {
  const held = [...(await heldOf(tx, school))].sort((a, b) => (a.since < b.since ? 1 : -1))
  // An ended incarnation is no computer any more.
  const nodes = (await nodesOf(tx, school)).filter(({ revoked_at, began_anew }) => revoked_at === null && began_anew?.both_heard !== false)
  return [
    ...held.map((about) => of(about.since, `${about.entity} ${about.row_id}`, { kind: 'held', about })),
    ...nodes.flatMap((about) =>
      isApart(about.clock_offset_ms) ? [of(about.last_seen_at ?? about.enrolled_at, about.id, { kind: 'clock', about })] : [],
    ),
    ...nodes.flatMap((about) => (about.began_anew?.both_heard ? [of(about.began_anew.at, about.id, { kind: 'copy', about })] : [])),
  ]
}
