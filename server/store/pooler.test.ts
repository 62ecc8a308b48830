import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { people, schools, stBrigids } from '@markbook/shared/story/people'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDatabase } from '../testing/database.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../testing/pgbouncer.ts'
import { postgresEngine } from './backup/postgres.engine.ts'
import { migratePostgres } from './migrate.ts'
import { statement } from './statement.ts'
import { openCentralStore, type Store } from './store.ts'
import { asSystem, asUser } from './tx.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
if (onPostgres && !hasPgBouncer) console.log('SKIPPED: the tests of a store behind PgBouncer, which is not on this machine.')
const newId = idSource(systemClock.now, (size) => randomBytes(size))

describe.runIf(onPostgres && hasPgBouncer)('a central database behind PgBouncer in transaction mode', () => {
  let bouncer: PgBouncer
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    bouncer = await startPgBouncer(inject('postgresUrl'))
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  afterAll(() => bouncer.stop())

  async function database(like?: string): Promise<{ pooled: string; direct: string }> {
    const { url, drop } = await createDatabase(inject('postgresUrl'), like)
    closing.push(drop)
    return { pooled: bouncer.urlOf(new URL(url).pathname.slice(1)), direct: url }
  }
  async function opened(url: string): Promise<Store> {
    const store = await openCentralStore(url, { clock: systemClock, newId, role: 'centre' })
    closing.push(store.close)
    return store
  }
  const schoolsSeen = statement<Record<string, never>>()(({ db, t }) => db.select().from(t.school))

  test('two instances that start at once migrate it in turn, and no lock is left', async () => {
    const { pooled, direct } = await database('template0')
    await Promise.all([opened(pooled), opened(pooled)])
    await Promise.all([migratePostgres(pooled), migratePostgres(direct)])
  })

  test('rows are written and read by many connections at once, as the service and as a person', async () => {
    const { pooled } = await database()
    const [one, other] = [await opened(pooled), await opened(pooled)]
    await one.write(asSystem(), (tx) => tx.insert('school', schools[0] as never))
    const phones = Array.from({ length: 40 }, (_, at) => String(at))
    await Promise.all(
      phones.map((phone, at) =>
        (at % 2 ? one : other).write(asSystem(), async (tx) => {
          const before = await tx.find('school', stBrigids, stBrigids)
          if (before) await tx.update('school', [{ before, patch: { phone } }])
        }),
      ),
    )
    for (const store of [one, other]) {
      expect(await store.readOnce((tx) => schoolsSeen(tx, {}))).toHaveLength(1)
      expect(await store.read(asUser(people.tomas.id), (tx) => schoolsSeen(tx, {}))).toEqual([])
    }
  })

  test('a transaction waits for a lock as long as without a pooler', async () => {
    const { pooled } = await database()
    const store = await opened(pooled)
    const waits = await store.read(asSystem(), (tx) => tx.connection.rows('show lock_timeout', []))
    expect(waits).toEqual([{ lock_timeout: `${limits.lockTimeoutMs / 1_000}s` }])
  })

  test('requests on connections lost with PgBouncer get 503, and the next ones succeed', async () => {
    const { pooled } = await database()
    const store = await opened(pooled)
    const asking = () => store.readOnce((tx) => schoolsSeen(tx, {}))
    await asking()
    const back = bouncer.restart()
    await expect(asking()).rejects.toMatchObject({ status: 503, code: 'busy' })
    await back
    await expect.poll(() => asking().catch(() => null)).toEqual([])
  })

  test('a backup refuses with the message that it needs PostgreSQL itself', async () => {
    const { pooled, direct } = await database()
    const folder = mkdtempSync(join(tmpdir(), 'markbook-pooler-'))
    closing.push(async () => rmSync(folder, { recursive: true }))
    const file = join(folder, 'markbook.dump')
    await expect(postgresEngine(pooled).copyTo(file, () => {}, false)).rejects.toThrow('leads to a pooler')
    await expect(postgresEngine(pooled).hold()).rejects.toThrow('leads to a pooler')
    expect((await postgresEngine(direct).copyTo(file, () => {}, false)).counts).toMatchObject({ 'public.school': 0 })
  })
})
