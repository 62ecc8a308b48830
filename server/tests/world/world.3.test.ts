import { test } from 'vitest'
import { expectSound, PART } from './seeds.ts'

test(`after everything that may go wrong nothing is lost, and everybody holds the same (${PART} seeds)`, {
  timeout: 1_800_000,
}, async () => {
  await expectSound(3)
})
