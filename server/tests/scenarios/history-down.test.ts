import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B } from '@markbook/shared/story/school-year'
import type { Stamp } from '@markbook/sync/versions'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { Child } from '../../replication/upstream/child.ts'
import { type KnownRow, knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, lineOf, makeRound, signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { auditOf } from './audit.fixtures.ts'
import { settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const gradeId = naturalId('grade', mathsExam.id, zoe.id)
const mark = (node: School, name: PersonName, score: number) =>
  signedIn(node, name).then((as) => as.grades.update({ params: { id: gradeId }, body: { score } }))
const told = async (node: School, name: PersonName = 'okafor') =>
  (await (await signedIn(node, name)).history.list({ query: { entity: 'grade', id: gradeId } })).map(
    ({ actor, node: at, changes, action }) => ({ who: actor?.id ?? null, at, score: changes['score']?.after, action }),
  )
const stored = (node: School) =>
  node.services.store.read(asSystem(), async (tx) =>
    (await tx.db.select().from(tx.t.history)).filter(({ school_id }) => school_id === stBrigids),
  )

/** What the node would send its parent now. */
async function unsentOf(node: School, parent: School) {
  const line = await lineOf(node, parent)
  const [peer] = await node.services.store.read(asSystem(), parentsOf)
  if (!peer) throw new Error('this node has no parent')
  return (await new Child(node.services, peer.id, line).pageAfter(peer)).push.history.count
}

test('a head reads at the school who changed a mark at the centre, when and where, and what was before', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  centre.clock.advance(60_000)
  await mark(centre, 'ada', 72)
  await settle(link)
  expect(await told(box)).toEqual([
    { who: people.ada.id, at: centre.services.store.nodeId, score: 72, action: 'update' },
    { who: null, at: centre.services.store.nodeId, score: 71, action: 'create' },
  ])
  expect(await told(box)).toEqual(await told(centre))
})

test('a school that is opened with what the centre has long had gets the history after the rows, in pages', async () => {
  const centre = await school({ seed: 'centre' })
  const box = await school({ seed: 'box', story: false, database: 'sqlite' })
  open.push(centre, box)
  // More than one page holds.
  for (let time = 0; time < 12; time += 1)
    await centre.services.store.write(asSystem(people.okafor.id), async (tx) => {
      const before = await tx.find('grade', stBrigids, gradeId)
      if (before) await tx.update('grade', [{ before, patch: { remarks: `${time} ${'x'.repeat(450_000)}` } }])
    })
  await mark(centre, 'ada', 72)
  const link = await under(centre, box)
  const pages: { rows: number; history: number }[] = []
  const carry = carrierTo(centre)
  await makeRound(box, async (request) => {
    const reply = await carry(request)
    const { tables, history } = await reply.clone().json()
    if (tables) pages.push({ rows: tables.length, history: history.count })
    return reply
  })
  const first = pages.findIndex(({ history }) => history > 0)
  expect(pages.slice(0, first).some(({ rows }) => rows > 0)).toBe(true)
  expect(pages.slice(first).every(({ rows }) => rows === 0)).toBe(true)
  expect(pages.filter(({ history }) => history > 0).length).toBeGreaterThan(1)
  expect(await told(box)).toEqual(await told(centre))
  await settle(link)
  expect(await unsentOf(box, centre)).toBe(0)
})

test('what a school’s new server got of the years before is not sent back to where it came from, whoever wrote it', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  await mark(box, 'byrne', 83)
  await settle(link)
  const next = await school({ seed: 'next', story: false, database: 'sqlite' })
  open.push(next)
  await under(centre, next)
  await makeRound(next, carrierTo(centre))
  expect((await told(next)).map(({ at }) => at)).toContain(box.services.store.nodeId)
  expect(await unsentOf(next, centre)).toBe(0)
})

test('what came by two ways is one, goes nowhere twice, and leaves every chain as it was', async () => {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open)
  const atCentre = await under(centre, laptop, { user: people.ada.id })
  await mark(laptop, 'ada', 81)
  await atCentre.round()
  await mark(centre, 'okafor', 82)
  await mark(box, 'byrne', 83)
  await settle(atSchool, link, atCentre)
  for (const node of [centre, box, laptop]) {
    const scores = (await told(node)).map(({ score }) => score)
    expect(scores.filter((score) => Number(score) > 80).sort()).toEqual([81, 82, 83])
  }
  const before = await Promise.all([centre, box, laptop].map(stored))
  await settle(atSchool, link, atCentre)
  expect(await Promise.all([centre, box, laptop].map(stored))).toEqual(before)
  expect(await unsentOf(box, centre)).toBe(0)
  expect(await unsentOf(laptop, box)).toBe(0)
})

