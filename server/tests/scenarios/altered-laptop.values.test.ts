import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { maths } from '@markbook/shared/story/school-year'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { RowState, Values } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { afterEach, describe, expect, test } from 'vitest'
import { isWritable } from '../../replication/scope/normal-form.ts'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar, mark, marksOf } from './altered.fixtures.ts'
import { settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const OTHER = '01900000-0000-7000-8000-00000000abcd'
const LARGE = 1_000_000_000_000

type Lie = (state: RowState, own: string, server: string) => Partial<RowState>
const says =
  (values: Values): Lie =>
  (state) => ({ values: { ...state.values, ...values } })
const stamps =
  (make: (stamp: Stamp, server: string) => Stamp, ...units: string[]): Lie =>
  (state, _own, server) => ({
    units: Object.fromEntries(
      Object.entries(state.units).map(([unit, stamp]) => [unit, units.length === 0 || units.includes(unit) ? make(stamp, server) : stamp]),
    ),
  })

/** An honest mark of the laptop's person, changed on its way: none of these may leave anything in a table. */
const lies: Record<string, Lie> = {
  'more decimals than two': says({ score: 12.123456789 }),
  'a score above the maximum': says({ score: 100.01 }),
  'a score far above it': says({ score: 99_999.99 }),
  'a score beyond every maximum': says({ score: 1e9 }),
  'a negative score': says({ score: -1 }),
  'no score': says({ score: null }),
  'a code in capitals': says({ score: null, status: 'ABS' }),
  'a code in capitals beside a score': says({ status: 'LATE' }),
  'a score that is text': says({ score: '12' }),
  'remarks of 100,000 characters': says({ remarks: 'a'.repeat(100_000) }),
  'remarks with a bell': says({ remarks: 'a\u0007' }),
  'remarks with a line separator': says({ remarks: 'a\u2028b' }),
  'remarks with half a character': says({ remarks: '\ud800' }),
  'remarks that are a number': says({ remarks: 5 }),
  'a reason of 100,000 characters': says({ exclusion_reason: 'a'.repeat(100_000) }),
  'a reason with a line break': says({ exclusion_reason: 'a\nb' }),
  'an exclusion that is text': says({ is_excluded: 'yes' }),
  'somebody else as its author': says({ created_by: people.okafor.id }),
  'an author who is no id': says({ created_by: 'somebody' }),
  'a creation that was yesterday': says({ created_at: 'yesterday' }),
  'another school': says({ school_id: hilltop }),
  'another pupil under the same id': says({ student_id: zoe.id }),
  'an assessment that is nowhere': says({ assessment_id: OTHER }),
  'a pupil that is no id': says({ student_id: 'zoe' }),
  'another id': (state) => ({ id: OTHER, values: { ...state.values, id: OTHER } }),
  'the actor of somebody else': stamps(([node, counter, hlc]) => [node, counter, hlc, people.okafor.id]),
  'no actor': stamps(([node, counter, hlc]) => [node, counter, hlc, null]),
  'an actor who is no id': stamps(([node, counter, hlc]) => [node, counter, hlc, 'ada']),
  'the actor of somebody else in one unit': stamps(([node, counter, hlc]) => [node, counter, hlc, people.okafor.id], 'score'),
  'a dot of this server': stamps(([, counter, hlc, actor], server) => [server, counter, hlc, actor]),
  'a dot of this server in one unit': stamps(([, counter, hlc, actor], server) => [server, counter, hlc, actor], 'remarks'),
  'a dot of nobody': stamps(([, counter, hlc, actor]) => [OTHER, counter, hlc, actor]),
  'a dot of what is no node': stamps(([, counter, hlc, actor]) => ['node', counter, hlc, actor]),
  'a counter that the laptop has not reached': stamps(([node, , hlc, actor]) => [node, LARGE, hlc, actor]),
  'a negative counter': stamps(([node, , hlc, actor]) => [node, -1, hlc, actor]),
  'a clock beyond the last moment': stamps(([node, counter, , actor]) => [node, counter, 1e15, actor]),
  'a clock that is text': stamps(([node, counter, , actor]) => [node, counter, 'now' as never, actor]),
  'a vector of this server that is text': (state, _own, server) => ({ vv: { ...state.vv, [server]: 'all' as never } }),
  'a vector that is negative': (state, own) => ({ vv: { ...state.vv, [own]: -1 } }),
  'no units': () => ({ units: {} }),
  'no existence of its own': (state) => ({
    units: Object.fromEntries(Object.entries(state.units).filter(([unit]) => unit !== EXISTENCE && unit !== 'score')),
  }),
  'a part that no program has': (state) => ({ units: { ...state.units, whim: state.units['score'] as Stamp }, extra: { whim: { a: 1 } } }),
  'a column that no program has, in a part that is known': () => ({ extra: { score: { whim: 1 } } }),
  'a schema that is text': () => ({ schema: 'newest' as never }),
  'a presence that is none': () => ({ alive: [['laptop'] as never] }),
}

/** What a server of a school may say as little as a laptop: it judges its own people's rights, and no values. */
const ofValues = Object.entries(lies).filter(([name]) =>
  /score|code|remarks|reason|exclusion that|creation|school|pupil|id$|clock|counter|vector/.test(name),
)

test('a server of a school sends a mark as the interface takes it, or not at all', async () => {
  const { centre, box } = await centreAndSchool(open)
  const link = async () => makeRound(box, carrierTo(centre))
  await link()
  expect(ofValues.length).toBeGreaterThanOrEqual(25)
  await (await signedIn(box, 'ada')).grades.bulk(mark(elan, 11))
  const { says: tells } = await liar(box, centre)
  for (const [name, lie] of ofValues) {
    const change = ({ table, state }: Carried): Carried[] =>
      table === 'grade' ? [{ table, state: { ...state, ...lie(state, box.services.store.nodeId, centre.services.store.nodeId) } }] : []
    await tells(change).catch(() => undefined)
    expect(await marksOf(centre, elan), name).toEqual([])
  }
  await link()
  expect(await marksOf(centre, elan)).toEqual([11])
})

describe('an honest mark that is changed on its way', () => {
  test('forty and more kinds of lies leave no row otherwise than it was, and the mark itself is taken', async () => {
    expect(Object.keys(lies).length).toBeGreaterThanOrEqual(40)
    const { server, laptop, link } = await serverAndLaptop(open)
    const [own, other] = [laptop.services.store.nodeId, server.services.store.nodeId]
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
    const { says: tells } = await liar(laptop, server)
    const rowsOf = async () => {
      const { sync_conflict: _, ...rows } = await contentsOf(server.services.store)
      return rows
    }
    const before = await rowsOf()
    for (const [name, lie] of Object.entries(lies)) {
      const change = ({ table, state }: Carried): Carried[] =>
        table === 'grade' ? [{ table, state: { ...state, ...lie(state, own, other) } }] : []
      await tells(change).catch(() => undefined)
      expect(await rowsOf(), name).toEqual(before)
    }
    await settle(link)
    expect(await marksOf(server, elan)).toEqual([11])
  })
})

test('what stands in a row that is made, and bears no stamp, is not taken: nobody says that they wrote it', async () => {
  const { server, laptop, link } = await serverAndLaptop(open)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
  const { says: tells } = await liar(laptop, server)
  const without = (unit: string, told: Partial<RowState>) =>
    tells(({ table, state }) => {
      const units = Object.fromEntries(Object.entries(state.units).filter(([name]) => name !== unit))
      return table === 'grade' ? [{ table, state: { ...state, units, ...told, values: { ...state.values, ...told.values } } }] : []
    })
  const { answers } = await without('score', { values: { score: 99_999 } })
  expect(answers).toMatchObject([{ outcome: 'refused', code: 'malformed' }])
  expect(await marksOf(server, elan)).toEqual([])
  await without('remarks', { values: { remarks: 'a'.repeat(100_000) }, extra: { whim: { a: 1 }, row: { whim: 1 } } })
  const row = (await server.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === elan.id)
  expect([row?.score, row?.remarks]).toEqual([11, null])
  const beside = await server.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_row))
  expect(beside.find(({ row_id }) => row_id === row?.id)).toMatchObject({ extra: null })
  await settle(link)
  expect(await marksOf(server, elan)).toEqual([11])
})

