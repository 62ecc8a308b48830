/**
 * The letters of a typed printed code: capitals, without spaces and dashes. A printed code is base32, which has the digits 2 to 7 only, so
 * the digits 0, 1 and 8 are the letters O, I and B, misread from paper.
 */
export const printedLetters = (typed: string): string =>
  typed
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replaceAll('0', 'O')
    .replaceAll('1', 'I')
    .replaceAll('8', 'B')
