import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { RowState } from '@markbook/sync/merge/state'
import { packRows } from '@markbook/sync/protocol/page'
import { EXISTENCE } from '@markbook/sync/versions'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('a laptop that is told of a deletion again keeps the marks for which the row stays at the parent', async () => {
  const { store } = st.services
  const table = 'assessment'
  const examNow = async () => {
    const row = (await store.read(asSystem(), (tx) => knownRows(tx, table, stBrigids, [mathsExam.id]))).get(mathsExam.id)
    if (!row) throw new Error('the exam is not here')
    return row
  }
  const marksNow = async () => (await st.rows('grade')).map(({ id }) => id)
  const before = (await examNow()).state
  const marks = await marksNow()
  expect(marks).toContain(naturalId('grade', mathsExam.id, zoe.id))
  const deleted: RowState = {
    ...before,
    alive: [],
    vv: { ...before.vv, [SERVER]: 1 },
    units: { ...before.units, [EXISTENCE]: [SERVER, 1, Date.now(), people.okafor.id] },
  }
  // The centre wrote to it meanwhile, of which the parent has not heard, and the laptop wrote to it what it may not.
  const here: RowState = {
    ...deleted,
    alive: [[CENTRE, 1]],
    vv: { ...deleted.vv, [CENTRE]: 1, [store.nodeId]: 50 },
    units: { ...deleted.units, title: [store.nodeId, 50, Date.now(), people.ada.id] },
    values: { ...deleted.values, title: 'Hers' },
  }
  await store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table, state: here }], { source: null }))
  const [theirs] = packRows([{ table, state: deleted }])
  if (!theirs) throw new Error('nothing was packed')
  const answer = { table, id: mathsExam.id, units: ['title', EXISTENCE], code: 'not_yours', theirs } as const
  await store.write(asSystem(), (tx) =>
    takeRefusals(tx, { node: store.nodeId, isLaptop: true, sent: 100 }, stBrigids, [{ ...answer, units: [...answer.units] }]),
  )
  expect(await marksNow()).toEqual(marks)
  const { state, row } = await examNow()
  expect([row?.['title'], state.alive, state.vv]).toEqual([before.values['title'], [], deleted.vv])
})