test('what the story holds, the interface would take', async () => {
  const { server } = await serverAndLaptop(open)
  await server.services.store.read(asSystem(), async (tx) => {
    for (const table of Object.keys(descriptions) as Replicated[])
      for (const row of await rowsWhere(tx, table, stBrigids))
        expect(isWritable(table, row, Object.keys(row)), `${table} ${JSON.stringify(row)}`).toBe(true)
  })
})

test('a subject is not made another by an own write of its existence', async () => {
  const { server, laptop } = await serverAndLaptop(open)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
  const known = await laptop.services.store.read(asSystem(), (tx) => knownRows(tx, 'subject', stBrigids, [maths.id]))
  const state = known.get(maths.id)?.state as RowState
  const before = await server.rows('subject')
  await (await liar(laptop, server)).says((row) => {
    const stamp = Object.values(row.state.units)[0] as Stamp
    const lie = { ...state, units: { ...state.units, [EXISTENCE]: stamp }, vv: { ...state.vv, [stamp[0]]: stamp[1] } }
    return [
      row,
      { table: 'subject', state: { ...lie, values: { ...state.values, created_at: '2001-01-01T00:00:00.000Z', school_id: hilltop } } },
    ]
  })
  expect((await server.rows('subject')).map(({ updated_at: _, ...row }) => row)).toEqual(before.map(({ updated_at: _, ...row }) => row))
})

