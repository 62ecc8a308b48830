import { sql } from 'drizzle-orm'
import type { Columns } from './columns.sqlite.ts'
import { roles } from './people.ts'

/** The role of a server: a school's own, the centre above schools, or one person's laptop. */
export const nodeRoles = ['school', 'centre', 'laptop'] as const
export type NodeRole = (typeof nodeRoles)[number]

/**
 * The identity of this database. A new row (an incarnation) after a restore, a clone or a new enrolment; `ended_at` is null for the
 * current one.
 */
export const node = (c: Columns) =>
  c.table('sync', 'node', {
    columns: {
      id: c.uuid().notNull(),
      kind: c.choice(nodeRoles).notNull(),
      created_at: c.instant().notNull(),
      ended_at: c.instant(),
    },
    rules: (t) => [c.key(t.id), c.unique('node_one_current', [t.kind], sql`ended_at is null`)],
  })

/**
 * Per school: the last position of the feed and the head of the history's hash chain. Updated last before every commit. `floor`: the
 * position up to which tombstones were deleted; a reader that is behind it cannot continue from the feed.
 */
export const syncFeed = (c: Columns) =>
  c.table('sync', 'sync_feed', {
    columns: { school_id: c.uuid().notNull(), seq: c.bigint().notNull(), head: c.text().notNull(), floor: c.bigint().notNull().default(0) },
    rules: (t) => [c.key(t.school_id)],
  })

/**
 * One row beside every replicated row (sync.md, «Versions»). `seq`: position in the school's feed, one number a transaction; `vv`: version
 * vector {node: counter}; `units`: {unit: [node, counter, hlc, actor]}, and the writes by which the row exists; `deleted`: a tombstone;
 * `schema`: the version that wrote it; `extra`: what the row itself cannot hold (docs/design/replication.md, «Stored»); `source_id`: the
 * peer that has this very state.
 */
export const syncRow = (c: Columns) =>
  c.table('sync', 'sync_row', {
    columns: {
      school_id: c.uuid().notNull(),
      table_name: c.text().notNull(),
      row_id: c.uuid().notNull(),
      seq: c.bigint().notNull(),
      vv: c.text().notNull(),
      units: c.text().notNull(),
      deleted: c.flag().notNull(),
      schema: c.int().notNull(),
      extra: c.text(),
      source_id: c.uuid(),
      /** A rule between rows changed the merged value, or restored a deleted row. */
      settled: c.flag().notNull(),
    },
    rules: (t) => [
      c.key(t.school_id, t.table_name, t.row_id),
      c.index('sync_row_feed', t.school_id, t.seq),
      c.indexWhere('sync_row_settled', sql`settled`, t.school_id, t.table_name),
    ],
  })

/** Append-only: who wrote what, when, on which node, before and after. `head` chains the transactions of one school and node. */
export const history = (c: Columns) =>
  c.ofSchool('sync', 'history', {
    columns: {
      seq: c.bigint().notNull(),
      /** Its number on the node that wrote it; `head` belongs to that node's chain. */
      node_seq: c.bigint().notNull(),
      at: c.instant().notNull(),
      actor_id: c.uuid(),
      node_id: c.uuid().notNull(),
      entity: c.text().notNull(),
      row_id: c.uuid().notNull(),
      /**
       * The clustering key: the row that `near` of the table's description names, else the row itself; for an entry without a row, the
       * school. By row ids alone, forty marks of one assessment would lie in forty places.
       */
      near_id: c.uuid().notNull(),
      action: c.choice(['create', 'update', 'delete']).notNull(),
      changes: c.changes().notNull(),
      /** What `changes` do not show of the write, as JSON (sync/journal.ts); null where they show all. */
      detail: c.text(),
      head: c.text().notNull(),
      /**
       * On one entry of a transaction from another node: the writer's signature over the whole transaction, and the digests of its entries
       * that are not stored here, as JSON (sync/SPEC.md, «History»). A transaction of this node is signed when it is sent.
       */
      proof: c.text(),
      /** The node from which the entry was received, to which it is not sent again; null for an entry written here. */
      source_id: c.uuid(),
    },
    rules: (t) => [
      c.index('history_of_row', t.school_id, t.near_id, t.seq, t.row_id),
      c.index('history_of_feed', t.school_id, t.seq),
      // The condition is always true. It makes SQLite use the index only for queries that state it; otherwise SQLite would read a whole
      // school by it to sort the entries of one row.
      c.indexWhere('history_by_time', sql`action <> ''`, t.school_id, t.at),
      c.indexWhere('history_of_deletions', sql`action = 'delete'`, t.school_id, t.at),
    ],
  })

/**
 * A signed-in device, and the family of its refresh tokens: only the hashes of the current and the previous one are stored; each successor
 * is derived from its predecessor (decisions §3). Never leaves its node.
 */
export const session = (c: Columns) =>
  c.table('public', 'session', {
    columns: {
      id: c.uuid().notNull(),
      user_id: c.uuid().notNull(),
      refresh_hash: c.text().notNull(),
      previous_hash: c.text(),
      rotated_at: c.instant(),
      generation: c.int().notNull(),
      created_at: c.instant().notNull(),
      last_used_at: c.instant().notNull(),
      expires_at: c.instant().notNull(),
      revoked_at: c.instant(),
      /** The program and system at the sign-in, by name (shared/domain/device.ts), and the network address of the last use. */
      program: c.text(),
      system: c.text(),
      address: c.text(),
      /** When the person last proved who they are, at sign-in or later; null in a session of an older program. */
      proved_at: c.instant(),
    },
    rules: (t) => [c.key(t.id), c.index('session_user', t.user_id), c.index('session_expiry', t.expires_at)],
  })

