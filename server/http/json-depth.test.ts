import { expect, test } from 'vitest'
import { leastTime } from '../testing/least-time.ts'
import { isDeeperThan } from './json-depth.ts'

const isDeep = (text: string, most = 2) => isDeeperThan(most, Buffer.from(text))

test.each([
  '',
  '7',
  '"["',
  '[]',
  '[[],{}]',
  '{"a":[]}',
  '[{"a":1},{"b":2},[3]]',
  '["[[[[", {"{{{": "}}}}"}]',
  '["\\"[[[", "\\\\", [1]]',
  '"[[[',
])('%s is not deep', (text) => expect(isDeep(text)).toBe(false))

test.each(['[[[', '[[[]]]', '{"a":{"b":{}}}', '[{"a":[1]}]', '["\\\\", [[', '["\\"", {"a": {', '{"]]]": [[', '[],[[['])(
  '%s is too deep',
  (text) => expect(isDeep(text)).toBe(true),
)

test('counting half a megabyte of brackets stops at the first one too many', async () => {
  const bytes = Buffer.from('['.repeat(524_288))
  expect(await leastTime(5, () => expect(isDeeperThan(32, bytes)).toBe(true))).toBeLessThanOrEqual(5)
})
