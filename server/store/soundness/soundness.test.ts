import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'
import { tamper as tamperIn } from '../../testing/tamper.ts'
import { openCentralStore, openSchoolStore } from '../store.ts'
import { asSystem } from '../tx.ts'
import { soundnessOfPostgres } from './postgres.ts'
import type { CheckOptions } from './soundness.ts'
import { soundnessOfSqlite } from './sqlite.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const whole = { quick: false, tell: () => {} }
const soundness = (looking: CheckOptions = whole) =>
  onPostgres ? soundnessOfPostgres(st.database.url, looking) : soundnessOfSqlite(st.database.folder, looking)
const file = () => join(st.database.folder, 'markbook.sqlite')
const tamper = (text: (at: (table: string) => string) => string) => tamperIn(st.database, text)

const kinds = async () => {
  const found = await soundness()
  return found.state === 'read' ? found.damage.map(({ kind }) => kind) : found.state
}

describe('a sound database', () => {
  test('is read whole, while the server has it open, and nothing is changed', async () => {
    const { services, as } = st
    const [first] = await as.okafor.students.list()
    if (!first) throw new Error('the story has no students')
    await as.okafor.students.update({ params: { id: first.id }, body: { lastName: 'Ní Bhriain' } })
    const before = await st.digest()
    expect(await soundness()).toMatchObject({
      state: 'read',
      standing: 'current',
      damage: [],
      newest: { at: services.clock.now(), own: services.clock.now(), others: [] },
    })
    expect(await st.digest()).toBe(before)
  })
})

describe('when the newest entries were written', () => {
  const [laptop, below, other] = ['a', 'b', 'c'].map((letter) => `00000000-0000-7000-8000-00000000000${letter}`) as [string, string, string]
  const columns = 'school_id, node_seq, actor_id, entity, row_id, near_id, action, changes, head'
  const written = (node: string, { at, source }: { at: string; source: string }) =>
    tamper(
      (place) => `insert into ${place('history')} (id, seq, at, node_id, source_id, ${columns})
        select '${node}', 900000, '${at}', '${node}', '${source}', ${columns} from ${place('history')} limit 1`,
    )
  test('is reported for this node, under each of its ids, and for others by name', async () => {
    const { store, clock } = st.services
    await store.write(asSystem(), async (tx) => {
      await tx.local.insert(tx.t.sync_peer).values({ ...neighbour, id: laptop, node_id: laptop, enrolled_at: tx.now })
    })
    const own = clock.now()
    await written(laptop, { at: '2099-01-02T03:04:05.678Z', source: laptop })
    await written(below, { at: '2098-01-01T00:00:00.000Z', source: laptop })
    await written(other, { at: '2020-01-01T00:00:00.000Z', source: other })
    const found = await soundness()
    if (found.state !== 'read') throw new Error(found.state)
    const at = Date.parse('2099-01-02T03:04:05.678Z')
    expect(found).toMatchObject({ damage: [], newest: { at, own } })
    expect([...found.newest.others].sort((a, b) => b.at - a.at)).toEqual([
      { name: 'Ada’s laptop', by: 'Ada’s laptop', at },
      { name: null, by: 'Ada’s laptop', at: Date.parse('2098-01-01T00:00:00.000Z') },
      { name: null, by: null, at: Date.parse('2020-01-01T00:00:00.000Z') },
    ])
    await store.renewNode()
    expect(await soundness()).toMatchObject({ newest: { at, own } })
  })
})

const neighbour = {
  side: 'child' as const,
  kind: 'laptop' as const,
  name: 'Ada’s laptop',
  place: 0,
  public_key: 'none',
  box_key: 'none',
  own_seq: 0,
  own_people: 0,
  highest_counter: 0,
  session_number: 0,
}

