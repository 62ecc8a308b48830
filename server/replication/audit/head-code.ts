import { grouped, toBase32 } from '../../store/encryption.ts'

/** Bits of a head that are printed: nobody finds another history whose head begins with the same 80. */
const DIGITS = 20
const LETTERS = 16

/** The head of a history as people print and type it: 16 letters and digits of base 32, in groups of four. */
export const codeOfHead = (head: string): string => grouped(toBase32(Buffer.from(head.slice(0, DIGITS), 'hex')))

/** How a head begins in hex that was printed so; null for what is no such code. Small letters, and other or no signs between groups, will do. */
export function headOfCode(typed: string): string | null {
  const letters = typed
    .toUpperCase()
    .replace(/[\s\-–—.]/g, '')
    .replaceAll('0', 'O')
    .replaceAll('1', 'I')
    .replaceAll('8', 'B')
  if (letters.length !== LETTERS || !/^[A-Z2-7]+$/.test(letters)) return null
  const bits = [...letters].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return (bits.match(/.{4}/g) ?? []).map((four) => Number.parseInt(four, 2).toString(16)).join('')
}
