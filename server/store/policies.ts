import type { Description } from '@markbook/shared/tables/describe'
import { postgresTables } from '@markbook/shared/tables/postgres'
import { descriptions, type Replicated, type Tables } from '@markbook/shared/tables/tables'
import { postgresPlaceOf } from './dialect.texts.ts'

/**
 * Row-level security on Postgres, in addition to loading rows through the caller's school. Two roles without BYPASSRLS: `markbook_app`
 * acts for the person in `app.user_id`, whose school is looked up inside the database; `markbook_system` is the service itself (sign-in,
 * joining a school, jobs).
 */
export function policyStatements(): string[] {
  const names = Object.keys(postgresTables) as (keyof Tables)[]
  return [...roles, ...functions, ...names.flatMap(lockTable), ...names.flatMap(tablePolicies), ...grants(names), ...former]
}

/** Roles belong to the whole cluster: another database of it may be creating them at the same moment. */
const role = (name: string) => `do $$ begin
  if not exists (select 1 from pg_roles where rolname = '${name}') then create role ${name} nologin; end if;
exception when duplicate_object or unique_violation then null; end $$`
const membership = (name: string) => `do $$ begin
  if not pg_has_role(current_user, '${name}', 'member') then execute format('grant ${name} to %I', current_user); end if;
exception when unique_violation then null; end $$`
const roles = [role('markbook_app'), role('markbook_system'), membership('markbook_app'), membership('markbook_system')]

/** Functions of earlier versions that no policy uses any more. */
const former = ['drop function if exists public.app_may_set(uuid, uuid, uuid)']

/** An unset setting is '' on a reused connection. */
const CURRENT_USER = "nullif(current_setting('app.user_id', true), '')::uuid"
const ownMembership = (column: string) => `select ${column} from public.user_profile p
  join public.school_management m on m.user_id = p.id and m.school_id = p.school_id and m.is_active
  where p.id = ${CURRENT_USER}`
const lookup = (name: string, type: string, body: string, parameters = '') =>
  `create or replace function ${name}(${parameters}) returns ${type} language sql stable security definer
   set search_path = pg_catalog, pg_temp as $$ ${body} $$`

const functions = [
  lookup('public.app_school', 'uuid', ownMembership('m.school_id')),
  lookup('public.app_role', 'text', ownMembership('m.role')),
  lookup(
    'public.app_may_set',
    'boolean',
    `select coalesce((${ownMembership('m.role')}) = 'admin', false)
       or exists (select 1 from staff.teacher_subject_assignment a
         join public.term t on t.school_id = a.school_id and t.academic_year_id = a.academic_year_id
         where a.user_profile_id = ${CURRENT_USER} and a.subject_id = $1 and t.id = $2 and $4 is null)
       or ($3 is null and exists (select 1 from staff.teaching_set_teacher a
         join student.teaching_set s on s.school_id = a.school_id and s.id = a.teaching_set_id
         join public.term t on t.school_id = s.school_id and t.academic_year_id = s.academic_year_id
         where a.user_profile_id = ${CURRENT_USER} and s.subject_id = $1 and t.id = $2 and ($4 is null or s.id = $4)))
       or exists (select 1 from staff.class_teacher c where c.user_profile_id = ${CURRENT_USER} and c.student_group_id = $3)`,
    'uuid, uuid, uuid, uuid',
  ),
]

const lockTable = (name: keyof Tables) => [
  `alter table ${postgresPlaceOf(name)} enable row level security`,
  `alter table ${postgresPlaceOf(name)} force row level security`,
]

const policy = (name: keyof Tables, title: string, rest: string) => [
  `drop policy if exists ${title} on ${postgresPlaceOf(name)}`,
  `create policy ${title} on ${postgresPlaceOf(name)} ${rest}`,
]
const both = (rule: string) => `using (${rule}) with check (${rule})`
const OWN_SCHOOL = 'school_id = (select public.app_school())'
const IS_ADMIN = "(select public.app_role()) = 'admin'"
const IS_STAFF = "(select public.app_role()) in ('admin', 'teacher')"

