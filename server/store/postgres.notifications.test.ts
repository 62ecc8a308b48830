import { randomBytes } from 'node:crypto'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { hilltop, stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commitWaiters } from '../replication/downstream/commit-waiters.ts'
import { type School, school } from '../testing/school.ts'
import { openCentralStore, type Store } from './store.ts'
import { asSystem } from './tx.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const newId = idSource(systemClock.now, (size) => randomBytes(size))
/** Well below the second after which a waiting request reads the feed by itself. */
const SOON = 700

let st: School
let other: Store
beforeEach(async () => {
  st = await school()
  if (onPostgres) other = await openCentralStore(st.database.url, { clock: systemClock, newId, role: 'centre', beside: true })
})
afterEach(async () => {
  if (onPostgres) await other.close()
  await st.close()
})

const renamed = (store: Store, id: string, phone: string) =>
  store.write(asSystem(), async (tx) => {
    const before = await tx.find('school', id, id)
    if (before) await tx.update('school', [{ before, patch: { phone } }])
  })
const after = (ms: number) => new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), ms))
const heard = (waiting: { promise: Promise<void> }, ms: number) => Promise.race([waiting.promise.then(() => 'heard' as const), after(ms)])

test.skipIf(!onPostgres)(
  'a request that waits at one instance is woken by a relevant commit of another, and by no other commit',
  async () => {
    const news = commitWaiters(other)
    // The first waiting request makes the instance listen, and is woken once when that begins.
    await news.next([stBrigids], 5_000).promise
    const waiting = news.next([stBrigids], 5_000)
    await renamed(st.services.store, hilltop, '1')
    expect(await heard(waiting, 200)).toBe('late')
    await renamed(st.services.store, stBrigids, '2')
    expect(await heard(waiting, SOON)).toBe('heard')
  },
)

test.skipIf(!onPostgres)('an instance publishes its last commits before it closes', async () => {
  const news = commitWaiters(st.services.store)
  await news.next([stBrigids], 5_000).promise
  const waiting = news.next([stBrigids], 5_000)
  await renamed(other, stBrigids, '3')
  await other.close()
  expect(await heard(waiting, SOON)).toBe('heard')
})
