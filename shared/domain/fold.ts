/** Letters with no decomposition in Unicode, and signs that keyboards and word processors swap for one another. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ð: 'd',
  đ: 'd',
  ø: 'o',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ı: 'i',
  ə: 'e',
  ɛ: 'e',
  ɔ: 'o',
  ɓ: 'b',
  ɖ: 'd',
  ɗ: 'd',
  ƙ: 'k',
  ƴ: 'y',
  ɨ: 'i',
  ʉ: 'u',
  ƀ: 'b',
  ǥ: 'g',
  ς: 'σ',
  '\u2018': "'",
  '\u2019': "'",
  '\u02bb': "'",
  '\u02bc': "'",
  '\u2010': '-',
  '\u2013': '-',
}
const SPECIAL = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/**
 * Accents, vowel points and tone marks, but not the vowel signs of the Indic scripts: those are letters, and without them
 * different names would read alike. Characters that show nothing (joiners, soft hyphens, variation selectors) go too.
 */
const SILENT = /[\u0300-\u036f]|(?=\p{M})\p{Diacritic}|\p{Default_Ignorable_Code_Point}/gu

/** U+FDFA, one character, spells out to 18. */
export const FOLD_GROWTH = 18

/**
 * The form of a text in which case and accents do not count, for searching and sorting in every script: «Élan» and «ELAN»
 * give `elan`. Folding twice changes nothing; the result has at most `FOLD_GROWTH` times the UTF-16 units of the text.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(SILENT, '')
    .replace(SPECIAL, (letter) => PLAIN[letter] ?? letter)
}

/** Sorts last name first; U+0001, which no name holds, comes before every letter, so that «Li, Zoe» precedes «Lia, Ann». */
export const sortKey = (lastName: string, firstName: string): string => `${fold(lastName)}\u0001${fold(firstName)}`

/** A typed search as it is looked for inside a search key: commas, control characters and runs of spaces count as one space. */
export const searchTerm = (text: string): string =>
  fold(text)
    .replace(/[\s,\p{Cc}]+/gu, ' ')
    .trim()

/** The words of a text as they are compared: folded, without signs. An apostrophe joins, so that O’Brien and OBrien are one word. */
export const foldedWords = (text: string): string[] =>
  fold(text)
    .replace(/['`]/g, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)

/** Holds the names in both orders, so that a plain substring match of a search term finds either name and the two together. */
export function searchKey(firstName: string, lastName: string): string {
  const [first, last] = [searchTerm(firstName), searchTerm(lastName)]
  return `${first} ${last}\u0001${last} ${first}`
}

/** Order by code point: the order of UTF-8 bytes, which is SQLite's and Postgres's `COLLATE "C"` (`<` compares UTF-16 units). */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)]
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/** The order of names in lists, ignoring case and accents; equal ones by id, so that every machine has the same order. */
export const byFoldedName = (a: { id: string; name: string }, b: { id: string; name: string }): number =>
  compareText(fold(a.name), fold(b.name)) || compareText(a.id, b.id)
