import { elan, englishEssay, hilltopExam, hilltopPupil, mathsExam, mathsHomework } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { class3A, english, hilltopMaths, irish, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { descriptions } from '@markbook/shared/tables/tables'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enrolled } from '../testing/authenticator.ts'
import { type School, school } from '../testing/school.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let st: School
let sql: postgres.Sql

/** Statements of a person with a direct connection to the database, bypassing the server. */
const directly = <T>(userId: string, work: (tx: postgres.TransactionSql) => Promise<T>) =>
  sql.begin(async (tx) => {
    await tx`select set_config('role', 'markbook_app', true), set_config('app.user_id', ${userId}, true)`
    return work(tx)
  })
const placeOf: Record<string, string> = {
  student: 'student',
  enrolment: 'student',
  student_subject: 'student',
  attendance_register: 'student',
  attendance_mark: 'student',
  teaching_set: 'student',
  teaching_set_teacher: 'staff',
  teaching_set_member: 'student',
  student_group: 'student',
  teacher_group_assignment: 'staff',
  teacher_subject_assignment: 'staff',
  class_teacher: 'staff',
  assessment: 'grading',
  assessment_category: 'grading',
  grade: 'grading',
  grading_scale: 'grading',
  report_book: 'reporting',
  report_book_entry: 'reporting',
  report_book_pdf: 'reporting',
  class_report_file: 'reporting',
  sync_conflict: 'sync',
}
const scopedTables = Object.entries(descriptions)
  .filter(([, { scope }]) => scope === 'school')
  .map(([table]) => `${placeOf[table] ?? 'public'}.${table}`)
const newAssessment = (schoolId: string, subjectId: string, groupId: string | null, termId = michaelmas.id) => ({
  id: crypto.randomUUID(),
  school_id: schoolId,
  term_id: termId,
  subject_id: subjectId,
  student_group_id: groupId,
  title: 'By hand',
  assessment_type: 'exam',
  max_score: 10,
  is_excluded: false,
  created_at: '2026-01-01',
  updated_at: '2026-01-01',
})

