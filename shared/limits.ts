/**
 * Every bound of the service in one place. Sources: the specification's «Limits» and decisions §1, §3, §4, §6.
 * String lengths are in Unicode code points, sizes in bytes, times in milliseconds unless the name says otherwise.
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
  /** How long what was deleted can be restored (docs/design/school.md). */
  bin: 30 * 86_400_000,
  /** Of a register: marks written at once, days read at once, lessons of a day. */
  attendance: { marks: 200, days: 31, lessons: 12 },
  bulkGrades: 1_000,
  bulkStudents: 1_000,
  markCodes: 20,
  subjects: 500,
  termsOfYear: 6,
  /** Of a year and subject. */
  categories: 20,
  dropLowest: 10,
  /** In a year; teachers and students of one. */
  teachingSets: { ofYear: 500, teachers: 20, students: 500 },
  gradingBands: 20,
  rollOverClasses: 200,
  page: { default: 500, max: 500 },
  /**
   * Of a body: bytes of JSON, and of JSON that anybody may send without a session; bytes of a file; how many objects and lists of JSON lie
   * within each other.
   */
  body: { json: 1_048_576, open: 32_768, import: 20_971_520, depth: 16 },
  /** Of what is said about a wrong request: how many issues, names in one, and characters of a name. */
  issues: { atOnce: 50, names: 10, name: 60 },
  /** A file of a report or class, in bytes (decisions §6). */
  reportFile: 20_971_520,
  /** Pictures of people and schools (specification, «Limits»): bytes of the file, pixels of a side, of all, and of all where it is to be printed, pieces of the file. */
  image: { bytes: 5_242_880, side: 12_000, pixels: 50_000_000, printed: 16_000_000, parts: 4_000 },
  /** Resumable uploads (specification, «Limits»): bytes of a piece; how long the right to upload lasts. */
  resumable: { chunk: 6_291_456, life: 7_200_000 },
  /** What one person may upload within a window. */
  uploads: { window: 3_600_000, files: 600, kilobytes: 2_097_152, images: 30 },
  /**
   * `floor`: free bytes at which uploads stop, so that marks can still be saved. What was begun and not finished, or belongs to no
   * row, goes after `orphan`, and where other nodes may still bring its row after `orphanAmongNodes`; a picture in whose place another
   * came after `replaced`. It is looked for every `sweep`, `page` at a time.
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
   * Jobs (docs/design/reports.md): how many wait or run at once, of a school and of all; how many streams follow them, of a person and of
   * all; how long one is held before another may take it up, how often that may happen, how often idle servers look, and how long an ended
   * one is remembered.
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
  /** Following the marks of a class: looked at most so often, ms; of more rows that went at once all marks are told again. */
  liveMarks: { pause: 60, gone: 1_000 },
  importRows: 10_000,
  /** Rows that the undoing of an import keeps and names. */
  importKept: 200,
  importColumns: 200,
  importUnpacked: 33_554_432,
  otp: {
    length: 8,
    lifetime: 600_000,
    triesPerCode: 5,
    resendAfter: 60_000,
    sendsPerHour: 5,
    /** Wrong tries that an account takes at each way in a day, of all clients together (docs/design/sign-in.md). */
    wrongPerDay: 100,
    callsWindow: 300_000,
    /**
     * What is counted for sign-in takes turns (docs/design/sign-in.md): so many are written at once, `waiting` wait, `perKey` of one client or
     * address, for at most `patience`; where that is too many, whoever comes is refused after `pause`. Fewer than Postgres has connections for.
     */
    turns: { places: 6, waiting: 1_000, perKey: 100, patience: 5_000, pause: 1_000 },
    /**
     * What comes from one client network, and from the IPv6 network of 48 bits around it. `calls`: sends and verifies within
     * `callsWindow`, of whatever account. Of one account: `resends` within `resendAfter` and `sends` an hour; `wrong` tries a day at each
     * way; after so many wrong ones at the mailed way (`untilPause`) a pause, each twice as long as the one before.
     */
    networks: [
      { calls: 600, resends: 1, sends: 5, wrong: 50, untilPause: 5 },
      { calls: 1_800, resends: 3, sends: 15, wrong: 75, untilPause: 15 },
    ],
    pause: { first: 60_000, most: 3_600_000 },
  },
  /**
   * RFC 6238 as decisions §3 has it: steps of 30 s, one of drift either way. An enrolment waits so long to be confirmed, and takes so many
   * wrong codes an hour.
   */
  totp: { step: 30_000, drift: 1, secretBytes: 20, enrolment: 1_800_000, wrongPerHour: 10 },
  /**
   * How long a sign-in or a proof counts for what needs a fresh one; and how far ahead of this server's clock it may be, since several
   * servers of one database have clocks of their own.
   */
  proof: { counts: 600_000, ahead: 60_000 },
  /**
   * Passkeys (docs/design/sign-in.md): of one person; characters of a field of what a browser sends; how long a challenge counts.
   */
  passkeys: { perPerson: 10, field: 16_384, challenge: 300_000 },
  /** How many a set has. */
  recoveryCodes: 10,
  /** Codes that the sign-in desk of a school hands out. */
  desk: { perHour: 30 },
  /** Invitations of a school: in one request, open at once, made in a day; each counts for `lifetime`. */
  invitations: { atOnce: 100, open: 1_000, perDay: 1_000, lifetime: 14 * 86_400_000 },
  /** Of people who are behind in a term: one mail to each within `window`; so many of what they lack are named in it; so many people at once; so often an hour in a school. */
  reminders: { window: 86_400_000, lines: 40, people: 1_000, perHour: 120 },
  session: {
    access: 3_600_000,
    refreshGrace: 10_000,
    absolute: 30 * 86_400_000,
    idle: 14 * 86_400_000,
    /** Its last use is written at most so often. */
    noteUse: 600_000,
    /** What was read of a caller counts for so long within one request; then it is read again. */
    rights: 1_000,
    cookieChunk: 3_180,
    cookieBytes: 16_384,
  },
  /**
   * What is told to the owner of an account. A device with its network is known for `known` since its last sign-in; a notice is kept for
   * `kept`; so many mails an hour and account.
   */
  notices: { known: 90 * 86_400_000, kept: 30 * 86_400_000, mailsPerHour: 10 },
  cache: { profile: 30 * 86_400_000, schoolList: 30 * 86_400_000, results: 3_600_000, entries: 20_000, bytes: 67_108_864 },
  /**
   * Mail that waits to leave. `atOnce`: mails under way at one time; more would look like an attack to a school's mail server. Mail to
   * strangers has a queue and a connection of its own, and so many an hour are taken (docs/design/sign-in.md).
   */
  mail: { queue: 1_000, tries: 6, atOnce: 3, strangers: { queue: 100, atOnce: 1, perHour: 200 } },
  writeQueue: 1_000,
  /** A transaction that has waited so long for its turn is refused: whoever asked has given up, or will have when it is done. */
  turn: 5_000,
  /** On Postgres, so long for a row that another transaction holds. */
  lockWait: 10_000,
  /**
   * Waiting for Postgres (docs/design/store.md), ms. `connect`: for a connection; `statement`: the longest of the server's own,
   * `longStatement` of a verb of the command line; `idle`: between two of a transaction. `grace`: after which the server itself gives up what
   * the database should have ended. Where a statement has waited for `suspect` the database is asked whether it answers, within `answer`;
   * looked at every `look`. `long`: the same of backups, migrations and the doctor, and how long one of those may take.
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
   * The concurrency limiter (docs/design/http.md). For each lane: how many requests are in work at once, how many wait, how many of one
   * client are in flight, working or waiting. `perSchool`: how many of one school are in work while others have some. A wait lasts at
   * most `patience`; only `shortPatience` once the queue has not been empty for `rush`.
   */
  admission: {
    ordinary: { atOnce: 64, waiting: 1_000, perClient: 500 },
    signIn: { atOnce: 16, waiting: 250, perClient: 200 },
    health: { atOnce: 4, waiting: 50, perClient: 25 },
    perSchool: 48,
    patience: 3_000,
    shortPatience: 750,
    rush: 3_000,
    /** A refusal that needs no waiting is given only then, so that who tries again at once costs little. */
    pause: 1_000,
    /** Requests are begun for so long in one round of the event loop, ms; the others wait for the next. */
    slice: 4,
    /** Bytes under way, of bodies being sent and replies not yet read: of one client, of all. Bodies up to `small` are not counted. */
    bytes: { small: 65_536, client: 134_217_728, all: 268_435_456 },
    /** A warning of refusals at most so often. */
    warn: 10_000,
  },
  /**
   * Connections (docs/design/http.md). Bodies and replies have `grace`, and then must have moved at `bytesPerSecond` on the whole; a stream
   * that is not read for `stall` is ended. `check`: how often that is looked at.
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
  /** Removal of counters, codes and sessions whose time is over: at most so often, and so many rows of each. */
  sweep: { every: 600_000, rows: 1_000 },
  /**
   * How many backups stay (docs/design/backup.md), what they leave free on the disk of the marks, how long one waits for another, and how
   * long after its start a server makes the one that it missed. `rehearse`: how often, ms, the newest is put back for trial; a day later also
   * outside of the night.
   */
  backup: {
    kept: { hourly: 24, nightly: 14, weekly: 12, special: 5 },
    reserve: 268_435_456,
    wait: 120_000,
    afterStart: 120_000,
    rehearse: 7 * 86_400_000,
  },
  /**
   * Central servers on one database: how often each says that it runs, after how long without a word it counts as ended, and when its
   * row goes, ms.
   */
  instances: { every: 10_000, silent: 35_000, forgotten: 86_400_000 },
  /** How long after its start a server has the pages of its database read whole. */
  database: { checkAfterStart: 30_000 },
  /**
   * How long the operating system's keyring is waited for, ms: `patience` where the database can do without it, `patienceLocked` where
   * nothing can be opened before it answers, and a person may be typing its password.
   */
  keyring: { patience: 5_000, patienceLocked: 15_000 },
  /**
   * Certificates of a school's own authority (docs/design/server.md): browsers refuse a server's that lasts longer than 398 days. Renewed
   * so long before the end.
   */
  certificate: { authorityLife: 3_650 * 86_400_000, life: 365 * 86_400_000, renewBefore: 30 * 86_400_000 },
  /** How often a server on the LAN looks whether its addresses or its certificate have changed. */
  presence: { check: 30_000 },
  /**
   * When `markbook doctor` speaks up. Bytes: a disk that is full or scarce, a log or empty room that is worth tidying, memory. `scarceFiles`
   * counts files. `clockOff`: against another server's clock, within which codes of apps still work; `clockSlack` and `clockFar`:
   * how much later than now an entry or a file may be; `longSilence`: without any entry. `replication`, ms: how long a
   * parent may not answer, or answer and hear nothing; how long rows may wait, or be held; how long a child may be silent; how long it and its parent may differ. `slice`: the longest statement to a central database. `oldBackup` is a problem, `staleBackup` and `oldRehearsal` a notice.
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
   * `markbook audit`: rows that are read at once; disagreements of a school that are told one by one; wrong
   * transactions that are remembered; how often a line says how far it is, ms.
   * What a server does by itself: first and then so often it looks whether a school is due, which it is `age` after its last audit; a run
   * that says nothing for `lease` has ended; it rests as long as it worked, `rest` at most, ms. So many runs of a school are kept, each
   * with so many findings (`told`), of texts of so many characters (`text`); a restore is told for so long, ms.
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
    /** Of the list of a school's writes: in an answer, and the most; what one answer looks at; in an export, and so many looks of it. */
    entries: { page: 50, most: 200, scan: 5_000, scans: 40, exported: 5_000 },
    /** Earlier runs that are told. */
    earlier: 14,
  },
  /**
   * Replication (sync/SPEC.md, «Limits»). Rows and bytes of a page; how long a question waits for news, seconds; how long a node waits
   * after a failure (sync/machine.ts); how often a server looks for a parent that another process joined, and for a change of the status;
   * how many of the rows that wait are listed;
   * how long a parent may take to begin its answer: to something short, to a question that waits for news, to a page; rows held back for a school; how long an invitation counts, and how many a school has open; deletions are forgotten
   * after `age`, and what a child has not heard counts no more after `silence`, looked at `every` so often (docs/design/replication.md),
   * ms.
   */
  sync: {
    pageRows: 5_000,
    /** Entries of the history that travel in one page, and characters of their changes; only a transaction of more makes a larger one. */
    pageHistory: 20_000,
    pageChanges: 8_000_000,
    /** Marks in one page of a first copy. */
    copyMarks: 20_000,
    pageBytes: 33_554_432,
    /** Rows in one request of a push: of a larger transaction the child sends several. */
    pushRows: 20_000,
    /**
     * What is read of another node (docs/design/replication.md). Bytes of a request's body as it comes and unpacked: `least` of one that says
     * next to nothing, `small` of one that names no rows, `list` of one that lists ids; a page has `pageBytes`. Bytes of a reply, unpacked.
     * How old a challenge may be, ms.
     */
    door: { least: 1_024, small: 16_384, list: 1_048_576, reply: 134_217_728, challenge: 60_000 },
    wait: 25,
    backOff: { first: 1_000, most: 30_000, unsent: 5_000, hurry: 2_000 },
    look: 2_000,
    /** After so many ms an erased laptop says again that it is. */
    lastWord: 60_000,
    /**
     * How long a parent is not there before the next is spoken with, how often it is looked whether the first is back, and its patience, ms;
     * pages each way when the others are met once a day (docs/design/replication.md).
     */
    parents: { gone: 10_000, again: 15_000, answer: 5_000, pages: 50 },
    waiting: 2_000,
    patience: { short: 15_000, news: 60_000, page: 120_000 },
    held: 10_000,
    /**
     * Refused writes that are kept of one person's laptops, or of a school's server, and the longest value, in characters
     * (docs/design/replication.md).
     */
    refused: { most: 2_000, value: 32_768 },
    /** Lines in the log of what was refused: one a sender in so many ms, and of how many senders it is remembered. */
    refusals: { every: 60_000, senders: 1_000 },
    /** How many more writes than this node's feed has a child may say that another writer has made. */
    claims: 1_000_000,
    invitation: { life: 600_000, open: 10 },
    /**
     * Comparing with the parent (docs/design/replication.md), ms: after the start and once a day, each later by up to as much again as
     * `spread` says, so that schools do not come together; how long a difference, a parent without time, or a failure is given before the
     * next look; everything is merged again after a day at the soonest, then after 2, 4 and 7. How long what was healed is still told; for
     * how long two parents of a laptop may differ before it counts. Rows that are read at once.
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
     * Files (docs/design/replication.md): how many are asked about at once, how many are under way at once, bytes of a piece that is sent,
     * how long one that did not come waits (`most`; `worst` where its content was wrong), and bytes of files on a stick.
     */
    files: { batch: 200, atOnce: 3, piece: 524_288, first: 2_000, most: 300_000, worst: 86_400_000, bundle: 67_108_864 },
  },
  /**
   * Shapes (docs/design/shapes.md). Rows of a response; how long a live request is held and how often it is looked whether somebody still
   * wants it, ms; live requests that wait, of one person and of all; characters of a condition, and how deep its brackets go.
   */
  shapes: { rows: 5_000, wait: 20_000, look: 1_000, waitingPerUser: 60, waiting: 1_000, where: 2_000, depth: 20 },
  /** What connects and says nothing is sent away. */
  firstByte: 10_000,
  /** Threads that make documents: how many, how many tasks wait for one, and what one task may take (docs/design/reports.md). */
  papers: { workers: 2, waiting: 32, memoryMb: 320, timeMs: 60_000, sheetMs: 5_000, idleMs: 60_000 },
} as const
