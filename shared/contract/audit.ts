import { z } from 'zod'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { choice, Day, Id, Instant, Person, row, say } from './scalars.ts'

const Values = z.record(z.string(), z.unknown())

/**
 * Numbers of rows by what the history says of them. `untold`: nothing. `unsigned`: those of the proved ones whose entry no node that is
 * known here signed.
 */
export const Tally = z.object({ proved: z.int(), untold: z.int(), contradicted: z.int(), unsigned: z.int() })
export type Tally = z.infer<typeof Tally>

/**
 * Files by how their content compares with their rows. `same`: it has the hash that the row names and the history proves. `unhashed`: the
 * row is from before hashes were kept. `absent`: not on this server, or unreadable. `swapped`: another content than the row names.
 */
export const FileTally = z.object({ same: z.int(), unhashed: z.int(), absent: z.int(), swapped: z.int() })
export type FileTally = z.infer<typeof FileTally>

/**
 * Why a row is contradicted.
 * - `other`: the entry of the write says another value, author, time or unit.
 * - `changed`: the entry says this, but it, or one beside it, was changed after it was written; `forged`: its node did not sign it so.
 * - `taken_out`: the entry is not in the history any more.
 * - `misplaced`: what stands in the table is not what was written, as the rules between rows have it.
 * - `gone`: the row should be here, and is not. `unwritten`: it is here, and nobody wrote it.
 * - `swapped`: the file that it names has another content than it says.
 */
export const DisagreementReason = choice(['other', 'changed', 'forged', 'taken_out', 'misplaced', 'gone', 'unwritten', 'swapped'])
export type DisagreementReason = z.infer<typeof DisagreementReason>

/**
 * A row or file that contradicts the history, found by the last audit. `name`: what people call it, empty where unknown. `here` and
 * `history`: the stored values and those of the history, for the columns that differ; null where there are none. `actor` wrote it at `at`,
 * by the history, or else by the row itself.
 */
const AuditFinding = row('AuditFinding', {
  entity: z.string(),
  row_id: Id,
  name: z.string(),
  why: DisagreementReason,
  here: Values.nullable(),
  history: Values.nullable(),
  actor: Person.nullable(),
  at: Instant.nullable(),
})

/**
 * The result of the school's last audit. `state` is `never` before the first one.
 * `transactions`: the position that the audit reached in the history; `code`: the history's head there, as documents print it. `broken`:
 * transactions of the history that were altered. `before`: whether the history still contains the head of the earlier audit at
 * `before_at`. `restored_at`: when a backup was last restored, within a month, and the time of that backup. `witnesses`: what other
 * servers and laptops hold of this history. `people`: the result of the audit of all people of this server. `findings` holds the first
 * ones only; `earlier` has the runs before.
 */
export const AuditReport = row('AuditReport', {
  state: choice(['never', 'good', 'bad']),
  at: Instant.nullable(),
  transactions: z.int(),
  code: z.string().nullable(),
  marks: Tally,
  others: Tally,
  files: FileTally,
  broken: z.int(),
  before: choice(['first', 'same', 'restored', 'other']),
  before_at: Instant.nullable(),
  restored_at: Instant.nullable(),
  restored_from: Instant.nullable(),
  witnesses: z.array(z.object({ name: z.string(), side: choice(['parent', 'child']), is: choice(['same', 'other', 'silent', 'unasked']) })),
  people: choice(['never', 'good', 'bad']),
  findings: z.array(AuditFinding),
  earlier: z.array(z.object({ at: Instant, state: choice(['good', 'bad']) })),
})
export type AuditReport = z.infer<typeof AuditReport>

/**
 * One write to one row of the school, or a recorded action. `name`: what people call the row, empty where unknown. `actor` is null where
 * the service wrote; `node_name` is null where this server has no name for the machine.
 */
export const AuditEntry = row('AuditEntry', {
  id: Id,
  at: Instant,
  actor: Person.nullable(),
  node_name: z.string().nullable(),
  entity: z.string(),
  row_id: Id,
  name: z.string(),
  action: choice(['create', 'update', 'delete']),
  changes: z.record(z.string(), z.object({ before: z.unknown(), after: z.unknown() })),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** `next` continues after these entries; null where there are no older ones. `back_to`: the time of the last entry that was searched. */
const AuditEntries = row('AuditEntries', { entries: z.array(AuditEntry), next: z.string().nullable(), back_to: Instant.nullable() })

const PLACE_SENTENCE = 'must be the `next` of an answer'
const PLACE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z~[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isPlace = (text: string): boolean => PLACE.test(text) && !Number.isNaN(Date.parse(text.slice(0, 24)))
const Place = z.string(say(PLACE_SENTENCE)).refine(isPlace, PLACE_SENTENCE)
const SIZE_SENTENCE = `must be a whole number from 1 to ${limits.audit.entries.max}`
const isSize = (text: string): boolean => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= limits.audit.entries.max
const Size = z.string(say(SIZE_SENTENCE)).refine(isSize, SIZE_SENTENCE).transform(Number)

const KIND_SENTENCE = 'must be the name of a kind of rows'
const filters = {
  actorId: Id.optional(),
  studentId: Id.optional(),
  entity: z
    .string(say(KIND_SENTENCE))
    .regex(/^[a-z_]{1,40}$/, KIND_SENTENCE)
    .optional(),
  from: Day.optional(),
  to: Day.optional(),
}

const FILTERS =
  '`from` and `to` are days in UTC, both included. `studentId`: entries of the student and of all that bears their id, while it stands or as it was made or deleted.'

/** An administrator reads here whether a row was written outside the program, and who wrote what. */
export const audit = {
  report: endpoint('GET /api/audit', 'admin', 'Read what the last audit of the school found', {
    notes: 'A server audits itself once a day; a laptop never does.',
    reply: AuditReport,
  }),
  entries: endpoint('GET /api/audit/entries', 'admin', 'List all writes in the school, newest first', {
    notes: `${FILTERS} An answer has at most \`limit\` entries, ${limits.audit.entries.default} where nothing is said, and looks at ${limits.audit.entries.perSearch}: with filters it may have fewer, or none, although \`next\` leads to more.`,
    query: z.object({ ...filters, before: Place.optional(), limit: Size.optional() }),
    reply: AuditEntries,
  }),
  export: endpoint('GET /api/audit/export', 'admin', 'Download the writes in the school as CSV, newest first', {
    notes: `${FILTERS} At most ${limits.audit.entries.perExport} entries of the newest ${limits.audit.entries.perSearch * limits.audit.entries.searchesPerExport}; the last line says where more were left out.`,
    query: z.object(filters),
    reply: 'binary',
  }),
}
