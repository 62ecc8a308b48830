import { searchTerm } from './fold.ts'

/** The names of terms with translations, stored in this form. Every other name is the school's own and is shown as it is. */
export const TERM_NAMES = ['michaelmas', 'hilary', 'trinity'] as const
export type KnownTerm = (typeof TERM_NAMES)[number]

export const isKnownTerm = (name: unknown): name is KnownTerm => TERM_NAMES.some((known) => known === name)

/** Normalises a name for storing: composed letters, no spaces around it; a known name in any case becomes the known one. */
export function termName(typed: string): string {
  const name = typed.normalize('NFC').trim()
  return TERM_NAMES.find((known) => known === name.toLowerCase()) ?? name
}

/** Whether two names differ only in case, accents or spaces. */
export const isSameTermName = (a: string, b: string): boolean => searchTerm(a) === searchTerm(b)

/** A term's name in English for documents, mails and the command line; the app has its own words (desktop/ui/words/term-label.ts). */
export const termInEnglish = (name: string): string => (isKnownTerm(name) ? name.charAt(0).toUpperCase() + name.slice(1) : name)

/** The `sort_order` of a new term in its year: a known name has a fixed place, an own name comes after the last. */
export function orderOfNewTerm(name: string, others: readonly { sort_order: number }[]): number {
  return isKnownTerm(name) ? TERM_NAMES.indexOf(name) + 1 : Math.max(0, ...others.map(({ sort_order }) => sort_order)) + 1
}
