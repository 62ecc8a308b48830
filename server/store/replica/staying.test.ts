import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { RowState } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'
import { asSystem } from '../tx.ts'
import { applyStates } from './apply.ts'
import { misplaced } from './expected.ts'
import { forgetRows } from './forget.ts'
import { replaceByTheirs } from './overwrite.ts'
import { knownRows } from './states.ts'

/** Rows that were deleted, and that stay for rows that name them. */
let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const [THEIR_NUMBER, OTHER_NUMBER] = ['019bbbbb-0000-7000-8000-000000000001', '019bbbbb-0000-7000-8000-000000000002']
type Table = 'assessment' | 'assessment_category' | 'grade'

async function known(table: Table, id: string) {
  const row = (await st.services.store.read(asSystem(), (tx) => knownRows(tx, table, stBrigids, [id]))).get(id)
  if (!row) throw new Error(`the ${table} is not here`)
  return row
}
const taken = (...rows: [Table, RowState][]) =>
  st.services.store.write(asSystem(), (tx) =>
    applyStates(
      tx,
      stBrigids,
      rows.map(([table, state]) => ({ table, state })),
      { source: null },
    ),
  )
const waiting = () => st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))
const examNow = async () => (await st.rows('assessment')).find(({ id }) => id === mathsExam.id)
const marksNow = async () => (await st.rows('grade')).filter(({ assessment_id }) => assessment_id === mathsExam.id).length

/** The row as another node deletes it, having seen all that is here. */
const deletion = (state: RowState, counter: number): RowState => ({
  ...state,
  alive: [],
  vv: { ...state.vv, [THEIR_NUMBER]: counter },
  units: { ...state.units, [EXISTENCE]: [THEIR_NUMBER, counter, Date.now(), people.okafor.id] },
})

test('a deleted row that has to stay brings back the deleted row that it names, as long as it names it', async () => {
  const { store } = st.services
  const [term] = (await st.rows('term')).filter(({ id }) => id === mathsExam.term_id)
  const { id: category } = await st.as.okafor.assessmentCategories.create({
    body: { academicYearId: term?.academic_year_id as string, assessmentType: 'exam', name: 'Papers', weight: 50 },
  })
  const theirs = (await known('assessment_category', category)).state
  await store.write(asSystem(), (tx) => forgetRows(tx, 'assessment_category', stBrigids, [category]))
  const marks = await marksNow()
  expect(marks).toBeGreaterThan(0)

  const before = (await known('assessment', mathsExam.id)).state
  const gone = deletion(before, 2)
  const exam: RowState = {
    ...gone,
    units: { ...gone.units, scoring: [THEIR_NUMBER, 1, Date.now(), people.okafor.id, 60] },
    values: { ...before.values, category_id: category },
  }
  await taken(['assessment_category', deletion(theirs, 3)], ['assessment', exam])
  expect([await marksNow(), (await examNow())?.category_id]).toEqual([marks, category])
  const categories = async () => (await st.rows('assessment_category')).map(({ id }) => id)
  expect(await categories()).toContain(category)
  expect(await waiting()).toEqual([])

  const staying = await known('assessment', mathsExam.id)
  const moved: RowState = {
    ...staying.state,
    vv: { ...staying.state.vv, [OTHER_NUMBER]: 4 },
    units: { ...staying.state.units, scoring: [OTHER_NUMBER, 4, Date.now(), people.okafor.id, 60] },
    values: before.values,
  }
  await store.write(asSystem(), (tx) => replaceByTheirs(tx, stBrigids, 'assessment', staying, moved))
  expect([await marksNow(), (await examNow())?.category_id]).toEqual([marks, null])
  expect(await categories()).not.toContain(category)
})

test('the audit finds no fault in an assessment that stays for a held mark', async () => {
  const id = naturalId('grade', mathsExam.id, zoe.id)
  const mark = (await known('grade', id)).state
  await st.as.okafor.assessments.remove({ params: { id: mathsExam.id } })
  expect(await examNow()).toBeUndefined()
  // No program writes it, and no database takes it.
  const below: RowState = {
    ...mark,
    alive: [[THEIR_NUMBER, 1]],
    vv: { ...mark.vv, [THEIR_NUMBER]: 1 },
    units: { ...mark.units, score: [THEIR_NUMBER, 1, Date.now(), people.ada.id] },
    values: { ...mark.values, score: -5 },
  }
  await taken(['grade', below])
  expect(await waiting()).toMatchObject([{ table_name: 'grade', row_id: id }])
  expect(await examNow()).toBeDefined()
  const exam = await known('assessment', mathsExam.id)
  const wrong = await st.services.store.read(asSystem(), (tx) => misplaced(tx, 'assessment', stBrigids, [exam]))
  expect([...wrong]).toEqual([])
})

test('a row that the parent keeps in spite of the deletion is here again', async () => {
  const { store } = st.services
  const id = naturalId('grade', mathsExam.id, zoe.id)
  const mark = (await known('grade', id)).state
  // Nobody can prove this write to the parent: the deletion here has seen it, and there it does not count as seen.
  const gone = { ...deletion(mark, 2), vv: { ...mark.vv, [OTHER_NUMBER]: 7, [THEIR_NUMBER]: 2 } }
  await taken(['grade', gone])
  expect((await st.rows('grade')).map((row) => row.id)).not.toContain(id)
  const theirs: RowState = { ...gone, vv: { ...mark.vv, [THEIR_NUMBER]: 2 }, alive: [[OTHER_NUMBER, 7]] }
  const page = (state: RowState) =>
    store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'grade', state }], { source: null, fromParent: true }))
  // A state of the parent that has not seen all that is seen here, such as the deletion, changes nothing.
  await page(mark)
  await page({ ...theirs, vv: { [THEIR_NUMBER]: 2 } })
  expect((await st.rows('grade')).map((row) => row.id)).not.toContain(id)
  await page(theirs)
  expect((await st.rows('grade')).find((row) => row.id === id)?.score).toBe(mark.values['score'])
  const { state } = await known('grade', id)
  expect([state.alive, state.vv]).toEqual([theirs.alive, theirs.vv])
})
