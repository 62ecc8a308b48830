import { exact, over, ratio, roundHalfUp, times } from './exact.ts'

/** `minimum` and `passMark` are percentages; a band reaches from its minimum up to the minimum of the band before it. */
type GradingBand = { letter: string; minimum: number; remark: string }
export type GradingScale = { passMark: number; bands: readonly GradingBand[] }
export type Letter = { letter: string; remark: string }

/** The scale of a school that has not set its own (decisions §4). */
export const defaultGradingScale: GradingScale = {
  passMark: 50,
  bands: [
    { letter: 'A+', minimum: 90, remark: 'Outstanding' },
    { letter: 'A', minimum: 80, remark: 'Excellent' },
    { letter: 'B', minimum: 70, remark: 'Very good' },
    { letter: 'C', minimum: 60, remark: 'Good' },
    { letter: 'D', minimum: 50, remark: 'Pass' },
    { letter: 'F', minimum: 0, remark: 'Fail' },
  ],
}

/** The letter of a printed average (2 decimals); null for null. */
export function letterFor(scale: GradingScale, average: number | null): Letter | null {
  if (average === null) return null
  const band = scale.bands.find((candidate) => average >= candidate.minimum)
  return band ? { letter: band.letter, remark: band.remark } : null
}

/** The letter of one grade: of 100·score/max_score, rounded to 2 decimals like an average. */
export const letterForScore = (scale: GradingScale, score: number, maxScore: number): Letter | null =>
  letterFor(scale, roundHalfUp(over(times(ratio(100, 1), exact(score)), exact(maxScore))))

export const isPass = (scale: GradingScale, average: number): boolean => average >= scale.passMark
