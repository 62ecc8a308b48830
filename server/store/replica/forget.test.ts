import { mathsExam } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'
import { asSystem } from '../tx.ts'
import { forgetRows, forgetWithAll } from './forget.ts'
import { knownRows } from './states.ts'
import { syncRowOf } from './write.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

test('a row is forgotten with all rows that name it, or not at all where one of these may not be', async () => {
  const { store } = st.services
  const isLeft = async () => ({
    test: (await st.rows('assessment')).some(({ id }) => id === mathsExam.id),
    marks: (await st.rows('grade')).filter(({ assessment_id }) => assessment_id === mathsExam.id).length,
  })
  const { marks } = await isLeft()
  expect(marks).toBeGreaterThan(1)
  const forget = (mayGo: (values: Readonly<Record<string, unknown>>) => boolean) =>
    store.write(asSystem(), (tx) =>
      forgetWithAll(tx, 'assessment', stBrigids, mathsExam.id, (rows) => rows.every(({ state }) => mayGo(state.values))),
    )
  await forget(({ score }) => score === undefined)
  expect(await isLeft()).toEqual({ test: true, marks })
  await forget(() => true)
  expect(await isLeft()).toEqual({ test: false, marks: 0 })
})

test('a row that a transaction brought and then forgot is not stored', async () => {
  const { store } = st.services
  const [subject] = await st.rows('subject')
  const id = subject?.id as string
  await store.write(asSystem(), async (tx) => {
    const known = (await knownRows(tx, 'subject', stBrigids, [id])).get(id)
    if (!known) throw new Error('the story has subjects')
    // Another row gave its code up, so that something else stands in this one; then the row itself goes.
    const restood = syncRowOf('subject', { state: known.state, settled: [] }, { isThere: true, source: null })
    tx.replica.recordReceived(stBrigids, [restood])
    for (const table of ['teacher_subject_assignment', 'student_subject', 'report_book_entry', 'grade', 'assessment'] as const) {
      const below = (await st.rows(table)).filter((row) => table === 'grade' || (row as { subject_id?: string }).subject_id === id)
      await tx.replica.erase(
        table,
        stBrigids,
        below.map((row) => row.id),
      )
    }
    await forgetRows(tx, 'subject', stBrigids, [id])
  })
  expect((await st.rows('subject')).map((row) => row.id)).not.toContain(id)
  const versions = await store.read(asSystem(), (tx) => tx.dialect.versionsOf(tx.connection, stBrigids, 'subject', [id]))
  expect(versions).toEqual([])
})
