import { randomBytes } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { stBrigids } from '@markbook/shared/story/people'
import type postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type School, school } from '../testing/school.ts'
import { withPostgres } from './postgres.ts'
import { openCurrentCentralStore, type Store } from './store.ts'
import { asSystem, type WriteTx } from './tx.ts'

const newId = idSource(systemClock.now, (size) => randomBytes(size))
const onPostgres = process.env['TEST_DATABASE'] === 'postgres'

/** A proxy to a database that can stop passing answers on, without closing the connection. */
async function lineTo(url: string) {
  const { hostname, port, pathname, username, password } = new URL(url)
  let word: string | null = null
  let last: string | null = null
  let isAsked = false
  let isSilent = false
  const ends = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const end of [near, far]) ends.add(end.on('error', () => {}).on('close', () => ends.delete(end)))
    near.on('data', (part) => {
      isAsked ||= word !== null && part.includes(word)
      if (last === null && isAsked) isSilent = true
      far.write(part)
    })
    far.on('data', (part) => {
      if (!isSilent) near.write(part)
      if (last !== null && isAsked && part.includes(last)) isSilent = true
    })
    far.on('close', () => near.destroy())
    near.on('close', () => far.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as { port: number }
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`,
    /**
     * Stops passing answers on once a query containing `text` is sent, or, where `answer` is given, after an answer to it that contains
     * `answer`.
     */
    silentFrom: (text: string, answer: string | null = null) => {
      word = text
      last = answer
    },
    heal: () => {
      word = null
      isAsked = false
      isSilent = false
    },
    close: async () => {
      for (const end of ends) end.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe.runIf(onPostgres)('a database that does not answer', () => {
  let st: School
  let line: Awaited<ReturnType<typeof lineTo>>
  let store: Store
  beforeEach(async () => {
    st = await school()
    line = await lineTo(st.database.url)
    const { clock } = st
    store = await openCurrentCentralStore(line.url, { clock, newId, role: 'centre' })
  })
  afterEach(async () => {
    await store.close()
    await line.close()
    await st.close()
  })

  const giveNumber = (phone: string) => async (tx: WriteTx) => {
    const before = await tx.find('school', stBrigids, stBrigids)
    if (before) await tx.update('school', [{ before, patch: { phone } }])
  }
  const phone = async () => (await st.rows('school')).find(({ id }) => id === stBrigids)?.phone
  const saved = (number: string) => store.write(asSystem(), giveNumber(number))

  test('a write with an unanswered commit is reported as unknown; it was committed, and repeating it changes nothing', async () => {
    // The last statement before the commit, and how its answer begins.
    line.silentFrom('with feed as', 'INSERT')
    await expect(saved('2')).rejects.toMatchObject({ status: 503, code: 'outcome_unknown', headers: { 'retry-after': '5' } })
    await expect.poll(phone).toBe('2')
    line.heal()
    const before = await st.digest()
    await expect.poll(() => saved('2').catch(() => 'refused')).toBeUndefined()
    expect(await st.digest()).toBe(before)
  })

  test('a write without an answer before its commit is not committed', async () => {
    const before = await st.digest()
    line.silentFrom('with feed as')
    await expect(saved('2')).rejects.toMatchObject({ status: 503, code: 'busy' })
    line.heal()
    await expect.poll(() => saved('3').catch(() => 'refused')).toBeUndefined()
    const [{ phones } = { phones: '' }] = await store.read(asSystem(), ({ connection }) =>
      connection.rows<{ phones: string }>("select string_agg(changes, ' ') as phones from sync.history where changes like '%phone%'", []),
    )
    expect(phones).toContain('"3"')
    expect(phones).not.toContain('"2"')
    expect(await st.digest()).not.toBe(before)
  })

  test('while it does not answer, requests are refused at once', async () => {
    line.silentFrom('select')
    const read = () => store.read(asSystem(), ({ connection }) => connection.rows('select 1 as one', []))
    await expect(read()).rejects.toMatchObject({ status: 503, code: 'busy' })
    const began = performance.now()
    await Promise.all(Array.from({ length: 100 }, () => expect(read()).rejects.toMatchObject({ status: 503, code: 'busy' })))
    expect(performance.now() - began).toBeLessThan(2_000)
    line.heal()
    await expect.poll(() => read().catch(() => [])).toEqual([{ one: 1 }])
  })

  test('a backup or a migration is ended too, and its signal is aborted', async () => {
    line.silentFrom('pg_sleep')
    let told: AbortSignal | null = null
    const work = (sql: postgres.Sql, signal: AbortSignal) => {
      told = signal
      return sql`select pg_sleep(0.1)`
    }
    const times = { ...limits.postgres, totalTimeoutMs: 60_000, probeAfterMs: 250, probeTimeoutMs: 500 }
    await expect(withPostgres(line.url, work, {}, times)).rejects.toThrow('does not answer')
    expect(told).toMatchObject({ aborted: true })
  })

  test('a long statement goes on while the database answers others', async () => {
    const read = store.read(asSystem(), ({ connection }) => connection.rows("select pg_sleep(5), 'done' as word", []))
    expect(await read).toMatchObject([{ word: 'done' }])
  })
})
