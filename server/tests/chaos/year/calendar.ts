import type { Chance } from '../../world/chance.ts'

/** School weeks of the three terms of the real marks. */
const TERM_WEEKS = [16, 12, 11] as const
export const WEEKS = TERM_WEEKS.reduce((sum, weeks) => sum + weeks, 0)
export const SCHOOL_DAYS = 5

/** When what happens in a year, by week and day of the week, both from 0. `outage`: from the first of these weeks, for two weeks. */
export type Plan = { outage: number; restore: Moment; theft: Moment; clone: Moment }
type Moment = { week: number; day: number }

export function planOf(chance: Chance): Plan {
  const at = (week: number): Moment => ({ week: week + chance.below(3), day: 1 + chance.below(3) })
  return { outage: 8 + chance.below(3), restore: at(18), theft: at(24), clone: at(32) }
}

/** In which term a week is, and whether it is its last. */
export function weekOf(week: number): { term: number; isLast: boolean } {
  let end = 0
  for (const [term, weeks] of TERM_WEEKS.entries()) {
    end += weeks
    if (week < end) return { term, isLast: week === end - 1 }
  }
  throw new Error(`a school year has no week ${week}`)
}
