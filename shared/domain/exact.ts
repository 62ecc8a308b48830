import { scaled } from './decimal.ts'

/**
 * Exact fractions (decisions §5: no binary floating error). A fraction holds plain integers while every step fits into
 * ±(2^53 − 1), which a class of ordinary marks always does, and bigints from the first step that does not.
 *
 * Why checking afterwards is enough: floating multiplication and addition round monotonically, so a product or sum of
 * integers whose true value lies outside the safe range also comes out outside it. A result that looks safe is exact.
 */
type Small = { readonly n: number; readonly d: number }
type Big = { readonly n: bigint; readonly d: bigint }

/** `n / d` with `d > 0`, not always in lowest terms: reducing costs more than the arithmetic, so it is done only when needed. */
export type Exact = Small | Big

const safe = Number.isSafeInteger
const isSmall = (value: Exact): value is Small => typeof value.n === 'number'

/** The fraction denoted by the shortest decimal text of `value`: 0.1 is one tenth. Throws a RangeError unless finite. */
export function exact(value: number): Exact {
  if (safe(value)) return { n: value, d: 1 }
  const hundredths = scaled(value, 100)
  if (!Number.isNaN(hundredths)) return { n: hundredths, d: 100 }
  const fine = scaled(value, 10_000)
  return Number.isNaN(fine) ? fromText(value) : { n: fine, d: 10_000 }
}

/** The fraction of two integers; the denominator must not be 0. Pass integers beyond 2^53 as bigints. */
export function ratio(numerator: number, denominator: number): Exact {
  if (!safe(numerator) || !safe(denominator) || denominator === 0) throw new RangeError(`${numerator}/${denominator} is not a fraction`)
  return denominator < 0 ? { n: 0 - numerator, d: -denominator } : { n: numerator, d: denominator }
}

export const zero: Exact = { n: 0, d: 1 }
export const isZero = (value: Exact): boolean => value.n === 0
const sign = (value: Exact): number => (value.n > 0 ? 1 : value.n < 0 ? -1 : 0)

export function plus(a: Exact, b: Exact): Exact {
  if (isSmall(a) && isSmall(b)) {
    const sum = smallSum(a, b) ?? smallSum(shortened(a), shortened(b))
    if (sum) return sum
  }
  const [x, y] = [big(a), big(b)]
  return lowest(x.n * y.d + y.n * x.d, x.d * y.d)
}

export function times(a: Exact, b: Exact): Exact {
  if (isSmall(a) && isSmall(b)) {
    const product = smallProduct(a, b) ?? smallProduct(shortened(a), shortened(b))
    if (product) return product
  }
  const [x, y] = [big(a), big(b)]
  return lowest(x.n * y.n, x.d * y.d)
}

/** `a / b`; `b` must not be 0. */
export function over(a: Exact, b: Exact): Exact {
  const inverse = isSmall(b) ? ratio(b.d, b.n) : lowest(b.d, b.n)
  return times(a, inverse)
}

/** Negative, 0 or positive as `a` is less than, equal to or greater than `b`. */
export const compare = (a: Exact, b: Exact): number => sign(plus(a, times(b, { n: -1, d: 1 })))

/** The exact mean of decimals; null for an empty list. */
export function meanOf(values: readonly number[]): Exact | null {
  if (values.length === 0) return null
  let hundredths = 0
  for (const value of values) hundredths += scaled(value, 100)
  if (safe(hundredths)) return { n: hundredths, d: 100 * values.length }
  return over(
    values.reduce<Exact>((sum, value) => plus(sum, exact(value)), zero),
    ratio(values.length, 1),
  )
}

/**
 * The nearest decimal with that many places; an exact half rounds away from zero (0.125 → 0.13, −0.125 → −0.13). Returns the double whose
 * shortest text is that decimal.
 */
export function roundHalfUp(value: Exact, decimals = 2): number {
  const power = 10 ** decimals
  if (isSmall(value)) {
    const doubled = Math.abs(value.n) * power * 2 + value.d
    if (safe(doubled) && safe(value.d * 2)) {
      const rounded = (doubled - (doubled % (value.d * 2))) / (value.d * 2)
      return rounded === 0 ? 0 : ((value.n < 0 ? -1 : 1) * rounded) / power
    }
  }
  const { n, d } = big(value)
  const rounded = ((n < 0n ? -n : n) * BigInt(power) * 2n + d) / (d * 2n)
  return rounded === 0n ? 0 : Number(`${n < 0n ? '-' : ''}${rounded}e-${decimals}`)
}

/** The printed form of a result: 2 decimals, half-up; null stays null. */
export const printed = (value: Exact | null): number | null => (value === null ? null : roundHalfUp(value, 2))

function smallSum(a: Small, b: Small): Small | null {
  if (a.n === 0) return b
  const left = a.n * b.d
  const right = b.n * a.d
  const d = a.d * b.d
  return safe(left) && safe(right) && safe(left + right) && safe(d) ? { n: left + right, d } : null
}

function smallProduct(a: Small, b: Small): Small | null {
  const n = a.n * b.n
  const d = a.d * b.d
  return safe(n) && safe(d) ? { n, d } : null
}

function shortened({ n, d }: Small): Small {
  let x = Math.abs(n)
  let y = d
  while (y !== 0) {
    const rest = x % y
    x = y
    y = rest
  }
  return { n: n / x, d: d / x }
}

const big = (value: Exact): Big => (isSmall(value) ? { n: BigInt(value.n), d: BigInt(value.d) } : value)

function lowest(numerator: bigint, denominator: bigint): Exact {
  if (denominator === 0n) throw new RangeError(`${numerator}/0 is not a fraction`)
  let [x, y] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator]
  while (y !== 0n) [x, y] = [y, x % y]
  const divisor = denominator < 0n ? -x : x
  const [n, d] = [numerator / divisor, denominator / divisor]
  return safe(Number(n)) && safe(Number(d)) ? { n: Number(n), d: Number(d) } : { n, d }
}

function fromText(value: number): Exact {
  const parts = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))
  if (!parts) throw new RangeError(`${value} is not a decimal number`)
  const [, whole = '', fraction = '', exponent = '0'] = parts
  const places = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return places > 0 ? lowest(digits, 10n ** BigInt(places)) : lowest(digits * 10n ** BigInt(-places), 1n)
}
