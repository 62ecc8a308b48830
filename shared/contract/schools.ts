import { z } from 'zod'
import { documentLanguages } from '../domain/document-language.ts'
import { codeEffects, standardMarkCodes } from '../domain/mark-codes.ts'
import { personalDataReaders } from '../domain/personal-data.ts'
import { areSchoolDays, weekdays } from '../domain/school-days.ts'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { JoinStatus, Role, SchoolRef } from './auth.ts'
import { endpoint } from './endpoint.ts'
import {
  Address,
  Code,
  choice,
  Done,
  Email,
  Flag,
  Id,
  Instant,
  input,
  JoinMessage,
  label,
  MarkCodeName,
  Name,
  Person,
  Phone,
  row,
  say,
} from './scalars.ts'

const SchoolType = choice(['primary', 'secondary'])

/** `parish`: only schools that were migrated from an earlier system have a value. */
export const School = row('School', {
  id: Id,
  name: z.string(),
  code: z.string().nullable(),
  school_type: SchoolType,
  address: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  is_active: Flag,
  parish: z.string().nullable().optional(),
})
export type School = z.infer<typeof School>

const MarkCode = input({ code: MarkCodeName, name: label(40), effect: choice(codeEffects), printed: Flag })

const PersonalDataFor = choice(personalDataReaders)
export const DocumentLanguage = choice(documentLanguages)

const SCHOOL_DAYS_SENTENCE = 'must be days of the week from 1 (Monday) to 7 (Sunday), at least one, each once and in order'
const SchoolDays = z
  .array(z.int(say(SCHOOL_DAYS_SENTENCE)), say(SCHOOL_DAYS_SENTENCE))
  .min(1, SCHOOL_DAYS_SENTENCE)
  .max(weekdays.length, SCHOOL_DAYS_SENTENCE)
  .refine(areSchoolDays, { error: SCHOOL_DAYS_SENTENCE, when: ({ issues }) => issues.length === 0 })

/**
 * Settings of a school; null means the default. Whether an administrator must approve report books before they are published (no). Who
 * sees the birth dates and genders of pupils: administrators and each class teacher of their own pupils (the default), or all who teach.
 * The school days of the week (Monday to Friday). The language of printed documents (English).
 */
const wishes = {
  approves_reports: Flag.nullable(),
  personal_data_for: PersonalDataFor.nullable(),
  school_days: z.array(z.int()).nullable(),
  document_language: DocumentLanguage.nullable(),
}

/** The caller's school, with the URL of its crest, null without one, and its mark codes, null for the standard ones. */
const OwnSchool = row('OwnSchool', {
  ...School.shape,
  crest_url: z.string().nullable(),
  mark_codes: z.array(MarkCode).nullable(),
  ...wishes,
})

/** Each code once; the standard codes must be among them, with their effects. */
const MarkCodes = z
  .array(MarkCode, say('must be a list of codes'))
  .max(limits.markCodes, `must hold at most ${limits.markCodes} codes`)
  .check(({ value, issues }) => {
    const seen = new Set<string>()
    for (const [index, { code, effect }] of value.entries()) {
      const standard = standardMarkCodes.find((one) => one.code === code)
      if (seen.has(code)) issues.push({ code: 'custom', path: [index, 'code'], message: 'must not be named twice', input: value })
      if (standard && standard.effect !== effect)
        issues.push({ code: 'custom', path: [index, 'effect'], message: `must be ${standard.effect} for this code`, input: value })
      seen.add(code)
    }
    for (const { code } of standardMarkCodes)
      if (!seen.has(code)) issues.push({ code: 'custom', message: `must hold the code ${code}`, input: value })
  })

/**
 * The addresses at which other devices reach this server, the best first; empty where it listens on its own computer only. `duplicates`:
 * the addresses of other servers on the network that have the same database, as a copied folder has.
 */
const ServerAddresses = row('ServerAddresses', { urls: z.array(z.string()), duplicates: z.array(z.string()) })

/**
 * Backups of this server's database: whether they are automatic, when the newest was made, when one was last restored successfully in a
 * trial, whether the last trial failed, and whether something has prevented backups for too long. A time is null where there was none.
 */
const ServerBackups = row('ServerBackups', {
  scheduled: z.boolean(),
  newest_at: Instant.nullable(),
  proved_at: Instant.nullable(),
  trial_failed: z.boolean(),
  overdue: z.boolean(),
})

const JoinRequest = row('JoinRequest', {
  id: Id,
  user_id: Id,
  school_id: Id,
  status: JoinStatus,
  message: z.string().nullable(),
  requested_at: Instant,
  reviewed_at: Instant.nullable(),
  reviewed_by: Id.nullable(),
})

/** A join request in the administrators' queue. */
const PendingJoinRequest = row('PendingJoinRequest', {
  id: Id,
  status: JoinStatus,
  message: z.string().nullable(),
  requested_at: Instant,
  user: Person.extend({ email: z.string() }),
  school: SchoolRef,
})

export const Member = row('Member', {
  user_id: Id,
  email: z.string(),
  ...Person.omit({ id: true }).shape,
  role: Role,
  is_active: Flag,
  joined_at: Instant,
})
export type Member = z.infer<typeof Member>

const contact = { address: Address.nullish(), email: Email.nullish(), phone: Phone.nullish() }
export const SchoolInput = input({
  name: Name,
  code: Code.nullish(),
  schoolType: SchoolType,
  ...contact,
  starterSubjects: Flag.optional(),
  setupCode: Name.optional(),
})

