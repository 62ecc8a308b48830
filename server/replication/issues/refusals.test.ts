import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { RowState } from '@markbook/sync/merge/state'
import type { RowAnswer } from '@markbook/sync/protocol/messages'
import { packRows } from '@markbook/sync/protocol/page'
import { EXISTENCE } from '@markbook/sync/versions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyStates } from '../../store/replica/apply.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'
import { takeRefusals } from './refusals.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const [CENTRE, SERVER] = ['019bbbbb-0000-7000-8000-000000000001', '019bbbbb-0000-7000-8000-000000000002']

const known = async (table: 'assessment' | 'subject', id: string) => {
  const row = (await st.services.store.read(asSystem(), (tx) => knownRows(tx, table, stBrigids, [id]))).get(id)
  if (!row) throw new Error(`the ${table} is not here`)
  return row
}
/** The row as its parent deleted it, having seen all that was here. */
const deletionOf = (state: RowState): RowState => ({
  ...state,
  alive: [],
  vv: { ...state.vv, [SERVER]: 1 },
  units: { ...state.units, [EXISTENCE]: [SERVER, 1, Date.now(), people.okafor.id] },
})

/** The centre wrote to the row, which the parent has not heard, and the laptop wrote to this unit of it without the right. */
async function refused(table: 'assessment' | 'subject', deleted: RowState, unit: string): Promise<void> {
  const { store } = st.services
  const here: RowState = {
    ...deleted,
    alive: [[CENTRE, 1]],
    vv: { ...deleted.vv, [CENTRE]: 1, [store.nodeId]: 50 },
    units: { ...deleted.units, [unit]: [store.nodeId, 50, Date.now(), people.ada.id] },
  }
  await store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table, state: here }], { source: null }))
  const theirs = packRows([{ table, state: deleted }])[0] ?? null
  const answer: RowAnswer = { table, id: deleted.id, outcome: 'refused', units: [unit, EXISTENCE], code: 'not_yours', theirs }
  await store.write(asSystem(), (tx) => takeRefusals(tx, { node: store.nodeId, isLaptop: true, sent: 100 }, stBrigids, [answer]))
}

describe('a laptop that is told of a deletion again', () => {
  test('keeps the marks for which the row stays at the parent', async () => {
    const marksNow = async () => (await st.rows('grade')).map(({ id }) => id)
    const marks = await marksNow()
    expect(marks).toContain(naturalId('grade', mathsExam.id, zoe.id))
    const deleted = deletionOf((await known('assessment', mathsExam.id)).state)
    await refused('assessment', deleted, 'title')
    expect(await marksNow()).toEqual(marks)
    const { state, row } = await known('assessment', mathsExam.id)
    expect([row?.id, state.alive, state.vv]).toEqual([mathsExam.id, [], deleted.vv])
  })

  test('gives the code of the row back to whoever had to stand without it', async () => {
    const { store } = st.services
    const { id } = await st.as.okafor.subjects.create({ body: { name: 'Latin', code: 'LAT' } })
    const own = (await known('subject', id)).state
    const other = '019fffff-0000-7000-8000-000000000009'
    const theirs: RowState = { ...own, id: other, values: { ...own.values, id: other, created_at: '2030-01-01T00:00:00.000Z' } }
    await store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'subject', state: theirs }], { source: null }))
    const codes = async () => (await st.rows('subject')).filter(({ code }) => code.startsWith('LAT')).map((row) => [row.id, row.code])
    expect(await codes()).toEqual([
      [id, 'LAT'],
      [other, 'LAT~0009'],
    ])
    await refused('subject', deletionOf(own), 'name')
    expect(await codes()).toEqual([[other, 'LAT']])
  })
})
