import { rights } from '@markbook/shared/domain/access'
import { COMMONS } from '@markbook/shared/ids'
import { hilltopPupil } from '@markbook/shared/story/marks'
import { hilltop, type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { canonical, type Values } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { afterEach, describe, expect, test } from 'vitest'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { type School, school } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'
import { fillEveryTable, type Lie, liesAbout } from './every-table.fixtures.ts'

/** Rows of each table that are lied about, and ids of each table that lies name. */
const ROWS = 2
const NAMED = 3
const tables = Object.keys(descriptions) as Replicated[]

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** What stands of these schools and of the people of the story: a school may make others. */
async function standing(server: School, schools: readonly string[]): Promise<string[]> {
  const { store } = server.services
  const ofSchools = await Promise.all(schools.map(async (each) => Object.values(await contentsOf(store, each)).flat()))
  const named = new Set<string>(Object.values(people).map(({ id }) => id))
  const profiles = (await server.rows('user_profile')).filter(({ id }) => named.has(id)).map(({ updated_at: _, ...row }) => row)
  const secrets = [...(await server.rows('user_totp')), ...(await server.rows('recovery_code'))]
  return [...ofSchools.flat(), ...[...profiles, ...secrets].map(canonical)]
}

/** Some rows of a school in a table; of people those who are not `own`. */
async function someOf(server: School, table: Replicated, ofSchool: string, own: ReadonlySet<string>): Promise<Carried[]> {
  const { scope } = descriptions[table]
  const rows: { id: string; school_id?: string | null; user_id?: string }[] = await server.rows(table)
  const asked = rows.filter((row) =>
    scope === 'commons' ? !own.has(row.user_id ?? row.id) : (scope === 'self' ? row.id : row.school_id) === ofSchool,
  )
  const ids = asked.slice(0, ROWS).map(({ id }) => id)
  const place = scope === 'commons' ? COMMONS : ofSchool
  const known = await server.services.store.read(asSystem(), (tx) => knownRows(tx, table, place, ids))
  return [...known.values()].map(({ state }) => ({ table, state }))
}

/** A server with a row of every table, and the laptop of a person, who afterwards has only this role. */
async function withLaptopOf(who: PersonName, role: 'admin' | 'teacher' | 'member') {
  const server = await school({ seed: 'server' })
  open.push(server)
  await fillEveryTable(server)
  const { id } = people[who]
  const params = { userId: id }
  if (role === 'member') await server.as.okafor.schools.updateMember({ params, body: { role: 'teacher' } })
  if (people[who].school_id === null)
    await server.services.store.write(asSystem(), (tx) =>
      tx.insert('school_management', { school_id: stBrigids, user_id: id, role, is_active: true }),
    )
  const { laptop } = await laptopOf(open, server, id)
  if (role === 'member') await server.as.okafor.schools.updateMember({ params, body: { role } })
  return { server, laptop }
}

/** What the laptop of a person makes: a row, all of whose units are the person's newest writes. */
const made = (table: Replicated, values: Values & { id: string }, stamp: Stamp): Carried => {
  const units = Object.fromEntries([EXISTENCE, ...Object.keys(descriptions[table].units)].map((unit) => [unit, stamp]))
  const [node, counter] = stamp
  return {
    table,
    state: { id: values.id, schema: SCHEMA_VERSION, vv: { [node]: counter }, units, alive: [[node, counter]], values, extra: null },
  }
}

/** The laptop tells every lie about rows of `about`, each about all tables but those `except`. Returns how many it told. */
async function tellAll(
  who: PersonName,
  { server, laptop }: { server: School; laptop: School },
  about: string,
  except: readonly string[] = [],
) {
  const { invents } = await liar(laptop, server)
  const idsIn = new Map<Replicated, string[]>()
  for (const table of tables) {
    const rows = await server.rows(table)
    // Also the last: a row of the neighbour.
    idsIn.set(
      table,
      [...rows.slice(0, NAMED), ...rows.slice(-1)].map(({ id }) => id),
    )
  }
  const ofSchool = Object.values(people).filter(({ school_id }) => school_id === stBrigids)
  const own = new Set(about === hilltop ? ofSchool.map(({ id }) => id) : [people[who].id])
  const told = await Promise.all(
    tables.filter((table) => !except.includes(table)).map(async (table) => ({ table, rows: await someOf(server, table, about, own) })),
  )
  if (about === stBrigids) expect(told.filter(({ rows }) => rows.length === 0)).toEqual([])
  // A head may copy rows of others into the own school.
  const untouched = about === hilltop ? [hilltop] : [stBrigids, hilltop]
  const before = await standing(server, untouched)
  let count = 0
  for (let at = 0, more = true; more; at += 1) {
    const counter = 1_000 + at
    const stamp: Stamp = [laptop.services.store.nodeId, counter, server.services.clock.now(), people[who].id]
    const lies = told.flatMap(({ table, rows }) =>
      rows.flatMap(({ state }): (Lie & { table: Replicated })[] => {
        const lie = liesAbout(table, state, { stamp, school: about === hilltop ? stBrigids : hilltop, named: (of) => idsIn.get(of) ?? [] })[
          at
        ]
        return lie ? [{ table, ...lie }] : []
      }),
    )
    more = lies.length > 0
    count += lies.length
    const tells = (some: readonly Carried[]) =>
      invents(
        counter,
        some.map(({ table, state }) => ({ table, state })),
      ).then(
        () => true,
        () => false,
      )
    // A page may fail for one row, which then nobody but the liar lacks: the others are told alone.
    if (!(await tells(lies))) for (const lie of lies) await tells([lie])
    const after = await standing(server, untouched)
    if (canonical(after) !== canonical(before)) {
      const names = lies.map(({ table, name }) => `${table}: ${name}`)
      expect(after, names.join('\n')).toEqual(before)
    }
  }
  return count
}

describe('what an altered laptop says of every table, column by column, changes nothing', () => {
  test('of a member, whom no route lets write anything of a school', { timeout: 300_000 }, async () => {
    expect(Object.entries(rights).flatMap(([area, { member }]) => (member ? [area] : []))).toEqual(['ownAccount', 'readSchoolSetup'])
    expect(await tellAll('niamh', await withLaptopOf('niamh', 'member'), stBrigids)).toBeGreaterThan(500)
  })

  test('of a teacher without a class, but in pupils and in classes', { timeout: 300_000 }, async () => {
    const free = Object.entries(rights).flatMap(([area, { teacher }]) => (teacher && !/^(read|own)/.test(area) ? [area] : []))
    expect(free).toEqual(['writeStudents', 'createClass'])
    const except = ['student', 'student_group']
    expect(await tellAll('nobody', await withLaptopOf('nobody', 'teacher'), stBrigids, except)).toBeGreaterThan(500)
  })

  test('of a head about another school, and about people', { timeout: 300_000 }, async () => {
    expect(await tellAll('okafor', await withLaptopOf('okafor', 'admin'), hilltop)).toBeGreaterThan(300)
  })
})

test('a pupil under the id of a pupil of another school, who gets another number, leaves that one as it was', async () => {
  const { server, laptop } = await withLaptopOf('ada', 'teacher')
  const { invents } = await liar(laptop, server)
  const before = (await server.rows('student')).find(({ id }) => id === hilltopPupil.id)
  const values = { ...before, id: hilltopPupil.id, school_id: stBrigids }
  for (const [counter, student_number] of [
    [1_000, 'SB-1'],
    [1_001, 'SB-2'],
  ] as const) {
    const stamp: Stamp = [laptop.services.store.nodeId, counter, server.services.clock.now(), people.ada.id]
    expect((await invents(counter, [made('student', { ...values, student_number }, stamp)])).answers).toEqual([])
  }
  const pupils = (await server.rows('student')).filter(({ id }) => id === hilltopPupil.id)
  expect(pupils.find(({ school_id }) => school_id === stBrigids)).toMatchObject({ student_number: 'SB-2' })
  expect(pupils.find(({ school_id }) => school_id === hilltop)).toEqual(before)
})

describe('what an altered server of a school says to the centre', () => {
  test('of every table of another school, and of its people, changes nothing', { timeout: 300_000 }, async () => {
    const { centre, box } = await centreAndSchool(open)
    expect(await tellAll('okafor', { server: centre, laptop: box }, hilltop)).toBeGreaterThan(300)
  })
})
