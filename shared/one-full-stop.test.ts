import { expect, test } from 'vitest'
import { oneFullStop } from './one-full-stop.ts'

test('a name with a full stop ends a sentence without a second one', () => {
  expect(oneFullStop('You now belong to Byrne & Co..')).toBe('You now belong to Byrne & Co.')
  expect(oneFullStop('Byrne & Co.. They agree.')).toBe('Byrne & Co. They agree.')
  expect(oneFullStop('\u2068Byrne & Co.\u2069.')).toBe('\u2068Byrne & Co.\u2069')
})

test('an ellipsis and single full stops stay', () => {
  for (const text of ['Wait...', '12.5 and 3.', 'No. 4.', 'e.g. this.', '.....']) expect(oneFullStop(text)).toBe(text)
})
