import { expect, test } from 'vitest'
import { simulate } from './run.ts'

test.skipIf(process.env['TEST_DATABASE'] === 'postgres')('the same seed is the same world', { timeout: 600_000 }, async () => {
  const [first, second] = [await simulate(7, { events: 100 }), await simulate(7, { events: 100 })]
  // Of an error what it says: by which calls it came is told in the order of promises, which is not the world's.
  const said = ({ trace }: typeof first) => trace.map((line) => line.split('\n')[0])
  expect(said(second)).toEqual(said(first))
})
