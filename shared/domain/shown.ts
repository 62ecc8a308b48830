import { compare, type Exact, exact, roundHalfUp } from './exact.ts'

/** A fraction as a calculator shows it: 6 decimals; `exact` is false where it goes on beyond them. */
export type DisplayedNumber = { decimal: number; exact: boolean }

export function shown(value: Exact): DisplayedNumber {
  const decimal = roundHalfUp(value, 6)
  return { decimal, exact: compare(exact(decimal), value) === 0 }
}

/** `75`, or `≈66.666667` where digits are cut off. */
export const shownText = ({ decimal, exact: whole }: DisplayedNumber): string => (whole ? `${decimal}` : `≈${decimal}`)
