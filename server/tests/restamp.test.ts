import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { textToVersions } from '@markbook/sync/versions'
import { afterEach, expect, test } from 'vitest'
import { restamp } from '../replication/incarnation/restamp.ts'
import { asSystem } from '../store/tx.ts'
import { centreAndSchool } from '../testing/joined.ts'
import { meanwhile } from '../testing/meanwhile.ts'
import { signedIn } from '../testing/nodes.ts'
import type { School } from '../testing/school.ts'
import { same, settle } from './scenarios/scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

test('what somebody writes while the writes of a number are stamped anew keeps its own stamp, and goes everywhere', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const id = naturalId('grade', mathsExam.id, zoe.id)
  await (await signedIn(box, 'ada')).grades.update({ params: { id }, body: { score: 33 } })
  await settle(link)
  await meanwhile(
    centre,
    (tx) => restamp(tx, stBrigids, [{ node: box.services.store.nodeId, acknowledged: 0 }]),
    () => centre.as.okafor.grades.update({ params: { id }, body: { remarks: 'Well done' } }),
  )
  const [stored] = await centre.services.store.read(asSystem(), (tx) => tx.dialect.versionsOf(tx.connection, stBrigids, 'grade', [id]))
  if (!stored) throw new Error('the mark has no versions')
  const { units } = textToVersions(stored)
  expect(units).toMatchObject({
    score: [centre.services.store.nodeId, expect.any(Number), expect.any(Number), people.ada.id],
    remarks: [centre.services.store.nodeId, expect.any(Number), expect.any(Number), people.okafor.id],
  })
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
})

test('a row that two numbers of a database wrote in turn is stamped anew under both', async () => {
  const { box } = await centreAndSchool(open)
  const { store } = box.services
  const id = naturalId('grade', mathsExam.id, zoe.id)
  const ada = await signedIn(box, 'ada')
  const numbers = [store.nodeId]
  await ada.grades.update({ params: { id }, body: { score: 33 } })
  numbers.push(await store.renewNode())
  await ada.grades.update({ params: { id }, body: { remarks: 'Well done' } })
  await store.renewNode()
  const unsaid = numbers.map((node) => ({ node, acknowledged: 0 }))
  await store.write(asSystem(), (tx) => restamp(tx, stBrigids, unsaid))
  const [stored] = await store.read(asSystem(), (tx) => tx.dialect.versionsOf(tx.connection, stBrigids, 'grade', [id]))
  if (!stored) throw new Error('the mark has no versions')
  const { vv, units } = textToVersions(stored)
  expect([units['score']?.[0], units['remarks']?.[0]]).toEqual([store.nodeId, store.nodeId])
  expect(numbers.map((node) => vv[node] ?? 0)).toEqual([0, 0])
})
