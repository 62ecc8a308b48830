import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled } from './decimal.ts'
import { compare, type Exact, exact, meanOf, over, plus, printed, ratio, roundHalfUp, times } from './exact.ts'

/** Rounds n/d half away from zero by long division. */
function roundedText(n: bigint, d: bigint, decimals: number): string {
  const [top, bottom] = [n < 0n ? -n : n, d < 0n ? -d : d]
  const negative = n < 0n !== d < 0n
  let digits = top / bottom
  let rest = top % bottom
  for (let place = 0; place < decimals; place += 1) {
    rest *= 10n
    digits = digits * 10n + rest / bottom
    rest %= bottom
  }
  if (rest * 2n >= bottom) digits += 1n
  const text = digits.toString().padStart(decimals + 1, '0')
  return `${negative ? '-' : ''}${text.slice(0, -decimals)}.${text.slice(-decimals)}`
}

const asBig = (value: Exact): [bigint, bigint] => [BigInt(value.n), BigInt(value.d)]

describe('roundHalfUp', () => {
  test.each([
    { value: 0.125, rounded: 0.13 },
    { value: 66.665, rounded: 66.67 },
    { value: 1.005, rounded: 1.01 },
    { value: 8.345, rounded: 8.35 },
    { value: 1.255, rounded: 1.26 },
    { value: 2.675, rounded: 2.68 },
    { value: 0.005, rounded: 0.01 },
    { value: 0.0049, rounded: 0 },
    { value: 99.995, rounded: 100 },
    { value: 99.9949, rounded: 99.99 },
    { value: 0, rounded: 0 },
    { value: -0, rounded: 0 },
    { value: -0.004, rounded: 0 },
    { value: -0.125, rounded: -0.13 },
    { value: 50, rounded: 50 },
    { value: 1e21, rounded: 1e21 },
  ])('$value gives $rounded', ({ value, rounded }) => {
    expect(roundHalfUp(exact(value))).toBe(rounded)
  })

  test('two thirds and one seventh, in 2 and in 6 places', () => {
    expect(roundHalfUp(ratio(200, 3))).toBe(66.67)
    expect(roundHalfUp(ratio(1, 7), 6)).toBe(0.142857)
    expect(roundHalfUp(ratio(5, 2), 0)).toBe(3)
  })

  test('a half rounds up beyond safe integers too: (2^53 − 1)/2', () => {
    expect(roundHalfUp(ratio(2 ** 53 - 1, 2), 0)).toBe(2 ** 52)
    expect(roundHalfUp(ratio(-(2 ** 53 - 1), 2), 0)).toBe(-(2 ** 52))
  })

  test('every half of a hundredth goes up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (hundredths) => {
        expect(roundHalfUp(ratio(hundredths * 2 + 1, 200))).toBe((hundredths + 1) / 100)
      }),
    )
  })

  test('any fraction, small or large, rounds as long division does', () => {
    const integers = fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.maxSafeInteger())
    fc.assert(
      fc.property(integers, integers, fc.integer({ min: 1, max: 6 }), (n, d, decimals) => {
        fc.pre(d !== 0)
        expect(roundHalfUp(ratio(n, d), decimals)).toBe(Number(roundedText(BigInt(n), BigInt(d), decimals)) + 0)
      }),
    )
  })
})

describe('exact', () => {
  test.each([
    { value: 0.1, n: 1, d: 10 },
    { value: 12.5, n: 25, d: 2 },
    { value: 0.3333, n: 3333, d: 10000 },
    { value: 99999.99, n: 9999999, d: 100 },
    { value: 0.00001, n: 1, d: 100000 },
    { value: 1e-7, n: 1, d: 10000000 },
    { value: -2.5, n: -5, d: 2 },
    { value: 0.1 + 0.2, n: 7500000000000001n, d: 25000000000000000n },
    { value: 1.5e300, n: 15n * 10n ** 299n, d: 1n },
  ])('$value is $n/$d', ({ value, n, d }) => {
    const [top, bottom] = asBig(exact(value))
    expect(top * BigInt(d)).toBe(BigInt(n) * bottom)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%s is refused', (value) => {
    expect(() => exact(value)).toThrow(RangeError)
  })

  test('the fraction equals the decimal text exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 4 }), (digits, places) => {
        const value = Number(`${digits}e-${places}`)
        const [n, d] = asBig(exact(value))
        expect(n * 10n ** BigInt(places)).toBe(BigInt(digits) * d)
        expect(roundHalfUp(exact(value), 4)).toBe(value)
      }),
    )
  })

  test('a number that is not on the scale is not rounded to it', () => {
    expect(scaled(0.1 + 0.2, 10_000)).toBeNaN()
    expect(scaled(1.23456, 10_000)).toBeNaN()
    expect(scaled(1.2345, 10_000)).toBe(12345)
    expect(scaled(Number.NaN, 100)).toBeNaN()
  })
})

describe('arithmetic', () => {
  const fractions = fc
    .tuple(fc.oneof(fc.integer(), fc.maxSafeInteger()), fc.oneof(fc.integer({ min: 1, max: 100 }), fc.maxSafeInteger()))
    .filter(([, d]) => d !== 0)
    .map(([n, d]) => ratio(n, d))

  test('0.1 + 0.2 is 0.3', () => {
    expect(compare(plus(exact(0.1), exact(0.2)), exact(0.3))).toBe(0)
  })

  test('sums, products and quotients are those of bigints, whether or not they fit into a number', () => {
    fc.assert(
      fc.property(fractions, fractions, (a, b) => {
        const [an, ad] = asBig(a)
        const [bn, bd] = asBig(b)
        const same = (value: Exact, n: bigint, d: bigint) => {
          const [vn, vd] = asBig(value)
          expect(vn * d).toBe(n * vd)
          expect(vd > 0n).toBe(true)
        }
        same(plus(a, b), an * bd + bn * ad, ad * bd)
        same(times(a, b), an * bn, ad * bd)
        if (bn !== 0n) same(over(a, b), an * bd, ad * bn)
        expect(Math.sign(compare(a, b))).toBe(Number(an * bd > bn * ad) - Number(an * bd < bn * ad))
      }),
    )
  })

  test('a result that fits into numbers again is held in numbers', () => {
    const huge = times(ratio(2 ** 52, 1), ratio(2 ** 52, 3))
    expect(typeof huge.n).toBe('bigint')
    expect(times(huge, over(ratio(3, 1), times(ratio(2 ** 52, 1), ratio(2 ** 52, 1))))).toEqual({ n: 1, d: 1 })
  })

  test('nothing is divided by 0', () => {
    expect(() => ratio(1, 0)).toThrow(RangeError)
    expect(() => over(ratio(1, 2), exact(0))).toThrow(RangeError)
    expect(() => ratio(2 ** 53, 1)).toThrow(RangeError)
  })

  test('a mean: (70.1 + 70.2 + 70.2) / 3 = 70.1666…; of nothing there is none; small and large numbers are added exactly too', () => {
    expect(printed(meanOf([70.1, 70.2, 70.2]))).toBe(70.17)
    expect(printed(meanOf([]))).toBeNull()
    expect(printed(meanOf([0.0001, 0.0099]))).toBe(0.01)
    expect(printed(meanOf([9e15, 9e15 + 2]))).toBe(9e15 + 1)
  })
})
