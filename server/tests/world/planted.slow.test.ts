import { describe, expect, test } from 'vitest'
import { long } from '../../testing/long.ts'
import { plants, worldWith } from './planted.ts'
import * as sound from './run.ts'

const MOST = 200
/** The worlds in which the seeds were found. */
const AS_RECORDED = { events: 200, hasStructure: false }
const onSqlite = process.env['TEST_DATABASE'] === 'sqlite'
type World = Pick<typeof sound, 'simulate'>
const shows = async ({ simulate }: World, seed: number) => (await simulate(seed, AS_RECORDED)).failures.length > 0

describe.runIf(onSqlite)('the test of the test', () => {
  test.each(plants)('seed $seed shows where $name', { timeout: 300_000 }, async (plant) => {
    expect(await shows(await worldWith(plant), plant.seed)).toBe(true)
  })

  test('without a mistake none of these seeds shows anything', { timeout: 600_000 }, async () => {
    for (const seed of new Set(plants.map(({ seed }) => seed))) expect((await sound.simulate(seed, AS_RECORDED)).failures).toEqual([])
  })

  test.runIf(long).each(plants)(`within ${MOST} seeds it shows where $name`, { timeout: 3_600_000 }, async (plant) => {
    const wrong = await worldWith(plant)
    let seed = 1
    // A seed that fails without the mistake shows nothing.
    while (seed <= MOST && !((await shows(wrong, seed)) && !(await shows(sound, seed)))) seed += 1
    console.log(`${plant.name}: seed ${seed}`)
    expect(seed).toBeLessThanOrEqual(MOST)
  })
})

test('there are at least two dozen mistakes, each with its own name', () => {
  expect(new Set(plants.map(({ name }) => name)).size).toBeGreaterThanOrEqual(24)
})
