import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { maths } from '@markbook/shared/story/school-year'
import type { Replicated } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { afterEach, describe, expect, test } from 'vitest'
import { jsonLog } from '../../http/log.ts'
import { incarnations } from '../../store/node.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, schoolAndLaptop, serverAndLaptop } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar, mark, marksOf } from './altered.fixtures.ts'
import { conflictsAt, refusedBelow, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const LARGE = 1_000_000_000_000
const zoesMark = naturalId('grade', mathsExam.id, zoe.id)

async function stateOf(node: School, table: Replicated, id: string): Promise<RowState> {
  const known = await node.services.store.read(asSystem(), (tx) => knownRows(tx, table, stBrigids, [id]))
  const state = known.get(id)?.state
  if (!state) throw new Error(`${table} ${id} is not here`)
  return state
}
/** Everything that is stored of a row, versions and all. */
const storedOf = (node: School, table: Replicated, id: string) =>
  node.services.store.read(asSystem(), async (tx) => {
    const rows = await tx.db.select().from(tx.t.sync_row)
    return rows.filter((row) => row.table_name === table && row.row_id === id)
  })
const numbersOf = ({ services }: School) => services.store.read(asSystem(), incarnations)
const nameAt = async (node: School) => (await node.rows('subject')).find(({ id }) => id === maths.id)?.name

describe('a row that a child tells as it stands, with a claim to have seen what nobody wrote', () => {
  test('is as it was, versions and all, and who writes it afterwards is heard at every end', async () => {
    const { centre, box, link, laptop, laptopLink: below } = await schoolAndLaptop(open)
    const [high, low] = [centre.services.store.nodeId, box.services.store.nodeId]
    const told: [Replicated, string][] = [
      ['subject', maths.id],
      ['grade', zoesMark],
    ]
    const states = await Promise.all(told.map(async ([table, id]) => ({ table, state: await stateOf(laptop, table, id) })))
    const forged = states.map(({ table, state }) => ({ table, state: { ...state, vv: { ...state.vv, [high]: LARGE, [low]: LARGE } } }))
    const before = await Promise.all(told.map(([table, id]) => storedOf(box, table, id)))
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
    await (await liar(laptop, box)).says(beside(...forged))
    expect(await Promise.all(told.map(([table, id]) => storedOf(box, table, id)))).toEqual(before)
    const okafor = await signedIn(box, 'okafor')
    await okafor.subjects.update({ params: { id: maths.id }, body: { name: 'Geometry' } })
    await okafor.grades.bulk(mark(zoe, 59))
    await settle(link, below, link)
    for (const node of [centre, box, laptop]) {
      expect(await nameAt(node)).toBe('Geometry')
      expect(await marksOf(node, zoe)).toEqual([59])
      expect(await marksOf(node, elan)).toEqual([11])
    }
    await centre.as.okafor.subjects.update({ params: { id: maths.id }, body: { name: 'Algebra' } })
    await settle(link, below)
    for (const node of [centre, box, laptop]) expect(await nameAt(node)).toBe('Algebra')
  })

  test('is taken with a mark of the child itself, and only that counts', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const { store } = server.services
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(zoe, 48))
    await (await liar(laptop, server)).says(({ table, state }) => [
      { table, state: { ...state, vv: { ...state.vv, [store.nodeId]: LARGE, [laptop.services.store.nodeId]: LARGE } } },
    ])
    expect(await marksOf(server, zoe)).toEqual([48])
    const { vv } = await stateOf(server, 'grade', zoesMark)
    expect(Math.max(...Object.values(vv))).toBeLessThan(LARGE)
    await server.as.okafor.grades.bulk(mark(zoe, 59))
    await settle(link)
    for (const node of [server, laptop]) expect(await marksOf(node, zoe)).toEqual([59])
  })
})

test('a lie about one’s own place is no change of rights: what is refused after it is no conflict', async () => {
  const { server, laptop, link } = await serverAndLaptop(open)
  const own = laptop.services.store.nodeId
  const place = (await server.rows('school_management')).find(({ user_id }) => user_id === people.ada.id)?.id ?? ''
  const before = await storedOf(server, 'school_management', place)
  const state = await stateOf(server, 'school_management', place)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
  const stamp: Stamp = [own, 1, 2_000_000_000_000, people.ada.id]
  const units = { ...state.units, role: stamp }
  const lie = { ...state, values: { ...state.values, role: 'admin' }, units, vv: { ...state.vv, [own]: 1 }, alive: [[own, 1] as const] }
  const { says } = await liar(laptop, server)
  for (let time = 0; time < 2; time += 1) {
    const { answers } = await says(beside({ table: 'school_management', state: lie }))
    expect(answers).toMatchObject([{ id: place, outcome: 'refused', code: 'forbidden', units: ['role'] }])
  }
  expect(await conflictsAt(server)).toEqual([])
  expect(await storedOf(server, 'school_management', place)).toEqual(before)
  await settle(link)
  expect(await marksOf(server, elan)).toEqual([11])
})

