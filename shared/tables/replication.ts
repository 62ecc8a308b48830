import { sql } from 'drizzle-orm'
import type { Columns } from './columns.sqlite.ts'
import { always, isRecord, ofSchool } from './describe.ts'
import { nodeRoles } from './node.ts'
import type { School } from './people.ts'

const conflictKinds = ['value', 'delete', 'rule', 'right'] as const
const conflictStatuses = ['noticed', 'open', 'resolved'] as const
export type ConflictValue = Record<string, unknown>
/** A person's decision: the row stays, the kept value is written again, or another value is written. */
export type Resolution = { choice: 'current' | 'kept' | 'typed'; value: ConflictValue | null }

/**
 * An overruled write, kept whole (sync/SPEC.md, «Conflicts»): `value` by column, null for a deletion; its author (`actor_id`), node
 * (`node_id`) and time (`hlc`, ms). The id is computed from the row, the unit and the write's dot, so that every node where the two writes
 * meet makes the same record.
 */
export const syncConflict = (c: Columns, { school }: School) =>
  c.ofSchool('sync', 'sync_conflict', {
    columns: {
      entity: c.text().notNull(),
      row_id: c.uuid().notNull(),
      unit: c.text().notNull(),
      kind: c.choice(conflictKinds).notNull(),
      reason: c.text(),
      value: c.json<ConflictValue | null>(),
      node_id: c.uuid().notNull(),
      counter: c.bigint().notNull(),
      hlc: c.bigint().notNull(),
      actor_id: c.uuid(),
      status: c.choice(conflictStatuses).notNull(),
      resolved_at: c.instant(),
      resolved_by: c.uuid(),
      resolution: c.json<Resolution | null>(),
    },
    rules: (t) => [
      c.index('sync_conflict_row', t.school_id, t.entity, t.row_id),
      c.index('sync_conflict_open', t.school_id, t.status, t.hlc),
      c.foreign('sync_conflict_school', [t.school_id], [school.id]),
      c.check('sync_conflict_kind', sql`${t.kind} in ('value', 'delete', 'rule', 'right')`),
      c.check('sync_conflict_status', sql`${t.status} in ('noticed', 'open', 'resolved')`),
    ],
  })

const isRecordOrNone = (value: unknown) => value === null || isRecord(value)

export const syncConflictDescription = ofSchool({
  identity: ['entity', 'row_id', 'unit', 'kind', 'reason', 'value', 'node_id', 'counter', 'hlc', 'actor_id'],
  natural: { kind: 'conflict', of: ['entity', 'row_id', 'unit', 'kind', 'reason', 'node_id', 'counter'] },
  notDeletedAlone: always,
  units: { status: ['status', 'resolved_at', 'resolved_by', 'resolution'] },
  json: { value: isRecordOrNone, resolution: isRecordOrNone },
})

/**
 * A received row that cannot be written yet: its parent row is missing, or it violates a constraint. Kept whole and retried after every
 * page; it does not block other rows. Local to the node.
 */
export const syncHeld = (c: Columns) =>
  c.table('sync', 'sync_held', {
    columns: {
      school_id: c.uuid().notNull(),
      table_name: c.text().notNull(),
      row_id: c.uuid().notNull(),
      state: c.text().notNull(),
      reason: c.text().notNull(),
      peer_id: c.uuid(),
      since: c.instant().notNull(),
      tries: c.int().notNull(),
    },
    rules: (t) => [c.key(t.school_id, t.table_name, t.row_id)],
  })

/**
 * A write that a parent refused, kept whole, with its dot (`node_id`, `counter`; null where an older program kept it, or it could not be
 * read). At the child it is for its author, with the refusing peer in `parent_id`; at the parent for the administrators, with the child's
 * peer in `peer_id`. `seen_at`: when it was dismissed or settled.
 */
export const syncRefused = (c: Columns) =>
  c.table('sync', 'sync_refused', {
    columns: {
      id: c.uuid().notNull(),
      school_id: c.uuid().notNull(),
      table_name: c.text().notNull(),
      row_id: c.uuid().notNull(),
      unit: c.text().notNull(),
      value: c.json<ConflictValue | null>(),
      actor_id: c.uuid(),
      hlc: c.bigint().notNull(),
      code: c.text().notNull(),
      refused_at: c.instant().notNull(),
      seen_at: c.instant(),
      peer_id: c.uuid(),
      node_id: c.uuid(),
      counter: c.bigint(),
      parent_id: c.uuid(),
    },
    rules: (t) => [c.key(t.id), c.index('sync_refused_school', t.school_id, t.refused_at)],
  })

/**
 * The differences between a child and its parent that two comparisons in a row found: by table, the number of rows of each. `healed_at`:
 * when a later comparison found none. Everything was merged again `merges` times, last at `merged_at`.
 */
export type KeptDifference = {
  found_at: string
  healed_at: string | null
  merged_at: string | null
  merges: number
  tables: readonly { table: string; here: number; there: number }[]
}

