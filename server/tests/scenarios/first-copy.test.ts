import { people, stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { afterEach, expect, test, vi } from 'vitest'
import { statusOf } from '../../features/replication/status.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { keysOfEnrolment } from '../../replication/incarnation/incarnation.ts'
import { type Carrier, ParentLine } from '../../replication/line/parent-line.ts'
import { startReplication } from '../../replication/replication.ts'
import { Child } from '../../replication/upstream/child.ts'
import { asSystem } from '../../store/tx.ts'
import { carrierTo, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'

const open: School[] = []
afterEach(async () => {
  for (const node of open.splice(0)) await node.close()
})

const grades = ({ services: { store } }: School) =>
  store.read(asSystem(), (tx) => tx.db.$count(tx.t.grade, eq(tx.t.grade.school_id, stBrigids)))
const cursorOf = async ({ services }: School) => (await services.store.read(asSystem(), parentsOf))[0]?.their_cursor

/** A line that notes from where each page is asked, and breaks after so many. */
function counted(carry: Carrier, most: number): { carry: Carrier; asked: (string | null)[] } {
  const asked: (string | null)[] = []
  return {
    asked,
    carry: async (request) => {
      if (request.url.endsWith('/sync/pull')) {
        if (asked.length === most) throw new Error('the line is cut')
        asked.push(((await request.clone().json()) as { cursor: string | null }).cursor)
      }
      return carry(request)
    },
  }
}

test('a first copy says how far it is, and one that was broken off goes on where it stopped', async () => {
  const [centre, box] = [await school(), await school({ story: false, database: 'sqlite' })]
  open.push(centre, box)
  await under(centre, box)

  const first = counted(carrierTo(centre), 9)
  const begun = await startReplication(box.services, first.carry)
  await vi.waitFor(() => expect([first.asked.length, begun.course().notice]).toEqual([9, 'offline']), 10_000)
  const status = await box.services.store.read(asSystem(), (tx) => statusOf(tx, stBrigids, begun.course()))
  expect(status.copy?.copied).toBeGreaterThan(0)
  expect(status.copy?.total).toBeGreaterThan(status.copy?.copied as number)
  expect(status.sentence).toMatch(/^The first copy of the school’s rows: [\d,]+ of [\d,]+ are here\. It goes on where it stopped/)
  const stopped = await cursorOf(box)
  await begun.stop()

  const second = counted(carrierTo(centre), 1_000)
  const resumed = await startReplication(box.services, second.carry)
  await vi.waitFor(() => expect(resumed.course().notice).toBe('up_to_date'), 20_000)
  expect(stopped).toContain('/copy/')
  expect(second.asked[0]).toBe(stopped)
  expect(second.asked).not.toContain(null)
  expect(resumed.course().copy).toBeNull()
  expect(await grades(box)).toBe(await grades(centre))
  await resumed.stop()
})

test('everything is compared anew once, also where the person of a laptop has got another right since', async () => {
  const [server, laptop] = [await school({ seed: 'server' }), await school({ seed: 'laptop', story: false, database: 'sqlite' })]
  open.push(server, laptop)
  const link = await under(server, laptop, { user: people.ada.id })
  await link.round()
  await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
  const { services } = laptop
  const [parent] = await services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('the laptop has no parent')
  const { carry, asked } = counted(carrierTo(server), 40)
  const child = new Child(services, parent.id, new ParentLine(parent, keysOfEnrolment(services, parent), carry))
  await child.greet()
  await child.mergeAll()
  expect(asked.filter((cursor) => cursor === null)).toHaveLength(1)
  expect(new Set(asked).size).toBe(asked.length)
})
