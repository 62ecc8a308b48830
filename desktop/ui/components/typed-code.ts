import { westernFigures } from '@markbook/shared/domain/decimal'

const DIGITS = 8
const CHARACTERS = 16
/** Includes dashes or spaces between the groups of a printed code. */
const LONGEST = 24

/** Whether a text is the beginning of a printed code, which has letters. */
export const isPrinted = (text: string): boolean => /[a-z]/i.test(text)

/** The accepted part of a typed or pasted text: up to eight digits; a printed code as it is. */
export const typedCode = (text: string): string =>
  isPrinted(text) ? text.trim().slice(0, LONGEST) : westernFigures(text).replace(/\D/g, '').slice(0, DIGITS)

/** The code to send where it is complete; else null. */
export function wholeCode(typed: string): string | null {
  const bare = typed.replace(/[\s\p{Pd}]/gu, '')
  return bare.length === (isPrinted(typed) ? CHARACTERS : DIGITS) ? bare.toUpperCase() : null
}
