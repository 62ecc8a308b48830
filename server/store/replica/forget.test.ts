import { stBrigids } from '@markbook/shared/story/people'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'
import { asSystem } from '../tx.ts'
import { forgetRows } from './forget.ts'
import { knownRows } from './states.ts'
import { syncRowOf } from './write.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

test('what a transaction brought of a row, and then forgot, is not there after it', async () => {
  const { store } = st.services
  const [subject] = await st.rows('subject')
  const id = subject?.id as string
  await store.write(asSystem(), async (tx) => {
    const known = (await knownRows(tx, 'subject', stBrigids, [id])).get(id)
    if (!known) throw new Error('the story has subjects')
    // Another row gave its code up, so that something else stands in this one; then the row itself goes.
    const restood = syncRowOf('subject', { state: known.state, settled: [] }, { isThere: true, source: null })
    tx.replica.bring(stBrigids, [restood])
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
  const versions = await store.read(asSystem(), (tx) => tx.dialect.versionsOf(tx.line, stBrigids, 'subject', [id]))
  expect(versions).toEqual([])
})
