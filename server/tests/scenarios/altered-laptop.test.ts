import { naturalId } from '@markbook/shared/ids'
import { elan, englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import type { Stamp } from '@markbook/sync/versions'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { asModifiedProgram } from '../../testing/modified-program.ts'
import { signedIn, type UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar, mark, marksOf, renamed } from './altered.fixtures.ts'
import { same, settle } from './scenarios.fixtures.ts'

const OTHER = '01900000-0000-7000-8000-00000000abcd'
const open: School[] = []
let server: School
let laptop: School
let link: UnderParent
beforeEach(async () => {
  ;({ server, laptop, link } = await serverAndLaptop(open))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const heldAt = (node: School) => node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))

describe('a row under another id than what it is of says', () => {
  test('is not taken, and the mark that another program makes of the same pupil is the same everywhere', async () => {
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
    const { answers } = await (await liar(laptop, server)).says((row) => [row.table === 'grade' ? renamed(OTHER, row) : row])
    expect(answers).toMatchObject([{ table: 'grade', id: OTHER, outcome: 'refused', code: 'malformed', theirs: null }])
    expect(await marksOf(server, elan)).toEqual([])
    expect(await server.as.okafor.replication.refused()).toMatchObject([
      { entity: 'grade', row_id: OTHER, value: { score: 11 }, code: 'malformed', actor: { id: people.ada.id } },
    ])
    await server.as.okafor.grades.bulk(mark(elan, 59))
    await settle(link)
    const [a, b] = await same(server, laptop)
    expect(a['grade']).toEqual(b['grade'])
  })

  test('is not taken of a school’s server either, of any table where an id follows', async () => {
    const { centre, box } = await centreAndSchool(open)
    const lied = (Object.keys(descriptions) as Replicated[]).filter((table) => descriptions[table].natural)
    const node = box.services.store.nodeId
    const rows = await box.services.store.read(asSystem(), async (tx) => {
      const found: Parameters<typeof renamed>[1][] = []
      for (const table of lied) {
        const [first] = await rowsWhere(tx, table, stBrigids)
        const state = first && (await knownRows(tx, table, stBrigids, [first.id])).get(first.id)?.state
        if (state) found.push({ table, state })
      }
      return found
    })
    expect(rows).toHaveLength(10)
    await (await signedIn(box, 'okafor')).subjects.create({ body: { name: 'Drama', code: 'DR' } })
    let sent = false
    const { answers } = await (await liar(box, centre)).says(() => {
      if (sent) return []
      sent = true
      const stamp: Stamp = [node, 9_000, 0, null]
      return rows.map((row) => {
        const { table, state } = renamed(OTHER, row)
        const units = Object.fromEntries(Object.keys(state.units).map((unit) => [unit, stamp]))
        return { table, state: { ...state, units, vv: { [node]: 9_000 }, alive: [[node, 9_000]] } }
      })
    })
    expect(answers.map(({ table, code }) => [table, code])).toEqual(rows.map(({ table }) => [table, 'malformed']))
    for (const { table } of rows) expect((await centre.rows(table)).map(({ id }) => id)).not.toContain(OTHER)
  })

  test('of which a deletion went before is not taken either', async () => {
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
    const { says } = await liar(laptop, server)
    await says((row) => [{ table: row.table, state: { ...renamed(OTHER, row).state, alive: [] } }])
    const { answers } = await says((row) => [row.table === 'grade' ? renamed(OTHER, row) : row])
    expect(answers).toEqual([])
    expect(await marksOf(server, elan)).toEqual([])
  })

  test('that comes from a parent waits and is told, beside the row that has its own', async () => {
    await server.as.ada.grades.bulk(mark(elan, 11))
    const { hears } = await liar(laptop, server)
    await hears((row) => [row.table === 'grade' ? renamed(OTHER, row) : row])
    expect(await marksOf(laptop, elan)).toEqual([])
    expect(await heldAt(laptop)).toMatchObject([{ table_name: 'grade', row_id: OTHER, reason: 'another id follows from what it is of' }])
    await settle(link)
    expect(await marksOf(laptop, elan)).toEqual([11])
    expect(await laptop.services.store.read(asSystem(), (tx) => tx.db.$count(tx.t.sync_held))).toBe(1)
  })
})

describe('a mark that somebody else wrote', () => {
  const gradeId = naturalId('grade', mathsExam.id, zoe.id)
  const lies: [string, (state: RowState) => Partial<RowState>][] = [
    ['is not told anew with another value, as if it were that write', (state) => ({ units: later(state, 0) })],
    ['nor as an earlier write of its writer', (state) => ({ units: later(state, 1), vv: { ...state.vv, [people.ada.id]: 1 } })],
    ['nor does it go without a deletion', () => ({ alive: [] })],
  ]
  const later = ({ units }: RowState, earlier: number): RowState['units'] => {
    const [node, counter, hlc, actor] = units['score'] as Stamp
    return { ...units, score: [node, counter - earlier, hlc + 5, actor] }
  }
  test.each(lies)('%s', async (_, lie) => {
    await server.as.okafor.grades.bulk(mark(zoe, 59))
    await settle(link)
    const known = await laptop.services.store.read(asSystem(), (tx) => knownRows(tx, 'grade', stBrigids, [gradeId]))
    const state = known.get(gradeId)?.state as RowState
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
    const told = { ...state, values: { ...state.values, score: 99 }, ...lie(state) }
    const { answers } = await (await liar(laptop, server)).says((row) => [row, { table: 'grade', state: told }])
    expect(answers).toMatchObject([{ id: gradeId, outcome: 'refused', code: 'not_yours' }])
    expect(await marksOf(server, zoe)).toEqual([59])
    expect(await marksOf(server, elan)).toEqual([11])
  })
})

test('a mark in another’s subject is not taken as one in her own', async () => {
  const { says } = await liar(laptop, server)
  const id = naturalId('grade', englishExam.id, zoe.id)
  const scoreAt = async (node: School) => (await node.rows('grade')).find((row) => row.id === id)?.score
  const before = await scoreAt(server)
  await laptop.services.store.write(asSystem(people.ada.id), async (tx) => {
    await tx.update('grade', (await tx.find('grade', stBrigids, id)) as Row<'grade'>, { score: 3 })
  })
  const { answers } = await says(({ table, state }) => [
    { table, state: { ...state, values: { ...state.values, assessment_id: mathsExam.id } } },
  ])
  expect(answers).toMatchObject([{ table: 'grade', id, units: ['score'], outcome: 'refused', code: 'forbidden' }])
  expect(await scoreAt(server)).toBe(before)
})

describe('who belongs to the school, on the laptop of the head', () => {
  const refusal = { status: 409, code: 'sync.not_on_a_laptop', message: /at the school or at the centre/ }
  let hers: School
  let way: UnderParent
  beforeEach(async () => {
    ;({ laptop: hers, link: way } = await laptopOf(open, server, people.okafor.id, 'hers'))
  })

  test('is not written, and she is told where it is', async () => {
    const { schools, outage, sessions } = await signedIn(hers, 'okafor')
    const before = await hers.digest()
    const params = { userId: people.ada.id }
    await expect(schools.updateMember({ params, body: { role: 'admin' } })).rejects.toMatchObject(refusal)
    await expect(schools.removeMember({ params })).rejects.toMatchObject(refusal)
    await expect(outage.newRecoveryCodes()).rejects.toMatchObject(refusal)
    // A code of this laptop would let nobody in at the school.
    await expect(outage.issueDeskCode({ body: params })).rejects.toMatchObject(refusal)
    await expect(outage.resetSignIn({ params })).rejects.toMatchObject(refusal)
    await expect(sessions.endMembers({ params })).rejects.toMatchObject(refusal)
    expect(await hers.digest()).toBe(before)
  })

  test('nor does somebody ask to join from there', async () => {
    await server.as.okafor.schools.removeMember({ params: { userId: people.ada.id } })
    await settle(link)
    const { schools } = await signedIn(laptop, 'ada')
    await expect(schools.requestToJoin({ params: { schoolId: stBrigids }, body: {} })).rejects.toMatchObject(refusal)
    await expect(schools.create({ body: { name: 'Own', schoolType: 'secondary' } })).rejects.toMatchObject(refusal)
  })

  test('is not taken from one that was altered', async () => {
    await hers.services.store.write(asSystem(people.okafor.id), async (tx) => {
      const [before] = (await tx.db.select().from(tx.t.school_management)).filter(({ user_id }) => user_id === people.quinn.id)
      if (before) await asModifiedProgram(tx, () => tx.update('school_management', [{ before, patch: { role: 'admin' } }]))
      const request = { id: OTHER, school_id: stBrigids, user_id: people.okafor.id, status: 'pending' as const, requested_at: tx.now }
      await asModifiedProgram(tx, () => tx.insert('school_join_request', [request]))
    })
    await settle(way)
    for (const node of [server, hers])
      expect((await node.rows('school_management')).find(({ user_id }) => user_id === people.quinn.id)?.role).toBe('teacher')
    expect((await server.rows('school_join_request')).map(({ id }) => id)).not.toContain(OTHER)
    const refused = await server.as.okafor.replication.refused()
    expect(refused.map(({ entity, code }) => [entity, code])).toContainEqual(['school_management', 'forbidden'])
    expect(refused.map(({ entity, code }) => [entity, code])).toContainEqual(['school_join_request', 'forbidden'])
  })
})