describe('a laptop gets the history of the rows that it gets', () => {
  const past = async (node: School) =>
    new Set((await stored(node)).filter(({ node_id }) => node_id !== node.services.store.nodeId).map(({ entity }) => entity))
  const remarkAt = (node: School, remark: string) =>
    signedIn(node, 'okafor').then((as) => as.reports.update({ params: { id: draftReport.id }, body: { classTeacherRemark: remark } }))

  test.each([
    ['quinn', { grade: true, school: false, report_book: false, school_management: false }],
    ['byrne', { grade: true, school: false, report_book: true, school_management: false }],
    ['okafor', { grade: true, school: true, report_book: true, school_management: false }],
  ] as const)('%s’s', async (name, expected) => {
    const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open, people[name].id)
    await mark(centre, 'ada', 72)
    await remarkAt(box, 'A good term.')
    await (await signedIn(box, 'okafor')).schools.updateMine({ body: { phone: '01 555' } })
    await (await signedIn(box, 'okafor')).schools.updateMember({ params: { userId: people.niamh.id }, body: { isActive: false } })
    await settle(link, atSchool)
    const has = await past(laptop)
    expect(Object.fromEntries(Object.keys(expected).map((entity) => [entity, has.has(entity)]))).toEqual(expected)
  })

  test('and no more of it once the right to them has gone; what came before is shown to nobody', async () => {
    const { box, laptop, laptopLink: atSchool } = await schoolAndLaptop(open, people.byrne.id)
    await remarkAt(box, 'A good term.')
    await atSchool.round()
    const readAt = async (node: School) =>
      (await signedIn(node, 'byrne')).history.list.raw({ query: { entity: 'report_book', id: draftReport.id } })
    expect((await readAt(laptop)).body).toMatchObject([{ actor: { id: people.okafor.id } }])
    await (await signedIn(box, 'okafor')).classes.handOver({ params: { classId: class3B.id }, body: { teacherId: people.ada.id } })
    await settle(atSchool)
    const before = (await stored(laptop)).length
    await remarkAt(box, 'A very good term.')
    await settle(atSchool)
    expect((await stored(laptop)).length).toBe(before)
    expect((await readAt(laptop)).status).toBe(403)
  })
})

test('a laptop that copies anew, for its school’s server began anew, hears what was written there since', async () => {
  const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
  await settle(link)
  box.clock.advance(60_000)
  await box.services.store.renewNode()
  await mark(box, 'okafor', 63)
  const [last] = (await stored(box)).slice(-1)
  await settle(link)
  const entry = (await stored(laptop)).find(({ id }) => id === last?.id)
  expect(entry).toMatchObject({ row_id: gradeId, actor_id: people.okafor.id, node_id: last?.node_id })
})

test('a write that is stamped anew is proved under its new stamp, and is told to people once', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  await settle(link)
  const before = await told(centre)
  box.clock.advance(60_000)
  await mark(box, 'okafor', 63)
  await box.services.store.renewNode()
  await settle(link)
  const numbers = [box.services.store.nodeId, (await told(box))[0]?.at]
  expect(new Set(numbers).size).toBe(2)
  const { units } = await centre.services.store.read(asSystem(), async (tx) => {
    const known = await knownRows(tx, 'grade', stBrigids, [gradeId])
    return (known.get(gradeId) as KnownRow).state
  })
  const [node, counter] = units['score'] as Stamp
  expect(node).toBe(box.services.store.nodeId)
  for (const each of [centre, box]) {
    const [entry] = (await stored(each)).filter((entry) => entry.node_id === node && entry.node_seq === counter && entry.row_id === gradeId)
    expect(entry).toMatchObject({ actor_id: people.okafor.id, changes: {} })
    expect(JSON.parse(entry?.detail ?? '{}')).toMatchObject({ values: { score: 63 } })
    expect((await told(each)).map(({ score }) => score)).toEqual([63, ...before.map(({ score }) => score)])
    expect((await auditOf(each)).marks).toMatchObject({ untold: 0, contradicted: 0, unsigned: 0 })
  }
})
