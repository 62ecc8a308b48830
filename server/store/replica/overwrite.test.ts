import { mathsExam, mathsHomework } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { RowState } from '@markbook/sync/merge/state'
import { PENDING } from '@markbook/sync/stamp'
import { EXISTENCE } from '@markbook/sync/versions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'
import { asSystem } from '../tx.ts'
import { applyStates } from './apply.ts'
import { forgetRows } from './forget.ts'
import { dropHeld, heldRows, hold } from './held.ts'
import { overwriteRow } from './overwrite.ts'
import { knownRows } from './states.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const THEIR_NUMBER = '019bbbbb-0000-7000-8000-000000000001'

test('a row that is deleted here and stays gives way to theirs, which is held until the row that it names comes', async () => {
  const { store } = st.services
  const known = async (table: 'assessment' | 'assessment_category', id: string) => {
    const found = await store.read(asSystem(), (tx) => knownRows(tx, table, stBrigids, [id]))
    const row = found.get(id)
    if (!row) throw new Error(`the ${table} is not here`)
    return row
  }
  const examNow = async () => (await st.rows('assessment')).find(({ id }) => id === mathsExam.id)
  const marksNow = async () => (await st.rows('grade')).filter(({ assessment_id }) => assessment_id === mathsExam.id).length
  const marks = await marksNow()
  expect(marks).toBeGreaterThan(1)

  const [term] = (await st.rows('term')).filter(({ id }) => id === mathsExam.term_id)
  const { id: categoryId } = await st.as.okafor.assessmentCategories.create({
    body: { academicYearId: term?.academic_year_id as string, assessmentType: 'exam', name: 'Papers', weight: 50 },
  })
  const category = (await known('assessment_category', categoryId)).state
  await store.write(asSystem(), (tx) => forgetRows(tx, 'assessment_category', stBrigids, [categoryId]))

  const before = (await known('assessment', mathsExam.id)).state
  const [node, now] = [store.nodeId, Date.now()]
  // Deleted here by a write that the parent refuses; it stays for its marks.
  const deleted: RowState = {
    ...before,
    alive: [],
    vv: { ...before.vv, [node]: 1_000 },
    units: { ...before.units, [EXISTENCE]: [node, 1_000, now, people.ada.id] },
  }
  await store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'assessment', state: deleted }], { source: null }))
  expect(await marksNow()).toBe(marks)
  const scoring = [THEIR_NUMBER, 1, now, people.okafor.id] as const
  const theirs: RowState = {
    ...before,
    vv: { ...before.vv, [THEIR_NUMBER]: 1 },
    units: { ...before.units, scoring },
    values: { ...before.values, category_id: categoryId },
  }
  const wanted = { units: ['scoring', EXISTENCE], values: theirs.values, deletes: false, theirs }
  const staying = await known('assessment', mathsExam.id)
  await store.write(asSystem(), (tx) => overwriteRow(tx, stBrigids, node, { table: 'assessment', known: staying, ...wanted }))
  expect([await marksNow(), (await examNow())?.category_id]).toEqual([marks, null])
  const held = await store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))
  expect(held).toMatchObject([{ table_name: 'assessment', row_id: mathsExam.id }])

  await store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'assessment_category', state: category }], { source: null }))
  expect([await marksNow(), (await examNow())?.category_id]).toEqual([marks, categoryId])
  const after = (await known('assessment', mathsExam.id)).state
  expect([after.alive, after.vv]).toEqual([theirs.alive, theirs.vv])
  expect(await store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))).toEqual([])
})

test('a row that waits is held without what this transaction has written to it', async () => {
  const { store } = st.services
  const [before] = (await store.read(asSystem(), (tx) => knownRows(tx, 'assessment', stBrigids, [mathsExam.id]))).values()
  if (!before) throw new Error('the assessment is not here')
  const own = [store.nodeId, PENDING, Date.now(), null] as const
  const state = { ...before.state, units: { ...before.state.units, title: own }, alive: [...before.state.alive, [store.nodeId, PENDING]] }
  const held = await store.write(asSystem(), async (tx) => {
    const application = { tx, schoolId: stBrigids, changes: new Map(), kept: [], answers: new Map() }
    await hold(application, 'assessment', state as unknown as RowState, 'waits')
    const rows = await heldRows(tx, stBrigids)
    await dropHeld(tx, stBrigids, rows)
    return rows
  })
  const { title: _, ...others } = before.state.units
  expect(held).toMatchObject([{ state: { alive: before.state.alive } }])
  expect(held[0]?.state.units).toEqual(others)
})

const knownHere = async (table: 'assessment' | 'grade' | 'subject', ids: readonly string[]) => [
  ...(await st.services.store.read(asSystem(), (tx) => knownRows(tx, table, stBrigids, ids))).values(),
]

test('a maximum that marks held up is as it was claimed once the last of them has given way', async () => {
  const { store } = st.services
  const maximum = async () => (await st.rows('assessment')).find(({ id }) => id === mathsHomework.id)?.max_score
  const [before] = (await knownHere('assessment', [mathsHomework.id])).map(({ state }) => state)
  if (!before) throw new Error('the assessment is not here')
  const lowered: RowState = {
    ...before,
    vv: { ...before.vv, [THEIR_NUMBER]: 2 },
    units: { ...before.units, scoring: [THEIR_NUMBER, 2, Date.now(), people.okafor.id, 1] },
    values: { ...before.values, max_score: 1 },
  }
  await store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'assessment', state: lowered }], { source: null }))
  expect(await maximum()).toBe(10)

  const marks = (await st.rows('grade')).filter(({ assessment_id }) => assessment_id === mathsHomework.id).map(({ id }) => id)
  expect(marks.length).toBeGreaterThan(0)
  const nothing = { units: [], values: {}, deletes: true, theirs: null }
  for (const known of await knownHere('grade', marks))
    await store.write(asSystem(), (tx) => overwriteRow(tx, stBrigids, store.nodeId, { table: 'grade', known, ...nothing }))
  expect(await maximum()).toBe(1)
})

test('a code is free for what takes the place of a row, though a deleted subject stays under it', async () => {
  const { store } = st.services
  const codes = async () => new Map((await st.rows('subject')).map(({ id, code }) => [id, code]))
  const subjectOf = (await st.rows('assessment')).find(({ id }) => id === mathsExam.id)?.subject_id as string
  const subjects = await knownHere('subject', [...(await codes()).keys()])
  const [maths, other] = [true, false].map((isMaths) => subjects.find(({ state }) => (state.id === subjectOf) === isMaths))
  if (!maths || !other) throw new Error('the subjects are not here')
  const deletion = [THEIR_NUMBER, 3, Date.now(), people.okafor.id] as const
  const deleted: RowState = {
    ...maths.state,
    alive: [],
    vv: { ...maths.state.vv, [THEIR_NUMBER]: 3 },
    units: { ...maths.state.units, [EXISTENCE]: deletion },
  }
  await store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'subject', state: deleted }], { source: null }))
  const code = maths.state.values['code'] as string
  expect((await codes()).get(maths.state.id)).toBe(code)

  const wanted = { units: ['code'], values: { code }, deletes: false, theirs: other.state }
  await store.write(asSystem(), (tx) => overwriteRow(tx, stBrigids, store.nodeId, { table: 'subject', known: other, ...wanted }))
  expect((await codes()).get(other.state.id)).toBe(code)
  expect((await codes()).get(maths.state.id)).toMatch(/~/)
  expect(await store.read(asSystem(), (tx) => heldRows(tx, stBrigids))).toEqual([])
})
