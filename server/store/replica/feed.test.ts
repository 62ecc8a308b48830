import { randomBytes } from 'node:crypto'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { canonical } from '@markbook/sync/merge/state'
import { asc, eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { createDatabase, openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { times } from '../../testing/long.ts'
import { openCentralStore, type Store } from '../store.ts'
import { asSystem, type WriteTx } from '../tx.ts'
import { readFeed } from './feed.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const newId = idSource(systemClock.now, (size) => randomBytes(size))
const options = { clock: systemClock, newId }
const WRITERS = 8
const SCHOOLS = 4
const each = times(25, 1_000)

/** On Postgres two instances of a centre, so that nothing in one process can put writers in order. */
let stores: readonly [Store, Store]
let end = async () => {}
beforeAll(async () => {
  if (onPostgres) {
    const { url, drop } = await createDatabase(inject('postgresUrl'))
    stores = [await openCentralStore(url, { ...options, role: 'centre' }), await openCentralStore(url, { ...options, role: 'centre' })]
    end = async () => {
      for (const store of stores) await store.close()
      await drop()
    }
  } else {
    const at: TestDatabase = await openTestDatabase('sqlite', options, '')
    stores = [at.store, at.store]
    end = at.drop
  }
})
afterAll(() => end())

const reading: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of reading.splice(0)) await each.stop()
})

const within = (count: number) => Math.floor(Math.random() * count)

async function aSchool(tx: WriteTx): Promise<string> {
  const id = tx.newId()
  const nothing = { code: null, address: null, email: null, phone: null }
  await tx.insert('school', [{ id, name: `School ${id}`, school_type: 'secondary', is_active: true, ...nothing }])
  return id
}

let count = 0
const subjectRow = (tx: WriteTx, school_id: string) => {
  count += 1
  return { id: tx.newId(), school_id, name: `Subject ${count}`, code: `S${count}`, sort_order: 0, is_active: true }
}

/** One transaction in one or two schools: new rows, a change and now and then a deletion of its own; some take their time before the end. */
async function write(store: Store, schools: readonly string[], own: Map<string, string>): Promise<void> {
  const places = within(4) === 0 ? [schools[within(schools.length)], schools[within(schools.length)]] : [schools[within(schools.length)]]
  const made: [string, string][] = []
  const gone: string[] = []
  await store.write(asSystem(), async (tx) => {
    made.length = 0
    gone.length = 0
    for (const school of new Set(places) as Set<string>) {
      const rows = Array.from({ length: 1 + within(3) }, () => subjectRow(tx, school))
      await tx.insert('subject', rows)
      for (const { id } of rows) made.push([id, school])
      const [earlier] = [...own].filter(([id, at]) => at === school && !gone.includes(id)).slice(within(5))
      const before = earlier && (await tx.find('subject', school, earlier[0]))
      if (!before) continue
      if (within(4) > 0) await tx.update('subject', [{ before, patch: { name: `Changed ${before.name}`.slice(0, 90) } }])
      else {
        await tx.remove('subject', [before])
        gone.push(before.id)
      }
    }
    if (onPostgres && within(5) === 0) await tx.connection.run('select pg_sleep(0.01)', [])
  })
  for (const [id, school] of made) own.set(id, school)
  for (const id of gone) own.delete(id)
}

type FeedReading = { rows: Map<string, string>; to: number; pages: number; done: Promise<void>; finish(): void; stop(): Promise<void> }

/** Reads a school's feed in small pages while it grows, as a child does; `finish` reads what is left. */
function follow(store: Store, school: string): FeedReading {
  let going = true
  const seen: FeedReading = {
    rows: new Map(),
    to: 0,
    pages: 0,
    done: Promise.resolve(),
    finish: () => {
      going = false
    },
    stop: async () => {
      going = false
      await seen.done.catch(() => {})
    },
  }
  const run = async () => {
    for (let isLast = false; going || !isLast; ) {
      const wasGoing = going
      const page = await store.read(asSystem(), (tx) => readFeed(tx, school, { after: seen.to, limit: 7, notFrom: [] }))
      expect(page.to).toBeGreaterThanOrEqual(seen.to)
      for (const { table, state } of page.rows) seen.rows.set(`${table} ${state.id}`, canonical([state.vv, state.alive]))
      seen.to = page.to
      seen.pages += 1
      isLast = page.isLast && !wasGoing
      if (page.isLast) await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  seen.done = run()
  reading.push(seen)
  return seen
}

const storedRows = (store: Store, school: string) =>
  store.read(asSystem(), async (tx) => {
    const { rows } = await readFeed(tx, school, { after: 0, limit: 1_000_000, notFrom: [] })
    return new Map(rows.map(({ table, state }) => [`${table} ${state.id}`, canonical([state.vv, state.alive])]))
  })

test(`${WRITERS} writers in ${SCHOOLS} schools at once, ${each} transactions each: whoever follows a feed misses nothing, in order, without a gap`, async () => {
  const [first, second] = stores
  const schools: string[] = []
  for (let at = 0; at < SCHOOLS; at += 1) schools.push(await first.write(asSystem(), aSchool))
  const followed = schools.map((school, at) => ({ school, seen: follow(stores[at % 2] as Store, school) }))
  const began = performance.now()
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, at) => {
      const own = new Map<string, string>()
      for (let time = 0; time < each; time += 1) await write(at % 2 ? first : second, schools, own)
    }),
  )
  const seconds = (performance.now() - began) / 1_000
  for (const { seen } of followed) seen.finish()
  for (const { school, seen } of followed) {
    await seen.done
    const { history } = first.dialect.tables
    const [feed, numbers] = await first.read(asSystem(), async (tx) => [
      await tx.dialect.feedOf(tx.connection, school),
      await tx.db.selectDistinct({ seq: history.seq }).from(history).where(eq(history.school_id, school)).orderBy(asc(history.seq)),
    ])
    // Every number of the feed was given to one transaction, and none was left out.
    expect(numbers.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: feed.seq }, (_, at) => at + 1))
    expect(seen.to).toBe(feed.seq)
    expect(seen.rows).toEqual(await storedRows(second, school))
    expect(seen.pages).toBeGreaterThan(3)
  }
  const { retried } = first.load().writes
  console.log(`${WRITERS * each} transactions of ${WRITERS} writers in ${seconds.toFixed(1)} s, ${retried} tried again`)
})
