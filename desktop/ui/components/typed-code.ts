import { westernFigures } from '@markbook/shared/domain/decimal'

const DIGITS = 8
const CHARACTERS = 16
/** Room for the dashes or spaces between the groups of a printed code. */
const LONGEST = 24

/** Whether a text is the beginning of a printed code: those have letters. */
export const isPrinted = (text: string): boolean => /[a-z]/i.test(text)

/** What a field for codes keeps of a typed or pasted text: of digits those, up to eight; a printed code as it was typed. */
export const typedCode = (text: string): string =>
  isPrinted(text) ? text.trim().slice(0, LONGEST) : westernFigures(text).replace(/\D/g, '').slice(0, DIGITS)

/** The code that is sent, once it is whole; null before. */
export function wholeCode(typed: string): string | null {
  const bare = typed.replace(/[\s\p{Pd}]/gu, '')
  return bare.length === (isPrinted(typed) ? CHARACTERS : DIGITS) ? bare.toUpperCase() : null
}
