import { describe, expect, test } from 'vitest'
import { long } from '../../testing/long.ts'
import { plants, worldWith } from './planted.ts'
import * as sound from './run.ts'

const MOST = 200
const onSqlite = process.env['TEST_DATABASE'] === 'sqlite'

describe.runIf(long && onSqlite)('the test of the test', () => {
  test.each(plants)(`within ${MOST} seeds it shows where $name`, { timeout: 1_800_000 }, async (plant) => {
    const wrong = await worldWith(plant)
    const shows = async ({ simulate }: typeof wrong, seed: number) => (await simulate(seed, { events: 120 })).failures.length > 0
    let seed = 0
    // A seed that fails without the mistake shows nothing.
    for (let found = false; !found && seed < MOST; ) {
      seed += 1
      found = (await shows(wrong, seed)) && !(await shows(sound, seed))
    }
    console.log(`${plant.name}: seed ${seed}`)
    expect(seed).toBeLessThan(MOST)
  })
})

test('there are at least a dozen mistakes, each with its own name', () => {
  expect(new Set(plants.map(({ name }) => name)).size).toBeGreaterThanOrEqual(12)
})
