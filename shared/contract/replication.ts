import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Id, Instant, input, row } from './scalars.ts'

const Name = z.string().trim().min(1).max(100)
const Person = z.object({ id: Id, first_name: z.string().nullable(), last_name: z.string().nullable() }).nullable()
const Columns = z.record(z.string(), z.unknown())

/**
 * How replication goes, in one sentence and in numbers. `waiting`: rows that the parent does not have yet, since `oldest_waiting_at`.
 * `clock_offset_ms`: how far this node's clock is ahead of its parent's.
 */
export const SyncStatus = row('SyncStatus', {
  state: choice(['alone', 'up_to_date', 'sending', 'offline', 'revoked', 'upgrade']),
  sentence: z.string(),
  parent: z.object({ name: z.string(), kind: choice(['school', 'centre']) }).nullable(),
  last_seen_at: Instant.nullable(),
  waiting: z.int(),
  oldest_waiting_at: Instant.nullable(),
  open_conflicts: z.int(),
  held: z.int(),
  refused: z.int(),
  clock_offset_ms: z.int().nullable(),
})
export type SyncStatus = z.infer<typeof SyncStatus>

/**
 * A write that did not stand. `kept`: what was written, by column, null for a deletion; `current`: what stands now, null where the row is
 * not there. `at` by the clock of the node that wrote it; `skewed` where that clock is known to be wrong.
 */
export const Conflict = row('Conflict', {
  id: Id,
  entity: z.string(),
  row_id: Id,
  unit: z.string(),
  kind: choice(['value', 'delete', 'rule', 'right']),
  reason: z.string().nullable(),
  kept: Columns.nullable(),
  current: Columns.nullable(),
  where: z.string(),
  actor: Person,
  at: Instant,
  node: z.string(),
  status: choice(['noticed', 'open', 'resolved']),
  resolved_at: Instant.nullable(),
  resolved_by: Person,
})
export type Conflict = z.infer<typeof Conflict>

export const HeldRow = row('HeldRow', { entity: z.string(), row_id: Id, reason: z.string(), since: Instant, tries: z.int() })
export type HeldRow = z.infer<typeof HeldRow>

/** A write of this node that its parent did not take. */
export const RefusedWrite = row('RefusedWrite', {
  id: Id,
  entity: z.string(),
  row_id: Id,
  unit: z.string(),
  value: Columns.nullable(),
  actor: Person,
  at: Instant,
  code: z.string(),
  refused_at: Instant,
})
export type RefusedWrite = z.infer<typeof RefusedWrite>

/** Another node. `user` of a laptop; `url` of a parent. */
export const SyncNode = row('SyncNode', {
  id: Id,
  side: choice(['parent', 'child']),
  kind: choice(['school', 'centre', 'laptop']),
  name: z.string(),
  user: Person,
  url: z.string().nullable(),
  enrolled_at: Instant,
  last_seen_at: Instant.nullable(),
  revoked_at: Instant.nullable(),
})
export type SyncNode = z.infer<typeof SyncNode>

/** Shown once. */
export const Invitation = row('Invitation', { code: z.string(), expires_at: Instant })

export const replicationFailures = failures('sync', {
  cannotResolve: [409, 'This conflict was resolved already, or what it is about can no longer be written.'],
  cannotJoin: [409, 'The other server did not take this one in.'],
})

/** Other nodes, and what came of meeting them (decisions and sync/SPEC.md). */
export const replication = {
  status: endpoint({
    method: 'GET',
    path: '/api/sync/status',
    guard: 'staff',
    summary: 'Say in one sentence and in numbers how replication goes',
    reply: SyncStatus,
  }),
  conflicts: endpoint({
    method: 'GET',
    path: '/api/sync/conflicts',
    guard: 'staff',
    summary: 'List the writes that did not stand, newest first',
    notes: 'Administrators see all of the school; others those of rows that they may write, and their own.',
    query: z.object({ status: choice(['noticed', 'open', 'resolved']).optional() }),
    reply: z.array(Conflict),
    list: true,
  }),
  resolve: endpoint({
    method: 'POST',
    path: '/api/sync/conflicts/:id/resolve',
    guard: 'staff',
    summary: 'Decide a conflict: what stands stays, what was kept is written, or something else is',
    who: 'For whoever may write the row.',
    body: input({ choice: choice(['current', 'kept', 'typed']), value: Columns.optional() }),
    reply: Conflict,
    fails: ['sync.cannot_resolve', 'history.cannot_undo', 'history.changed_since', 'reports.locked', 'grades.not_your_subject', 'assessments.not_your_subject'],
  }),
  held: endpoint({
    method: 'GET',
    path: '/api/sync/held',
    guard: 'admin',
    summary: 'List the rows that came and cannot be written yet',
    reply: z.array(HeldRow),
    list: true,
  }),
  refused: endpoint({
    method: 'GET',
    path: '/api/sync/refused',
    guard: 'staff',
    summary: 'List the writes that the parent did not take, newest first',
    notes: 'Administrators see all, others their own.',
    reply: z.array(RefusedWrite),
    list: true,
  }),
  nodes: endpoint({
    method: 'GET',
    path: '/api/sync/nodes',
    guard: 'admin',
    summary: 'List the other nodes of the school',
    reply: z.array(SyncNode),
    list: true,
  }),
  invite: endpoint({
    method: 'POST',
    path: '/api/sync/nodes/invite',
    guard: 'admin',
    summary: 'Issue a one-time code for a laptop of a teacher, or for the school’s own server',
    body: input({ kind: choice(['school', 'laptop']), userId: Id.optional() }),
    reply: Invitation,
    status: 201,
    fails: ['sync.too_many_invitations', 'sync.not_a_laptop_user'],
  }),
  rename: endpoint({
    method: 'PATCH',
    path: '/api/sync/nodes/:id',
    guard: 'admin',
    summary: 'Rename a node',
    body: input({ name: Name }),
    reply: SyncNode,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/sync/nodes/:id',
    guard: 'admin',
    summary: 'Revoke a node: its next request is refused',
    reply: Done,
  }),
}