/** Tables that only an administrator writes, and tables that teachers write too (decisions §2); the service alone writes all others. */
const ADMIN_WRITES = new Set<keyof Tables>([
  'academic_year',
  'active_year',
  'term',
  'subject',
  'grading_scale',
  'assessment_category',
  'teaching_set',
  'teaching_set_teacher',
  'teaching_set_member',
  'school_management',
])
const STAFF_READS = new Set<keyof Tables>([
  'student',
  'enrolment',
  'student_subject',
  'teaching_set_member',
  'attendance_register',
  'attendance_mark',
  'assessment',
  'grade',
  'report_book',
  'report_book_entry',
  'report_book_pdf',
  'class_report_file',
  'job',
  'sync_conflict',
])

function tablePolicies(name: keyof Tables): string[] {
  const service = policy(name, 'service', `for all to markbook_system ${both('true')}`)
  const description: Description | undefined = descriptions[name as Replicated]
  if (name === 'user_profile') {
    const colleagues =
      'exists (select 1 from public.school_management m where m.user_id = user_profile.id and m.school_id = (select public.app_school()))'
    return [...service, ...policy(name, 'self_and_school', `for select to markbook_app using (id = ${CURRENT_USER} or ${colleagues})`)]
  }
  if (name === 'school')
    return [
      ...service,
      ...policy(name, 'own_school', `for all to markbook_app ${both('id = (select public.app_school())')}`),
      ...writers(name, IS_ADMIN),
    ]
  if (name === 'school_join_request') {
    return [
      ...service,
      ...policy(name, 'own', `for select to markbook_app using (user_id = ${CURRENT_USER} or (${OWN_SCHOOL} and ${IS_ADMIN}))`),
    ]
  }
  if (description ? description.scope === 'commons' : !SCOPED_LOCAL.has(name)) return service
  const scoped = [...service, ...policy(name, 'own_school', `for all to markbook_app ${both(OWN_SCHOOL)}`)]
  if (name === 'sync_feed' || name === 'sync_row' || name === 'history') return scoped
  const readers = STAFF_READS.has(name) ? policy(name, 'staff_reads', `as restrictive for select to markbook_app using (${IS_STAFF})`) : []
  return [
    ...scoped,
    ...readers,
    ...writers(name, ADMIN_WRITES.has(name) ? IS_ADMIN : IS_STAFF),
    ...(name === 'assessment' ? assessmentWriters : []),
  ]
}

const SCOPED_LOCAL = new Set<keyof Tables>(['sync_feed', 'sync_row', 'history', 'job'])

const writers = (name: keyof Tables, rule: string) => [
  ...policy(name, 'writers_insert', `as restrictive for insert to markbook_app with check (${rule})`),
  ...policy(name, 'writers_update', `as restrictive for update to markbook_app using (${rule}) with check (${rule})`),
  ...policy(name, 'writers_delete', `as restrictive for delete to markbook_app using (${rule})`),
]

/** Specification, isolation rules: an assessment only in a subject to which the teacher is assigned; old and new row are checked. */
const MAY_SET = 'public.app_may_set(subject_id, term_id, student_group_id, teaching_set_id)'
const assessmentWriters = [
  ...policy('assessment', 'subject_insert', `as restrictive for insert to markbook_app with check (${MAY_SET})`),
  ...policy('assessment', 'subject_update', `as restrictive for update to markbook_app using (${MAY_SET}) with check (${MAY_SET})`),
  ...policy('assessment', 'subject_delete', `as restrictive for delete to markbook_app using (${MAY_SET})`),
]

const grants = (names: readonly (keyof Tables)[]) => [
  ...['public', 'student', 'staff', 'grading', 'reporting', 'sync'].map(
    (schema) => `grant usage on schema ${schema} to markbook_app, markbook_system`,
  ),
  ...names.map((name) =>
    name === 'history'
      ? `grant select, insert on ${postgresPlaceOf(name)} to markbook_app, markbook_system`
      : `grant select, insert, update, delete on ${postgresPlaceOf(name)} to markbook_app, markbook_system`,
  ),
  ...['app_school()', 'app_role()', 'app_may_set(uuid, uuid, uuid, uuid)'].flatMap((name) => [
    `revoke all on function public.${name} from public`,
    `grant execute on function public.${name} to markbook_app, markbook_system`,
  ]),
]
