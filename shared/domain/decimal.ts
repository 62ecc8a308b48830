export type DecimalRefusal = 'empty' | 'not_a_number' | 'too_many_decimals' | 'too_large'

/** A double keeps every decimal of up to this many digits. */
const MAX_DIGITS = 15

/** Replaces Arabic and Persian digits and decimal separators by 0 to 9 and a point. The value of such a digit is in its last four bits. */
export const westernFigures = (text: string): string =>
  text.replace(/[٠-٩۰-۹٫]/g, (sign) => (sign === '٫' ? '.' : String((sign.codePointAt(0) ?? 0) % 16)))

/**
 * Parses a typed number with a decimal point or a decimal comma. Refuses thousands separators, exponents and a leading plus. «1.234» where
 * two places are allowed is refused rather than rounded, since it may mean a thousand.
 */
export function parseDecimal(text: string, decimals: number): { ok: true; value: number } | { ok: false; reason: DecimalRefusal } {
  const typed = westernFigures(text.trim())
  if (typed === '') return { ok: false, reason: 'empty' }
  const parts = /^(-?)(\d+)(?:[.,](\d+))?$/.exec(typed)
  if (!parts) return { ok: false, reason: 'not_a_number' }
  const [, minus = '', whole = '', fraction = ''] = parts
  if (fraction.length > decimals) return { ok: false, reason: 'too_many_decimals' }
  if (whole.replace(/^0+/, '').length + fraction.length > MAX_DIGITS) return { ok: false, reason: 'too_large' }
  return { ok: true, value: Number(`${minus}${whole}.${fraction || '0'}`) + 0 }
}

/** Whether the shortest decimal text of a number has at most that many places (0 to 4). */
export const hasAtMostDecimals = (value: number, decimals: number): boolean => !Number.isNaN(scaled(value, 10 ** decimals))

/** Two decimals of at most this many digits never share a double. */
const TRUSTED = 1e15

/** The integer `value × scale` when `value` is a decimal on that scale (its shortest text has no further places), else NaN. */
export function scaled(value: number, scale: number): number {
  const integer = Math.round(value * scale)
  return Math.abs(integer) < TRUSTED && integer / scale === value ? integer : Number.NaN
}
