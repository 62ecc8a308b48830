import { z } from 'zod'
import { choice, Flag, Id, Instant, row } from './scalars.ts'

const Person = z.object({ id: Id, first_name: z.string().nullable(), last_name: z.string().nullable() }).nullable()
/** Values by column. */
export const Columns = z.record(z.string(), z.unknown())

/**
 * What a laptop still holds that was revoked, or whose person does not work at `school` any more; `why` is null on every other node, and in
 * order. `as_of`: when it last heard its school, so that nothing on it is newer.
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
 * The state of replication, in one sentence and in numbers. `obstacle`: why there is no line although something answers: what comes is not
 * authentic, or the parent's program is too old for this one. `is_laptop`: this node is one person's computer, not a school's server. `reached`:
 * the node that has everything that does not wait, by the last report to this node. `waiting`:
 * rows that the parent does not have yet, since `oldest_waiting_at`; `waiting_marks` of them are marks.
 * `copy`: rows of the first copy of the parent's that have come, and of how many, while it lasts.
 * `schools_below`, `laptops_below`: the servers and laptops that send to this one; `copies`: how many of them were copied, so that there are two.
 * `may_join`: this node could join a parent now: it has none and is no centre, or its parent has revoked it.
 * `refused`: writes of this node that its parent did not take; `refused_below`: of nodes below, that this one did not take; both until they need nobody.
 * `compared_at`: when this node and its first parent last held the same rows. `difference`: the tables in which they did not, with the number of
 * rows of each node; repaired at `healed_at`, and reported for some time after that.
 * `files_to_send`, `files_to_come`: files that the parent lacks, and that this node lacks, of rows that are here. `clock_offset_ms`: how far this node's clock is ahead of its parent's.
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
 * What one person wrote to a row at one node, and another write overruled, of one or several `units`: one thing to decide, by the id of any
 * of them. `kept`: its values by column, null for a deletion; `current`: the present values, null where the row
 * is absent, written by `standing`, null where a rule lets them stand; under a deletion what was written to the row last. `may_decide`: the caller may decide it; else it is
 * theirs, and somebody else's to decide. `clock_off_ms`, of either: how far the clock was ahead by which `at` was told, where that is known and
 * more than a minute: then which of the two came later is not certain. `before`: what stood before either was written, null where this node does not know; `out_of` the maximum
 * of a mark. `at` by the clock of the node that wrote it, `node`, null where nobody here knows its name. `where`: by what people know the row, «Kelly Aoife · Test 1 ·
 * Mathematics»; empty where it is not here.
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
  actor: Person,
  at: Instant,
  node: z.string().nullable(),
  clock_off_ms: z.int().nullable(),
  standing: z.object({ actor: Person, at: Instant, node: z.string().nullable(), clock_off_ms: z.int().nullable() }).nullable(),
  may_decide: Flag,
  status: choice(['noticed', 'open', 'resolved']),
  resolved_at: Instant.nullable(),
  resolved_by: Person,
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
 * A write that was not taken: of this node by its parent, or, with `from`, by this node of one below it, and `user` whose laptop that is.
 * What one person wrote of a row and was refused at one time is one write of many `units`. `value`: all that was written, by column, null
 * for a deletion and for what could not be read (`malformed`), empty where it is too long to be kept here; `out_of` the maximum of a mark.
 * `actor` as the node below says. `seen_at` once somebody has dismissed it, or its write was taken by another way or kept as a conflict. The code `more`: there were more of these than are kept.
 */
export const RefusedWrite = row('RefusedWrite', {
  id: Id,
  entity: z.string(),
  row_id: Id,
  where: z.string(),
  units: z.array(z.string()),
  value: Columns.nullable(),
  out_of: z.number().nullable(),
  actor: Person,
  at: Instant,
  code: z.string(),
  refused_at: Instant,
  seen_at: Instant.nullable(),
  from: z.object({ id: Id, name: z.string().nullable(), user: Person }).nullable(),
})
export type RefusedWrite = z.infer<typeof RefusedWrite>

/** A row that the parent does not have yet, and its last write: `value` what that wrote, by column; `out_of` the maximum of a mark; `deleted`: it took it away. */
export const WaitingRow = row('WaitingRow', {
  entity: z.string(),
  row_id: Id,
  where: z.string(),
  value: Columns.nullable(),
  out_of: z.number().nullable(),
  deleted: Flag,
  at: Instant,
  actor: Person,
})
export type WaitingRow = z.infer<typeof WaitingRow>

/**
 * A file that is still to be sent to the parent, or to be received from it. `tries`: the failed attempts, `reason` of the last of them.
 */
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
 * Another node. `user` of a laptop; `url` of a parent. `began_anew`: as which other one, and when, as far as their names tell
 * (docs/design/replication.md); `both_heard` since the last of them began: one is a copy of the other. `clock_offset_ms`: how far its clock was ahead of this
 * node's when it was heard last. `wipe_asked_at` of a laptop that is to be erased, `wiped_at` once it said that it is.
 */
export const SyncNode = row('SyncNode', {
  id: Id,
  side: choice(['parent', 'child']),
  kind: choice(['school', 'centre', 'laptop']),
  name: z.string(),
  user: Person,
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

/** Shown once. */
export const Invitation = row('Invitation', { code: z.string(), expires_at: Instant })