/** A mark of the laptop's person goes up as a row of the server's, changed and stamped as their newest write of this unit. */
async function saidOf(who: 'ada' | 'okafor', table: Replicated, id: string, unit: string, lie: Partial<RowState>) {
  const { server } = await serverAndLaptop(open)
  const { laptop } = await laptopOf(open, server, people[who].id)
  await (await signedIn(laptop, who)).grades.bulk(mark(elan, 11))
  const state = (await server.services.store.read(asSystem(), (tx) => knownRows(tx, table, stBrigids, [id]))).get(id)?.state as RowState
  const { answers } = await (await liar(laptop, server)).says((row) => {
    if (row.table !== 'grade') return []
    const stamp = row.state.units['score'] as Stamp
    const vv = { ...state.vv, [stamp[0]]: stamp[1] }
    return [{ table, state: { ...state, ...lie, vv, units: { ...state.units, [unit]: stamp } } }]
  })
  return { server, answers }
}

test('a pupil is deleted by administrators alone', async () => {
  const robin = (await (await serverAndLaptop(open)).server.rows('student')).find(({ first_name }) => first_name === 'Robin')
  const { server, answers } = await saidOf('ada', 'student', robin?.id as string, EXISTENCE, { alive: [] })
  expect(answers).toMatchObject([{ outcome: 'refused', code: 'forbidden' }])
  expect((await server.rows('student')).map(({ id }) => id)).toContain(robin?.id)
})

test.each([
  ['sent without what is frozen with it', { status: 'sent_to_ministry', sent_snapshot: {} }],
  ['a draft with what was sent', { status: 'draft', sent_snapshot: {} }],
])('a book is not %s', async (_, values) => {
  const before = (await (await serverAndLaptop(open)).server.rows('report_book')).find(({ id }) => id === draftReport.id)
  const { server, answers } = await saidOf('okafor', 'report_book', draftReport.id, 'status', { values: { ...before, ...values } })
  expect(answers).toMatchObject([{ outcome: 'refused', code: 'malformed' }])
  expect((await server.rows('report_book')).find(({ id }) => id === draftReport.id)).toEqual(before)
})

/** A pupil's name, changed on the laptop, arrives with these parts, which nobody entered there. */
async function bringsWithName(who: 'ada' | 'byrne', parts: Partial<Row<'student'>>) {
  const { server } = await serverAndLaptop(open)
  const { laptop } = await laptopOf(open, server, people[who].id, who)
  await (await signedIn(laptop, who)).students.update({ params: { id: elan.id }, body: { firstName: 'Alan' } })
  await (await liar(laptop, server)).says(({ table, state }) => {
    const stamp = state.units['name']
    if (table !== 'student' || !stamp) return []
    const units = { ...state.units, ...Object.fromEntries(Object.keys(parts).map((part) => [part, stamp])) }
    return [{ table, state: { ...state, units, values: { ...state.values, ...parts } } }]
  })
  const { first_name, date_of_birth, gender } = (await server.rows('student')).find(({ id }) => id === elan.id) ?? {}
  return { first_name, date_of_birth, gender }
}

test('who does not see a birth date or a gender brings none, nor what came in one write with it', async () => {
  const { first_name, date_of_birth, gender } = elan
  const lie = { date_of_birth: '2001-02-03', gender: 'other' } as const
  expect(await bringsWithName('ada', {})).toEqual({ first_name: 'Alan', date_of_birth, gender })
  for (const part of ['date_of_birth', 'gender'] as const)
    expect(await bringsWithName('ada', { [part]: lie[part] }), part).toEqual({ first_name, date_of_birth, gender })
  expect(await bringsWithName('byrne', lie)).toEqual({ first_name: 'Alan', ...lie })
})
