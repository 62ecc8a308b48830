import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import {
  Columns,
  Conflict,
  HeldRow,
  Invitation,
  LaptopHoldings,
  RefusedWrite,
  SyncNode,
  SyncStatus,
  WaitingFile,
  WaitingRow,
} from './replication.rows.ts'
import { choice, Done, Fingerprint, Flag, Id, input, Name } from './scalars.ts'

export const replicationFailures = failures('sync', {
  cannotResolve: [409, 'This conflict was resolved already, or what it is about can no longer be written.'],
  belongsToNothing: [
    409,
    'It belongs to something that is not here any more, such as a class or an assessment that was deleted. Make that again first.',
  ],
  tooManyInvitations: [409, 'Too many invitations are open. Wait for them to end, or use one of them.'],
  notALaptopUser: [409, 'An invitation for a laptop names an active teacher or administrator of the school.'],
  joinsTheCentre: [409, 'This server has joined a centre. Another server of a school joins the centre; here only laptops join.'],
  nobodyJoinsALaptop: [409, 'This is a laptop. Whoever wants to join does so at the school or at the centre.'],
  notOnALaptop: [
    409,
    'This is not written on a laptop, but at the school or at the centre: who belongs to a school and as what, and how somebody signs in without mail. Please do it there.',
  ],
  joinsNobody: [409, 'This is a centre. The servers of schools join it, and it joins nobody.'],
  joinedAlready: [409, 'This server has joined another one already. Leave that first.'],
  badAddress: [400, 'That is not an address. Write it like https://192.168.1.10:3000'],
  insecureAddress: [
    400,
    'That address begins with http://, so that others on the network could read and change what is sent. Use its https:// address: a school’s server has one when it is started with markbook start --lan. Only where there is none: markbook join --insecure.',
  ],
  noAnswer: [409, 'No Markbook answers at that address. Is this computer on the right network, and is the address right?'],
  notTrusted: [409, 'This computer does not know the certificate of that server yet. Compare its fingerprint with the one there.'],
  notLetIn: [409, 'The other server did not take this one in.'],
  notALaptop: [409, 'Only a teacher’s laptop that sends to this server is erased from here, never a server.'],
  wipedAlready: [409, 'This laptop has been erased already.'],
  tooManyListeners: [429, 'You are following replication in too many pages at once. Close some of them.'],
})

/** What is in the way of a write that a person makes again, as the endpoint of its row says it. */
const DECIDING = [
  'sync.cannot_resolve',
  'sync.belongs_to_nothing',
  'reports.locked',
  'grades.not_your_subject',
  'assessments.not_your_subject',
  'assessments.shared',
  'auth.fresh_proof_needed',
] as const

