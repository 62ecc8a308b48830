import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { elan } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { school } from '../../testing/school.ts'
import { openFile } from '../sqlite.file.ts'
import type { Store } from '../store.ts'
import { asSystem, asUser } from '../tx.ts'
import { canBackUp, type Drill, drillOf } from './backup.fixtures.ts'
import { type Backup, listBackups, openBackup } from './manifest.ts'
import { beginRestore, latestBackup, newestHere } from './restore.ts'
import { takeBackup } from './take.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let drill: Drill
beforeEach(async () => {
  drill = drillOf(await school())
})
afterEach(() => drill.end())

const BULK = 40
/** A bulk of 40 rows in one transaction. */
const bulk = (store: Store, number: number) =>
  store.write(asSystem(people.okafor.id), (tx) =>
    tx.insert(
      'subject',
      Array.from({ length: BULK }, (_, at) => {
        const code = `B${number}-${at}`
        return { id: tx.newId(), school_id: stBrigids, name: `Subject ${code}`, code, sort_order: 900, is_active: true }
      }),
    ),
  )
const bulksIn = (rows: readonly string[]) => {
  const counts = new Map<number, number>()
  for (const row of rows) {
    const number = /"code":"B(\d+)-/.exec(row)?.[1]
    if (number) counts.set(Number(number), (counts.get(Number(number)) ?? 0) + 1)
  }
  return counts
}

const restored = async (given: string) => {
  const restoring = await beginRestore(drill.place, given)
  try {
    return { plan: restoring.plan, ...(await restoring.carryOut()) }
  } finally {
    await restoring.done()
  }
}

describe.runIf(canBackUp)('the drill', () => {
  test('a backup under parallel writes is a committed state, and comes back row by row as a new incarnation', async () => {
    const { st, place } = drill
    let writing = true
    let last = 0
    const writer = (async () => {
      while (writing) {
        last += 1
        await bulk(st.services.store, last)
        await setTimeout(1)
      }
    })()
    const taken: Backup[] = []
    for (let count = 0; count < 4; count += 1) {
      st.clock.advance(1_000)
      taken.push((await takeBackup(place, { reason: 'manual' })).backup)
    }
    writing = false
    await writer
    const chosen = taken[2] as Backup
    const nodeBefore = st.services.store.nodeId
    await st.services.store.close()
    st.clock.advance(3_600_000)

    const { plan, nodeId, keptIn } = await restored(chosen.path)
    expect(plan).toMatchObject({ damaged: [], hasDatabase: true, grades: { inBackup: 45, now: 45 } })
    const store = await drill.open()
    const now = await drill.contents(store)
    const counts = bulksIn(now['subject'] as string[])
    expect([...counts.values()].every((count) => count === BULK)).toBe(true)
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: counts.size }, (_, at) => at + 1))
    expect(counts.size).toBeLessThan(last)
    expect(chosen.manifest.counts[onPostgres ? 'public.subject' : 'subject']).toBe(now['subject']?.length)

    expect(store.nodeId).toBe(nodeId)
    expect(nodeId).not.toBe(nodeBefore)
    await store.close()
    expect(openBackup(keptIn ?? '').manifest).toMatchObject({ reason: 'restore', node_id: nodeBefore })
  })

  test('the restored rows and versions are those of the backup; only the history says what happened, and sessions have ended', async () => {
    const { st, place } = drill
    await bulk(st.services.store, 1)
    const { backup } = await takeBackup(place, { reason: 'nightly' })
    const then = await drill.contents(st.services.store)
    await bulk(st.services.store, 2)
    await st.services.store.write(asSystem(), async (tx) => {
      const before = await tx.find('student', stBrigids, elan.id)
      if (before) await tx.update('student', [{ before, patch: { first_name: 'Alan' } }])
    })
    await st.services.store.close()
    st.clock.advance(60_000)
    const { nodeId } = await restored(backup.path)

    const store = await drill.open()
    const now = await drill.contents(store)
    expect(then['session']).not.toEqual([])
    expect(now).toMatchObject({ session: [], otp_code: [] })
    const { node, sync_feed, history, session, otp_code, ...content } = then
    expect(now).toMatchObject(content)
    const entries = (now['history'] ?? []).filter((entry) => !history?.includes(entry)).map((entry) => JSON.parse(entry))
    expect(now['history']?.length).toBe((history?.length ?? 0) + entries.length)
    expect(entries.map(({ school_id }) => school_id).sort()).toEqual(sync_feed?.map((feed) => JSON.parse(feed).school_id).sort())
    expect(new Set(entries.map(({ school_id }) => school_id))).toContain(hilltop)
    for (const entry of entries) {
      expect(entry).toMatchObject({ entity: 'node', row_id: nodeId, node_id: nodeId, actor_id: null, at: '2026-01-12T08:01:00.000Z' })
      expect(entry.changes).toMatchObject({ restored_from: { before: null, after: backup.manifest.created_at } })
    }
    const nodes = (now['node'] ?? []).map((row) => JSON.parse(row))
    expect(nodes.filter(({ ended_at }) => ended_at === null)).toMatchObject([{ id: nodeId }])
    expect(nodes).toHaveLength((node?.length ?? 0) + 1)

    await bulk(store, 3)
    const [written] = await store
      .read(asSystem(), (tx) =>
        tx.db.select().from(tx.t.sync_row).where(eq(tx.t.sync_row.table_name, 'subject')).orderBy(tx.t.sync_row.seq).limit(1_000),
      )
      .then((rows) => rows.slice(-1))
    expect(Object.keys(JSON.parse(written?.vv ?? '{}'))).toEqual([nodeId])
    await store.close()
  })

  test('an undone restore: the database as it was comes back too', async () => {
    const { st, place } = drill
    const { backup } = await takeBackup(place, { reason: 'manual' })
    await bulk(st.services.store, 1)
    const last = await drill.contents(st.services.store)
    await st.services.store.close()
    st.clock.advance(1_000)
    const { keptIn } = await restored(backup.path)
    st.clock.advance(1_000)
    await restored(keptIn as string)
    const store = await drill.open()
    expect((await drill.contents(store))['subject']).toEqual(last['subject'])
    await store.close()
  })

  test.runIf(onPostgres)('roles, policies and functions are there again, and a neighbour sees nothing', async () => {
    const { st, place } = drill
    const policies = async () => {
      const sql = postgres(place.databaseUrl as string, { max: 1 })
      const rows = await sql`select schemaname, tablename, policyname, roles::text, cmd, qual, with_check from pg_policies order by 1, 2, 3`
      const locked = await sql`select relname from pg_class where relrowsecurity and relforcerowsecurity order by 1`
      await sql.end()
      return JSON.stringify([rows, locked])
    }
    const before = await policies()
    const { backup } = await takeBackup(place, { reason: 'nightly' })
    await st.services.store.close()
    await restored(backup.path)
    expect(await policies()).toBe(before)
    const store = await drill.open()
    const schools = await store.read(asUser(people.byrne.id), (tx) => tx.db.select({ id: tx.t.student.school_id }).from(tx.t.student))
    expect(new Set(schools.map(({ id }) => id))).toEqual(new Set([stBrigids]))
    await store.close()
  })
})

