import { foldedWords } from '@markbook/shared/domain/fold'

/** An entry that can be found by its name or by `words`. */
export type Entry = { id: string; name: string; words?: string }

/**
 * The entries that have a word beginning with each word of the query; accents, case and order do not matter. Entries whose name begins with
 * the query come first; otherwise the order stays.
 */
export function search<E extends Entry>(entries: readonly E[], query: string): E[] {
  const wanted = foldedWords(query)
  if (wanted.length === 0) return [...entries]
  const found = entries.filter(({ name, words = '' }) => {
    const own = foldedWords(`${name} ${words}`)
    return wanted.every((word) => own.some((other) => other.startsWith(word)))
  })
  const begins = ({ name }: E) => foldedWords(name).join(' ').startsWith(wanted.join(' '))
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))]
}
