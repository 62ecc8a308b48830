import { fold } from '@markbook/shared/domain/fold'

/** A remark as it was written, and of whom. */
export type WrittenRemark = { text: string; firstName: string }
/** A remark that can be said of anybody: the name of whom it was written is open. Most used first. */
export type Bank = readonly string[]

const OPEN = '\u0000'
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** As a word of its own: `Ann` is not in `Annual`. */
const asWord = (name: string) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(name)}(?![\\p{L}\\p{N}])`, 'gu')

/** What was written before in this class, for whoever writes the next: each once, the most used first, then by the letters. */
export function bankOf(written: readonly WrittenRemark[]): Bank {
  const uses = new Map<string, number>()
  for (const { text, firstName } of written) {
    const said = firstName ? text.trim().replace(asWord(firstName), OPEN) : text.trim()
    if (said) uses.set(said, (uses.get(said) ?? 0) + 1)
  }
  return [...uses].sort(([a, used], [b, more]) => more - used || (fold(a) < fold(b) ? -1 : 1)).map(([said]) => said)
}

/**
 * What may be meant by what was typed so far, for this pupil: remarks that begin with it, then those that hold it; case and accents do
 * not count. Nothing typed: the most used. Never what stands there already.
 */
export function completions(bank: Bank, typed: string, firstName: string, most = 6): string[] {
  const wanted = fold(typed.trim())
  const texts = bank.map((said) => said.replaceAll(OPEN, firstName)).filter((text) => fold(text) !== wanted)
  if (!wanted) return texts.slice(0, most)
  const begins = texts.filter((text) => fold(text).startsWith(wanted))
  const holds = texts.filter((text) => !begins.includes(text) && fold(text).includes(wanted))
  return [...new Set([...begins, ...holds])].slice(0, most)
}
