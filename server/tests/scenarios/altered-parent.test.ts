import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { type Kind, kindsOf } from '@markbook/shared/tables/kinds'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { afterEach, expect, test } from 'vitest'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'
import { settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const NEW = '01900000-0000-7000-8000-00000000abcd'
const MARK = naturalId('grade', mathsExam.id, zoe.id)

/** What the centre tells of a row, with this in its identity as its newest write. */
const saying =
  (id: string, values: Readonly<Record<string, unknown>>) =>
  ({ table, state }: Carried): Carried[] => {
    if (state.id !== id) return [{ table, state }]
    const stamp = Object.values(state.units).reduce((latest, each) => (each[2] > latest[2] ? each : latest)) as Stamp
    return [{ table, state: { ...state, units: { ...state.units, [EXISTENCE]: stamp }, values: { ...state.values, ...values } } }]
  }

test.each([
  ['a mark is not another pupil’s', 'grade', MARK, { student_id: elan.id }],
  ['an account is not another address’s', 'user_profile', people.ada.id, { email: 'forged@school.example' }],
] as const)('%s because the centre says so, and its school has both again once that is right', async (_, table, id, lie) => {
  const { centre, box, link } = await centreAndSchool(open)
  const at = async (node: School) => {
    const { updated_at: _, ...row } = (await node.rows(table)).find((each) => each.id === id) as Row<typeof table>
    return row
  }
  const before = await at(box)
  const ada = await signedIn(centre, 'ada')
  await ada.grades.update({ params: { id: MARK }, body: { score: 55 } })
  await ada.auth.updateProfile({ body: { firstName: 'Adela' } })
  await (await liar(box, centre)).hears(saying(id, lie))
  expect(await at(box)).toEqual(before)
  const held = await box.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))
  expect(held).toMatchObject([{ table_name: table, row_id: id, reason: 'another id follows from what it is of' }])
  await settle(link)
  expect(await at(box)).toEqual(await at(centre))
})

/** Values that are of no column of a kind. */
const wrong: Record<Kind, unknown> = {
  uuid: 'Zoë',
  text: 7,
  choice: ['exam'],
  flag: 'yes',
  int: 1.5,
  bigint: 'many',
  decimal: 'abc',
  day: '2026-02-30',
  instant: 'yesterday',
  json: 'not this',
}

test('a value that is not of its column’s kind is written in no table, and the rest of its page is', async () => {
  const { centre, box } = await centreAndSchool(open)
  const { store } = box.services
  const states = await store.read(asSystem(), async (tx) => {
    const found: Carried[] = []
    for (const table of Object.keys(descriptions) as Replicated[]) {
      const [first] = await rowsWhere(tx, table, stBrigids)
      const state = first && (await knownRows(tx, table, stBrigids, [first.id])).get(first.id)?.state
      if (state && Object.keys(descriptions[table].units).length > 0) found.push({ table, state })
    }
    return found
  })
  expect(states.length).toBeGreaterThan(15)
  const columnsOf = (table: Replicated) => Object.values(descriptions[table].units).flat()
  const most = Math.max(...states.map(({ table }) => columnsOf(table).length))
  const okafor = await signedIn(centre, 'okafor')
  const { hears } = await liar(box, centre)
  for (let at = 0; at < most; at += 1) {
    await okafor.students.update({ params: { id: zoe.id }, body: { firstName: `Zo ${at}` } })
    const before = await contentsOf(store)
    const lies = states.flatMap(({ table, state }) => {
      const column = columnsOf(table)[at]
      if (column === undefined || (table === 'student' && state.id === zoe.id)) return []
      const value = wrong[kindsOf[table][column] as Kind]
      const later = Object.fromEntries(
        Object.entries(state.units).map(([unit, [node, counter, hlc, actor]]) => [unit, [node, counter + 1, hlc + 1, actor] as Stamp]),
      )
      return [{ table, state: { ...state, units: later, values: { ...state.values, [column]: value } } }]
    })
    await hears(({ table, state }) => (state.id === zoe.id && table === 'student' ? [{ table, state }, ...lies] : []))
    const after = await contentsOf(store)
    expect((await box.rows('student')).find(({ id }) => id === zoe.id)?.first_name).toBe(`Zo ${at}`)
    const withoutZoe = (contents: typeof after) => ({ ...contents, student: undefined })
    expect(withoutZoe(after)).toEqual(withoutZoe(before))
    const held = await store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))
    const named = new Set(
      held.filter(({ reason }) => reason === 'a value is not of its kind').map(({ table_name, row_id }) => `${table_name} ${row_id}`),
    )
    expect(lies.filter(({ table, state }) => !named.has(`${table} ${state.id}`))).toEqual([])
  }
})

test('a mark that the centre tells as no number waits, is listed, and gives way to the next one that is', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const ada = await signedIn(centre, 'ada')
  await ada.grades.update({ params: { id: MARK }, body: { score: 55 } })
  const scoreAt = async (node: School) => (await node.rows('grade')).find(({ id }) => id === MARK)?.score
  const before = await scoreAt(box)
  await (await liar(box, centre)).hears(saying(MARK, { score: 'abc' }))
  expect(await scoreAt(box)).toBe(before)
  const okafor = await signedIn(box, 'okafor')
  expect(await okafor.replication.held()).toMatchObject([{ entity: 'grade', row_id: MARK, reason: 'a value is not of its kind' }])
  // What is held is looked at again with every page.
  await (await liar(box, centre)).hears((row) => (row.state.id === MARK ? [] : [row]))
  expect(await scoreAt(box)).toBe(before)
  await settle(link)
  expect(await scoreAt(box)).toBe(55)
  expect(await okafor.replication.held()).toEqual([])
})

test('the centre brings no row of another school to a school, nor that school itself', async () => {
  const { centre, box } = await centreAndSchool(open)
  await (await signedIn(centre, 'okafor')).students.update({ params: { id: zoe.id }, body: { firstName: 'Zo' } })
  const [other] = await centre.services.store
    .read(asSystem(), (tx) => knownRows(tx, 'school', hilltop, [hilltop]))
    .then((known) => [...known.values()])
  const before = await contentsOf(box.services.store)
  const moved = ({ table, state }: Carried): Carried[] => {
    if (state.id !== zoe.id) return [{ table, state }]
    const stamp = Object.values(state.units).reduce((latest, each) => (each[2] > latest[2] ? each : latest)) as Stamp
    const units = Object.fromEntries([EXISTENCE, ...Object.keys(state.units)].map((unit) => [unit, stamp]))
    const values = { ...state.values, id: NEW, school_id: hilltop, student_number: null }
    const [node, counter] = stamp
    return [
      ...(other ? [{ table: 'school' as const, state: other.state }] : []),
      { table, state: { ...state, id: NEW, values, units, alive: [[node, counter]], vv: { [node]: counter } } },
      { table, state: { ...state, units: { ...state.units, [EXISTENCE]: stamp }, values: { ...state.values, school_id: hilltop } } },
    ]
  }
  await (await liar(box, centre)).hears(moved)
  expect(await contentsOf(box.services.store)).toEqual(before)
  expect((await box.rows('school')).map(({ id }) => id)).toEqual([stBrigids])
  expect((await box.rows('student')).map(({ id }) => id)).not.toContain(NEW)
  const held = await box.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))
  expect(held.map(({ row_id, reason }) => [row_id, reason]).sort()).toEqual(
    [NEW, hilltop, zoe.id].sort().map((id) => [id, 'it is of another school']),
  )
})
