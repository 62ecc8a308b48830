import { expect, inject, test } from 'vitest'
import { createDatabase } from '../../testing/database.ts'
import { times } from '../../testing/long.ts'
import { replayOf, simulate } from './run.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const seeds = Array.from({ length: onPostgres ? times(1, 50) : times(4, 450) }, (_, at) => (onPostgres ? (at + 1) * 10 : at + 1))
const events = times(60, 200)

/** In the long form every tenth world has its centre on Postgres. */
test('after everything that may go wrong nothing is lost, and everybody holds the same', { timeout: 3_600_000 }, async () => {
  for (const seed of seeds) {
    const database = onPostgres ? await createDatabase(inject('postgresUrl')) : null
    const { failures } = await simulate(seed, { events, ...(database && { postgres: database.url }) })
    await database?.drop()
    expect(failures, replayOf(seed, events)).toEqual([])
  }
})

test.skipIf(onPostgres)('the same seed is the same world', { timeout: 600_000 }, async () => {
  const [first, second] = [await simulate(7, { events }), await simulate(7, { events })]
  expect(second.trace).toEqual(first.trace)
})
