import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { afterEach, expect, test } from 'vitest'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { knownRows } from '../../store/replica/states.ts'
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