/**
 * Another node. `side`: it is this node's parent or child. `node_id`: its present incarnation. `school_id`: the school it may replicate;
 * `user_id`: the owner of a laptop. Keys are raw, base64url: `public_key` Ed25519 for signatures, `box_key` X25519 for secrets.
 * `own_seq` and `own_people`: the positions in our feeds of the school and of people that the other has acknowledged; `their_epoch` and
 * `their_cursor`: our position in theirs. For a child reversed: `own_seq` is our position in its feed, `their_cursor` its position in
 * ours. `schema`: the older of the two programs' versions at the last full exchange.
 * For a parent: `compared_at`: when both last held the same rows; `difference`: the last difference. For a laptop below: `wipe_asked_at`:
 * when an administrator ordered its erasure; `wiped_at`: when it reported that it is erased.
 */
export const syncPeer = (c: Columns) =>
  c.table('sync', 'sync_peer', {
    columns: {
      id: c.uuid().notNull(),
      side: c.choice(['parent', 'child']).notNull(),
      kind: c.choice(nodeRoles).notNull(),
      name: c.text().notNull(),
      school_id: c.uuid(),
      user_id: c.uuid(),
      node_id: c.uuid().notNull(),
      url: c.text(),
      place: c.int().notNull(),
      public_key: c.text().notNull(),
      box_key: c.text().notNull(),
      own_epoch: c.uuid(),
      own_seq: c.bigint().notNull(),
      own_people: c.bigint().notNull(),
      their_epoch: c.uuid(),
      their_cursor: c.text(),
      highest_counter: c.bigint().notNull(),
      history_head: c.text(),
      scope: c.text(),
      schema: c.int().notNull().default(0),
      clock_offset: c.bigint(),
      session_nonce: c.text(),
      session_number: c.bigint().notNull(),
      enrolled_at: c.instant().notNull(),
      last_seen_at: c.instant(),
      revoked_at: c.instant(),
      compared_at: c.instant(),
      difference: c.json<KeptDifference | null>(),
      wipe_asked_at: c.instant(),
      wiped_at: c.instant(),
    },
    rules: (t) => [c.key(t.id), c.index('sync_peer_school', t.school_id)],
  })

/**
 * A one-time invitation for a node. `code_hash`: the public key derived from its code (`server/replication/identity/keys.ts`); the code
 * cannot be computed from it.
 */
export const syncInvitation = (c: Columns) =>
  c.table('sync', 'sync_invitation', {
    columns: {
      id: c.uuid().notNull(),
      code_hash: c.text().notNull(),
      kind: c.choice(['school', 'laptop']).notNull(),
      school_id: c.uuid(),
      user_id: c.uuid(),
      created_by: c.uuid(),
      created_at: c.instant().notNull(),
      expires_at: c.instant().notNull(),
      used_at: c.instant(),
    },
    rules: (t) => [c.key(t.id), c.unique('sync_invitation_code', [t.code_hash])],
  })

/**
 * Files that a row names and that still have to be transferred (docs/design/replication.md): `down` from the parent, `up` to the parent.
 * Retried at `next_at`; `reason`: why the last attempt failed.
 */
export const syncFile = (c: Columns) =>
  c.table('sync', 'sync_file', {
    columns: {
      peer_id: c.uuid().notNull(),
      table_name: c.text().notNull(),
      row_id: c.uuid().notNull(),
      direction: c.choice(['down', 'up']).notNull(),
      tries: c.int().notNull(),
      next_at: c.instant().notNull(),
      reason: c.text(),
    },
    rules: (t) => [
      c.key(t.peer_id, t.table_name, t.row_id),
      c.index('sync_file_next', t.peer_id, t.next_at),
      c.check('sync_file_direction', sql`${t.direction} in ('down', 'up')`),
    ],
  })

/**
 * The positions in this node's own feeds, of the school and of people, up to which the files of rows were checked for the parent of this
 * `epoch`.
 */
export const syncFilePlace = (c: Columns) =>
  c.table('sync', 'sync_file_place', {
    columns: { peer_id: c.uuid().notNull(), epoch: c.uuid().notNull(), seq: c.bigint().notNull(), people: c.bigint().notNull() },
    rules: (t) => [c.key(t.peer_id)],
  })

/**
 * A run of the audit over a school, or over people: when, and what it found (`server/replication/audit/audit.found.ts`). `ended_at` is
 * null while it runs, until `leased_until` at the latest. `seal`: a MAC over the row, so that a result cannot be forged without the
 * server's secret. The newest runs of each school are kept. Never leaves its node.
 */
export const auditRun = (c: Columns) =>
  c.table('sync', 'audit_run', {
    columns: {
      id: c.uuid().notNull(),
      school_id: c.uuid().notNull(),
      begun_at: c.instant().notNull(),
      leased_until: c.instant().notNull(),
      ended_at: c.instant(),
      is_bad: c.flag(),
      found: c.text(),
      seal: c.text(),
    },
    rules: (t) => [c.key(t.id), c.index('audit_run_school', t.school_id, t.begun_at)],
  })
