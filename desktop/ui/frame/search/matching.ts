import { foldedWords } from '@markbook/shared/domain/fold'

/** One thing to be found. `words`: by which it is found, beside its name. */
export type Entry = { id: string; name: string; words?: string }

/**
 * The entries that have, for each word of the query, one that begins with it: without accents and case, in any order. Those whose name begins
 * with the query come first, else they stay in their order.
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
