import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DecimalRefusal, hasAtMostDecimals, parseDecimal } from './decimal.ts'

describe('a typed number', () => {
  test.each([
    { text: '12,5', value: 12.5 },
    { text: '12.5', value: 12.5 },
    { text: ' 12.50 ', value: 12.5 },
    { text: '\u00a07\t', value: 7 },
    { text: '0', value: 0 },
    { text: '-0', value: 0 },
    { text: '-3,25', value: -3.25 },
    { text: '007', value: 7 },
    { text: '100000', value: 100000 },
    { text: '1.01', value: 1.01 },
    { text: '9999999999999.99', value: 9999999999999.99 },
    { text: '٠١٢٣٤٥٦٧٨٩٫٥', value: 123456789.5 },
    { text: '۹۰٫۲۵', value: 90.25 },
    { text: '-٣,٥', value: -3.5 },
  ])('«$text» is $value', ({ text, value }) => {
    expect(parseDecimal(text, 2)).toEqual({ ok: true, value })
  })

  test.each<{ text: string; reason: DecimalRefusal }>([
    { text: '', reason: 'empty' },
    { text: ' \t ', reason: 'empty' },
    { text: '1.234,5', reason: 'not_a_number' },
    { text: '1,234.5', reason: 'not_a_number' },
    { text: '1 234', reason: 'not_a_number' },
    { text: '1e3', reason: 'not_a_number' },
    { text: '0x10', reason: 'not_a_number' },
    { text: '+-', reason: 'not_a_number' },
    { text: '+5', reason: 'not_a_number' },
    { text: '--5', reason: 'not_a_number' },
    { text: '-', reason: 'not_a_number' },
    { text: ',5', reason: 'not_a_number' },
    { text: '5,', reason: 'not_a_number' },
    { text: '.', reason: 'not_a_number' },
    { text: 'NaN', reason: 'not_a_number' },
    { text: 'Infinity', reason: 'not_a_number' },
    { text: '12.5%', reason: 'not_a_number' },
    { text: '٣٫', reason: 'not_a_number' },
    { text: '३', reason: 'not_a_number' },
    { text: '12\n5', reason: 'not_a_number' },
    { text: '1.234', reason: 'too_many_decimals' },
    { text: '1.000', reason: 'too_many_decimals' },
    { text: '99999999999999.99', reason: 'too_large' },
    { text: '9'.repeat(400), reason: 'too_large' },
  ])('«$text» is refused: $reason', ({ text, reason }) => {
    expect(parseDecimal(text, 2)).toEqual({ ok: false, reason })
  })

  test('the places allowed are the caller’s', () => {
    expect(parseDecimal('0,3333', 4)).toEqual({ ok: true, value: 0.3333 })
    expect(parseDecimal('12.5', 0)).toEqual({ ok: false, reason: 'too_many_decimals' })
    expect(parseDecimal('12', 0)).toEqual({ ok: true, value: 12 })
  })

  test('a number with 2 decimals is read back as it was, with a point or a comma', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (hundredths) => {
        const value = hundredths / 100 + 0
        expect(parseDecimal(String(value), 2)).toEqual({ ok: true, value })
        expect(parseDecimal(value.toFixed(2).replace('.', ','), 2)).toEqual({ ok: true, value })
      }),
    )
  })
})

test.each([
  { value: 12.34, decimals: 2, fits: true },
  { value: 12.345, decimals: 2, fits: false },
  { value: 0.1 + 0.2, decimals: 2, fits: false },
  { value: 1.005, decimals: 2, fits: false },
  { value: 1.005, decimals: 3, fits: true },
  { value: 0.3333, decimals: 4, fits: true },
  { value: 7, decimals: 0, fits: true },
  { value: 100000, decimals: 2, fits: true },
  { value: Number.NaN, decimals: 2, fits: false },
  { value: Number.POSITIVE_INFINITY, decimals: 2, fits: false },
])('$value has at most $decimals decimals: $fits', ({ value, decimals, fits }) => {
  expect(hasAtMostDecimals(value, decimals)).toBe(fits)
})
