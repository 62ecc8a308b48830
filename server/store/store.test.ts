import { naturalId } from '@markbook/shared/ids'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { textToVersions } from '@markbook/sync/versions'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { repeatableIds, testClock } from '../testing/clock.ts'
import { type DatabaseName, openTestDatabase, type TestDatabase } from '../testing/database.ts'
import { isUniqueViolation } from './errors.ts'
import { asSystem, type WriteTx } from './tx.ts'

const database = process.env['TEST_DATABASE'] as DatabaseName
const clock = testClock()
const newId = repeatableIds(clock)
let at: TestDatabase

beforeAll(async () => {
  at = await openTestDatabase(database, { clock, newId }, database === 'postgres' ? inject('postgresUrl') : '')
})
afterAll(() => at.drop())

const schoolRow = (id: string, name = 'St Brigid’s') => ({
  id,
  name,
  code: null,
  school_type: 'secondary' as const,
  address: null,
  email: null,
  phone: null,
  is_active: true,
})
const aSchool = async (tx: WriteTx) => {
  const id = tx.newId()
  await tx.insert('school', [schoolRow(id)])
  return id
}
const subjectRow = (tx: WriteTx, school_id: string, code: string) => ({
  id: tx.newId(),
  school_id,
  name: `Subject ${code}`,
  code,
  sort_order: 0,
  is_active: true,
})
const feedOf = (school: string) =>
  at.store.read(asSystem(), async (tx) => ({
    feed: await tx.db.select().from(tx.t.sync_feed).where(eq(tx.t.sync_feed.school_id, school)),
    rows: await tx.db.select().from(tx.t.sync_row).where(eq(tx.t.sync_row.school_id, school)),
    history: await tx.db.select().from(tx.t.history).where(eq(tx.t.history.school_id, school)).orderBy(tx.t.history.seq),
  }))

test('a write stamps the row and adds to the history, in the same transaction', async () => {
  const school = await at.store.write(asSystem(), aSchool)
  const { feed, rows, history } = await feedOf(school)
  expect(feed).toMatchObject([{ seq: 1 }])
  expect(rows).toMatchObject([{ table_name: 'school', row_id: school, seq: 1, deleted: false, schema: SCHEMA_VERSION }])
  expect(JSON.parse(rows[0]?.vv ?? '')).toEqual({ [at.store.nodeId]: 1 })
  expect(textToVersions(rows[0]!).units).toMatchObject({
    row: [at.store.nodeId, 1, clock.now(), null],
    contact: [at.store.nodeId, 1, clock.now(), null],
  })
  expect(history).toMatchObject([{ action: 'create', entity: 'school', seq: 1, node_id: at.store.nodeId, head: feed[0]?.head }])
})

test('an update stamps only the units it changed, and one that changes nothing writes nothing', async () => {
  const school = await at.store.write(asSystem(), aSchool)
  clock.advance(1_000)
  await at.store.write(asSystem(), async (tx) => {
    const before = await tx.find('school', school, school)
    await tx.update('school', [{ before: before!, patch: { name: 'St Brigid’s College' } }])
  })
  const changed = await feedOf(school)
  const { units } = textToVersions(changed.rows[0]!)
  expect(units['name']).toEqual([at.store.nodeId, 2, clock.now(), null])
  expect(units['code']?.[1]).toBe(1)
  expect(changed.history[1]?.changes).toEqual({ name: { before: 'St Brigid’s', after: 'St Brigid’s College' } })
  await at.store.write(asSystem(), async (tx) => {
    const before = await tx.find('school', school, school)
    await tx.update('school', [{ before: before!, patch: { name: 'St Brigid’s College' } }])
  })
  expect(await feedOf(school)).toEqual(changed)
})

