import { naturalId } from '@markbook/shared/ids'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, expect, test } from 'vitest'
import { differencesOf, digestsOf } from '../../replication/scope/verify.ts'
import { asSystem } from '../../store/tx.ts'
import { schoolAndLaptop } from '../../testing/joined.ts'
import { lineOf } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const whose = { kind: 'laptop' as const, school_id: stBrigids, user_id: people.ada.id }
const knows = async (node: School, id: string) => (await node.rows('user_profile')).some((row) => row.id === id)
const differences = async (laptop: School, parent: School) =>
  differencesOf(await digestsOf(laptop.services.store, whose), await (await lineOf(laptop, parent)).verify())

test('who has only asked for a place in the school is not told to laptops, and both ends count the same people', async () => {
  const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
  // Asked for a place before the first copy, and changed since.
  await box.services.store.write(asSystem(people.tomas.id), async (tx) => {
    const before = await tx.find('user_profile', '', people.tomas.id)
    if (before) await tx.update('user_profile', [{ before, patch: { first_name: 'Thomas' } }])
  })
  await settle(link)
  expect(await knows(box, people.tomas.id)).toBe(true)
  expect(await knows(laptop, people.tomas.id)).toBe(false)
  expect(await differences(laptop, box)).toEqual([])
})

test('whoever is taken in then is told, with the name that they have', async () => {
  const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
  await box.services.store.write(asSystem(people.okafor.id), async (tx) => {
    const id = naturalId('membership', people.tomas.id, stBrigids)
    await tx.insert('school_management', [{ id, school_id: stBrigids, user_id: people.tomas.id, role: 'teacher', is_active: true }])
  })
  await settle(link)
  expect((await laptop.rows('user_profile')).find(({ id }) => id === people.tomas.id)).toMatchObject({ last_name: 'Keane' })
  expect(await differences(laptop, box)).toEqual([])
})