const noticeKinds = ['sign_in', 'totp', 'recovery_codes', 'passkey', 'second_factor_off'] as const

/**
 * An event of an account, shown until its owner has seen it: the session that caused it, to which it is not shown, and where that was.
 * Never leaves its node.
 */
export const accountNotice = (c: Columns) =>
  c.table('public', 'account_notice', {
    columns: {
      id: c.uuid().notNull(),
      user_id: c.uuid().notNull(),
      session_id: c.uuid().notNull(),
      kind: c.choice(noticeKinds).notNull(),
      at: c.instant().notNull(),
      program: c.text(),
      system: c.text(),
      address: c.text(),
    },
    rules: (t) => [
      c.key(t.id),
      c.unique('account_notice_once', [t.user_id, t.session_id, t.kind]),
      c.check('account_notice_kind', sql`${t.kind} in ('sign_in', 'totp', 'recovery_codes', 'passkey', 'second_factor_off')`),
    ],
  })

/** How a code reached its owner: by mail, from the sign-in desk, or from the server's own console. */
const codeKinds = ['mail', 'desk', 'console'] as const

/** The one valid code of each kind for an address, as an HMAC. `wrong_tries` invalidates it: a mailed one after five. */
export const otpCode = (c: Columns) =>
  c.table('public', 'otp_code', {
    columns: {
      email: c.text().notNull(),
      kind: c.choice(codeKinds).notNull(),
      code_hash: c.text().notNull(),
      sent_at: c.instant().notNull(),
      expires_at: c.instant().notNull(),
      wrong_tries: c.int().notNull(),
    },
    rules: (t) => [c.key(t.email, t.kind), c.check('otp_code_kind', sql`${t.kind} in ('mail', 'desk', 'console')`)],
  })

/** Counters of attempts within a window: `key` names what is counted; at `resets_at` the counter starts again. */
export const attempt = (c: Columns) =>
  c.table('public', 'attempt', {
    columns: { key: c.text().notNull(), count: c.int().notNull(), resets_at: c.instant().notNull() },
    rules: (t) => [c.key(t.key), c.index('attempt_expiry', t.resets_at)],
  })

/** A TOTP secret that was shown to its owner and is not confirmed yet; encrypted. Never leaves its node. */
export const totpEnrolment = (c: Columns) =>
  c.table('public', 'totp_enrolment', {
    columns: { user_id: c.uuid().notNull(), sealed_secret: c.text().notNull(), expires_at: c.instant().notNull() },
    rules: (t) => [c.key(t.user_id), c.index('totp_enrolment_expiry', t.expires_at)],
  })

/** The people who need a second factor beside a mailed code at this node. Never leaves it. */
export const secondFactor = (c: Columns) =>
  c.table('public', 'second_factor', {
    columns: { user_id: c.uuid().notNull(), since: c.instant().notNull() },
    rules: (t) => [c.key(t.user_id)],
  })

/**
 * The passkeys of a person: the public key, as COSE in base64url, that an authenticator made for `host`, the server name in use then.
 * `counter`: the authenticator's signature counter; 0 where it has none. Never leaves its node.
 */
export const passkey = (c: Columns) =>
  c.table('public', 'passkey', {
    columns: {
      id: c.uuid().notNull(),
      user_id: c.uuid().notNull(),
      credential_id: c.text().notNull(),
      host: c.text().notNull(),
      public_key: c.text().notNull(),
      counter: c.bigint().notNull(),
      transports: c.json<string[]>().notNull(),
      name: c.text().notNull(),
      created_at: c.instant().notNull(),
      last_used_at: c.instant(),
    },
    rules: (t) => [c.key(t.id), c.unique('passkey_credential', [t.credential_id]), c.index('passkey_user', t.user_id)],
  })

/**
 * An invitation of an address into a school by an administrator: the role, and the HMAC of the code that signs the person in until they
 * have answered; null where no code was made. Never leaves its node.
 */
export const schoolInvitation = (c: Columns) =>
  c.table('public', 'school_invitation', {
    columns: {
      id: c.uuid().notNull(),
      school_id: c.uuid().notNull(),
      email: c.text().notNull(),
      role: c.choice(roles).notNull(),
      code_hash: c.text(),
      invited_by: c.uuid().notNull(),
      invited_at: c.instant().notNull(),
      expires_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.key(t.school_id, t.email),
      c.index('school_invitation_email', t.email),
      c.check('school_invitation_role', sql`${t.role} in ('admin', 'teacher', 'member')`),
    ],
  })

/** Servers that run on this central database: where each stores its files, on which machine, and when it last reported that it runs. */
export const serverInstance = (c: Columns) =>
  c.table('public', 'server_instance', {
    columns: { id: c.uuid().notNull(), place: c.text().notNull(), host: c.text().notNull(), seen_at: c.instant().notNull() },
    rules: (t) => [c.key(t.id)],
  })

/**
 * A fingerprint of the secret of the server that last opened this database. The command line compares it with that of its own secret.
 * `use` is always `sign-in`.
 */
export const serverSecret = (c: Columns) =>
  c.table('public', 'server_secret', {
    columns: { use: c.text().notNull(), mark: c.text().notNull(), seen_at: c.instant().notNull() },
    rules: (t) => [c.key(t.use)],
  })