export const schoolFailures = failures('schools', {
  codeInUse: [409, 'Marks have this code, so it cannot go or have another effect.'],
  dedicated: [403, 'This service belongs to one school, which already exists. Please ask to join it.'],
  setupCode: [
    403,
    'A new school needs the setup code of this server. It stands where the server was started, and the command «markbook code --setup» prints it.',
  ],
  alreadyInSchool: [409, 'You already have an active school.'],
  pendingRequest: [400, 'You already have a request that waits for an answer.'],
  alreadyMember: [409, 'You already belong to that school.'],
  foreignRequest: [403, 'This request is for another school.'],
  alreadyReviewed: [400, 'This request has already been answered.'],
  lastAdmin: [409, 'A school needs at least one active administrator.'],
  leadsClasses: [409, 'This member is class teacher of a class. Hand the class over first, or make the account inactive instead.'],
})

export const schools = {
  list: endpoint('GET /api/schools', 'session', 'List the active schools by name', {
    reply: z.array(School.pick({ id: true, name: true, school_type: true })),
  }),
  create: endpoint('POST /api/schools', 'session', 'Create a school and become its administrator', {
    notes:
      '`setupCode` is what the server printed at its start (decisions §8); it is not needed where its operator opened founding to everybody.',
    status: 201,
    body: SchoolInput,
    reply: School,
    fails: ['schools.dedicated', 'schools.setup_code', 'schools.already_in_school', 'sync.not_on_a_laptop'],
  }),
  mine: endpoint('GET /api/schools/mine', 'school', 'Read the own school', { reply: OwnSchool }),
  updateMine: endpoint('PATCH /api/schools/mine', 'admin', 'Change the own school', {
    notes: '`markCodes` null: the standard ones again. `schoolDays` null: Monday to Friday again. `documentLanguage` null: English again.',
    body: input({
      name: Name.optional(),
      ...contact,
      markCodes: MarkCodes.nullish(),
      approvesReports: Flag.nullish(),
      personalDataFor: PersonalDataFor.nullish(),
      schoolDays: SchoolDays.nullish(),
      documentLanguage: DocumentLanguage.nullish(),
    }),
    reply: row('ChangedSchool', { ...School.shape, ...wishes }),
    fails: ['schools.code_in_use'],
  }),
  putCrest: endpoint('PUT /api/schools/mine/crest', 'admin', 'Upload the crest of the own school, in place of the one before', {
    notes: `JPEG or PNG, at most ${limits.image.bytes / 1_048_576} MB. It stands on report cards.`,
    body: 'multipart',
    fileBytes: limits.image.bytes,
    reply: OwnSchool,
    fails: ['images.too_large', 'images.too_many_pixels', 'images.wrong_type'],
  }),
  addresses: endpoint('GET /api/schools/mine/addresses', 'admin', 'Say under which addresses other devices reach this server', {
    reply: ServerAddresses,
  }),
  backups: endpoint('GET /api/schools/mine/backups', 'admin', 'Say when this server was last backed up, and when that was last proved', {
    reply: ServerBackups,
  }),
  requestToJoin: endpoint('POST /api/schools/:schoolId/join-requests', 'session', 'Ask to join a school', {
    status: 201,
    body: input({ message: JoinMessage.nullish() }).prefault({}),
    reply: JoinRequest.extend({ school: SchoolRef }),
    fails: ['schools.pending_request', 'schools.already_member', 'sync.not_on_a_laptop'],
  }),
  offers: endpoint(
    'GET /api/schools/offers',
    'session',
    'List the places in schools that one was given or invited to and has not agreed to',
    {
      notes:
        '`role` is null where the server of that school only sent a request in the own name. To agree is to ask to join the school. Who was invited here (`is_invitation`) has the place at once; else it comes when the school’s server has heard of it.',
      reply: z.array(row('SchoolOffer', { school: SchoolRef, role: Role.nullable(), offered_at: Instant, is_invitation: Flag.optional() })),
    },
  ),
  declineOffer: endpoint('DELETE /api/schools/:schoolId/offer', 'session', 'Decline a place that one was given or invited to', {
    reply: Done,
  }),
  joinRequests: endpoint('GET /api/schools/join-requests', 'admin', 'List the requests that wait for an answer, oldest first', {
    reply: z.array(PendingJoinRequest),
  }),
  approve: endpoint('PATCH /api/schools/join-requests/:requestId/approve', 'admin', 'Accept somebody into the school', {
    fresh: true,
    body: input({ role: Role }),
    reply: JoinRequest,
    fails: ['schools.foreign_request', 'schools.already_reviewed', 'schools.last_admin', 'sync.not_on_a_laptop'],
  }),
  reject: endpoint('PATCH /api/schools/join-requests/:requestId/reject', 'admin', 'Turn a request down', {
    reply: JoinRequest,
    fails: ['schools.foreign_request', 'schools.already_reviewed', 'sync.not_on_a_laptop'],
  }),
  withdraw: endpoint('DELETE /api/schools/join-requests/:requestId', 'session', 'Withdraw the own request', {
    reply: Done,
    fails: ['schools.already_reviewed', 'sync.not_on_a_laptop'],
  }),
  members: endpoint('GET /api/schools/members', 'admin', 'List the members of the school by name', { reply: z.array(Member) }),
  updateMember: endpoint('PATCH /api/schools/members/:userId', 'admin', 'Change the role of a member, or suspend them', {
    fresh: true,
    body: input({ role: Role, isActive: Flag }).partial(),
    reply: Member,
    fails: ['schools.last_admin', 'sync.not_on_a_laptop'],
  }),
  removeMember: endpoint('DELETE /api/schools/members/:userId', 'admin', 'Remove a member from the school', {
    fresh: true,
    reply: Done,
    fails: ['schools.last_admin', 'schools.leads_classes', 'sync.not_on_a_laptop'],
  }),
}
