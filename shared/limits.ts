/**
 * Every limit of the service (specification, «Limits»; decisions §1, §3, §4, §6), ordered by whom it protects. Units are last in a name:
 * `Ms` milliseconds, `Bytes`; `Length` and `text` are Unicode code points; other numbers are counts. What a client exceeds is 400
 * `validation_failed` where nothing else is said.
 */
export const limits = {
  // Readers and printed documents: what a person may enter.

  /** Longest texts. */
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
  score: { max: 100_000, decimals: 2 }, // Largest score, and decimals of scores
  assessmentWeight: { max: 1_000, decimals: 4 },
  percentage: { max: 100, decimals: 2 },
  dropLowest: 10, // How many of the lowest marks a category may drop
  gradingBands: 20, // Bands of a grading scale
  markCodes: 20, // Mark codes of a school
  subjects: 500, // Subjects of a school; one more is 409
  termsPerYear: 6, // Terms of a year; one more is 409
  categoriesPerSubject: 20, // Categories of a subject in a year; one more is 409
  teachingSets: {
    perYear: 500, // Sets of a year; one more is 409
    teachersPerSet: 20,
    studentsPerSet: 500,
  },
  binRetentionMs: 30 * 86_400_000, // How long a deleted row can be restored; then it is 404

  // Other requests: what one request may ask of the server.

  page: { max: 500 }, // Rows of a list in one reply; more are in the next page
  gradesPerRequest: 1_000,
  studentsPerRequest: 1_000,
  classesPerRollOver: 200,
  attendance: {
    marksPerRequest: 200,
    daysPerRequest: 31,
    lessonsPerDay: 12,
  },
  importRows: 10_000, // Rows of an imported table; more are 413
  importColumns: 200, // Columns of an imported table; more are 413
  importUnpackedBytes: 33_554_432, // A spreadsheet once unpacked; a larger one is 413
  importKeptRows: 200, // Kept rows that the reply to undoing an import names; more are only counted
  body: {
    jsonBytes: 1_048_576, // A JSON body; a larger one is 413
    jsonWithoutSessionBytes: 32_768, // A JSON body of an endpoint without a session; a larger one is 413
    importBytes: 20_971_520, // An uploaded table; a larger one is 413
    jsonDepth: 16, // Nesting of objects and lists in JSON; deeper is 400 `too_deep`
  },
  issues: {
    perReply: 50, // Issues of one validation error; more are left out
    namesPerIssue: 10, // Names that one issue lists; more are left out
    nameLength: 60, // A name in an issue; the rest is cut off
  },
  shapes: {
    pageRows: 5_000, // Rows of a reply; more are in the next one
    longPollMs: 20_000, // A live request is answered without news after this
    checkEveryMs: 1_000, // How often a live request is checked for a closed connection
    waitingPerUser: 60, // Live requests of one person; one more is 429
    waiting: 1_000, // Live requests of all; one more is 503
    whereLength: 2_000,
    whereDepth: 20, // Parentheses within each other in a `where` condition
  },
  liveMarks: {
    readEveryMs: 60, // A class's marks are read at most this often for a stream
    deletionsPerEvent: 1_000, // After more deletions at once, a stream sends all marks again
  },
  jobs: {
    perSchool: 10, // Unfinished jobs of a school; one more is 429
    total: 500, // Unfinished jobs of all schools; one more is 429
    streamsPerUser: 10, // Event streams of one person; one more is 429
    streamsTotal: 500, // Event streams of all; one more is 429
    leaseMs: 30_000, // A runner that does not renew its job for this long loses it to another
    attempts: 5, // A job that was begun this often and never ended has failed
    checkEveryMs: 5_000, // How often an idle server looks for jobs of other instances
    progressCheckEveryMs: 1_000, // How often an event stream looks for progress at other instances
    retentionMs: 7 * 86_400_000, // An ended job is deleted after this
    sweepEveryMs: 3_600_000, // How often ended jobs are deleted
  },
  documents: {
    workers: 2, // Worker threads that make documents
    queued: 32, // Tasks that wait for a worker; beyond, the school with most gets 503 for its newest
    memoryMb: 320, // Memory of a worker; a task that needs more fails
    timeMs: 60_000, // A task that takes longer fails with 503
    sheetMs: 5_000, // Reading an uploaded spreadsheet; a slower one is unreadable
    idleMs: 60_000, // An idle worker ends after this
  },

  // Accounts: against guessing and stolen devices.

  otp: {
    length: 8, // Digits of a code
    lifetimeMs: 600_000, // A code is refused after this
    triesPerCode: 5, // A code ends after this many wrong attempts
    resendAfterMs: 60_000, // A second code is 429 within this
    sendsPerHour: 5, // After this many codes to an address in an hour, another is sent only once the last has ended
    wrongPerDay: 100, // Wrong attempts at an account and method in a day, of all clients; then the method is closed for the day
    callsWindowMs: 300_000, // The window of `callsPerWindow`
    /** Transactions that count attempts (docs/design/sign-in.md). */
    writeQueue: {
      concurrent: 6, // Transactions at once; below the number of Postgres connections
      queued: 1_000, // Waiting transactions; one more is 503
      perKey: 100, // Waiting transactions of one client or address; one more is 503
      timeoutMs: 5_000, // A transaction that waited longer is 503
      refusalDelayMs: 1_000, // A refusal is delayed by this, against clients that retry at once
    },
    /**
     * Of one client network: first the network itself, then the IPv6 /48 around it. `callsPerWindow`: sends and attempts at all accounts.
     * The others are for one account: codes within `resendAfterMs`, codes in an hour, wrong attempts in a day for each method; and after
     * `wrongUntilPause` wrong mailed codes a pause, each twice as long as the one before. Beyond: 429.
     */
    networks: [
      { callsPerWindow: 600, resendsPerWindow: 1, sendsPerHour: 5, wrongPerDay: 50, wrongUntilPause: 5 },
      { callsPerWindow: 1_800, resendsPerWindow: 3, sendsPerHour: 15, wrongPerDay: 75, wrongUntilPause: 15 },
    ],
    pause: { firstMs: 60_000, maxMs: 3_600_000 }, // The first and the longest pause
  },
  totp: {
    stepMs: 30_000, // A code is of this step (RFC 6238)
    driftSteps: 1, // Steps before and after the current one whose codes count
    secretBytes: 20,
    enrolmentMs: 1_800_000, // An enrolment must be confirmed within this
    wrongPerHour: 10, // Wrong codes for an enrolment in an hour; then 429
  },
  proof: {
    validMs: 600_000, // How long a sign-in or proof satisfies an endpoint that needs a fresh one; then 403
    clockSkewMs: 60_000, // How far the time of a proof may be ahead, since the servers of one database have different clocks
  },
  passkeys: {
    perPerson: 10, // Passkeys of one person; one more is 409
    fieldLength: 16_384, // Each field that a browser sends
    challengeMs: 300_000, // A challenge is refused after this
  },
  recoveryCodesPerSet: 10,
  desk: { codesPerHour: 30 }, // Sign-in codes that a school's desk issues in an hour; then 429
  session: {
    accessMs: 3_600_000, // An access token is renewed after this
    refreshGraceMs: 10_000, // How long a replaced refresh token is still accepted, for requests sent at the same time
    absoluteMs: 30 * 86_400_000, // A session ends after this
    idleMs: 14 * 86_400_000, // A session that was not used for this long ends
    lastUseEveryMs: 600_000, // The last use of a session is written at most this often
    rightsReuseMs: 1_000, // How long a caller's rights, once read, are reused within one request
    cookieChunkBytes: 3_180, // A longer session cookie is split, since browsers drop it
    cookieHeaderBytes: 16_384, // A longer cookie header is ignored
  },
  notices: {
    knownDeviceMs: 90 * 86_400_000, // A device with its network is new again this long after its last sign-in
    retentionMs: 30 * 86_400_000, // A notice is deleted after this
    mailsPerHour: 10, // Notices mailed to an account in an hour; more are only shown
  },

  // Recipients of mail.

  invitations: {
    perRequest: 100,
    open: 1_000, // Open invitations of a school; one more is 409
    perDay: 1_000, // Invitations of a school in a day; then 429
    lifetimeMs: 14 * 86_400_000, // An invitation ends after this
  },
  /** Reminders of missing work. */
  reminders: {
    windowMs: 86_400_000, // A person gets one mail for a term within this
    linesPerMail: 40, // Missing items that a mail lists; more are counted
    peoplePerRequest: 1_000,
    mailsPerHour: 120, // Mails of a school in an hour; then 429
  },
  mail: {
    queued: 1_000, // Waiting mails; more are dropped
    attempts: 6, // A mail that failed this often is dropped
    concurrent: 3, // Mails sent at once; a school's mail server may take more for an attack
    /** Mail to unknown addresses, which has its own queue and connection: more waiting, or more in an hour, are dropped. */
    strangers: { queued: 100, concurrent: 1, perHour: 200 },
  },

  // The server: against overload and slow clients (docs/design/http.md).

  admission: {
    /** Of each lane: requests at once, waiting requests, and requests of one client, started or waiting. Beyond the last two: 503. */
    ordinary: { concurrent: 64, queued: 1_000, perClient: 500 },
    signIn: { concurrent: 16, queued: 250, perClient: 200 },
    health: { concurrent: 4, queued: 50, perClient: 25 },
    perSchool: 48, // Requests of one school at once while other schools have some; one more is 503
    queueTimeoutMs: 3_000, // A request that waited longer is 503
    overloadQueueTimeoutMs: 750, // The same while the server is overloaded
    overloadAfterMs: 3_000, // The server is overloaded once requests have waited without a pause for this long
    refusalDelayMs: 1_000, // A refusal without waiting is delayed by this, so that a client that retries at once costs little
    startBudgetMs: 4, // How long one turn of the event loop starts requests; the rest start in the next turn
    /** Bytes of incomplete bodies and unread replies; beyond, ordinary requests of clients that have some are 503. */
    bytesInTransit: {
      uncounted: 65_536, // A smaller body is not counted
      perClient: 134_217_728,
      total: 268_435_456,
    },
    warnEveryMs: 10_000, // Refusals are logged at most this often
  },
  connection: {
    total: 2_000, // Open connections; near it, newcomers close others, and beyond it they are dropped
    perClient: 500, // Connections of one address, unless it is a trusted proxy; one more is closed
    headersTimeoutMs: 15_000, // Headers that take longer are 408
    requestTimeoutMs: 600_000, // A request that takes longer is 408
    keepAliveTimeoutMs: 65_000, // An idle connection is closed after this
    firstByteTimeoutMs: 10_000, // A new connection that sends nothing for this long is closed
    graceMs: 30_000, // How long a body or reply may be slower than `bytesPerSecond`
    bytesPerSecond: 8_192, // A slower body is 408; the connection of a slower reader is closed
    stallTimeoutMs: 60_000, // A stream that is not read for this long is closed
    checkEveryMs: 2_000, // How often progress is checked
  },
  cache: {
    profileMs: 30 * 86_400_000, // A profile with a pending join request is read again after this
    schoolListMs: 30 * 86_400_000, // The list of schools is read again after this
    resultsMs: 3_600_000, // Results are calculated again after this
    entries: 20_000, // Entries in memory; the least recently used leaves first
    bytes: 67_108_864, // Entries in memory together; the least recently used leaves first
  },

  // The database (docs/design/store.md).

  queuedTransactions: 1_000, // Transactions that wait for their turn; one more is 503
  groupCommitMs: 100, // A SQLite transaction that has lasted longer takes no further write: the replies of all wait for its commit
  transactionQueueTimeoutMs: 5_000, // A transaction that waited longer for its turn is 503: its client has probably given up
  lockTimeoutMs: 10_000, // A transaction on Postgres that waited longer for a locked row is 503
  postgres: {
    connectTimeoutMs: 5_000, // A connection that takes longer has failed
    statementTimeoutMs: 30_000, // A statement of the server that takes longer is cancelled
    longStatementTimeoutMs: 3_600_000, // The same for the command line
    idleInTransactionTimeoutMs: 60_000, // A transaction that sends no statement for this long is ended
    graceMs: 5_000, // The server abandons a statement that the database should have ended this long ago
    probeAfterMs: 1_000, // After this long without an answer the server tests whether the database answers
    probeTimeoutMs: 2_000, // Without an answer to the test within this, all waiting statements are given up
    checkEveryMs: 250, // How often waiting statements are checked
    /** The same for backups, migrations and the doctor; `totalTimeoutMs`: the longest that one of these takes. */
    long: { probeAfterMs: 10_000, probeTimeoutMs: 60_000, totalTimeoutMs: 6 * 3_600_000 },
  },
  sweep: { everyMs: 600_000, rows: 1_000 }, // Expired counters, codes and sessions: deleted at most this often, and this many of each
  database: {
    startDelayMs: 30_000, // A server checks the integrity of its database this long after its start
  },
  /** Servers that share a central database. */
  instances: {
    heartbeatEveryMs: 10_000, // How often each writes that it is alive
    endedAfterMs: 35_000, // A server without a heartbeat for this long has ended
    retentionMs: 86_400_000, // The row of an ended server is deleted after this
  },

  // The disk and the store of files.

  reportFileBytes: 20_971_520, // A file of a report or class; a larger one is 413
  /** Pictures of people and schools; beyond: 413, or `images.wrong_type` for `segments`. */
  image: {
    bytes: 5_242_880,
    sidePixels: 12_000,
    pixels: 50_000_000,
    printedPixels: 16_000_000, // Pixels of a picture that is printed
    segments: 4_000, // Segments of the file
  },
  /** Resumable uploads. */
  resumable: {
    chunkBytes: 6_291_456, // One chunk; a larger one is 413
    lifetimeMs: 7_200_000, // An upload may be continued for this long
  },
  uploads: { windowMs: 3_600_000, files: 600, kilobytes: 2_097_152, images: 30 }, // What one person may upload within `windowMs`; then 429
  storage: {
    minFreeBytes: 536_870_912, // With less free on the disk uploads are 507, so that marks can still be saved
    orphanAgeMs: 86_400_000, // An unfinished upload, or a file without a row, is deleted at this age
    orphanAgeAmongNodesMs: 30 * 86_400_000, // The same where another node may still send the row
    replacedAgeMs: 3_600_000, // A replaced picture is deleted at this age
    startDelayMs: 600_000, // The first search for such files after the start
    sweepEveryMs: 21_600_000, // How often such files are searched
    sweepPage: 500, // Files listed at once in such a search
    requestTimeoutMs: 20_000, // A request to the store of objects that takes longer has failed
    connectTimeoutMs: 5_000, // A connection to it that takes longer has failed
    attempts: 3, // A request to it that failed this often is given up
  },
  backup: {
    kept: { hourly: 24, nightly: 14, weekly: 12, special: 5 }, // How many of each kind are kept
    reservedBytes: 268_435_456, // A backup that would leave less on the disk is not made
    lockTimeoutMs: 120_000, // A backup that waited longer for another one has failed
    startDelayMs: 120_000, // A missed backup is made this long after the start
    rehearsalEveryMs: 7 * 86_400_000, // How often the newest is restored in a trial; a day later, also during the day
  },

  // Nodes that replicate (sync/SPEC.md, «Limits»; docs/design/replication.md).

  sync: {
    pageRows: 5_000, // Rows of a page; more are in the next
    pageHistoryEntries: 20_000, // History entries of a page; only a larger single transaction exceeds them
    pageChangesLength: 8_000_000, // Characters of their changes; only a larger single transaction exceeds them
    copyPageMarks: 20_000, // Marks of a page of a first copy
    pageBytes: 33_554_432, // A page; a larger one is 413
    pushRows: 20_000, // Rows of one request of a push; a larger transaction is sent in several
    /** What is read from another node, as received and unpacked; a larger request is 413. */
    message: {
      minimalBytes: 1_024, // A nearly empty request
      smallBytes: 16_384, // A request without rows
      listBytes: 1_048_576, // A list of ids
      replyBytes: 134_217_728, // A reply; a longer one has failed
      challengeAgeMs: 60_000, // An older challenge is refused
    },
    longPollSeconds: 25, // A long poll is answered without news after this
    /** How long a node waits after a failure: twice as long each time (sync/machine.ts). */
    backOff: {
      firstMs: 1_000,
      maxMs: 30_000,
      maxUnsentMs: 5_000, // The longest wait while something is unsent
      afterWriteMs: 2_000, // The wait once something is written
    },
    checkEveryMs: 2_000, // How often a server looks for a parent that another process joined, and for a change of the status
    erasedReportEveryMs: 60_000, // How often an erased laptop reports that it is erased
    /** Several parents. */
    parents: {
      unreachableMs: 10_000, // The next parent is used once one was unreachable for this long
      retryEveryMs: 15_000, // How often the first is tried again
      timeoutMs: 5_000, // A trial without an answer within this has failed
      pages: 50, // Pages each way in the daily exchange with the others; the rest follow the next day
    },
    listedRows: 2_000, // Waiting rows that are listed; all are counted
    /** A parent that does not begin its reply within this is unreachable: to a short request, a long poll, a page. */
    timeout: { shortMs: 15_000, longPollMs: 60_000, pageMs: 120_000 },
    heldRows: 10_000, // Rows held for a school; a page that would hold more is refused
    /** Refused writes that are kept. */
    refused: {
      writes: 2_000, // Of one person's laptops or one school's server; more are not kept
      valueLength: 32_768, // The value of one, in UTF-16 code units; a longer one is not kept
    },
    /** Log lines about refused requests: one of a sender within `everyMs`, for so many senders. */
    refusalLog: { everyMs: 60_000, senders: 1_000 },
    /** How far a child's claim about another writer's counter may be ahead of this node's feed; beyond, the claim does not count. */
    counterLead: 1_000_000,
    invitation: { lifetimeMs: 600_000, open: 10 }, // The code for a new node: how long it is valid, and how many a school may have open
    /** Comparing with the parent. */
    compare: {
      startDelayMs: 300_000, // The first after the start
      everyMs: 86_400_000,
      /** A random delay of the first and of the later ones, so that schools do not all compare at once. */
      jitter: { startMs: 900_000, dayMs: 3_600_000 },
      recheckMs: 60_000, // A difference is checked again after this
      retryMs: 120_000, // The next attempt where the parent had no time or the comparison failed
      mergeAfterMs: 72_000_000, // Everything may be merged again after this (about a day); later after 2, 4 and 7 times as long
      repairReportedMs: 14 * 86_400_000, // How long a repaired difference is reported
      parentsDifferMs: 7 * 86_400_000, // Two parents of a laptop that differ for this long are reported
      pageRows: 250, // Rows read at once
    },
    tombstones: {
      ageMs: 15_552_000_000, // A deletion that every other node has received is forgotten at this age
      silentChildMs: 31_536_000_000, // A child that was silent for this long is not waited for
      startDelayMs: 600_000,
      everyMs: 86_400_000,
    },
    files: {
      perQuery: 200, // Files of one query; more are 413
      concurrent: 3, // Transfers at once
      chunkBytes: 524_288, // A larger file is sent in chunks of this
      retryFirstMs: 2_000, // The pause after a failed transfer, twice as long each time
      retryMaxMs: 300_000,
      retryWrongContentMs: 86_400_000, // The pause where the content was wrong
      stickBytes: 67_108_864, // Files on a stick; more are left out
    },
  },

  // Operators: what `markbook audit`, the doctor and the machine report.

  audit: {
    pageRows: 500, // Rows read at once
    listedDifferences: 50, // Differences of a school that are listed; all are counted
    rememberedFaults: 10_000, // Lost rows and broken transactions that a run remembers; more are only counted
    progressEveryMs: 2_000, // How often the command prints its progress
    startDelayMs: 900_000, // The server's first check whether a school is due
    checkEveryMs: 3_600_000, // How often it checks that
    dueAfterMs: 82_800_000, // A school is due this long after its last audit
    leaseMs: 600_000, // A run that does not renew its lease for this long has ended
    maxPauseMs: 500, // A run pauses as long as it worked, and at most this
    keptRuns: 60, // Runs of a school that are kept; older ones are deleted
    findingsPerRun: 10, // Findings kept of a run
    findingLength: 200, // Each text of a finding; the rest is cut off
    restoreReportedMs: 30 * 86_400_000, // How long a restore is reported
    /** The list of a school's writes. */
    entries: {
      default: 50, // Entries of a reply where the request does not say
      max: 200, // Entries of a reply
      perSearch: 5_000, // Entries searched for one reply; with filters it may have fewer
      searchesPerExport: 40, // Searches for an export; older entries are left out
      perExport: 5_000, // Entries of an export; older ones are left out
    },
    earlierRuns: 14, // Earlier runs in a reply
  },
  /** Thresholds of `markbook doctor`: what it reports beyond each. */
  doctor: {
    fullDiskBytes: 536_870_912, // Free on a disk; below is a problem
    lowDiskBytes: 2_147_483_648, // Free on a disk; below is a notice
    lowFreeFiles: 1_000, // Files that a nearly full disk can still create
    largeLogBytes: 67_108_864, // A write-ahead log worth tidying
    unusedBytes: 20_971_520, // Unused pages of the database worth tidying
    lowMemoryBytes: 536_870_912, // Memory of the machine
    lowFreeMemoryBytes: 134_217_728, // Free memory of the machine
    clockOffsetMs: 30_000, // Offset from another server's clock; beyond, codes of authenticator apps stop working
    clockSlackMs: 60_000, // How far in the future an entry may be
    clockFarMs: 300_000, // How far in the future a file may be
    replication: {
      parentSilentMs: 604_800_000, // A parent that does not answer
      stuckMs: 3_600_000, // A parent that answers without progress
      waitingMs: 86_400_000, // Rows that wait to be sent
      heldMs: 86_400_000, // Rows that are held
      childSilentMs: 2_592_000_000, // A child that does not ask
      differentMs: 129_600_000, // A difference between child and parent
    },
    noEntriesMs: 100 * 86_400_000, // Time without any history entry, as after a jump of the clock
    oldBackupMs: 172_800_000, // Age of the newest backup that is a problem
    staleBackupMs: 93_600_000, // Age of the newest backup that is a notice
    oldRehearsalMs: 15 * 86_400_000, // Age of the newest trial restore
    oldAuditMs: 3 * 86_400_000, // Age of the oldest audit
    leftoverAgeMs: 3_600_000, // Age of an unfinished file
    timeoutMs: 5_000, // A server that does not answer the doctor within this is unreachable
    statementTimeoutMs: 120_000, // A statement of the doctor on a central database that takes longer is cancelled
  },
  /** The operating system's keyring. */
  keyring: {
    timeoutMs: 5_000, // Without an answer within this the keyring is not used
    unlockTimeoutMs: 15_000, // The same where the database does not open without it: a person may be typing its password
  },
  /** A school's own certificate authority (docs/design/server.md). */
  certificate: {
    authorityLifetimeMs: 3_650 * 86_400_000,
    lifetimeMs: 365 * 86_400_000, // Browsers refuse a server certificate that is valid for more than 398 days
    renewBeforeMs: 30 * 86_400_000, // Either is renewed this long before its end
  },
  presence: {
    checkEveryMs: 30_000, // How often a server on the LAN checks whether its addresses or its certificate have changed, and who else has its database
    forgetAfterLooks: 10, // How often another server of the same database is not heard until it is forgotten
  },
} as const
