import { describe, expect, inject, test } from 'vitest'
import { long } from '../../testing/long.ts'
import { chaos } from './run.ts'

/** Of faults; the start, the healing and what is looked at afterwards take about a minute more. */
const seconds = 600

// A centre is on Postgres, and has schools and laptops on SQLite with it: once for both. When its faults come is chance, so it is a long
// test.
describe.runIf(long && process.env['TEST_DATABASE'] === 'postgres')('real processes of a centre, two schools and two laptops', () => {
  test(`${seconds} s of faults while people write everywhere: what was acknowledged stands, or is in a list that people see`, {
    timeout: (seconds + 600) * 1_000,
  }, async () => {
    const told: string[] = []
    const tell = (line: string) => void told.push(line)
    const { failures, summary } = await chaos({ seed: 1, ms: seconds * 1_000, cluster: inject('postgresUrl'), tell })
    expect(failures.length > 0 ? [...told, ...failures] : []).toEqual([])
    console.log(`Nothing was lost. ${summary}.`)
  })
})
