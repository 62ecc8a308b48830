import { type GradingScale, letterFor } from '@markbook/shared/domain/letters'

/** The letters that a teacher may choose for an entry: the scale's, with the calculated one known, and one that stands there by hand. */
export function lettersFor(
  scale: GradingScale,
  result: number | null,
  shown: string | null,
): { calculated: string | null; letters: string[] } {
  const letters = scale.bands.map(({ letter }) => letter)
  return {
    calculated: letterFor(scale, result)?.letter ?? null,
    letters: shown === null || letters.includes(shown) ? letters : [...letters, shown],
  }
}
