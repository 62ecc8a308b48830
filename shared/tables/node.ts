import { sql } from 'drizzle-orm'
import type { Columns } from './columns.sqlite.ts'
import { roles } from './people.ts'

/** What a server is among its peers: a school's own, the centre above schools, or one person's laptop. */
export const nodeRoles = ['school', 'centre', 'laptop'] as const
export type NodeRole = (typeof nodeRoles)[number]

/** Which database this is. A new row (an incarnation) after a restore, a clone or a new enrolment; `ended_at` null is the current one. */
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
 * Per school: the last position of the feed and the head of its history's hash chain. Updated last before every commit. `floor`: up to
 * which position deletions were forgotten; who has read less cannot follow the feed from there.
 */
export const syncFeed = (c: Columns) =>
  c.table('sync', 'sync_feed', {
    columns: { school_id: c.uuid().notNull(), seq: c.bigint().notNull(), head: c.text().notNull(), floor: c.bigint().notNull().default(0) },
    rules: (t) => [c.key(t.school_id)],
  })

/**
 * One row beside every replicated row (sync.md, «Versions»).
 * `seq` position in the school's feed, one number a transaction; `vv` version vector {node: counter}; `units`
 * {unit: [node, counter, hlc, actor]} and the writes by which the row exists; `deleted` marks a tombstone; `schema` is the version
 * that wrote it; `extra` holds what the row itself cannot (docs/design/replication.md, «Stored»); `source_id` the peer that has this very state.
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
      /** A rule between rows lets something else stand than what was claimed, or keeps what was deleted. */
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
      /** Its number on the node that wrote it, in whose chain `head` stands. */
      node_seq: c.bigint().notNull(),
      at: c.instant().notNull(),
      actor_id: c.uuid(),
      node_id: c.uuid().notNull(),
      entity: c.text().notNull(),
      row_id: c.uuid().notNull(),
      /**
       * Where its entries lie: with those of the row that `near` of the table's description names, else by themselves; what is no row, by the
       * school. Forty marks of one assessment are forty places by their ids.
       */
      near_id: c.uuid().notNull(),
      action: c.choice(['create', 'update', 'delete']).notNull(),
      changes: c.changes().notNull(),
      /** What the write said and `changes` do not show, as JSON (sync/journal.ts); null where they show all. */
      detail: c.text(),
      head: c.text().notNull(),
      /**
       * On one entry of a transaction that another node wrote: the writer's signature over the whole transaction, and the digests of those of
       * its entries that are not here, as JSON (sync/SPEC.md, «History»). What this node wrote it signs when it tells it.
       */
      proof: c.text(),
      /** The number of the node that told it here; null for what was written here. It is not told there again. */
      source_id: c.uuid(),
    },
    rules: (t) => [
      c.index('history_of_row', t.school_id, t.near_id, t.seq, t.row_id),
      c.index('history_of_feed', t.school_id, t.seq),
      // With a condition that is always true, so that only a query that says it uses it: SQLite would read a school by it to sort the entries of a row.
      c.indexWhere('history_by_time', sql`action <> ''`, t.school_id, t.at),
      c.indexWhere('history_of_deletions', sql`action = 'delete'`, t.school_id, t.at),
    ],
  })

/**
 * A signed-in device, and the family of its refresh tokens: only the hashes of the current one and of the one before are
 * kept; every successor is derived from its predecessor (decisions §3). Never leaves its node.
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
      /** On what it was started, by name (shared/domain/device.ts), and the network address of its last use. */
      program: c.text(),
      system: c.text(),
      address: c.text(),
      /** When its person last proved who they are, by signing in or after it; null in a session of an earlier program. */
      proved_at: c.instant(),
    },
    rules: (t) => [c.key(t.id), c.index('session_user', t.user_id), c.index('session_expiry', t.expires_at)],
  })

const noticeKinds = ['sign_in', 'totp', 'recovery_codes', 'passkey', 'second_factor_off'] as const

/**
 * What was new about an account, until its owner has seen it: by which session, which does not see it itself, and where that was. Never
 * leaves its node.
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

/** How a code came to its owner: by mail, from the sign-in desk, or from the server's own console. */
const codeKinds = ['mail', 'desk', 'console'] as const

/** The one live code of each kind of an address, as an HMAC. `wrong_tries` ends it: a mailed one after five. */
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

/** Counters of tries within a window: `key` says of what, `resets_at` when it starts again. */
export const attempt = (c: Columns) =>
  c.table('public', 'attempt', {
    columns: { key: c.text().notNull(), count: c.int().notNull(), resets_at: c.instant().notNull() },
    rules: (t) => [c.key(t.key), c.index('attempt_expiry', t.resets_at)],
  })

/** A TOTP secret that its owner has been shown and not confirmed yet; encrypted. Never leaves its node. */
export const totpEnrolment = (c: Columns) =>
  c.table('public', 'totp_enrolment', {
    columns: { user_id: c.uuid().notNull(), sealed_secret: c.text().notNull(), expires_at: c.instant().notNull() },
    rules: (t) => [c.key(t.user_id), c.index('totp_enrolment_expiry', t.expires_at)],
  })

/** Who is asked at this node for a second thing beside a code by mail. Never leaves it. */
export const secondFactor = (c: Columns) =>
  c.table('public', 'second_factor', {
    columns: { user_id: c.uuid().notNull(), since: c.instant().notNull() },
    rules: (t) => [c.key(t.user_id)],
  })

/**
 * The passkeys of a person: the public key, as COSE in base64url, of a key that an authenticator made for `host`, the name by which this
 * server was reached. `counter` is the authenticator's own, 0 where it counts nothing. Never leaves its node.
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
 * Whom an administrator invites into a school, by address: with which role, and the HMAC of the code that signs them in until they have
 * answered, null where none was made. Never leaves its node.
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

/** Servers that run on this database, of a centre: where each keeps its files, on which machine, and when it last said that it runs. */
export const serverInstance = (c: Columns) =>
  c.table('public', 'server_instance', {
    columns: { id: c.uuid().notNull(), place: c.text().notNull(), host: c.text().notNull(), seen_at: c.instant().notNull() },
    rules: (t) => [c.key(t.id)],
  })

/**
 * By what the secret of the server that last opened this database can be told from another, without saying it: the console checks
 * that it works with the same one. `use` is always `sign-in`.
 */
export const serverSecret = (c: Columns) =>
  c.table('public', 'server_secret', {
    columns: { use: c.text().notNull(), mark: c.text().notNull(), seen_at: c.instant().notNull() },
    rules: (t) => [c.key(t.use)],
  })
