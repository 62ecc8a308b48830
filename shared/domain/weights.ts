import { compare, exact, plus, ratio } from './exact.ts'

/** Whether two percentages are exactly 100 together, as decimals: 60.5 and 39.5 are, 60.1 and 39.8 are not. */
export function weightsSumTo100(exam: number, coursework: number): boolean {
  if (!Number.isFinite(exam) || !Number.isFinite(coursework)) return false
  return exam >= 0 && coursework >= 0 && compare(plus(exact(exam), exact(coursework)), ratio(100, 1)) === 0
}
