import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { afterEach, expect, test } from 'vitest'
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
