import { exact, over, ratio, roundHalfUp, times } from './exact.ts'

/** `minimum` and `passMark` are percentages; a band holds from its minimum up to the minimum of the band before it. */
export type GradingBand = { letter: string; minimum: number; remark: string }
export type GradingScale = { passMark: number; bands: readonly GradingBand[] }
export type Letter = { letter: string; remark: string }

/** The scale of a school that has not written its own (decisions §4). */
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

/** The letter of an average as printed (2 decimals); null of none. */
export function letterFor(scale: GradingScale, average: number | null): Letter | null {
  if (average === null) return null
  const band = scale.bands.find((candidate) => average >= candidate.minimum)
  return band ? { letter: band.letter, remark: band.remark } : null
}

/** The letter of one grade: of 100·score/max_score, rounded to 2 decimals like every average that is given a letter. */
export const letterForScore = (scale: GradingScale, score: number, maxScore: number): Letter | null =>
  letterFor(scale, roundHalfUp(over(times(ratio(100, 1), exact(score)), exact(maxScore))))

export const isPass = (scale: GradingScale, average: number): boolean => average >= scale.passMark

export type ScaleIssue = { path: string; message: string }

/** What keeps a scale from being used, empty when nothing: minimums strictly falling, the last 0, letters unique and not blank. */
export function gradingScaleIssues(scale: GradingScale): ScaleIssue[] {
  const issues: ScaleIssue[] = []
  const percentage = (value: number) => value >= 0 && value <= 100
  if (!percentage(scale.passMark))
    issues.push({
      path: 'passMark',
      message: 'The pass mark must be between 0 and 100.',
    })
  if (scale.bands.length === 0)
    issues.push({
      path: 'bands',
      message: 'A grading scale needs at least one letter.',
    })
  const letters = new Set<string>()
  scale.bands.forEach((band, index) => {
    const letter = band.letter.trim()
    const before = scale.bands[index - 1]
    const at = (field: string) => `bands.${index}.${field}`
    if (letter === '')
      issues.push({
        path: at('letter'),
        message: 'Every band needs a letter.',
      })
    else if (letters.has(letter))
      issues.push({
        path: at('letter'),
        message: `The letter ${letter} is there twice.`,
      })
    letters.add(letter)
    if (!percentage(band.minimum))
      issues.push({
        path: at('minimum'),
        message: 'A minimum must be between 0 and 100.',
      })
    else if (before && !(band.minimum < before.minimum))
      issues.push({
        path: at('minimum'),
        message: 'Each minimum must be lower than the one before it.',
      })
    if (index === scale.bands.length - 1 && band.minimum !== 0)
      issues.push({
        path: at('minimum'),
        message: 'The last minimum must be 0, so that every average has a letter.',
      })
  })
  return issues
}

export const isGradingScale = (scale: GradingScale): boolean => gradingScaleIssues(scale).length === 0
