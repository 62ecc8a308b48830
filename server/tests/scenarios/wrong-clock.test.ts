import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { afterEach, expect, test } from 'vitest'
import { centreAndSchool } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const HOUR = 3_600_000
const params = { id: naturalId('grade', mathsExam.id, zoe.id) }
const clocksIn = async (node: School) =>
  (await (await signedIn(node, 'okafor')).replication.conflicts()).map(({ kept, clock_off_ms, standing }) => ({
    kept: kept?.['score'],
    off: clock_off_ms,
    standing: standing?.clock_off_ms,
  }))

test('a mark that was entered by a clock that is hours ahead says so beside the other, at both ends, and so does its computer', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  box.clock.advance(3 * HOUR)
  await (await signedIn(box, 'ada')).grades.update({ params, body: { score: 51 } })
  centre.clock.advance(60_000)
  await centre.as.byrne.grades.update({ params, body: { score: 52 } })
  await settle(link)
  const ahead = 3 * HOUR - 60_000
  expect(await clocksIn(centre)).toEqual([{ kept: 52, off: null, standing: ahead }])
  expect(await clocksIn(box)).toEqual([{ kept: 52, off: null, standing: ahead }])
  expect(await centre.as.okafor.replication.nodes()).toMatchObject([{ side: 'child', clock_offset_ms: ahead }])
  expect(await (await signedIn(box, 'okafor')).replication.nodes()).toMatchObject([{ side: 'parent', clock_offset_ms: -ahead }])
})

test('a clock that is a few seconds off is not worth a word', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  box.clock.advance(20_000)
  await (await signedIn(box, 'ada')).grades.update({ params, body: { score: 51 } })
  await centre.as.byrne.grades.update({ params, body: { score: 52 } })
  await settle(link)
  expect(await clocksIn(centre)).toEqual([{ kept: 52, off: null, standing: null }])
})
