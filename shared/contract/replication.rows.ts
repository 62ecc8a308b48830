import { z } from 'zod'
import { choice, Flag, Id, Instant, Person, row } from './scalars.ts'

/** Values by column. */
export const Columns = z.record(z.string(), z.unknown())

/**
 * What remains on a laptop that was revoked, or whose person no longer works at `school`. `why` is null on every other node. `as_of`: when
 * the laptop last reached its school, so all its data is at least as old.
 */
export const LaptopHoldings = row('LaptopHoldings', {
  why: choice(['revoked', 'dismissed']).nullable(),
  school: z.string().nullable(),
  pupils: z.int(),
  marks: z.int(),
  as_of: Instant.nullable(),
})
export type LaptopHoldings = z.infer<typeof LaptopHoldings>

/**
 * The state of replication, in one sentence and in numbers.
 * `obstacle`: why replication stands still although the parent answers: its replies are not authentic, or its program is too old.
 * `is_laptop`: this node is one person's computer, not a school's server. `reached`: the node that has everything except the waiting rows,
 * by the last report to this node.
 * `waiting`: rows that the parent does not have yet, since `oldest_waiting_at`; `waiting_marks` of them are marks. `copy`: progress of the
 * first copy of the parent's rows, during it.
 * `schools_below`, `laptops_below`: the servers and laptops that send to this one; `copies`: how many of them are two machines with one
 * copied database. `may_join`: this node may join a parent now: it has none and is no centre, or its parent has revoked it.
 * `refused`: writes of this node that its parent refused; `refused_below`: writes of nodes below that this one refused; both only until
 * somebody has dealt with them.
 * `compared_at`: when this node and its first parent last held the same rows. `difference`: the tables that differed, with the number of
 * rows of each node; repaired at `healed_at`, and reported for some time after that.
 * `files_to_send`, `files_to_come`: files of rows here that the parent lacks, and that this node lacks. `clock_offset_ms`: how far this
 * node's clock is ahead of its parent's.
 */
export const SyncStatus = row('SyncStatus', {
  state: choice(['alone', 'up_to_date', 'sending', 'offline', 'revoked', 'upgrade']),
  obstacle: choice(['altered', 'parent_older']).nullable(),
  sentence: z.string(),
  parent: z.object({ name: z.string(), kind: choice(['school', 'centre']) }).nullable(),
  is_laptop: Flag,
  holds: LaptopHoldings,
  schools_below: z.int(),
  laptops_below: z.int(),
  copies: z.int(),
  may_join: Flag,
  reached: choice(['school', 'centre']).nullable(),
  last_seen_at: Instant.nullable(),
  waiting: z.int(),
  waiting_marks: z.int(),
  oldest_waiting_at: Instant.nullable(),
  copy: z.object({ copied: z.int(), total: z.int() }).nullable(),
  files_to_send: z.int(),
  files_to_come: z.int(),
  open_conflicts: z.int(),
  held: z.int(),
  refused: z.int(),
  refused_below: z.int(),
  compared_at: Instant.nullable(),
  difference: z
    .object({
      found_at: Instant,
      healed_at: Instant.nullable(),
      tables: z.array(z.object({ entity: z.string(), here: z.int(), there: z.int() })),
    })
    .nullable(),
  clock_offset_ms: z.int().nullable(),
})
export type SyncStatus = z.infer<typeof SyncStatus>

/**
 * One decision: what a person wrote to a row at one node, and another write overruled, in one or several `units`. The id of any of the
 * units names it. `kept`: the overruled values by column, null for a deletion. `current`: the present values, written by `standing` (null
 * where a rule decides); null where the row is absent; under a deletion, the last values before it. `before`: the values before both
 * writes, null where this node does not have them. `out_of`: the maximum of a mark. `may_decide`: the caller may decide; otherwise the
 * caller wrote one side and somebody else decides. `at`: by the clock of the node that wrote it. `node`: null where its name is not known
 * here. `clock_off_ms`: how far the clock behind `at` was ahead, where that is known and more than a minute; the order of the two writes is
 * then uncertain. `where`: what people call the row, «Kelly Aoife · Test 1 · Mathematics»; empty where the row is absent.
 */
