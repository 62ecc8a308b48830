import { fold } from '@markbook/shared/domain/fold'

/** A remark, the first name of its pupil, and the row where it is, if it is on the page. */
export type WrittenRemark = { text: string; firstName: string; rowId?: string }
/** Remarks with a placeholder for the first name, the most used first. */
export type RemarkBank = readonly string[]

const NAME_PLACEHOLDER = '\u0000'
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** Only as a whole word: `Ann` is not found in `Annual`. */
const asWord = (name: string) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(name)}(?![\\p{L}\\p{N}])`, 'gu')

/**
 * The remarks of a class, each once, the most used first, then in alphabetical order. `but`: the row that is being written, whose remark is
 * saved half-typed.
 */
export function bankOf(written: readonly WrittenRemark[], but?: string): RemarkBank {
  const uses = new Map<string, number>()
  for (const { text, firstName, rowId } of written) {
    if (rowId !== undefined && rowId === but) continue
    const template = firstName ? text.trim().replace(asWord(firstName), NAME_PLACEHOLDER) : text.trim()
    if (template) uses.set(template, (uses.get(template) ?? 0) + 1)
  }
  return [...uses].sort(([a, used], [b, more]) => more - used || (fold(a) < fold(b) ? -1 : 1)).map(([template]) => template)
}

/** The remarks with the pupil's first name, but the typed one. `folded`: the typed text. */
const othersOf = (bank: RemarkBank, folded: string, firstName: string): string[] =>
  bank.map((template) => template.replaceAll(NAME_PLACEHOLDER, firstName)).filter((text) => fold(text) !== folded)

/** Whether there is a remark besides the typed one, suggested for it or not. */
export const hasOthers = (bank: RemarkBank, typed: string, firstName: string): boolean =>
  othersOf(bank, fold(typed.trim()), firstName).length > 0

/**
 * Suggestions for the typed text, with the pupil's first name: remarks that begin with it, then remarks that contain it; case and accents
 * are ignored. The most used ones for an empty text. Never the text itself.
 */
export function completions(bank: RemarkBank, typed: string, firstName: string, most = 6): string[] {
  const folded = fold(typed.trim())
  const texts = othersOf(bank, folded, firstName)
  if (!folded) return texts.slice(0, most)
  const begins = texts.filter((text) => fold(text).startsWith(folded))
  const contains = texts.filter((text) => !begins.includes(text) && fold(text).includes(folded))
  return [...new Set([...begins, ...contains])].slice(0, most)
}
