import { englishExam, mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, expect, test } from 'vitest'
import { computersBelow, copiesAmong } from '../../features/replication/below.ts'
import { issuesOf } from '../../features/replication/issues.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { asSystem } from '../../store/tx.ts'
import { schoolAndLaptop, serverAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const mark = (assessmentId: string, score: number) => ({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } })
const scoreAt = async (node: School, assessmentId: string) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === assessmentId && student_id === zoe.id)?.score
const openAt = async (node: School) =>
  (await conflictsAt(node)).filter(({ status, unit }) => status === 'open' && unit === 'score').map(({ value }) => value)

/** A laptop under its school and under the centre, at rest. */
async function underBoth() {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open)
  const atCentre = await under(centre, laptop, { user: people.ada.id })
  await settle(atSchool, link, atCentre)
  return { centre, box, laptop, link, atSchool, atCentre, own: laptop.services.store.nodeId }
}

test('the cloned laptop: both go on, each under a name of its own, and neither’s marks are lost', async () => {
  const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
  const clone = await startedFrom(await imageOf(laptop), 'clone')
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 70))
  clone.clock.advance(30_000)
  await (await signedIn(clone, 'ada')).grades.bulk(mark(mathsHomework.id, 4))
  await link.round()
  await makeRound(clone, carrierTo(box))
  await makeRound(clone, carrierTo(box))
  await link.round()
  expect(clone.services.store.nodeId).not.toBe(laptop.services.store.nodeId)
  expect(await scoreAt(box, mathsExam.id)).toBe(70)
  expect(await scoreAt(box, mathsHomework.id)).toBe(4)
  const [a, b] = await same(laptop, clone)
  expect(b).toEqual(a)
})

test('the cloned laptop is one thing to look at, by the names that both have by now, and two laptops', async () => {
  const { server, laptop } = await serverAndLaptop(open)
  const [node] = await server.as.okafor.replication.nodes()
  await server.as.okafor.replication.rename({ params: { id: node?.id ?? '' }, body: { name: 'PC' } })
  const clone = await startedFrom(await imageOf(laptop), 'clone')
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 70))
  await (await signedIn(clone, 'ada')).grades.bulk(mark(mathsHomework.id, 4))
  const later = (ms: number) => {
    for (const each of [server, laptop, clone]) each.clock.advance(ms)
  }
  const carry: Carrier = (request) => {
    later(10)
    return carrierTo(server)(request)
  }
  laptop.clock.advance(3_600_000)
  for (let time = 0; time < 3; time += 1)
    for (const half of [laptop, clone]) {
      later(60_000)
      await makeRound(half, carry)
    }
  // The clock was wrong under the number before, too, and nobody can set that right.
  laptop.clock.advance(-3_600_000)
  await makeRound(laptop, carry)
  const copies = () => server.services.store.read(asSystem(), async (tx) => copiesAmong(await computersBelow(tx)))
  const issues = async () => (await server.services.store.read(asSystem(), (tx) => issuesOf(tx, stBrigids))).map(({ kind }) => kind)
  const status = () => server.as.okafor.replication.status()
  expect((await server.as.okafor.replication.nodes()).map(({ name, began_anew }) => [name, began_anew?.both_heard])).toEqual([
    ['PC', false],
    ['PC (2)', true],
    ['PC (3)', undefined],
  ])
  expect([await copies(), await issues()]).toEqual([[['PC (2)', 'PC (3)']], ['copy']])
  expect(await status()).toMatchObject({
    copies: 1,
    laptops_below: 2,
    sentence: expect.stringMatching(/^2 laptops replicate with this server; .* ago\. 1 computer was copied: look at it\.$/),
  })
  const third = (await server.as.okafor.replication.nodes()).find(({ name }) => name === 'PC (3)')
  await server.as.okafor.replication.revoke({ params: { id: third?.id ?? '' } })
  expect([await copies(), await issues()]).toEqual([[], []])
  expect(await status()).toMatchObject({ copies: 0, laptops_below: 1 })
})

test('a cloned laptop that meets the centre first: a mark of its own is not taken for one that its copy has overwritten', async () => {
  const { centre, box, laptop, link, atSchool, atCentre, own } = await underBoth()
  const clone = await startedFrom(await imageOf(laptop), 'clone')
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 66))
  // Under a later number than the laptop's, the same one of the same database.
  await (await signedIn(clone, 'ada')).grades.bulk(mark(mathsHomework.id, 4))
  clone.clock.advance(30_000)
  await (await signedIn(clone, 'ada')).grades.bulk(mark(mathsExam.id, 70))
  await makeRound(clone, carrierTo(box))
  await link.round()
  await expect(atCentre.round()).rejects.toThrow('The session with the parent has ended')
  await atCentre.round()
  expect(laptop.services.store.nodeId).not.toBe(own)
  await settle(atSchool, link)
  expect(await scoreAt(centre, mathsExam.id)).toBe(70)
  const open66 = (await conflictsAt(centre)).filter(({ status, unit }) => status === 'open' && unit === 'score')
  expect(open66).toMatchObject([{ value: { score: 66 }, actor_id: people.ada.id }])
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
})

