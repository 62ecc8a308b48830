import { expect, test } from 'vitest'
import { simulate } from './run.ts'

test.skipIf(process.env['TEST_DATABASE'] === 'postgres')('the same seed is the same world', { timeout: 600_000 }, async () => {
  const [first, second] = [await simulate(7, { events: 100 }), await simulate(7, { events: 100 })]
  expect(second.trace).toEqual(first.trace)
})
