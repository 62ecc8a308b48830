import { randomBytes } from 'node:crypto'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { restamp } from '../replication/incarnation/restamp.ts'
import { type School, school } from '../testing/school.ts'
import { openCentralStore, type Store } from './store.ts'
import { asSystem, type WriteTx } from './tx.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const newId = idSource(systemClock.now, (size) => randomBytes(size))

let st: School
let here: Store
/** Another instance on the same database; on SQLite, which has only one, the same store. */
let other: Store
beforeEach(async () => {
  st = await school()
  here = st.services.store
  other = onPostgres ? await openCentralStore(st.database.url, { clock: systemClock, newId, role: 'centre', beside: true }) : here
})
afterEach(async () => {
  if (onPostgres) await other.close()
  await st.close()
})

let phones = 0
const rename = (store: Store) =>
  store.write(asSystem(), async (tx) => {
    const before = await tx.find('school', stBrigids, stBrigids)
    phones += 1
    if (before) await tx.update('school', [{ before, patch: { phone: `${phones}` } }])
  })
const lastWriter = async () => (await here.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))).at(-1)?.node_id
const allAnew = (node: string) => (tx: WriteTx) => restamp(tx, stBrigids, [{ node, acknowledged: 0 }])

test('after the end of an incarnation another instance writes under the next one', async () => {
  const ended = here.nodeId
  await rename(other)
  expect(await lastWriter()).toBe(ended)
  expect(await here.replaceNode(ended, allAnew(ended))).toBe(true)
  await rename(other)
  expect(await lastWriter()).toBe(here.nodeId)
  expect(other.nodeId).toBe(here.nodeId)
  expect(here.nodeId).not.toBe(ended)
})

test('of two instances that end one incarnation, one begins the next, and both go on under it', async () => {
  const ended = here.nodeId
  const done = await Promise.all([here, other].map((store) => store.replaceNode(ended, allAnew(ended))))
  expect(done.filter(Boolean)).toHaveLength(1)
  expect(other.nodeId).toBe(here.nodeId)
})

test('while many write, no write is lost under the ended incarnation', async () => {
  const ended = here.nodeId
  const writing = [...Array(16).keys()].map((each) => rename(each % 2 ? here : other))
  await Promise.all([...writing.slice(0, 8), here.replaceNode(ended, allAnew(ended)), ...writing.slice(8)])
  await rename(other)
  const rows = await here.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_row))
  const behind = rows.filter(({ school_id, units }) => school_id === stBrigids && units.includes(ended))
  expect(behind).toEqual([])
})

test('where the write of the next incarnation fails, the present one stays', async () => {
  const ended = here.nodeId
  const fails = here.replaceNode(ended, async () => {
    throw new Error('the disk is full')
  })
  await expect(fails).rejects.toThrow('the disk is full')
  expect(here.nodeId).toBe(ended)
  await rename(here)
  expect(await lastWriter()).toBe(ended)
})