describe('what is found', () => {
  test('a row without its parent, and the version of a row that is gone', async () => {
    await tamper((at) => `delete from ${at('student')} where id = (select student_id from ${at('grade')} order by id limit 1)`)
    expect(await kinds()).toEqual(expect.arrayContaining(['orphans', 'versions']))
  })

  test('a row without its version', async () => {
    await tamper((at) => `delete from ${at('sync_row')} where table_name = 'grade'`)
    expect(await soundness()).toMatchObject({ damage: [{ kind: 'versions', count: 45 }] })
  })

  test.each([
    [
      'changed',
      (at: (table: string) => string) =>
        `update ${at('history')} set changes = '{}' where entity = 'grade' and seq = (select max(seq) from ${at('history')} where entity = 'grade')`,
    ],
    [
      'taken out',
      (at: (table: string) => string) =>
        `delete from ${at('history')} where id = (select id from ${at('history')} where entity = 'grade' order by id limit 1)`,
    ],
  ])('an entry of the history that was %s', async (_, text) => {
    await tamper(text)
    expect(await kinds()).toEqual(['history'])
  })

  test('a database of a newer Markbook, which this program does not open', async () => {
    const done = onPostgres ? 'drizzle.__drizzle_migrations' : '__drizzle_migrations'
    await tamper(() => `insert into ${done} (hash, created_at) values ('later', 99999999999999)`)
    expect(await soundness()).toMatchObject({ state: 'read', standing: 'newer' })
    await st.services.store.close()
    const options = { clock: st.clock, newId: () => '', beforeMigration: () => Promise.reject(new Error('nothing is to be migrated')) }
    const opening = onPostgres
      ? openCentralStore(st.database.url, { ...options, role: 'centre' })
      : openSchoolStore(st.database.folder, { ...options, role: 'school' })
    await expect(opening).rejects.toThrow(/^The database is of a newer Markbook than this program\. .* Nothing was changed\.$/)
  })
})

describe.skipIf(onPostgres)('the file of a school', () => {
  test('a flipped byte in a page', async () => {
    await st.services.store.close()
    const bytes = readFileSync(file())
    let damaged = 0
    for (let page = 10; page < 30; page += 1) {
      const copy = Buffer.from(bytes)
      // The page header: its type, and the start of its cells.
      copy.writeUInt8(copy.readUInt8(page * 4_096) ^ 0xff, page * 4_096)
      writeFileSync(file(), copy)
      const found = await kinds()
      if (found === 'unreadable' || found.includes('pages')) damaged += 1
    }
    expect(damaged).toBe(20)
  })

  test('a truncated file, a file of another kind, one of another program, a missing one', async () => {
    await st.services.store.close()
    truncateSync(file(), 20_000)
    expect(await kinds()).toSatisfy((found: unknown) => found === 'unreadable' || (Array.isArray(found) && found.includes('pages')))
    writeFileSync(file(), 'a letter to the parents')
    expect(await kinds()).toBe('unreadable')
    writeFileSync(file(), '')
    expect(await kinds()).toBe('absent')
    const other = new Database(file())
    other.exec('create table recipe (name text)')
    other.close()
    expect(await kinds()).toBe('no markbook')
  })
})

test('a quick check reads only the rows written last; a full one reports its progress', async () => {
  await tamper((at) => `update ${at('sync_row')} set deleted = true where table_name = 'grade'`)
  const { clock } = st
  clock.advance(60_000)
  const [first] = await st.as.okafor.students.list()
  await st.as.okafor.students.update({ params: { id: first?.id ?? '' }, body: { lastName: 'Ní Bhriain' } })
  expect(await soundness({ quick: true, tell: () => {} })).toMatchObject({
    isWhole: false,
    damage: [],
    newest: { own: clock.now(), others: [] },
  })
  const told: string[] = []
  expect(await soundness({ quick: false, tell: (how) => told.push(how) })).toMatchObject({
    isWhole: true,
    damage: [{ kind: 'versions', detail: expect.stringMatching(/^grade: \d+ without a version/) }],
  })
  expect(told.at(-1)).toBe('3 of 3 schools')
})

test.runIf(onPostgres)('a database that PostgreSQL lets only be read, as on a standby', async () => {
  const { url } = st.database
  const sql = postgres(url, { max: 1, connection: { default_transaction_read_only: 'off' } as never, onnotice: () => {} })
  const name = new URL(url).pathname.slice(1)
  const set = (value: string) => sql.unsafe(`alter database "${name}" set default_transaction_read_only = ${value}`)
  try {
    await set('on')
    expect(await soundnessOfPostgres(url, whole)).toMatchObject({ state: 'read-only' })
  } finally {
    await set('off')
    await sql.end()
  }
})

test.runIf(onPostgres)('a server that does not answer, and a missing database', async () => {
  expect(await soundnessOfPostgres('postgres://127.0.0.1:1/markbook', whole)).toMatchObject({ state: 'unreachable' })
  const url = Object.assign(new URL(st.database.url), { pathname: '/not_made_yet' }).href
  expect(await soundnessOfPostgres(url, whole)).toMatchObject({ state: 'refused' })
})
