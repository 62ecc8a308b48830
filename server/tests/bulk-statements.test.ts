import { naturalId } from '@markbook/shared/ids'
import { pupilsOf3B } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { class3B, maths, trinity } from '@markbook/shared/story/school-year'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { asSystem } from '../store/tx.ts'
import type { School } from '../testing/school.ts'

type Options = NonNullable<Parameters<typeof import('postgres')>[1]>

/** Every statement that reaches a database, seen at the driver; a pool has several connections. */
const sent: { connection: number; text: string }[] = []
const verbs = ['run', 'get', 'all'] as const
const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('select 1')) as Database.Statement
const originals = verbs.map((verb) => prototype[verb])

function watchSqlite(): void {
  for (const [at, verb] of verbs.entries()) {
    const original = originals[at]!
    prototype[verb] = function (this: Database.Statement, ...params: never[]) {
      sent.push({ connection: 0, text: this.source })
      return original.apply(this, params)
    } as never
  }
}

/** The modules of a school, with a driver of Postgres that is watched. Other files of this worker keep theirs. */
async function watchedSchool(): Promise<School> {
  vi.doMock('postgres', async (importOriginal) => {
    const { default: postgres } = await importOriginal<{ default: typeof import('postgres') }>()
    const watched = (url: string, options: Options) =>
      postgres(url, { ...options, debug: (connection, text) => void sent.push({ connection, text }) })
    return { default: Object.assign(watched, postgres) }
  })
  vi.resetModules()
  const { school } = await import('../testing/school.ts')
  return school()
}

const PUPILS = 400
let st: School
let ids: string[]
beforeAll(async () => {
  watchSqlite()
  st = await watchedSchool()
  ids = await st.services.store.write(asSystem(), async (tx) => {
    const blank = { gender: 'other' as const, date_of_birth: null, enrollment_date: null, student_number: null, is_active: true }
    const students = Array.from({ length: PUPILS - pupilsOf3B.length }, (_, at) => ({
      id: tx.newId(),
      school_id: stBrigids,
      first_name: `Pupil ${at}`,
      last_name: 'Many',
      ...blank,
    }))
    await tx.insert('student', students)
    const place = { school_id: stBrigids, student_group_id: class3B.id, academic_year_id: class3B.academic_year_id, enrolled_at: tx.now }
    await tx.insert(
      'enrolment',
      students.map(({ id }) => ({ id: naturalId('enrolment', id, class3B.academic_year_id), student_id: id, ...place })),
    )
    return [...pupilsOf3B, ...students].map(({ id }) => id)
  })
})
afterAll(async () => {
  for (const [at, verb] of verbs.entries()) prototype[verb] = originals[at] as never
  vi.doUnmock('postgres')
  vi.resetModules()
  await st.close()
})

/** The statements of the write transaction of one bulk, half new marks and half changed ones. */
async function statementsOf(count: number): Promise<string[]> {
  const assessment = await st.as.ada.assessments.create({
    body: { termId: trinity.id, subjectId: maths.id, title: `${count} marks`, assessmentType: 'exam' },
  })
  const marks = (some: string[], score: number) => ({
    body: { assessmentId: assessment.id, grades: some.map((studentId) => ({ studentId, score })) },
  })
  await st.as.ada.grades.bulk(marks(ids.slice(0, count / 2), 10))
  sent.length = 0
  const saved = await st.as.ada.grades.bulk(marks(ids.slice(0, count), 20))
  expect(saved.map(({ score }) => score)).toEqual(Array(count).fill(20))
  const begin = sent.findLastIndex(({ text }) => /^begin/i.test(text))
  // What reads the feed of changes meanwhile has another connection, or comes after the commit.
  const after = sent.slice(begin).filter(({ connection }) => connection === sent[begin]?.connection)
  const commit = after.findIndex(({ text }) => /^commit/i.test(text))
  expect(commit).toBeGreaterThan(0)
  // In the process a statement is run for each of its rows, which is one writing of many (docs/design/store.md); over a line it may not be.
  const isInProcess = process.env['TEST_DATABASE'] === 'sqlite'
  return after
    .slice(0, commit + 1)
    .map(({ text }) => text)
    .filter((text, at, all) => !isInProcess || !/^(insert into|update) /.test(text) || text !== all[at - 1])
}

// On Postgres two go along with the first: that it writes, and under which number (docs/design/replication.md).
const MOST = process.env['TEST_DATABASE'] === 'sqlite' ? 15 : 17

test(`a bulk of 40 grades takes at most ${MOST} statements, and one of 400 no more than a tenth above that`, async () => {
  const [some, many] = [await statementsOf(40), await statementsOf(PUPILS)]
  expect(some[0]).toMatch(/^begin/i)
  expect(some.some((text) => /insert into .*grade/.test(text))).toBe(true)
  expect(some.length).toBeLessThanOrEqual(MOST)
  expect(many.length).toBeLessThanOrEqual(some.length * 1.1)
})
