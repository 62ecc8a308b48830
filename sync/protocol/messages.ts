import { z } from 'zod'
import { History } from './entries.ts'
import { Sheet } from './sheet.ts'

/**
 * The number of the protocol. It rises with every change of a message (sync/tests/protocol.test.ts).
 * - 2: replies are signed, a greeting is signed over a challenge, an invitation's code is proved and not sent.
 * - 3: history is signed by who wrote it; rows and history go by column, and cursors bear a checkpoint, without being asked for; a laptop
 *   can be asked to erase itself.
 * - 4: a column that a newer program added to a known unit is kept and sent on; a program of protocol 3 took the unit for empty.
 */
export const PROTOCOL = 4
export const OLDEST_PROTOCOL = 4

const Id = z.uuid()
const Seq = z.int().min(0)
const Sha = z.string().max(64)
const NodeKind = z.enum(['school', 'centre', 'laptop'])

/** A request with an empty body. */
export const Nothing = z.object({})

/** What a child signs its greeting over; then it is the nonce of the session. */
export const Challenge = z.object({ challenge: z.string().max(200) })
export type Challenge = z.infer<typeof Challenge>

/** The reply to a greeting, as a parent of any protocol sends it. */
export const Answered = z.looseObject({ protocol: z.int() })

/** The greeting of a child. */
export const Hello = z.object({
  protocol: z.int(),
  schema: z.int(),
  node: Id,
  kind: NodeKind,
  version: z.string().max(40),
  /** The child's clock, ms, to learn how far it is off. */
  now: z.number(),
  /** How far it has read the parent's feed. */
  cursor: z.string().max(300).nullable(),
})
export type Hello = z.infer<typeof Hello>

/**
 * The reply to a greeting.
 * - `acknowledged`, `head`: the last number of the child's feed that the parent has, and the head of the child's history there. A child
 *   that has less, or another head, was restored or cloned, and begins anew.
 * - `below`: the parent has forgotten deletions that the child has not read (SPEC, «Tombstones»)
 * - `wipe`: when it was ordered that this laptop be erased (SPEC, «Wiping»); null where it was not
 * - `keys`: the parent's present keys, which are others once it has begun anew; this reply is signed with those that the child knows
 */
export const Welcome = z.object({
  protocol: z.int(),
  schema: z.int(),
  epoch: Id,
  acknowledged: Seq,
  head: Sha.nullable(),
  now: z.number(),
  school: Id,
  school_name: z.string(),
  scope: z.string(),
  below: z.boolean(),
  /** The number of the parent's own parent. */
  above: Id.nullish(),
  wipe: z.string().max(40).nullable(),
  keys: z.object({ public_key: z.string().max(64), box_key: z.string().max(64) }),
})
export type Welcome = z.infer<typeof Welcome>

export const Pull = z.object({
  cursor: z.string().max(300).nullable(),
  wait: z.int().min(0).max(25),
  scope: z.string().max(100).nullable(),
})
export type Pull = z.infer<typeof Pull>

/**
 * `cursor` is saved with the rows. `total`: in a first copy, how many rows there are in all. `scope`: under which the rows were read.
 * `above`: up to which number of the parent's feed its own parent has everything; null where it has none. `history`: who wrote what the
 * page brings. `left`: report books that a laptop may have and is told no more of.
 */
export const Page = z.object({
  epoch: Id,
  cursor: z.string().max(300),
  tables: z.array(Sheet),
  is_last: z.boolean(),
  total: z.int().nullable(),
  copied: z.int().nullable(),
  scope: z.string(),
  above: Seq.nullish(),
  history: History,
  left: z.array(Id).optional(),
})
export type Page = z.infer<typeof Page>

/** What the child wrote since `from`, up to `to` of its own feed. `cursor`: how far it had read the parent's when it wrote. */
export const Push = z.object({
  from: Seq,
  to: Seq,
  cursor: z.string().max(300).nullable(),
  tables: z.array(Sheet),
  history: History,
})
export type Push = z.infer<typeof Push>

const Outcome = z.enum(['applied', 'merged', 'unchanged', 'held', 'conflict', 'refused'])
/**
 * Rows that were simply applied are not named. `theirs`: the parent's row, a sheet of one row, for the child to take; null where it has
 * none.
 */
export const RowAnswer = z.object({
  table: z.string(),
  id: Id,
  outcome: Outcome,
  units: z.array(z.string()),
  code: z.string().nullable(),
  theirs: Sheet.nullable(),
})
export type RowAnswer = z.infer<typeof RowAnswer>
export const Pushed = z.object({ acknowledged: Seq, answers: z.array(RowAnswer) })
export type Pushed = z.infer<typeof Pushed>

/** A node that joins tells its keys (raw, base64url). The request is signed with the key that follows from the code of its invitation. */
export const Join = z.object({
  node: Id,
  kind: NodeKind,
  name: z.string().min(1).max(100),
  public_key: z.string().max(64),
  box_key: z.string().max(64),
  /** A school that started alone and brings its rows, else null. */
  school: Id.nullable(),
  /** Whose laptop this is already. */
  user: Id.nullish(),
})
export type Join = z.infer<typeof Join>
export const Joined = z.object({
  peer: Id,
  parent: z.object({ node: Id, kind: NodeKind, name: z.string(), public_key: z.string(), box_key: z.string() }),
  school: Id,
  school_name: z.string(),
  user: Id.nullable(),
})
export type Joined = z.infer<typeof Joined>

/** A new incarnation of an enrolled node, told with the keys of the earlier one. */
export const Renew = z.object({ node: Id, public_key: z.string().max(64), box_key: z.string().max(64) })
export type Renew = z.infer<typeof Renew>
export const Renewed = z.object({ peer: Id })
export type Renewed = z.infer<typeof Renewed>

/**
 * A laptop has sent everything, and erases itself now, as was ordered at `asked_at`. Outside a session, so that it can be sent afterwards
 * too.
 */
export const Wiped = z.object({ asked_at: z.string().max(40) })
export type Wiped = z.infer<typeof Wiped>

/** Which of these rows the parent does not know at all: neither stored, nor deleted, nor held. */
export const KnownRowsQuery = z.object({ table: z.string().max(63), ids: z.array(Id).max(20_000) })
export type KnownRowsQuery = z.infer<typeof KnownRowsQuery>
export const UnknownRows = z.object({ unknown: z.array(Id) })
export type UnknownRows = z.infer<typeof UnknownRows>

/**
 * For each table: how many rows live, and a digest of their states that does not depend on their order. `seq`, `people`: where the feeds of
 * the school and of people stood; `moving`: something was written meanwhile, so the figures belong to no moment.
 */
export const TableDigest = z.object({ table: z.string(), count: z.int(), digest: z.string() })
export type TableDigest = z.infer<typeof TableDigest>
export const Verified = z.object({
  epoch: Id,
  seq: Seq,
  people: Seq.optional(),
  moving: z.boolean().optional(),
  tables: z.array(TableDigest),
})
export type Verified = z.infer<typeof Verified>
