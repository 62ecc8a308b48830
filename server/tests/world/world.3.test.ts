import { test } from 'vitest'
import { expectSound, onPostgres, PART } from './seeds.ts'

// On Postgres a row that its database refuses still ends the transaction; until it does not, these worlds are on SQLite.
test.skipIf(onPostgres)(
  `after everything that may go wrong nothing is lost, and everybody holds the same (${PART} seeds)`,
  {
    timeout: 1_800_000,
  },
  async () => {
    await expectSound(3)
  },
)
