/** Letters without a Unicode decomposition, and signs that keyboards and word processors substitute for one another. */
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
 * Accents, vowel points and tone marks. Excludes the vowel signs of Indic scripts, which are letters: without them different names would
 * be equal. Includes the madda, hamza and small alif of Arabic letters, which many people do not type and Unicode does not count as
 * diacritics, and characters without a shape (joiners, soft hyphens, variation selectors).
 */
const SILENT = /[\u0300-\u036f\u0653-\u0655\u0670]|(?=\p{M})\p{Diacritic}|\p{Default_Ignorable_Code_Point}/gu

/** The longest expansion of one character: U+FDFA becomes 18. */
export const FOLD_GROWTH = 18

/**
 * Folds a text for searching and sorting in every script, ignoring case and accents: «Élan» and «ELAN» give `elan`. Idempotent. The result
 * has at most `FOLD_GROWTH` times the UTF-16 units of the text.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(SILENT, '')
    .replace(SPECIAL, (letter) => PLAIN[letter] ?? letter)
}

/** Sorts by last name, then first name. U+0001 sorts before every letter and is in no name, so that «Li, Zoe» precedes «Lia, Ann». */
export const sortKey = (lastName: string, firstName: string): string => `${fold(lastName)}\u0001${fold(firstName)}`

/** A typed search term, normalised for matching a search key: commas, control characters and runs of spaces become one space. */
export const searchTerm = (text: string): string =>
  fold(text)
    .replace(/[\s,\p{Cc}]+/gu, ' ')
    .trim()

/** The words of a text for comparing: folded, without punctuation. Apostrophes are removed, so that O’Brien and OBrien are one word. */
export const foldedWords = (text: string): string[] =>
  fold(text)
    .replace(/['`]/g, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)

/** The key contains the name in both orders, so that one substring match finds first name, last name, or both together. */
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

/** The order of names in lists, ignoring case and accents; ties are broken by id, so that every machine has the same order. */
export const byFoldedName = (a: { id: string; name: string }, b: { id: string; name: string }): number =>
  compareText(fold(a.name), fold(b.name)) || compareText(a.id, b.id)
