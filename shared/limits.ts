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
    email: 254,
    joinMessage: 500,
    address: 500,
    phone: 40,
  },
  score: { max: 100_000, decimals: 2 },
  assessmentWeight: { max: 1_000, decimals: 4 },
  percentage: { max: 100, decimals: 2 },
  bulkGrades: 1_000,
  bulkStudents: 1_000,
  subjects: 500,
  gradingBands: 20,
  rollOverClasses: 200,
  page: { default: 500, max: 500 },
  body: { json: 1_048_576, import: 20_971_520 },
  importRows: 10_000,
  importColumns: 200,
  importUnpacked: 104_857_600,
  otp: {
    length: 8,
    lifetime: 600_000,
    triesPerCode: 5,
    wrongPerHour: 10,
    wrongInARow: 100,
    resendAfter: 60_000,
    sendsPerHour: 5,
    perAddressWindow: 300_000,
    perAddressCalls: 600,
  },
  /** RFC 6238 as decisions §3 has it: steps of 30 s, one of drift either way. An enrolment waits so long to be confirmed. */
  totp: { step: 30_000, drift: 1, secretBytes: 20, enrolment: 1_800_000 },
  recoveryCodes: 10,
  /** Codes that the sign-in desk of a school hands out. */
  desk: { perHour: 30 },
  session: {
    access: 3_600_000,
    refreshGrace: 10_000,
    absolute: 30 * 86_400_000,
    idle: 14 * 86_400_000,
    cookieChunk: 3_180,
    cookieBytes: 16_384,
  },
  cache: { profile: 30 * 86_400_000, schoolList: 30 * 86_400_000, results: 3_600_000, entries: 20_000, bytes: 67_108_864 },
  mail: { queue: 1_000, tries: 6 },
  writeQueue: 1_000,
  /** Removal of counters, codes and sessions whose time is over: at most so often, and so many rows of each. */
  sweep: { every: 600_000, rows: 1_000 },
  /**
   * How many backups stay (decision 201), what they leave free on the disk of the marks, how long one waits for another, and how
   * long after its start a server makes the one that it missed.
   */
  backup: { kept: { hourly: 24, nightly: 14, weekly: 12, special: 5 }, reserve: 268_435_456, wait: 120_000, afterStart: 120_000 },
  /**
   * Certificates of a school's own authority (decision 210): browsers refuse a server's that lasts longer than 398 days. Renewed so
   * long before the end.
   */
  certificate: { authorityLife: 3_650 * 86_400_000, life: 365 * 86_400_000, renewBefore: 30 * 86_400_000 },
  /** How often a server on the LAN looks whether its addresses or its certificate have changed. */
  presence: { check: 30_000 },
  /** What connects and says nothing is sent away. */
  firstByte: 10_000,
} as const
