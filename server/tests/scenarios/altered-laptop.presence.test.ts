import { naturalId } from '@markbook/shared/ids'
import { elan, englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyStates } from '../../store/replica/apply.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { serverAndLaptop } from '../../testing/joined.ts'
import { signedIn, type UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar, mark, marksOf } from './altered.fixtures.ts'
import { conflictsAt, settle } from './scenarios.fixtures.ts'

const LARGE = 1_000_000_000
const open: School[] = []
let server: School
let laptop: School
let link: UnderParent
beforeEach(async () => {
  ;({ server, laptop, link } = await serverAndLaptop(open))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const own = naturalId('grade', mathsExam.id, zoe.id)
async function stateOf(node: School, id: string): Promise<RowState> {
  const known = await node.services.store.read(asSystem(), (tx) => knownRows(tx, 'grade', stBrigids, [id]))
  return known.get(id)?.state as RowState
}
/** Everything that is stored of it, versions and all. */
const storedOf = (node: School, id: string) =>
  node.services.store.read(asSystem(), async (tx) => (await tx.db.select().from(tx.t.sync_row)).filter(({ row_id }) => row_id === id))
const scoreAt = async (node: School, id: string) => (await node.rows('grade')).find((row) => row.id === id)?.score

/** The laptop sends a mark of Ada's own, and beside it this. */
async function told(id: string, lie: (state: RowState, node: string) => Partial<RowState>) {
  const state = await stateOf(server, id)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
  const { answers } = await (await liar(laptop, server)).says((row) =>
    row.table === 'grade' ? [row, { table: 'grade', state: { ...state, ...lie(state, laptop.services.store.nodeId) } }] : [row],
  )
  expect(await marksOf(server, elan)).toEqual([11])
  return answers
}

test('that a row is there is not said by a write that its parent has yet to make: it could never be deleted again', async () => {
  const before = await storedOf(server, own)
  expect(await told(own, () => ({ alive: [[server.services.store.nodeId, LARGE]] }))).toEqual([])
  expect(await storedOf(server, own)).toEqual(before)
  await server.services.store.write(asSystem(people.okafor.id), async (tx) => {
    await tx.remove('grade', [(await tx.find('grade', stBrigids, own)) as Row<'grade'>])
  })
  await settle(link)
  for (const node of [server, laptop]) expect([await scoreAt(node, own), await conflictsAt(node)]).toEqual([undefined, []])
})

test('a deletion that is known, and had not seen all, takes the row no later because a laptop says so', async () => {
  const { store } = server.services
  await store.write(asSystem(people.okafor.id), async (tx) => {
    await tx.remove('grade', [(await tx.find('grade', stBrigids, own)) as Row<'grade'>])
  })
  const deleted = await stateOf(server, own)
  const third = '019bbbbb-0000-7000-8000-000000000001'
  const returned: RowState = { ...deleted, vv: { ...deleted.vv, [third]: 1 }, alive: [[third, 1]] }
  await store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'grade', state: returned }], { source: third }))
  expect(await scoreAt(server, own)).toBe(71)
  const before = await storedOf(server, own)
  const answers = await told(own, () => ({ alive: [] }))
  expect(answers).toMatchObject([{ id: own, units: ['row'], code: 'not_yours', outcome: 'refused' }])
  expect(await storedOf(server, own)).toEqual(before)
  expect(await scoreAt(server, own)).toBe(71)
})

test('what is refused of a row leaves the writes that say that it is there, also where they are not the last of their writer', async () => {
  const id = naturalId('grade', englishExam.id, zoe.id)
  const state = await stateOf(server, id)
  const [third, now] = ['019bbbbb-0000-7000-8000-000000000001', Date.now()]
  const units = { ...state.units, score: [third, 1, now, people.okafor.id], remarks: [third, 2, now, people.okafor.id] } as const
  const restamped = { ...state, units, vv: { ...state.vv, [third]: 2 }, alive: [[third, 1]] as const }
  await server.services.store.write(asSystem(), (tx) =>
    applyStates(tx, stBrigids, [{ table: 'grade', state: restamped }], { source: third }),
  )
  await settle(link)
  await told(id, (known, node) => ({
    alive: [[node, 2]],
    vv: { ...known.vv, [node]: 2 },
    values: { ...known.values, score: 99 },
    units: { ...known.units, score: [node, 2, now + 1, people.ada.id] },
  }))
  const { alive, values } = await stateOf(server, id)
  expect(values['score']).toBe(state.values['score'])
  expect(alive).toContainEqual([third, 1])
})

describe('a mark that was deleted at the school does not come back', () => {
  const id = naturalId('grade', englishExam.id, zoe.id)
  const remove = () =>
    server.services.store.write(asSystem(people.okafor.id), async (tx) => {
      await tx.remove('grade', [(await tx.find('grade', stBrigids, id)) as Row<'grade'>])
    })
  const there = (state: RowState, node: string, counter: number): Partial<RowState> => ({
    alive: [[node, counter]],
    vv: { ...state.vv, [node]: counter },
  })
  const lies: [string, (state: RowState, node: string) => Partial<RowState>][] = [
    ['by a write of the laptop’s own that no part of it bears', (state, node) => there(state, node, 1)],
    [
      'nor beside one that nobody has made',
      (state, node) => ({
        ...there(state, node, 1),
        alive: [
          [node, 1],
          [server.services.store.nodeId, LARGE],
        ],
      }),
    ],
    [
      'nor by one that is refused, and another before it',
      (state, node) => ({
        ...there(state, node, 2),
        alive: [
          [node, 1],
          [node, 2],
        ],
        values: { ...state.values, score: 99 },
        units: { ...state.units, score: [node, 2, Date.now(), people.ada.id] },
      }),
    ],
    [
      'nor by one alone that is refused',
      (state, node) => ({
        ...there(state, node, 2),
        values: { ...state.values, score: 99 },
        units: { ...state.units, score: [node, 2, Date.now(), people.ada.id] },
      }),
    ],
  ]
  test.each(lies)('%s', async (_, lie) => {
    expect(await scoreAt(server, id)).toBeDefined()
    await remove()
    const before = await storedOf(server, id)
    expect(await told(id, lie)).toMatchObject([{ table: 'grade', id, outcome: 'refused', code: 'forbidden' }])
    expect([await scoreAt(server, id), await storedOf(server, id)]).toEqual([undefined, before])
  })

  test('but by a write of somebody who may write it, told or replaced since', async () => {
    const mine = naturalId('grade', mathsExam.id, zoe.id)
    await server.services.store.write(asSystem(people.okafor.id), async (tx) => {
      await tx.remove('grade', [(await tx.find('grade', stBrigids, mine)) as Row<'grade'>])
    })
    await told(mine, (state, node) => there(state, node, 1))
    expect(await scoreAt(server, mine)).toBeDefined()
  })
})