describe('a write under a number that is not the child’s', () => {
  const writers: [string, (server: School) => string][] = [
    ['of this node', (server) => server.services.store.nodeId],
    ['of a node that is not known', () => '01900000-0000-7000-8000-0000000000ef'],
  ]
  test.each(writers)('%s leaves nothing but its line in the list of refused writes', async (_, writerOf) => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const writer = writerOf(server)
    const lines: { level: string }[] = []
    server.services.log = jsonLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
    const before = await storedOf(server, 'grade', zoesMark)
    const numbers = await numbersOf(server)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
    const { state, stamp } = await forgedMark(laptop, [writer, 9_000, 2_000_000_000_000, people.ada.id], 99)
    const { answers } = await (await liar(laptop, server)).says(
      beside({ table: 'grade', state: { ...state, vv: { ...state.vv, [writer]: 9_000 } } }),
    )
    expect(answers).toMatchObject([{ id: zoesMark, outcome: 'refused', code: 'not_yours', units: ['score'] }])
    expect(await storedOf(server, 'grade', zoesMark)).toEqual(before)
    expect(await refusedBelow(server)).toMatchObject([{ row_id: zoesMark, unit: 'score', code: 'not_yours', actor_id: stamp[3] }])
    expect(await marksOf(server, elan)).toEqual([11])
    await settle(link)
    expect(await numbersOf(server)).toEqual(numbers)
    const { nodeId } = laptop.services.store
    const line = { node: nodeId, kind: 'laptop', person: people.ada.id, table: 'grade', row: zoesMark, code: 'not_yours', count: 1 }
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([expect.objectContaining(line)])
  })

  test('does not make a row, nor delete one', async () => {
    const { server, laptop } = await serverAndLaptop(open)
    const writer = server.services.store.nodeId
    const stamp: Stamp = [writer, 9_000, 2_000_000_000_000, people.ada.id]
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
    const gone = await stateOf(laptop, 'grade', zoesMark)
    const lie = { ...gone, alive: [], units: { ...gone.units, [EXISTENCE]: stamp }, vv: { ...gone.vv, [writer]: 9_000 } }
    const { answers } = await (await liar(laptop, server)).says((row) => {
      if (row.table !== 'grade') return [row]
      const { table, state } = row
      const made: RowState = { ...state, vv: { [writer]: 9_000 }, alive: [[writer, 9_000]], units: mapped(state.units, stamp) }
      return [
        { table, state: made },
        { table, state: lie },
      ]
    })
    expect(answers.map(({ id, code }) => [id, code])).toEqual([
      [naturalId('grade', mathsExam.id, elan.id), 'not_yours'],
      [zoesMark, 'not_yours'],
    ])
    expect(await marksOf(server, elan)).toEqual([])
    expect(await marksOf(server, zoe)).toHaveLength(1)
  })

  test('is not taken of a school’s server at the centre either, where it is the centre’s', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const writer = centre.services.store.nodeId
    const before = await storedOf(centre, 'grade', zoesMark)
    await (await signedIn(box, 'ada')).grades.bulk(mark(elan, 11))
    const { state } = await forgedMark(box, [writer, 900_000, 2_000_000_000_000, people.ada.id], 99)
    const lie = { ...state, vv: { ...state.vv, [writer]: 900_000 } }
    const { answers } = await (await liar(box, centre)).says(beside({ table: 'grade', state: lie }))
    expect(answers).toMatchObject([{ id: zoesMark, outcome: 'refused', code: 'not_yours' }])
    expect(await storedOf(centre, 'grade', zoesMark)).toEqual(before)
    await settle(link)
    expect(await numbersOf(centre)).toHaveLength(1)
    expect(await marksOf(centre, elan)).toEqual([11])
  })
})

/** With the row that is the child's own. */
const beside =
  (...lies: Carried[]) =>
  (row: Carried) =>
    row.table === 'grade' ? [row, ...lies] : [row]
const mapped = (units: RowState['units'], stamp: Stamp) => Object.fromEntries(Object.keys(units).map((unit) => [unit, stamp]))

/** Zoe's mark with another score under a stamp. */
async function forgedMark(node: School, stamp: Stamp, score: number) {
  const state = await stateOf(node, 'grade', zoesMark)
  return { stamp, state: { ...state, values: { ...state.values, score }, units: { ...state.units, score: stamp } } }
}