/** Other nodes, and the state of replication with them (decisions and sync/SPEC.md). */
export const replication = {
  status: endpoint('GET /api/sync/status', 'staff', 'Say in one sentence and in numbers how replication goes', { reply: SyncStatus }),
  events: endpoint('GET /api/sync/events', 'staff', 'Follow how replication goes', {
    notes: 'The first event comes at once, then one for every change.',
    reply: 'events',
    event: SyncStatus,
    fails: ['sync.too_many_listeners'],
  }),
  holdings: endpoint(
    'GET /api/sync/holdings',
    'session',
    'Say what a laptop still holds whose person has lost their place, or that was revoked',
    {
      who: 'For whom the laptop belongs to; to everybody else it says that there is nothing to say.',
      reply: LaptopHoldings,
    },
  ),
  conflicts: endpoint('GET /api/sync/conflicts', 'staff', 'List the writes that did not stand, newest first', {
    notes:
      'Administrators see all of the school; others those of rows that they may write, and those of what they wrote themselves. What one person wrote to one row at one node is one entry, of however many units.',
    query: z.object({ status: choice(['noticed', 'open', 'resolved']).optional() }),
    reply: z.array(Conflict),
  }),
  resolve: endpoint(
    'POST /api/sync/conflicts/:id/resolve',
    'staff',
    'Decide a conflict: what stands stays, what was kept is written, or something else is',
    {
      who: 'For whoever may write the row; where it is not there, for administrators.',
      notes:
        '`kept` is written through the endpoint that a person would use, with its rights and checks; a kept deletion is done again. All units of the entry are decided at once. `value` goes with `typed` alone, and names the columns of `kept`, or of some of its units: the others stay as they are; what is wrong with it is said of each of them. `again`: what was decided already is decided anew.',
      body: input({ choice: choice(['current', 'kept', 'typed']), value: Columns.optional(), again: Flag.optional() }).refine(
        (body) => body.choice === 'typed' || body.value === undefined,
        { path: ['value'], message: 'goes with the choice typed alone' },
      ),
      reply: Conflict,
      fails: DECIDING,
    },
  ),
  waiting: endpoint('GET /api/sync/waiting', 'staff', 'List the rows that the parent does not have yet, in the order in which they go', {
    notes: `At most ${limits.sync.listedRows}, the first to go; the status counts them all. \`assessmentId\`: the grades of this assessment.`,
    query: z.object({
      entity: z
        .string()
        .max(limits.text.code * 2)
        .optional(),
      assessmentId: Id.optional(),
    }),
    reply: z.array(WaitingRow),
  }),
  files: endpoint('GET /api/sync/files', 'staff', 'List the files that are still to go to the parent, or to come from it', {
    notes: `At most ${limits.sync.listedRows}, those tried least first; the status counts them all. \`reportId\`: the PDFs of this report book.`,
    query: z.object({ reportId: Id.optional() }),
    reply: z.array(WaitingFile),
  }),
  held: endpoint('GET /api/sync/held', 'admin', 'List the rows that came and cannot be written yet', { reply: z.array(HeldRow) }),
  refused: endpoint(
    'GET /api/sync/refused',
    'staff',
    'List the writes that were not taken: of this node by its parent, and by this node of those below it, newest first',
    { notes: 'Administrators see all of their school, others their own; on a laptop its one user sees all.', reply: z.array(RefusedWrite) },
  ),
  seen: endpoint('POST /api/sync/refused/:id/seen', 'staff', 'Put a write that was not taken aside, once somebody has looked at it', {
    who: 'For those who see it in the list.',
    notes: 'It stays in the list, and the status counts it no longer.',
    reply: Done,
  }),
  enter: endpoint('POST /api/sync/refused/:id/enter', 'staff', 'Write after all what was not taken, and put it aside', {
    who: 'For those who see it in the list and may write the row; where it is not there, for administrators.',
    notes:
      'It is written in the name of the caller, through the endpoint that a person would use, with its rights and checks: a change, a new row under the id that it had, or a deletion. 409 `sync.cannot_resolve` where nothing would change, or not all of it was kept.',
    reply: Done,
    fails: DECIDING,
  }),
  nodes: endpoint('GET /api/sync/nodes', 'admin', 'List the other nodes of the school', { reply: z.array(SyncNode) }),
  invite: endpoint(
    'POST /api/sync/nodes/invite',
    'admin',
    'Issue a one-time code for a laptop of a teacher, or for the school’s own server',
    {
      fresh: true,
      notes: 'The code is shown once, and is good for ten minutes and one node. `userId` goes with a laptop.',
      body: input({ kind: choice(['school', 'laptop']), userId: Id.optional() }),
      reply: Invitation,
      status: 201,
      fails: ['sync.too_many_invitations', 'sync.not_a_laptop_user', 'sync.joins_the_centre', 'sync.nobody_joins_a_laptop'],
    },
  ),
  join: endpoint('POST /api/sync/join', 'staff', 'Join a parent by an invitation from there, for the first time or again', {
    fresh: true,
    who: 'For administrators; on a laptop for its one user.',
    notes:
      'Without `address` the parent that shut this node out is asked again. `sync.not_trusted` carries the fingerprint of the authority that the other server shows as an issue; sent back as `fingerprint` it is trusted from then on. `sync.not_let_in` says why in the words of the other server.',
    body: input({ address: Name.optional(), invitation: Name, fingerprint: Fingerprint.optional() }),
    reply: SyncNode,
    status: 201,
    fails: [
      'sync.joins_nobody',
      'sync.joined_already',
      'sync.bad_address',
      'sync.insecure_address',
      'sync.no_answer',
      'sync.not_trusted',
      'sync.not_let_in',
    ],
  }),
  rename: endpoint('PATCH /api/sync/nodes/:id', 'admin', 'Rename a node', { body: input({ name: Name.optional() }), reply: SyncNode }),
  wipe: endpoint('POST /api/sync/nodes/:id/wipe', 'admin', 'Ask that a laptop be erased', {
    notes:
      'The laptop hears of it when it next greets this server: it sends what it has not sent, says that it does it, and erases what it holds. It gets nothing more meanwhile. There is no way back, but for joining anew before that.',
    reply: SyncNode,
    fails: ['sync.not_a_laptop', 'sync.wiped_already'],
  }),
  revoke: endpoint('DELETE /api/sync/nodes/:id', 'admin', 'Revoke a node: its next request is refused; a parent is left', { reply: Done }),
}