export const Conflict = row('Conflict', {
  id: Id,
  entity: z.string(),
  row_id: Id,
  unit: z.string(),
  units: z.array(z.string()),
  kind: choice(['value', 'delete', 'rule', 'right']),
  reason: z.string().nullable(),
  kept: Columns.nullable(),
  current: Columns.nullable(),
  before: Columns.nullable(),
  out_of: z.number().nullable(),
  where: z.string(),
  actor: Person.nullable(),
  at: Instant,
  node: z.string().nullable(),
  clock_off_ms: z.int().nullable(),
  standing: z.object({ actor: Person.nullable(), at: Instant, node: z.string().nullable(), clock_off_ms: z.int().nullable() }).nullable(),
  may_decide: Flag,
  status: choice(['noticed', 'open', 'resolved']),
  resolved_at: Instant.nullable(),
  resolved_by: Person.nullable(),
})
export type Conflict = z.infer<typeof Conflict>

export const HeldRow = row('HeldRow', {
  entity: z.string(),
  row_id: Id,
  where: z.string(),
  reason: z.string(),
  since: Instant,
  tries: z.int(),
})
export type HeldRow = z.infer<typeof HeldRow>

/**
 * A refused write: of this node, refused by its parent; or, with `from`, of a node below, refused here; `user` is the owner of that
 * laptop. All that one person wrote to a row and was refused at one time is one write of many `units`.
 * `value`: the written values by column; null for a deletion and for a write that could not be read (`malformed`); empty where it is too
 * long to keep. `current`: what stands in these columns, under a deletion the row; null where the row is absent, or the caller may not see
 * it. `may_enter`: the caller may write it here, and it would change something. `out_of`: the maximum of a mark. `actor`: as the node below
 * reported. `seen_at`: when somebody dismissed it, or its write
 * was accepted later or kept as a conflict. The code `more`: more writes were refused than are kept.
 */
export const RefusedWrite = row('RefusedWrite', {
  id: Id,
  entity: z.string(),
  row_id: Id,
  where: z.string(),
  units: z.array(z.string()),
  value: Columns.nullable(),
  current: Columns.nullable(),
  may_enter: Flag,
  out_of: z.number().nullable(),
  actor: Person.nullable(),
  at: Instant,
  code: z.string(),
  refused_at: Instant,
  seen_at: Instant.nullable(),
  from: z.object({ id: Id, name: z.string().nullable(), user: Person.nullable() }).nullable(),
})
export type RefusedWrite = z.infer<typeof RefusedWrite>

/**
 * A row that the parent does not have yet, with its last write: `value`: the written columns; `out_of`: the maximum of a mark; `deleted`:
 * the write deleted the row.
 */
export const WaitingRow = row('WaitingRow', {
  entity: z.string(),
  row_id: Id,
  where: z.string(),
  value: Columns.nullable(),
  out_of: z.number().nullable(),
  deleted: Flag,
  at: Instant,
  actor: Person.nullable(),
})
export type WaitingRow = z.infer<typeof WaitingRow>

/** A file still to be sent to the parent, or to be received from it. `tries`: failed attempts; `reason`: why the last one failed. */
export const WaitingFile = row('WaitingFile', {
  entity: z.string(),
  row_id: Id,
  where: z.string(),
  way: choice(['to_send', 'to_come']),
  tries: z.int(),
  reason: z.string().nullable(),
})
export type WaitingFile = z.infer<typeof WaitingFile>

/**
 * Another node. `user`: the owner of a laptop; `url`: the address of a parent. `began_anew`: as which other node it started again, and
 * when (docs/design/replication.md); `both_heard`: both were heard since then, so one is a copy of the other. `clock_offset_ms`: how far
 * its clock was ahead of this node's at the last contact. `wipe_asked_at`: when its erasure was ordered; `wiped_at`: when it reported that
 * it is erased.
 */
export const SyncNode = row('SyncNode', {
  id: Id,
  side: choice(['parent', 'child']),
  kind: choice(['school', 'centre', 'laptop']),
  name: z.string(),
  user: Person.nullable(),
  url: z.string().nullable(),
  enrolled_at: Instant,
  last_seen_at: Instant.nullable(),
  clock_offset_ms: z.int().nullable(),
  revoked_at: Instant.nullable(),
  wipe_asked_at: Instant.nullable(),
  wiped_at: Instant.nullable(),
  began_anew: z.object({ name: z.string(), at: Instant, both_heard: Flag }).nullable(),
})
export type SyncNode = z.infer<typeof SyncNode>

/** The code is shown only once. */
export const Invitation = row('Invitation', { code: z.string(), expires_at: Instant })