describe.runIf(onPostgres)('row-level security', () => {
  beforeAll(async () => {
    st = await school()
    sql = postgres(st.database.url, { max: 2, onnotice: () => {} })
  })
  afterAll(async () => {
    await sql.end()
    await st.close()
  })

  test('is enabled and forced on every table, and the roles cannot bypass it', async () => {
    const open = await sql`
      select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'student', 'staff', 'grading', 'reporting', 'sync')
        and not (c.relrowsecurity and c.relforcerowsecurity) and c.relname <> 'policy_version'`
    expect(open.map((row) => row['name'])).toEqual([])
    const roles = await sql`select rolname, rolbypassrls, rolsuper, rolcanlogin from pg_roles where rolname like 'markbook_%' order by 1`
    expect(roles.map((role) => ({ ...role }))).toEqual([
      { rolname: 'markbook_app', rolbypassrls: false, rolsuper: false, rolcanlogin: false },
      { rolname: 'markbook_system', rolbypassrls: false, rolsuper: false, rolcanlogin: false },
    ])
  })

  test('every scoped table has a policy for both the old and the new row', async () => {
    const policies = await sql`select schemaname || '.' || tablename as name from pg_policies
      where 'markbook_app' = any(roles) and permissive = 'PERMISSIVE' and qual is not null and (with_check is not null or cmd = 'SELECT')`
    const covered = new Set(policies.map((row) => row['name']))
    expect(scopedTables.filter((table) => !covered.has(table))).toEqual([])
  })

  test.each(scopedTables)('an admin of St Brigid’s sees nothing of Hilltop in %s', async (table) => {
    const seen = await directly(people.okafor.id, (tx) => tx.unsafe(`select distinct school_id from ${table}`))
    expect(seen.map((row) => row['school_id']).filter((id) => id !== stBrigids)).toEqual([])
  })

  test('an admin of St Brigid’s sees no users, school, history or versions of Hilltop', async () => {
    await directly(people.okafor.id, async (tx) => {
      expect(await tx`select id from public.school`).toHaveLength(1)
      expect(await tx`select id from public.user_profile where email like '%hilltop%'`).toHaveLength(0)
      expect(await tx`select id from sync.history where school_id = ${hilltop}`).toHaveLength(0)
      expect(await tx`select row_id from sync.sync_row where school_id = ${hilltop}`).toHaveLength(0)
      expect(await tx`select id from public.session`).toHaveLength(0)
      expect(await tx`select email from public.otp_code`).toHaveLength(0)
    })
  })

  test('nobody reads or writes sign-in data, not even their own', async () => {
    await st.as.okafor.outage.enrolTotp()
    await enrolled(st.as.okafor, st.clock)
    await st.as.okafor.outage.newRecoveryCodes()
    for (const table of ['user_totp', 'recovery_code']) {
      expect((await sql.unsafe(`select count(*)::int as count from public.${table}`))[0]?.['count']).toBeGreaterThan(0)
    }
    await directly(people.okafor.id, async (tx) => {
      for (const table of [
        'user_totp',
        'recovery_code',
        'totp_enrolment',
        'second_factor',
        'passkey',
        'server_secret',
        'server_instance',
        'otp_code',
        'attempt',
        'session',
        'account_notice',
      ])
        expect(await tx.unsafe(`select * from public.${table}`)).toHaveLength(0)
      expect((await tx`update public.user_totp set sealed_secret = 'x'`).count).toBe(0)
      expect((await tx`delete from public.recovery_code`).count).toBe(0)
      expect(await tx`select id from sync.history where entity in ('user_totp', 'recovery_code', 'console_code')`).toHaveLength(0)
    })
  })

  test('an admin of St Brigid’s changes and deletes nothing of Hilltop', async () => {
    await directly(people.okafor.id, async (tx) => {
      expect((await tx`update student.student set first_name = 'x' where id = ${hilltopPupil.id}`).count).toBe(0)
      expect((await tx`delete from grading.grade where assessment_id = ${hilltopExam.id}`).count).toBe(0)
      expect((await tx`update public.school set name = 'x' where id = ${hilltop}`).count).toBe(0)
    })
    expect((await directly(people.okafor.id, (tx) => tx`update student.student set first_name = 'Élan' where id = ${elan.id}`)).count).toBe(
      1,
    )
  })

  test('an admin of St Brigid’s moves no row to Hilltop, and inserts none there', async () => {
    const moved = directly(people.okafor.id, (tx) => tx`update student.student set school_id = ${hilltop} where id = ${elan.id}`)
    await expect(moved).rejects.toThrow(/row-level security/)
    const put = directly(
      people.okafor.id,
      (tx) =>
        tx`insert into public.subject ${tx({ id: crypto.randomUUID(), school_id: hilltop, name: 'n', code: 'c', sort_order: 1, is_active: true, created_at: '2026-01-01', updated_at: '2026-01-01' })}`,
    )
    await expect(put).rejects.toThrow(/row-level security/)
  })

  test('a teacher writes an assessment of a set only if they teach the set, even if they teach the subject', async () => {
    const set = await st.as.okafor.teachingSets.create({
      body: { academicYearId: thisYear.id, subjectId: english.id, name: 'English upper', teacherIds: [people.ada.id] },
    })
    const { id } = await st.as.ada.assessments.create({
      body: { termId: englishEssay.term_id, subjectId: english.id, title: 'Paper', assessmentType: 'coursework', teachingSetId: set.id },
    })
    const rename = (userId: string) => directly(userId, (tx) => tx`update grading.assessment set title = 'x' where id = ${id}`)
    expect((await rename(people.byrne.id)).count).toBe(0)
    expect((await rename(people.ada.id)).count).toBe(1)
    const take = (userId: string) =>
      directly(userId, (tx) => tx`update grading.assessment set teaching_set_id = ${set.id} where id = ${englishEssay.id}`)
    await expect(take(people.byrne.id)).rejects.toThrow(/row-level security/)
    await st.as.okafor.teachingSets.remove({ params: { id: set.id } })
  })

  test('a teacher inserts an assessment only in a subject of theirs, or for their own class', async () => {
    const insert = (userId: string, row: ReturnType<typeof newAssessment>) =>
      directly(userId, (tx) => tx`insert into grading.assessment ${tx(row)}`)
    expect((await insert(people.ada.id, newAssessment(stBrigids, maths.id, null))).count).toBe(1)
    await expect(insert(people.ada.id, newAssessment(stBrigids, english.id, null))).rejects.toThrow(/row-level security/)
    expect((await insert(people.quinn.id, newAssessment(stBrigids, irish.id, class3A.id))).count).toBe(1)
    await expect(insert(people.byrne.id, newAssessment(stBrigids, irish.id, class3A.id))).rejects.toThrow(/row-level security/)
    await expect(insert(people.okafor.id, newAssessment(hilltop, hilltopMaths.id, null))).rejects.toThrow(/row-level security/)
  })

  test('a teacher changes no assessment of another subject, and moves none of theirs to another subject', async () => {
    const foreign = await directly(people.ada.id, (tx) => tx`update grading.assessment set title = 'x' where subject_id = ${english.id}`)
    expect(foreign.count).toBe(0)
    const turned = directly(
      people.ada.id,
      (tx) => tx`update grading.assessment set subject_id = ${english.id} where id = ${mathsHomework.id}`,
    )
    await expect(turned).rejects.toThrow(/row-level security/)
  })

  test.each([
    ['a member', people.niamh.id],
    ['a switched-off administrator', people.doyle.id],
    ['somebody without a school', people.nobody.id],
    ['nobody at all', ''],
  ])('%s reads no marks and writes nothing', async (_who, userId) => {
    await directly(userId, async (tx) => {
      expect(await tx`select id from grading.grade`).toHaveLength(0)
      expect(await tx`select id from student.student`).toHaveLength(0)
      expect((await tx`update grading.assessment set title = 'x' where id = ${mathsExam.id}`).count).toBe(0)
      expect((await tx`update public.school_management set role = 'admin' where user_id = ${people.niamh.id}`).count).toBe(0)
    })
  })

  test('a teacher does not write what only an administrator does', async () => {
    await directly(people.byrne.id, async (tx) => {
      expect((await tx`update public.term set exam_weight = 0 where id = ${michaelmas.id}`).count).toBe(0)
      expect((await tx`update public.school_management set role = 'admin' where user_id = ${people.byrne.id}`).count).toBe(0)
      expect((await tx`delete from public.subject where id = ${irish.id}`).count).toBe(0)
    })
  })

  test('history can be read and appended, never changed', async () => {
    await expect(directly(people.okafor.id, (tx) => tx`delete from sync.history`)).rejects.toThrow(/permission denied/)
    await expect(directly(people.okafor.id, (tx) => tx`update sync.history set actor_id = null`)).rejects.toThrow(/permission denied/)
  })
})
