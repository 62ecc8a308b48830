import { naturalId } from '@markbook/shared/ids'
import { elan, englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { serverAndLaptop } from '../../testing/joined.ts'
import { signedIn, type UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar, mark, marksOf } from './altered.fixtures.ts'
import { conflictsAt, settle } from './scenes.fixtures.ts'

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

/** Of an exam that Ada does not teach. */
const others = naturalId('grade', englishExam.id, zoe.id)
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

describe('that a row is there', () => {
  const lies: [string, string, (state: RowState, node: string) => Partial<RowState>][] = [
    ['by a write that its parent has yet to make', own, () => ({ alive: [[server.services.store.nodeId, LARGE]] })],
    [
      'by a write of the laptop, to a row that is not its person’s',
      others,
      ({ vv }, node) => ({ vv: { ...vv, [node]: 1 }, alive: [[node, 1]] }),
    ],
  ]
  test.each(lies)('is not said %s', async (_, id, lie) => {
    const before = await storedOf(server, id)
    expect(await told(id, lie)).toEqual([])
    expect(await storedOf(server, id)).toEqual(before)
    await server.services.store.write(asSystem(people.okafor.id), async (tx) => {
      await tx.remove('grade', [(await tx.find('grade', stBrigids, id)) as Row<'grade'>])
    })
    await settle(link)
    for (const node of [server, laptop]) expect([await scoreAt(node, id), await conflictsAt(node)]).toEqual([undefined, []])
  })
})

test('a row of which all that a laptop says is refused is as it was, versions and all', async () => {
  const before = await storedOf(server, others)
  const answers = await told(others, (state, node) => ({
    values: { ...state.values, score: 3 },
    units: { ...state.units, score: [node, 2, (state.units['score']?.[2] ?? 0) + 1, people.ada.id] },
    vv: { ...state.vv, [node]: 2 },
    alive: [[node, 2]],
  }))
  expect(answers).toMatchObject([{ table: 'grade', id: others, units: ['score'], outcome: 'refused', code: 'forbidden' }])
  expect(await storedOf(server, others)).toEqual(before)
})
