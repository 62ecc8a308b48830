import { searchTerm } from './fold.ts'

/** The names of terms that the program knows, stored so and shown in the reader's language. Every other name is the school's own word. */
export const TERM_NAMES = ['michaelmas', 'hilary', 'trinity'] as const
export type KnownTerm = (typeof TERM_NAMES)[number]

export const isKnownTerm = (name: unknown): name is KnownTerm => TERM_NAMES.some((known) => known === name)

/** A name as it is stored: composed letters, no spaces around it; a known name in whatever case is the known one. */
export function termName(typed: string): string {
  const name = typed.normalize('NFC').trim()
  return TERM_NAMES.find((known) => known === name.toLowerCase()) ?? name
}

/** Names that differ in case, accents or spaces alone are one name. */
export const isSameTermName = (a: string, b: string): boolean => searchTerm(a) === searchTerm(b)

/** A term in English, as papers, mails and the command line print it; the app has its own words (desktop/ui/words/term-label.ts). */
export const termInEnglish = (name: string): string => (isKnownTerm(name) ? name.charAt(0).toUpperCase() + name.slice(1) : name)

/** Where a new term comes in its year: a known name has its place, an own word comes after the last. */
export function orderOfNewTerm(name: string, others: readonly { sort_order: number }[]): number {
  return isKnownTerm(name) ? TERM_NAMES.indexOf(name) + 1 : Math.max(0, ...others.map(({ sort_order }) => sort_order)) + 1
}