describe.skipIf(onPostgres)('a database that is itself the trouble', () => {
  test('a damaged database is kept as it lay, and the backup is restored all the same', async () => {
    const { st, place } = drill
    const { backup } = await takeBackup(place, { reason: 'nightly' })
    await st.services.store.close()
    const path = join(place.dataDir, 'markbook.sqlite')
    const bytes = readFileSync(path)
    bytes.fill(0xa5, 0, bytes.length / 2)
    writeFileSync(path, bytes)
    await expect(takeBackup(place, { reason: 'hourly' })).rejects.toThrow(
      /^No backup was made \(what to do: markbook doctor\)\. The database cannot be read/,
    )
    st.clock.advance(1_000)
    const { plan, keptIn, warnings } = await restored(backup.path)
    expect(plan.grades.now).toBeNull()
    expect(warnings).toEqual([expect.stringMatching(/^The database as it was cannot be read, so it was kept as it lay/)])
    expect(readFileSync(join(keptIn as string, 'markbook.sqlite')).equals(bytes)).toBe(true)
    const store = await drill.open()
    expect((await drill.contents(store))['grade']).toHaveLength(45)
    await store.close()
    expect(listBackups(place.backupDir)).toHaveLength(1)
  })

  test('what is wrong is said of the database, and not of a copy that is gone by then', async () => {
    const { st, place } = drill
    const { backup } = await takeBackup(place, { reason: 'nightly' })
    await st.services.store.close()
    const file = openFile(join(place.dataDir, 'markbook.sqlite'))
    file.pragma('foreign_keys = off')
    file.exec('delete from subject')
    file.close()
    const why = /The database is damaged: \d+ rows have lost what they belong to\.$/
    const failed = await takeBackup(place, { reason: 'manual' }).catch((error: Error) => error.message)
    expect(failed).toMatch(why)
    const { warnings } = await restored(backup.path)
    expect(warnings).toEqual([expect.stringMatching(why)])
    for (const line of [failed, ...warnings]) expect(line).not.toContain(place.dataDir)
    expect(warnings[0]).not.toContain('markbook doctor')
  })

  test('a log of the old database never reaches the restored one', async () => {
    const { st, place } = drill
    const { backup } = await takeBackup(place, { reason: 'nightly' })
    await bulk(st.services.store, 1)
    const log = readFileSync(join(place.dataDir, 'markbook.sqlite-wal'))
    await st.services.store.close()
    writeFileSync(join(place.dataDir, 'markbook.sqlite-wal'), log)
    await restored(backup.path)
    const store = await drill.open()
    expect(bulksIn((await drill.contents(store))['subject'] as string[]).size).toBe(0)
    await store.close()
  })

  test('on a new machine there is nothing to put aside', async () => {
    const { place } = drill
    const { backup } = await takeBackup(place, { reason: 'nightly' })
    const other = { ...place, dataDir: join(place.dataDir, 'new'), backupDir: join(place.dataDir, 'new', 'backups') }
    const restoring = await beginRestore(other, join(backup.path, 'manifest.json'))
    expect(restoring.plan).toMatchObject({ hasDatabase: false, grades: { inBackup: 45, now: null } })
    expect(await restoring.carryOut()).toMatchObject({ keptIn: null, warnings: [] })
    await restoring.done()
    expect(existsSync(join(other.dataDir, 'markbook.sqlite'))).toBe(true)
  })
})

describe.skipIf(onPostgres)('the latest', () => {
  test('is the newest that is neither of the future nor what a restore was to be rid of', async () => {
    const { place, st } = drill
    await expect(latestBackup(place)).rejects.toThrow(/There is no backup of .* in/)
    st.clock.set('2099-01-01T00:00:00.000Z')
    const future = await takeBackup(place, { reason: 'hourly' })
    st.clock.set('2026-01-12T09:00:00.000Z')
    expect((await latestBackup(place)).path).toBe(future.backup.path)
    expect((await newestHere(place)).backup?.name).toBe(future.backup.name)
    const good = await takeBackup(place, { reason: 'hourly' })
    expect((await newestHere(place)).backup?.name).toBe(good.backup.name)
    st.clock.set('2026-01-12T10:00:00.000Z')
    await takeBackup(place, { reason: 'restore' })
    expect((await latestBackup(place)).path).toBe(good.backup.path)
  })
})
