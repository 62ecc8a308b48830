import { sql } from 'drizzle-orm'
import { documentLanguages } from '../domain/document-language.ts'
import { codeEffects, type MarkCode } from '../domain/mark-codes.ts'
import { personalDataReaders } from '../domain/personal-data.ts'
import { areSchoolDays } from '../domain/school-days.ts'
import { type Columns, timestamps } from './columns.sqlite.ts'
import { always, type Description, isRecord, ofSchool } from './describe.ts'

export const roles = ['admin', 'teacher', 'member'] as const
const requestStatuses = ['pending', 'approved', 'rejected'] as const
const schoolTypes = ['primary', 'secondary'] as const

/** A person with an address. `school_id` names the active school on this node; role and activity are read from the membership. */
export const userProfile = (c: Columns) =>
  c.table('public', 'user_profile', {
    columns: {
      id: c.uuid().notNull(),
      email: c.text().notNull(),
      first_name: c.text(),
      last_name: c.text(),
      avatar_path: c.text(),
      avatar_type: c.text(),
      avatar_size: c.int(),
      /** SHA-256 of the file's content, hex. Replication fetches the file by it. */
      avatar_sha256: c.text(),
      avatar_updated_at: c.instant(),
      school_id: c.uuid(),
      ...timestamps(c),
    },
    rules: (t) => [c.key(t.id), c.unique('user_profile_email', [t.email])],
  })

export const userProfileDescription: Description = {
  scope: 'commons',
  identity: ['id', 'email', 'created_at'],
  natural: { kind: 'user', of: ['email'] },
  notDeletedAlone: always,
  units: { name: ['first_name', 'last_name'], avatar: ['avatar_path', 'avatar_type', 'avatar_size', 'avatar_sha256', 'avatar_updated_at'] },
  derived: ['school_id'],
  audit: ['updated_at'],
}

const isMarkCode = (value: unknown) =>
  isRecord(value) &&
  typeof value['code'] === 'string' &&
  typeof value['name'] === 'string' &&
  codeEffects.some((effect) => effect === value['effect']) &&
  typeof value['printed'] === 'boolean'

/** `mark_codes` null: the standard ones. `approves_reports` null: no. `personal_data_for` null: `class_teachers`. `school_days` null: Monday to Friday. `document_language` null: English. */
export const school = (c: Columns) =>
  c.table('public', 'school', {
    columns: {
      id: c.uuid().notNull(),
      name: c.text().notNull(),
      code: c.text(),
      school_type: c.choice(schoolTypes).notNull(),
      address: c.text(),
      email: c.text(),
      phone: c.text(),
      crest_path: c.text(),
      crest_type: c.text(),
      crest_size: c.int(),
      crest_sha256: c.text(),
      crest_updated_at: c.instant(),
      is_active: c.flag().notNull(),
      mark_codes: c.json<MarkCode[]>(),
      approves_reports: c.flag(),
      personal_data_for: c.choice(personalDataReaders),
      school_days: c.json<number[]>(),
      document_language: c.choice(documentLanguages),
      ...timestamps(c),
    },
    rules: (t) => [c.key(t.id), c.check('school_type_known', sql`${t.school_type} in ('primary', 'secondary')`)],
  })

export const schoolDescription: Description = {
  scope: 'self',
  identity: ['id', 'created_at'],
  notDeletedAlone: always,
  units: {
    name: ['name'],
    code: ['code'],
    school_type: ['school_type'],
    address: ['address'],
    contact: ['email', 'phone'],
    crest: ['crest_path', 'crest_type', 'crest_size', 'crest_sha256', 'crest_updated_at'],
    is_active: ['is_active'],
    mark_codes: ['mark_codes'],
    approves_reports: ['approves_reports'],
    personal_data_for: ['personal_data_for'],
    school_days: ['school_days'],
    document_language: ['document_language'],
  },
  unchanged: ['code', 'school_type', 'is_active'],
  audit: ['updated_at'],
  json: {
    mark_codes: (value) => value === null || (Array.isArray(value) && value.every(isMarkCode)),
    school_days: (value) => value === null || areSchoolDays(value),
  },
}

export type Profile = { user_profile: ReturnType<typeof userProfile> }
export type School = { school: ReturnType<typeof school> }

/** Membership, the source of truth for role and activity (specification, «school_management»). */
export const schoolManagement = (c: Columns, { user_profile, school }: Profile & School) =>
  c.ofSchool('public', 'school_management', {
    columns: {
      user_id: c.uuid().notNull(),
      role: c.choice(roles).notNull(),
      is_active: c.flag().notNull(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('school_management_once', [t.user_id, t.school_id]),
      c.foreign('school_management_school', [t.school_id], [school.id]),
      c.foreign('school_management_user', [t.user_id], [user_profile.id]),
      c.check('school_management_role', sql`${t.role} in ('admin', 'teacher', 'member')`),
    ],
  })

export const schoolManagementDescription = ofSchool({
  identity: ['user_id', 'created_at'],
  natural: { kind: 'membership', of: ['user_id', 'school_id'] },
  notOnLaptops: true,
  units: { role: ['role'], is_active: ['is_active'] },
  audit: ['updated_at'],
})

export const schoolJoinRequest = (c: Columns, { user_profile, school }: Profile & School) =>
  c.ofSchool('public', 'school_join_request', {
    columns: {
      user_id: c.uuid().notNull(),
      status: c.choice(requestStatuses).notNull(),
      message: c.text(),
      requested_at: c.instant().notNull(),
      reviewed_at: c.instant(),
      reviewed_by: c.uuid(),
    },
    rules: (t) => [
      c.unique('school_join_request_one_pending', [t.user_id, t.school_id], sql`status = 'pending'`),
      c.index('school_join_request_user', t.user_id, t.status),
      c.foreign('school_join_request_school', [t.school_id], [school.id]),
      c.foreign('school_join_request_user_fk', [t.user_id], [user_profile.id]),
      c.check('school_join_request_status', sql`${t.status} in ('pending', 'approved', 'rejected')`),
    ],
  })

export const schoolJoinRequestDescription = ofSchool({
  identity: ['user_id', 'message', 'requested_at'],
  notOnLaptops: true,
  units: { status: ['status', 'reviewed_at', 'reviewed_by'] },
})
