/**
 * Every bound of the service in one place. Sources: the specification's «Limits» and decisions §1, §3, §4, §6.
 * String lengths are in Unicode code points, sizes in bytes, times in milliseconds unless the name says otherwise.
 */
export const limits = {
  text: { name: 200, title: 200, remark: 2_000, conduct: 500, reason: 500, code: 20, studentNumber: 40, email: 254, joinMessage: 500, address: 500, phone: 40 },
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
  session: { access: 3_600_000, refreshGrace: 10_000, absolute: 30 * 86_400_000, idle: 14 * 86_400_000, cookieChunk: 3_180, cookieBytes: 16_384 },
  cache: { profile: 30 * 86_400_000, schoolList: 30 * 86_400_000, entries: 20_000 },
  mail: { queue: 1_000, tries: 6 },
  writeQueue: 1_000,
} as const
