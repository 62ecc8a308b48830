import { fold } from '@markbook/shared/domain/fold'

/** As many as a person reads through; the rest comes with another letter. */
export const SHOWN = 50

/** The schools in whose name every word of the search stands, whatever its case and accents. */
export function matching<S extends { name: string }>(schools: readonly S[], search: string): S[] {
  const words = fold(search).split(/\s+/).filter(Boolean)
  return schools.filter(({ name }) => {
    const folded = fold(name)
    return words.every((word) => folded.includes(word))
  })
}
