import { expect, inject } from 'vitest'
import { times } from '../../testing/long.ts'
import { replayOf, simulate } from './run.ts'

export const onPostgres = process.env['TEST_DATABASE'] === 'postgres'

/** Of `npm test`, each in a file of its own, so that two run side by side: four parts. On Postgres every tenth. */
export const PART = times(25, 125)
export const EVENTS = 200

export async function expectSound(part: number): Promise<void> {
  const first = (part - 1) * PART + 1
  const all = Array.from({ length: PART }, (_, at) => first + at)
  const cluster = onPostgres ? { cluster: inject('postgresUrl') } : {}
  for (const seed of onPostgres ? all.filter((each) => each % 10 === 0) : all) {
    const { failures } = await simulate(seed, { events: EVENTS, ...cluster })
    expect(failures, replayOf(seed, EVENTS)).toEqual([])
  }
}