test('a transaction that throws writes no row, no version and no history', async () => {
  const school = await at.store.write(asSystem(), aSchool)
  const before = await feedOf(school)
  await expect(
    at.store.write(asSystem(), async (tx) => {
      await tx.insert('subject', [subjectRow(tx, school, 'MA')])
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await feedOf(school)).toEqual(before)
})

test('a duplicate is refused by the database and reported as a conflict', async () => {
  const school = await at.store.write(asSystem(), aSchool)
  await at.store.write(asSystem(), (tx) => tx.insert('subject', [subjectRow(tx, school, 'MA')]))
  await expect(at.store.write(asSystem(), (tx) => tx.insert('subject', [subjectRow(tx, school, 'MA')]))).rejects.toMatchObject({
    status: 409,
    code: 'duplicate',
  })
  await at.store
    .write(asSystem(), async (tx) => {
      const twice = tx.insert('school', [schoolRow(school)]).catch((error: unknown) => isUniqueViolation(error))
      expect(await twice).toBe(true)
      throw new Error('undo')
    })
    .catch(() => {})
})

test('a row cannot refer to a parent row of another school', async () => {
  const [here, there] = await at.store.write(asSystem(), async (tx) => [await aSchool(tx), await aSchool(tx)])
  await at.store
    .write(asSystem(), async (tx) => {
      const year = {
        id: tx.newId(),
        school_id: there!,
        name: '2025/26',
        start_date: '2025-09-01',
        end_date: '2026-06-30',
        grading_model: 'term_based' as const,
        calculation_model: 'weighted_cumulative' as const,
        year_exam_weight: null,
        year_coursework_weight: null,
      }
      await tx.insert('academic_year', [year])
      const group = { id: tx.newId(), school_id: here!, name: '3B', academic_year_id: year.id }
      await tx.insert('student_group', [group])
    })
    .then(
      () => expect.unreachable('the foreign key must refuse it'),
      (error) => expect(error).toMatchObject({ status: 409, code: 'changed_meanwhile' }),
    )
})

test('deleting cascades with one tombstone for each row, and a row inserted again continues its versions', async () => {
  const { school, ids } = await at.store.write(asSystem(), async (tx) => {
    const school = await aSchool(tx)
    const subject = subjectRow(tx, school, 'EN')
    await tx.insert('subject', [subject])
    const year = {
      id: tx.newId(),
      school_id: school,
      name: 'Y',
      start_date: '2025-09-01',
      end_date: '2026-06-30',
      grading_model: 'term_based' as const,
      calculation_model: 'weighted_cumulative' as const,
      year_exam_weight: null,
      year_coursework_weight: null,
    }
    await tx.insert('academic_year', [year])
    const term = {
      id: naturalId('term', year.id, 'hilary'),
      school_id: school,
      academic_year_id: year.id,
      name: 'hilary' as const,
      start_date: '2026-01-01',
      end_date: '2026-03-01',
      exam_weight: 60,
      coursework_weight: 40,
      is_ministry_reporting: false,
      sort_order: 2,
    }
    await tx.insert('term', [term])
    const assessment = {
      id: tx.newId(),
      school_id: school,
      term_id: term.id,
      subject_id: subject.id,
      student_group_id: null,
      title: 'Quiz',
      assessment_type: 'exam' as const,
      assessment_date: null,
      max_score: 20,
      weight: null,
      is_excluded: false,
      exclusion_reason: null,
      sort_order: null,
    }
    await tx.insert('assessment', [assessment])
    const students = Array.from({ length: 3 }, (_, at) => ({
      id: tx.newId(),
      school_id: school,
      first_name: `F${at}`,
      last_name: 'Ó Néill',
      gender: 'female' as const,
      date_of_birth: null,
      enrollment_date: null,
      is_active: true,
      student_number: null,
    }))
    const stored = await tx.insert('student', students)
    expect(stored[0]?.sort_key).toMatch(/^o neill/)
    const grades = students.map((student) => ({
      id: naturalId('grade', assessment.id, student.id),
      school_id: school,
      assessment_id: assessment.id,
      term_id: term.id,
      student_id: student.id,
      score: 12.25,
      remarks: null,
      is_excluded: false,
      exclusion_reason: null,
    }))
    expect((await tx.insert('grade', grades))[0]).toMatchObject({ score: 12.25, is_excluded: false })
    return { school, ids: { assessment: assessment.id, grades: grades.map((grade) => grade.id), grade: grades[0] } }
  })
  await at.store.write(asSystem(), async (tx) => tx.remove('assessment', [(await tx.find('assessment', school, ids.assessment))!]))
  const after = await feedOf(school)
  const tombstones = after.rows.filter((row) => row.deleted)
  expect(tombstones.map((row) => row.row_id).sort()).toEqual([ids.assessment, ...ids.grades].sort())
  expect(after.history.filter((entry) => entry.action === 'delete')).toHaveLength(4)
  expect(await at.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.grade).where(eq(tx.t.grade.school_id, school)))).toEqual([])
})

test('the feed counts transactions without gaps under parallel writers, in commit order', async () => {
  const school = await at.store.write(asSystem(), aSchool)
  await Promise.all(
    Array.from({ length: 20 }, (_, at_) => at.store.write(asSystem(), (tx) => tx.insert('subject', [subjectRow(tx, school, `P${at_}`)]))),
  )
  const { feed, rows, history } = await feedOf(school)
  expect(feed[0]?.seq).toBe(21)
  expect(rows.map((row) => row.seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1))
  expect(new Set(history.map((entry) => entry.head)).size).toBe(21)
})

test('a row that is changed and removed in one transaction: both are in the history, and the deletion has the changed values', async () => {
  const school = await at.store.write(asSystem(), aSchool)
  const id = newId()
  await at.store.write(asSystem(), (tx) => tx.insert('subject', [{ ...subjectRow(tx, school, 'ART'), id }]))
  await at.store.write(asSystem(), async (tx) => {
    const before = await tx.find('subject', school, id)
    if (!before) throw new Error('it was made')
    const [after] = await tx.update('subject', [{ before, patch: { name: 'Fine arts' } }])
    await tx.remove('subject', [after ?? before])
  })
  const { rows, history } = await feedOf(school)
  const own = history.filter(({ row_id }) => row_id === id).sort((a, b) => (a.id < b.id ? -1 : 1))
  expect(own.map(({ action, changes }) => [action, changes['name']])).toEqual([
    ['create', { before: null, after: 'Subject ART' }],
    ['update', { before: 'Subject ART', after: 'Fine arts' }],
    ['delete', { before: 'Fine arts', after: null }],
  ])
  expect(own[2]?.seq).toBe(own[1]?.seq)
  const tombstone = rows.find(({ row_id }) => row_id === id)
  expect(JSON.parse(tombstone?.extra ?? '')).toMatchObject({ last: { name: 'Fine arts' } })
})

test('history can be added to, never changed or dropped', async () => {
  await at.store.write(asSystem(), aSchool)
  for (const verb of ['delete', 'update'] as const) {
    const attempt = at.store.write(asSystem(), async (tx) => {
      const db = tx.local as never as { delete(t: unknown): Promise<unknown>; update(t: unknown): { set(v: unknown): Promise<unknown> } }
      await (verb === 'delete' ? db.delete(tx.t.history) : db.update(tx.t.history).set({ action: 'create' }))
    })
    await expect(attempt).rejects.toThrow()
  }
})
