import { mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { afterEach, expect, test } from 'vitest'
import { invite } from '../../replication/identity/enrolment.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { asSystem } from '../../store/tx.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, same } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const mark = async (node: School, assessmentId: string, score: number) =>
  (await signedIn(node, 'ada')).grades.bulk({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } })
const scoreAt = async (node: School, assessmentId: string) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === assessmentId && student_id === zoe.id)?.score
const losers = async (node: School) =>
  (await conflictsAt(node)).filter(({ status, unit }) => status === 'open' && unit === 'score').map(({ value }) => value)

async function join(node: School, parent: School, schoolId: string | null): Promise<void> {
  const asked = { kind: 'school', schoolId, userId: null, by: null } as const
  const { code } = await parent.services.store.write(asSystem(), (tx) => invite(tx, asked))
  await joinParent(node.services, { url: 'https://parent.test', code, kind: 'school' }, carrierTo(parent))
}

/** A school's server and a copy of its folder; a mark that both wrote, and one that each wrote alone. */
async function serverAndCopy() {
  const server = await school({ seed: 'server', database: 'sqlite' })
  open.push(server)
  const copy = await startedFrom(await imageOf(server), 'copy')
  await mark(server, mathsExam.id, 71)
  await mark(copy, mathsHomework.id, 4)
  copy.clock.advance(30_000)
  await mark(copy, mathsExam.id, 72)
  return { server, copy }
}

const CENTRAL = { seed: 'centre', story: false }

/** At each of these nodes the last mark of both stands, and the other acknowledged one is kept. */
async function demandNothingLost(nodes: readonly School[]): Promise<void> {
  for (const node of nodes) {
    expect([await scoreAt(node, mathsExam.id), await scoreAt(node, mathsHomework.id)]).toEqual([72, 4])
    expect(await losers(node)).toContainEqual({ score: 71 })
  }
}

async function demandSame(a: School, b: School): Promise<void> {
  const [one, other] = await same(a, b)
  expect(other).toEqual(one)
}

test('a copy joins its original: it takes a number of its own, and what both wrote meanwhile is kept', async () => {
  const { server, copy } = await serverAndCopy()
  await join(copy, server, stBrigids)
  expect(copy.services.store.nodeId).not.toBe(server.services.store.nodeId)
  await makeRound(copy, carrierTo(server))
  await demandNothingLost([server, copy])
  await demandSame(server, copy)
})

test('two copies join one centre: what both wrote before is kept', async () => {
  const { server, copy } = await serverAndCopy()
  const centre = await school(CENTRAL)
  open.push(centre)
  await join(server, centre, null)
  await makeRound(server, carrierTo(centre))
  await join(copy, centre, stBrigids)
  for (const node of [copy, server]) await makeRound(node, carrierTo(centre))
  await demandNothingLost([centre, server, copy])
  await demandSame(centre, server)
  await demandSame(server, copy)
})