test.each([
  ['under one number', [], []],
  ['the copy’s under a later number', [], [mathsHomework]],
  ['the copy’s under an earlier number', [mathsHomework], []],
] as const)('a laptop and its clone, each with a parent of its own: a mark of both, %s', async (_, firstOfLaptop, firstOfClone) => {
  const { centre, box, laptop, link, atSchool, atCentre, own } = await underBoth()
  const clone = await startedFrom(await imageOf(laptop), 'clone')
  const at = async (node: School, first: readonly { id: string }[], score: number) => {
    for (const { id } of first) await (await signedIn(node, 'ada')).grades.bulk(mark(id, 4))
    await (await signedIn(node, 'ada')).grades.bulk(mark(mathsExam.id, score))
  }
  await at(laptop, firstOfLaptop, 66)
  await atCentre.round()
  clone.clock.advance(30_000)
  await at(clone, firstOfClone, 70)
  await makeRound(clone, carrierTo(box))
  // Here they meet, at two parents, without either half.
  await link.round()
  for (const node of [centre, box]) {
    expect(await scoreAt(node, mathsExam.id)).toBe(70)
    expect(await openAt(node)).toContainEqual({ score: 66 })
  }
  await settle(atCentre, atSchool, link)
  await makeRound(clone, carrierTo(box))
  expect(laptop.services.store.nodeId).not.toBe(own)
  expect(clone.services.store.nodeId).not.toBe(laptop.services.store.nodeId)
  for (const node of [centre, box, laptop]) expect(await openAt(node)).toContainEqual({ score: 66 })
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
})

/** Lines to a node on which the first pages that so many send go off in the same moment. */
function sentTogether(to: School, senders: number): Carrier[] {
  let go = () => {}
  const all = new Promise<void>((resolve) => {
    go = resolve
  })
  let waiting = senders
  const carry = carrierTo(to)
  return Array.from({ length: senders }, (): Carrier => {
    let isFirst = true
    return async (request) => {
      if (isFirst && request.url.endsWith('/sync/push')) {
        isFirst = false
        waiting -= 1
        if (waiting === 0) go()
        await all
      }
      return carry(request)
    }
  })
}

test('the cloned laptop, each half with a parent of its own, heard of in the same moment: neither’s mark is lost', async () => {
  const { centre, box, laptop, link, atSchool, atCentre, own } = await underBoth()
  const clone = await startedFrom(await imageOf(laptop), 'clone')
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 66))
  clone.clock.advance(30_000)
  await (await signedIn(clone, 'ada')).grades.bulk(mark(mathsExam.id, 70))
  await makeRound(clone, carrierTo(box))
  const [ofSchool, ofLaptop] = sentTogether(centre, 2) as [Carrier, Carrier]
  // Whichever comes second is told that there are two of them; the laptop, where that is its own page.
  await Promise.all([makeRound(box, ofSchool), makeRound(laptop, ofLaptop, 1).catch(() => {})])
  await settle(atCentre, atSchool, link)
  expect(laptop.services.store.nodeId).not.toBe(own)
  for (const node of [centre, box, laptop]) {
    expect(await scoreAt(node, mathsExam.id)).toBe(70)
    expect(await openAt(node)).toContainEqual({ score: 66 })
  }
})

test('a mark that the copy read first reaches the laptop too, though the copy sent that row after it', async () => {
  const { box, laptop, link, atSchool, atCentre } = await underBoth()
  // The laptop gets back by the centre what became of both writes. So it does not send that row to the school.
  await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 66))
  await link.round()
  const score = await scoreAt(laptop, mathsExam.id)
  const grades = [{ studentId: zoe.id, score, remarks: 'Late' }]
  await (await signedIn(laptop, 'ada')).grades.bulk({ body: { assessmentId: mathsExam.id, grades } })
  await atCentre.round()
  await atSchool.round()
  const clone = await startedFrom(await imageOf(laptop), 'clone')
  // Each reads one page, so that the places in their own feeds are alike.
  await (await signedIn(box, 'ada')).grades.bulk(mark(mathsHomework.id, 4))
  await atSchool.round()
  await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 70))
  await makeRound(clone, carrierTo(box))
  await makeRound(clone, carrierTo(box))
  await settle(atSchool)
  for (const node of [box, clone, laptop]) expect(await scoreAt(node, mathsExam.id)).toBe(70)
})

test('a laptop that is no copy keeps its number, whichever parent hears of its marks first', async () => {
  const { centre, box, laptop, link, atSchool, atCentre, own } = await underBoth()
  const ada = await signedIn(laptop, 'ada')
  const steps = [atCentre, atSchool, link, atSchool, atCentre, link, atCentre]
  for (const [at, step] of steps.entries()) {
    await ada.grades.bulk(mark([mathsExam, mathsHomework, englishExam][at % 2]?.id as string, at + 1))
    await ada.grades.bulk(mark(mathsExam.id, at + 10))
    await step.round()
  }
  await settle(atSchool, link, atCentre)
  expect(laptop.services.store.nodeId).toBe(own)
  for (const node of [centre, box, laptop]) {
    expect(await scoreAt(node, mathsExam.id)).toBe(16)
    expect(await openAt(node)).toEqual([])
  }
})
