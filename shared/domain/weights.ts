import { compare, exact, plus, ratio } from './exact.ts'

/** Whether the decimals of two percentages sum to exactly 100: true for 60.5 and 39.5, false for 60.1 and 39.8. */
export function weightsSumTo100(exam: number, coursework: number): boolean {
  if (!Number.isFinite(exam) || !Number.isFinite(coursework)) return false
  return exam >= 0 && coursework >= 0 && compare(plus(exact(exam), exact(coursework)), ratio(100, 1)) === 0
}
