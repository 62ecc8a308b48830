import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { RowState } from '@markbook/sync/merge/state'
import { covers, type Stamp } from '@markbook/sync/versions'
import { afterEach, expect, test } from 'vitest'
import { applyStates } from '../../store/replica/apply.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { laptopOf, schoolAndLaptop, serverAndLaptop } from '../../testing/joined.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar, mark, marksOf } from './altered.fixtures.ts'
import { conflictsAt, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const zoesMark = naturalId('grade', mathsExam.id, zoe.id)
async function zoesAt(node: School): Promise<RowState> {
  const known = await node.services.store.read(asSystem(), (tx) => knownRows(tx, 'grade', stBrigids, [zoesMark]))
  return known.get(zoesMark)?.state as RowState
}

test('of a laptop that claims to have seen what another has yet to bring, the claim counts for nothing, and neither mark is lost', async () => {
  const { server, laptop, link } = await serverAndLaptop(open)
  const { laptop: other, link: way } = await laptopOf(open, server, people.okafor.id, 'other')
  await settle(link, way)
  await (await signedIn(other, 'okafor')).grades.bulk(mark(zoe, 59))
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(zoe, 44))
  const claim = { [other.services.store.nodeId]: 500 }
  await (await liar(laptop, server)).says(({ table, state }) => [{ table, state: { ...state, vv: { ...state.vv, ...claim } } }])
  await settle(way)
  const [conflict] = await conflictsAt(server)
  expect([...(await marksOf(server, zoe)), conflict?.value?.['score']].sort()).toEqual([44, 59])
  await settle(link, way)
  expect(await marksOf(laptop, zoe)).toEqual(await marksOf(other, zoe))
})

test('nor where another’s write says that the row is there, however often it is said', async () => {
  const { server, laptop, link } = await serverAndLaptop(open)
  const { laptop: other, link: way } = await laptopOf(open, server, people.okafor.id, 'other')
  await settle(link, way)
  await (await signedIn(other, 'okafor')).grades.bulk(mark(zoe, 59))
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(zoe, 44))
  const claim = [other.services.store.nodeId, 500] as const
  const { says } = await liar(laptop, server)
  const lie = () =>
    says(({ table, state }) => [{ table, state: { ...state, vv: { ...state.vv, [claim[0]]: claim[1] }, alive: [...state.alive, claim] } }])
  await lie()
  const once = await zoesAt(server)
  await lie()
  expect(await zoesAt(server)).toEqual(once)
  await settle(way)
  const [conflict] = await conflictsAt(server)
  expect([...(await marksOf(server, zoe)), conflict?.value?.['score']].sort()).toEqual([44, 59])
})

test.each([
  ['of a laptop that was heard beyond it counts as seen, and the mark goes', true],
  ['of a number that nobody has heard is not, and the mark stays', false],
])('a write by which a mark is there, and which nobody has made: %s', async (_, isHeard) => {
  const { server, laptop, link } = await serverAndLaptop(open)
  const { laptop: other, link: way } = await laptopOf(open, server, people.okafor.id, 'other')
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
  await settle(link, way)
  const dot = [isHeard ? laptop.services.store.nodeId : '019bbbbb-0000-7000-8000-000000000001', 1] as const
  const state = { ...(await zoesAt(server)), alive: [dot] }
  await server.services.store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'grade', state }], { source: null }))
  expect((await zoesAt(server)).alive).toContainEqual(dot)
  await (await signedIn(other, 'okafor')).grades.remove({ params: { id: zoesMark } })
  await (await liar(other, server)).says((row) =>
    row.state.id === zoesMark ? [{ ...row, state: { ...row.state, vv: { ...row.state.vv, [dot[0]]: 1 } } }] : [row],
  )
  expect((await marksOf(server, zoe)).length).toBe(isHeard ? 0 : 1)
})

test('a mark that stands is not told again as a write of somebody else’s', async () => {
  const { server, laptop, link } = await serverAndLaptop(open)
  await server.as.okafor.grades.bulk(mark(zoe, 59))
  await settle(link)
  const before = await zoesAt(server)
  const { says } = await liar(laptop, server)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(zoe, 60))
  const { answers } = await says(({ table, state }) => {
    const [node, counter, hlc] = state.units['score'] as Stamp
    const units = { ...state.units, score: [node, counter, hlc, people.byrne.id] as Stamp }
    return table === 'grade' ? [{ table, state: { ...state, units, values: { ...state.values, score: 59 } } }] : []
  })
  expect(answers).toMatchObject([{ id: zoesMark, outcome: 'refused', code: 'not_yours', units: ['score'] }])
  expect((await zoesAt(server)).units).toEqual(before.units)
})

test('a row does not go by naming a write behind it that counts no more', async () => {
  const { server, laptop, link } = await serverAndLaptop(open)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(zoe, 44))
  await settle(link)
  const former = (await zoesAt(server)).alive
  server.clock.advance(1_000)
  await server.as.okafor.grades.bulk(mark(zoe, 59))
  await settle(link)
  const state = await zoesAt(laptop)
  const { says } = await liar(laptop, server)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
  const { answers } = await says(() => [{ table: 'grade', state: { ...state, alive: former } }])
  expect(answers).toMatchObject([{ id: zoesMark, outcome: 'refused' }])
  expect(await marksOf(server, zoe)).toEqual([59])
})

test('a row that bears a write of the centre has seen it, though a later part of it is by nobody, and it is no second write when it comes', async () => {
  const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
  const direct = await under(centre, laptop, { user: people.ada.id })
  await direct.round()
  await laptopLink.round()
  centre.clock.advance(1_000)
  const both = { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 55, remarks: 'Neat.' }] }
  await (await signedIn(centre, 'okafor')).grades.bulk({ body: both })
  await direct.round()
  const { remarks } = (await zoesAt(box)).values
  // So a laptop gives way to what its school has of the remarks.
  await laptop.services.store.write(asSystem(), async (tx) => {
    const before = await tx.find('grade', stBrigids, zoesMark)
    await tx.update('grade', [{ before: before as never, patch: { remarks: (remarks ?? null) as string | null } }])
  })
  await laptopLink.round()
  const { vv, units, values } = await zoesAt(box)
  expect([values['score'], units['score']?.[0]]).toEqual([55, centre.services.store.nodeId])
  expect(covers(vv, units['score'] as Stamp)).toBe(true)
  await settle(link, laptopLink)
  for (const node of [centre, box, laptop]) expect([await marksOf(node, zoe), await conflictsAt(node)]).toEqual([[55], []])
})
