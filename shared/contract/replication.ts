import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Flag, Id, Instant, input, Name, row } from './scalars.ts'

/** SHA-256 of a certificate, as people compare it: 32 bytes in capitals, with colons. */
export const Fingerprint = z.string().regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/)

const Person = z.object({ id: Id, first_name: z.string().nullable(), last_name: z.string().nullable() }).nullable()
const Columns = z.record(z.string(), z.unknown())

/**
 * How replication goes, in one sentence and in numbers. `is_laptop`: this node is one person's computer, not a school's server. `reached`:
 * where everything is that does not wait, as far as this node has heard. `waiting`:
 * rows that the parent does not have yet, since `oldest_waiting_at`; `waiting_marks` of them are marks.
 * `copy`: rows of the first copy of the parent's that have come, and of how many, while it lasts.
 * `schools_below`, `laptops_below`: the servers and laptops that send to this one.
 * `may_join`: this node could join a parent now: it has none and is no centre, or is shut out by the one it has.
 * `refused`: writes of this node that its parent did not take; `refused_below`: of nodes below, that this one did not take; both until somebody has put them aside.
 * `files_to_send`, `files_to_come`: files that the parent lacks, and that this node lacks, of rows that are here. `clock_offset_ms`: how far this node's clock is ahead of its parent's.
 */
export const SyncStatus = row('SyncStatus', {
  state: choice(['alone', 'up_to_date', 'sending', 'offline', 'revoked', 'upgrade']),
  sentence: z.string(),
  parent: z.object({ name: z.string(), kind: choice(['school', 'centre']) }).nullable(),
  is_laptop: Flag,
  schools_below: z.int(),
  laptops_below: z.int(),
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
  clock_offset_ms: z.int().nullable(),
})
export type SyncStatus = z.infer<typeof SyncStatus>

/**
 * A write that did not stand. `kept`: what was written, by column, null for a deletion; `current`: what stands now, null where the row is
 * not there, written by `standing`; under a deletion what was written to the row last. `may_decide`: the caller may decide it; else it is
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
 * `actor` as the node below says. `seen_at` once somebody has put it aside. The code `more`: of these there were more than are kept.
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
 * A file of a row that is not yet where it should be: the parent is to be given it, or it has still to come from there. `tries` that did
 * not succeed, `reason` of the last of them.
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
 * Another node. `user` of a laptop; `url` of a parent. `began_anew`: as which other one, and when, as far as their names tell (decision 393);
 * `both_heard` since then: one is a copy of the other. `clock_offset_ms`: how far its clock was ahead of this node's when it was heard last.
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
  began_anew: z.object({ name: z.string(), at: Instant, both_heard: Flag }).nullable(),
})
export type SyncNode = z.infer<typeof SyncNode>

/** Shown once. */
export const Invitation = row('Invitation', { code: z.string(), expires_at: Instant })

