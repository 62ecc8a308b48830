/**
 * Every limit of the service. Sources: the specification's «Limits» and decisions §1, §3, §4, §6. Lengths of strings are in Unicode code
 * points, sizes in bytes, times in milliseconds unless the name says otherwise.
 */
export const limits = {
  text: {
    name: 200,
    title: 200,
    remark: 2_000,
    conduct: 500,
    reason: 500,
    code: 20,
    studentNumber: 40,
    termName: 40,
    categoryName: 60,
    teachingSetName: 60,
    email: 254,
    joinMessage: 500,
    address: 500,
    phone: 40,
    filePath: 300,
    attendanceNote: 200,
  },
  score: { max: 100_000, decimals: 2 },
  assessmentWeight: { max: 1_000, decimals: 4 },
  percentage: { max: 100, decimals: 2 },
  /** How long a deleted row can be restored (docs/design/school.md). */
  bin: 30 * 86_400_000,
  /** Attendance: marks in one request, days in one request, lessons of a day. */
  attendance: { marks: 200, days: 31, lessons: 12 },
  bulkGrades: 1_000,
  bulkStudents: 1_000,
  markCodes: 20,
  subjects: 500,
  termsOfYear: 6,
  /** In one year and subject. */
  categories: 20,
  dropLowest: 10,
  /** Teaching sets in a year; teachers and students of one set. */
  teachingSets: { ofYear: 500, teachers: 20, students: 500 },
  gradingBands: 20,
  rollOverClasses: 200,
  page: { default: 500, max: 500 },
  /**
   * Request bodies, in bytes: `json`; `open`: JSON of an endpoint without a session; `import`: an uploaded table. `depth`: nesting of
   * objects and lists in JSON.
   */
  body: { json: 1_048_576, open: 32_768, import: 20_971_520, depth: 16 },
  /** The validation error of one request: number of issues, names listed in one issue, and characters of each name. */
  issues: { atOnce: 50, names: 10, name: 60 },
  /** A file of a report or class, in bytes (decisions §6). */
  reportFile: 20_971_520,
  /**
   * Pictures of people and schools (specification, «Limits»): bytes of the file, pixels of a side, pixels in all, pixels of a picture that
   * is printed, segments of the file.
   */
  image: { bytes: 5_242_880, side: 12_000, pixels: 50_000_000, printed: 16_000_000, parts: 4_000 },
  /** Resumable uploads (specification, «Limits»): largest chunk in bytes; how long an upload may be continued. */
  resumable: { chunk: 6_291_456, life: 7_200_000 },
  /** What one person may upload within `window`. */
  uploads: { window: 3_600_000, files: 600, kilobytes: 2_097_152, images: 30 },
  /**
   * `floor`: free bytes below which uploads are refused, so that marks can still be saved. `orphan`: age at which an unfinished upload, or
   * a file without a row, is deleted; `orphanAmongNodes`: the same where another node may still send its row; `replaced`: the same for a
   * replaced picture. `sweep`: how often such files are searched, `page` at a time.
   */
  storage: {
    floor: 536_870_912,
    orphan: 86_400_000,
    orphanAmongNodes: 30 * 86_400_000,
    replaced: 3_600_000,
    sweep: 21_600_000,
    afterStart: 600_000,
    page: 500,
    timeout: 20_000,
    connect: 5_000,
    tries: 3,
  },
  /**
   * Jobs (docs/design/reports.md): queued or running at once, per school and in all; event streams, per person and in all. `lease`: how
   * long a runner holds a job before another may take it; `taken`: how often a job may be taken; `look`: how often an idle server looks
   * for jobs; `keep`: how long an ended job is kept.
   */
  jobs: {
    perSchool: 10,
    inAll: 500,
    streamsPerUser: 10,
    streams: 500,
    lease: 30_000,
    taken: 5,
    look: 5_000,
    follow: 1_000,
    keep: 7 * 86_400_000,
    sweep: 3_600_000,
  },
  /**
   * The stream of a class's marks. `pause`: least time between two reads; `gone`: after more deletions than this at once, the stream sends
   * all marks again.
   */
  liveMarks: { pause: 60, gone: 1_000 },
  importRows: 10_000,
  /** Rows that undoing an import keeps and names in its reply. */
  importKept: 200,
  importColumns: 200,
  importUnpacked: 33_554_432,
  otp: {
    length: 8,
    lifetime: 600_000,
    triesPerCode: 5,
    resendAfter: 60_000,
    sendsPerHour: 5,
    /** Wrong attempts an account allows in a day for each sign-in method, over all clients (docs/design/sign-in.md). */
    wrongPerDay: 100,
    callsWindow: 300_000,
    /**
     * The queue for writes of sign-in counters (docs/design/sign-in.md): `places` write at once, `waiting` wait, `perKey` of them of one
     * client or address, each for at most `patience`. Beyond these a request is refused after `pause`. `places` is below the number of
     * Postgres connections.
     */
    turns: { places: 6, waiting: 1_000, perKey: 100, patience: 5_000, pause: 1_000 },
    /**
     * Limits per client network: first the network itself, then the IPv6 /48 around it. `calls`: sends and verifications within
     * `callsWindow`, over all accounts. For one account: `resends` within `resendAfter`; `sends` an hour; `wrong` attempts a day for each
     * method; after `untilPause` wrong mailed codes a pause, each twice as long as the one before.
     */
    networks: [
      { calls: 600, resends: 1, sends: 5, wrong: 50, untilPause: 5 },
      { calls: 1_800, resends: 3, sends: 15, wrong: 75, untilPause: 15 },
    ],
    pause: { first: 60_000, most: 3_600_000 },
  },
  /**
   * RFC 6238 as in decisions §3: steps of 30 s, one step of drift either way. `enrolment`: how long an enrolment may be confirmed;
   * `wrongPerHour`: wrong codes it allows an hour.
   */
  totp: { step: 30_000, drift: 1, secretBytes: 20, enrolment: 1_800_000, wrongPerHour: 10 },
  /**
   * `counts`: how long a sign-in or proof satisfies an endpoint that needs a fresh one. `ahead`: how far its time may be ahead of this
   * server's clock, since the servers of one database have different clocks.
   */
  proof: { counts: 600_000, ahead: 60_000 },
  /** Passkeys (docs/design/sign-in.md): of one person; characters of each field that a browser sends; lifetime of a challenge. */
  passkeys: { perPerson: 10, field: 16_384, challenge: 300_000 },
  /** Codes in a set. */
  recoveryCodes: 10,
  /** Desk codes that a school may issue. */
  desk: { perHour: 30 },
  /** Invitations of a school: in one request, open at once, made in a day; `lifetime` of each. */
  invitations: { atOnce: 100, open: 1_000, perDay: 1_000, lifetime: 14 * 86_400_000 },
  /**
   * Reminders of missing work in a term: one mail to each person within `window`; `lines`: missing items listed in a mail; `people` in one
   * request; `perHour`: mails of a school.
   */
  reminders: { window: 86_400_000, lines: 40, people: 1_000, perHour: 120 },
  session: {
    access: 3_600_000,
    refreshGrace: 10_000,
    absolute: 30 * 86_400_000,
    idle: 14 * 86_400_000,
    /** The time of a session's last use is written at most this often. */
    noteUse: 600_000,
    /** How long a caller's rights, once read, are reused within one request. */
    rights: 1_000,
    cookieChunk: 3_180,
    cookieBytes: 16_384,
  },
  /**
   * Notices to the owner of an account. `known`: how long a device with its network is recognised after its last sign-in; `kept`: how long
   * a notice is stored; mails per account.
   */
  notices: { known: 90 * 86_400_000, kept: 30 * 86_400_000, mailsPerHour: 10 },
  cache: { profile: 30 * 86_400_000, schoolList: 30 * 86_400_000, results: 3_600_000, entries: 20_000, bytes: 67_108_864 },
  /**
   * The mail queue. `atOnce`: mails sent in parallel; a school's mail server may take more for an attack. Mail to strangers has its own
   * queue and connection, and `perHour` are accepted (docs/design/sign-in.md).
   */
  mail: { queue: 1_000, tries: 6, atOnce: 3, strangers: { queue: 100, atOnce: 1, perHour: 200 } },
  writeQueue: 1_000,
  /** A transaction that has waited this long for its turn is refused: the client has probably given up. */
  turn: 5_000,
  /** How long a transaction on Postgres waits for a row that another transaction has locked. */
  lockWait: 10_000,
  /**
   * Waiting for Postgres (docs/design/store.md). `connect`: for a connection. `statement`: the longest statement of the server,
   * `longStatement` of the command line. `idle`: the longest pause between two statements of a transaction. `grace`: after this much more,
   * the server itself abandons what the database should have ended. When a statement has taken `suspect`, the server tests whether the
   * database answers within `answer`; it checks every `look`. `long`: the same for backups, migrations and the doctor; `whole`: the
   * longest that one of these may take.
   */
  postgres: {
    connect: 5_000,
    statement: 30_000,
    longStatement: 3_600_000,
    idle: 60_000,
    grace: 5_000,
    suspect: 1_000,
    answer: 2_000,
    look: 250,
    long: { suspect: 10_000, answer: 60_000, whole: 6 * 3_600_000 },
  },
  /**
   * The concurrency limiter (docs/design/http.md). For each lane: requests in work at once, waiting requests, and requests of one client,
   * working or waiting. `perSchool`: requests of one school in work while other schools have requests too. A request waits at most
   * `patience`, or `shortPatience` once the queue has been non-empty for `rush`.
   */
  admission: {
    ordinary: { atOnce: 64, waiting: 1_000, perClient: 500 },
    signIn: { atOnce: 16, waiting: 250, perClient: 200 },
    health: { atOnce: 4, waiting: 50, perClient: 25 },
    perSchool: 48,
    patience: 3_000,
    shortPatience: 750,
    rush: 3_000,
    /** An immediate refusal is delayed by this, so that a client that retries at once costs little. */
    pause: 1_000,
    /** How long one turn of the event loop may start requests; the rest start in the next turn. */
    slice: 4,
    /** Bytes in transit, of incomplete bodies and of unread replies: of one client, of all. Bodies up to `small` are not counted. */
    bytes: { small: 65_536, client: 134_217_728, all: 268_435_456 },
    /** Refusals are logged at most this often. */
    warn: 10_000,
  },
  /**
   * Connections (docs/design/http.md). After `grace`, a body or reply must have averaged `bytesPerSecond`; a stream that is not read for
   * `stall` is closed. `check`: how often this is checked.
   */
  connection: {
    atOnce: 2_000,
    perClient: 500,
    headers: 15_000,
    request: 600_000,
    keepAlive: 65_000,
    grace: 30_000,
    bytesPerSecond: 8_192,
    stall: 60_000,
    check: 2_000,
  },
  /** Deletion of expired counters, codes and sessions: at most this often, and this many rows of each. */
  sweep: { every: 600_000, rows: 1_000 },
  /**
   * Backups (docs/design/backup.md). `kept`: how many of each kind; `reserve`: bytes left free on the database's disk; `wait`: how long
   * one backup waits for another; `afterStart`: when a missed backup is made; `rehearse`: how often the newest is restored in a trial;
   * once that is a day overdue, also during the day.
   */
  backup: {
    kept: { hourly: 24, nightly: 14, weekly: 12, special: 5 },
    reserve: 268_435_456,
    wait: 120_000,
    afterStart: 120_000,
    rehearse: 7 * 86_400_000,
  },
  /**
   * Servers that share a central database. `every`: how often each writes that it is alive; `silent`: after this long without it, a server
   * counts as ended; `forgotten`: when its row is deleted.
   */
  instances: { every: 10_000, silent: 35_000, forgotten: 86_400_000 },
  /** How long after its start a server checks the integrity of its database. */
  database: { checkAfterStart: 30_000 },
  /**
   * Timeout for the operating system's keyring: `patience` where the database opens without it; `patienceLocked` where it does not, and a
   * person may be typing the keyring's password.
   */
  keyring: { patience: 5_000, patienceLocked: 15_000 },
  /**
   * Certificates of a school's own authority (docs/design/server.md). Browsers refuse a server certificate valid for more than 398 days.
   * `renewBefore`: before the end of either.
   */
  certificate: { authorityLife: 3_650 * 86_400_000, life: 365 * 86_400_000, renewBefore: 30 * 86_400_000 },
  /** How often a server on the LAN checks whether its addresses or its certificate have changed. */
  presence: { check: 30_000 },
  /**
   * Thresholds of `markbook doctor`. Bytes: a full or scarce disk; a write-ahead log or unused database pages worth tidying; memory.
   * `scarceFiles`: number of files. `clockOff`: offset from another server's clock within which codes of apps still work; `clockSlack`,
   * `clockFar`: how far in the future an entry or a file may be. `longSilence`: without any history entry.
   * `replication`: how long a parent may not answer (`parent`), or answer without progress (`stuck`); how long rows may wait, or be held;
   * how long a child may be silent; how long a child and its parent may differ. `slice`: the longest statement on a central database.
   * `oldBackup` is a problem; `staleBackup` and `oldRehearsal` are notices.
   */
  doctor: {
    fullDisk: 536_870_912,
    scarceDisk: 2_147_483_648,
    scarceFiles: 1_000,
    largeLog: 67_108_864,
    unusedRoom: 20_971_520,
    littleMemory: 536_870_912,
    freeMemory: 134_217_728,
    clockOff: 30_000,
    clockSlack: 60_000,
    clockFar: 300_000,
    replication: {
      parent: 604_800_000,
      stuck: 3_600_000,
      waiting: 86_400_000,
      held: 86_400_000,
      child: 2_592_000_000,
      different: 129_600_000,
    },
    longSilence: 100 * 86_400_000,
    oldBackup: 172_800_000,
    oldAudit: 3 * 86_400_000,
    staleBackup: 93_600_000,
    oldRehearsal: 15 * 86_400_000,
    leftover: 3_600_000,
    patience: 5_000,
    slice: 120_000,
  },
  /**
   * `markbook audit`. `rows`: read at once; `named`: differences of a school that are listed; `remembered`: broken transactions that are
   * kept; `tell`: how often it prints its progress.
   * The audit by the server: `afterStart` and then `every` it checks whether a school is due, `age` after its last audit. A run without a
   * sign of life for `lease` has ended. The run pauses as long as it worked, at most `rest`. `runs` of a school are kept, each with `told`
   * findings of `text` characters; a restore is reported for `restored`.
   */
  audit: {
    rows: 500,
    named: 50,
    remembered: 10_000,
    tell: 2_000,
    afterStart: 900_000,
    every: 3_600_000,
    age: 82_800_000,
    lease: 600_000,
    rest: 500,
    runs: 60,
    told: 10,
    text: 200,
    restored: 30 * 86_400_000,
    /**
     * The list of a school's writes: default and largest number in a reply; entries searched for one reply; entries in an export, and
     * searches for it.
     */
    entries: { page: 50, most: 200, scan: 5_000, scans: 40, exported: 5_000 },
    /** Earlier runs in a reply. */
    earlier: 14,
  },
  /**
   * Replication (sync/SPEC.md, «Limits»). Rows and bytes of a page. `wait`: how long a long poll waits for news, in seconds. `backOff`:
   * how long a node waits after a failure (sync/machine.ts). `look`: how often a server checks for a parent that another process joined,
   * and for a change of the status. `waiting`: waiting rows that are listed. `patience`: how long the parent may take to start a reply to
   * a short request, a long poll, a page. `held`: rows held for a school. `invitation`: lifetime, and how many a school may have open.
   * `tombstones`: a deletion is forgotten after `age`, once every
   * other node has received it; a child that was silent for `silence` is not waited for. Checked every `every` (docs/design/replication.md).
   */
  sync: {
    pageRows: 5_000,
    /** History entries in one page, and characters of their changes (`pageChanges`); only a larger single transaction exceeds them. */
    pageHistory: 20_000,
    pageChanges: 8_000_000,
    /** Marks in one page of a first copy. */
    copyMarks: 20_000,
    pageBytes: 33_554_432,
    /** Rows in one request of a push; a larger transaction is sent in several. */
    pushRows: 20_000,
    /**
     * Limits for reading from another node (docs/design/replication.md), in bytes. Request bodies, as received and unpacked: `least` for
     * nearly empty ones, `small` for those without rows, `list` for lists of ids; `pageBytes` for a page. `reply`: a reply, unpacked.
     * `challenge`: greatest age of a challenge.
     */
    door: { least: 1_024, small: 16_384, list: 1_048_576, reply: 134_217_728, challenge: 60_000 },
    wait: 25,
    backOff: { first: 1_000, most: 30_000, unsent: 5_000, hurry: 2_000 },
    look: 2_000,
    /** How often an erased laptop reports that it is erased. */
    lastWord: 60_000,
    /**
     * Several parents (docs/design/replication.md). `gone`: how long a parent must be unreachable before the next one is used; `again`:
     * how often the first is tried again, each time waiting `answer`; `pages`: pages each way in the daily exchange with the others.
     */
    parents: { gone: 10_000, again: 15_000, answer: 5_000, pages: 50 },
    waiting: 2_000,
    patience: { short: 15_000, news: 60_000, page: 120_000 },
    held: 10_000,
    /**
     * Refused writes that are kept, for one person's laptops or one school's server, and the longest kept value in characters
     * (docs/design/replication.md).
     */
    refused: { most: 2_000, value: 32_768 },
    /** Log lines about refused requests: one per sender in `every`, for up to `senders` remembered senders. */
    refusals: { every: 60_000, senders: 1_000 },
    /** How far a child's claim about another writer's counter may be ahead of this node's feed. */
    claims: 1_000_000,
    invitation: { life: 600_000, open: 10 },
    /**
     * Comparing with the parent (docs/design/replication.md): after the start and once a day, each delayed by a random time up to
     * `spread`, so that schools do not all compare at once. `again`: pause before a difference is checked again; `later`: pause where the
     * parent had no time or the comparison failed. `merge`: when everything may be merged again for the first time (about a day);
     * later after 2, 4 and 7 days. `shown`: how long a repaired difference is reported. `parents`: how long two parents of a laptop may differ before it is
     * reported. `rows`: read at once.
     */
    compare: {
      afterStart: 300_000,
      every: 86_400_000,
      spread: { start: 900_000, day: 3_600_000 },
      again: 60_000,
      later: 120_000,
      merge: 72_000_000,
      shown: 14 * 86_400_000,
      parents: 7 * 86_400_000,
      rows: 250,
    },
    tombstones: { age: 15_552_000_000, silence: 31_536_000_000, afterStart: 600_000, every: 86_400_000 },
    /**
     * Files (docs/design/replication.md): files in one query, transfers at once, bytes of a chunk; pause after a failed transfer from
     * `first` to `most`, `worst` where the content was wrong; bytes of files on a stick.
     */
    files: { batch: 200, atOnce: 3, piece: 524_288, first: 2_000, most: 300_000, worst: 86_400_000, bundle: 67_108_864 },
  },
  /**
   * Shapes (docs/design/shapes.md). Rows of a reply; `wait`: how long a live request is held; `look`: how often it is checked for a closed
   * connection; waiting live requests of one person and in all; characters of a `where` condition, and depth of its parentheses.
   */
  shapes: { rows: 5_000, wait: 20_000, look: 1_000, waitingPerUser: 60, waiting: 1_000, where: 2_000, depth: 20 },
  /** A connection that sends nothing for this long is closed. */
  firstByte: 10_000,
  /** Worker threads that make documents (docs/design/reports.md): number of threads, queued tasks, and memory and time of one task. */
  papers: { workers: 2, waiting: 32, memoryMb: 320, timeMs: 60_000, sheetMs: 5_000, idleMs: 60_000 },
} as const
