import { type GradingScale, letterFor } from '@markbook/shared/domain/letters'
import { typedNumber } from '../../words/format.ts'

/** Whether a text is a percentage with at most two decimals, or empty for an unknown attendance. */
export const isAttendance = (text: string): boolean => {
  const typed = typedNumber(text)
  return text.trim() === '' || (typed !== null && typed >= 0 && typed <= 100 && Math.abs(typed * 100 - Math.round(typed * 100)) < 1e-9)
}

/** The calculated letter of an entry, and the letters to choose from: those of the scale and the present one. */
export function lettersFor(scale: GradingScale, result: number | null, shown: string | null) {
  const letters = scale.bands.map(({ letter }) => letter)
  return {
    calculated: letterFor(scale, result)?.letter ?? null,
    letters: shown === null || letters.includes(shown) ? letters : [...letters, shown],
  }
}