export const replicationFailures = failures('sync', {
  cannotResolve: [409, 'This conflict was resolved already, or what it is about can no longer be written.'],
  tooManyInvitations: [409, 'Too many invitations are open. Wait for them to end, or use one of them.'],
  notALaptopUser: [409, 'An invitation for a laptop names an active teacher or administrator of the school.'],
  joinsTheCentre: [409, 'This server has joined a centre. Another server of a school joins the centre; here only laptops join.'],
  nobodyJoinsALaptop: [409, 'This is a laptop. Whoever wants to join does so at the school or at the centre.'],
  joinsNobody: [409, 'This is a centre. The servers of schools join it, and it joins nobody.'],
  joinedAlready: [409, 'This server has joined another one already. Leave that first.'],
  badAddress: [400, 'That is not an address. Write it like https://192.168.1.10:3000'],
  noAnswer: [409, 'No Markbook answers at that address. Is this computer on the right network, and is the address right?'],
  notTrusted: [409, 'This computer does not know the certificate of that server yet. Compare its fingerprint with the one there.'],
  notLetIn: [409, 'The other server did not take this one in.'],
  tooManyListeners: [429, 'You are following replication in too many pages at once. Close some of them.'],
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
  events: endpoint({
    method: 'GET',
    path: '/api/sync/events',
    guard: 'staff',
    summary: 'Follow how replication goes',
    notes: 'The first event comes at once, then one for every change.',
    reply: 'events',
    event: SyncStatus,
    fails: ['sync.too_many_listeners'],
  }),
  conflicts: endpoint({
    method: 'GET',
    path: '/api/sync/conflicts',
    guard: 'staff',
    summary: 'List the writes that did not stand, newest first',
    notes: 'Administrators see all of the school; others those of rows that they may write, and those of what they wrote themselves.',
    query: z.object({ status: choice(['noticed', 'open', 'resolved']).optional() }),
    reply: z.array(Conflict),
    list: true,
  }),
  resolve: endpoint({
    method: 'POST',
    path: '/api/sync/conflicts/:id/resolve',
    guard: 'staff',
    summary: 'Decide a conflict: what stands stays, what was kept is written, or something else is',
    who: 'For whoever may write the row; where it is not there, for administrators.',
    notes:
      '`kept` is written through the endpoint that a person would use, with its rights and checks; a kept deletion is done again. `value` goes with `typed` alone, and names the columns of `kept`; what is wrong with it is said of each of them. `again`: what was decided already is decided anew.',
    body: input({ choice: choice(['current', 'kept', 'typed']), value: Columns.optional(), again: Flag.optional() }).refine(
      (body) => body.choice === 'typed' || body.value === undefined,
      { path: ['value'], message: 'goes with the choice typed alone' },
    ),
    reply: Conflict,
    fails: ['sync.cannot_resolve', 'reports.locked', 'grades.not_your_subject', 'assessments.not_your_subject'],
  }),
  waiting: endpoint({
    method: 'GET',
    path: '/api/sync/waiting',
    guard: 'staff',
    summary: 'List the rows that the parent does not have yet, in the order in which they go',
    notes: `At most ${limits.sync.waiting}, the first to go; the status counts them all. \`assessmentId\`: the grades of this assessment.`,
    targets: ['assessmentId'],
    query: z.object({
      entity: z
        .string()
        .max(limits.text.code * 2)
        .optional(),
      assessmentId: Id.optional(),
    }),
    reply: z.array(WaitingRow),
    list: true,
  }),
  files: endpoint({
    method: 'GET',
    path: '/api/sync/files',
    guard: 'staff',
    summary: 'List the files that are still to go to the parent, or to come from it',
    notes: `At most ${limits.sync.waiting}, those tried least first; the status counts them all. \`reportId\`: the PDFs of this report book.`,
    targets: ['reportId'],
    query: z.object({ reportId: Id.optional() }),
    reply: z.array(WaitingFile),
    list: true,
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
    summary: 'List the writes that were not taken: of this node by its parent, and by this node of those below it, newest first',
    notes: 'Administrators see all of their school, others their own; on a laptop its one user sees all.',
    reply: z.array(RefusedWrite),
    list: true,
  }),
  seen: endpoint({
    method: 'POST',
    path: '/api/sync/refused/:id/seen',
    guard: 'staff',
    summary: 'Put a write that was not taken aside, once somebody has looked at it',
    who: 'For those who see it in the list.',
    notes: 'It stays in the list, and the status counts it no longer.',
    reply: Done,
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
    notes: 'The code is shown once, and is good for ten minutes and one node. `userId` goes with a laptop.',
    targets: ['userId'],
    body: input({ kind: choice(['school', 'laptop']), userId: Id.optional() }),
    reply: Invitation,
    status: 201,
    fails: ['sync.too_many_invitations', 'sync.not_a_laptop_user', 'sync.joins_the_centre', 'sync.nobody_joins_a_laptop'],
  }),
  join: endpoint({
    method: 'POST',
    path: '/api/sync/join',
    guard: 'staff',
    summary: 'Join a parent by an invitation from there, for the first time or again',
    who: 'For administrators; on a laptop for its one user.',
    notes:
      'Without `address` the parent that shut this node out is asked again. `sync.not_trusted` carries the fingerprint of the authority that the other server shows as an issue; sent back as `fingerprint` it is trusted from then on. `sync.not_let_in` says why in the words of the other server.',
    body: input({ address: Name.optional(), invitation: Name, fingerprint: Fingerprint.optional() }),
    reply: SyncNode,
    status: 201,
    fails: ['sync.joins_nobody', 'sync.joined_already', 'sync.bad_address', 'sync.no_answer', 'sync.not_trusted', 'sync.not_let_in'],
  }),
  rename: endpoint({
    method: 'PATCH',
    path: '/api/sync/nodes/:id',
    guard: 'admin',
    summary: 'Rename a node',
    body: input({ name: Name.optional() }),
    reply: SyncNode,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/sync/nodes/:id',
    guard: 'admin',
    summary: 'Revoke a node: its next request is refused; a parent is left',
    reply: Done,
  }),
}
