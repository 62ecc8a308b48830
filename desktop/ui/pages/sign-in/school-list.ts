import { fold } from '@markbook/shared/domain/fold'

/** The largest number of schools shown; a longer search finds the others. */
export const MAX_SHOWN = 50

/** The schools whose name contains every word of the search, regardless of case and accents. */
export function matching<S extends { name: string }>(schools: readonly S[], search: string): S[] {
  const words = fold(search).split(/\s+/).filter(Boolean)
  return schools.filter(({ name }) => {
    const folded = fold(name)
    return words.every((word) => folded.includes(word))
  })
}
