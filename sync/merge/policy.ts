import type { Replicated } from '@markbook/shared/tables/tables'
import type { Values } from './state.ts'

/**
 * What happens where two different values of a unit meet and neither write saw the other (sync/SPEC.md, «Merging»):
 * - `later`: the later stands, the other becomes an open conflict, whole, for a person to decide;
 * - `notice`: the later stands, the other is noted for whoever looks;
 * - `quiet`: the later stands; the history has the other;
 * - a list of steps: the furthest stands whichever is later, the other is noted. Steps taken before a row was deleted and made anew
 *   count less than those after it, but nothing counts more than the last step, which nobody can leave.
 */
export type Rule = 'later' | 'notice' | 'quiet' | { furthest: readonly string[]; of: string }

/** The whole policy. What is not named is `later`. A secret is never copied into a conflict, so its units are `quiet`. */
export const policy: Partial<Record<Replicated, Readonly<Record<string, Rule>>>> = {
  user_profile: { name: 'quiet', avatar: 'quiet' },
  user_totp: { secret: 'quiet' },
  recovery_code: { code: 'quiet', use: 'quiet' },
  school: { crest: 'notice' },
  school_join_request: { status: { furthest: ['pending', 'rejected', 'approved'], of: 'status' } },
  active_year: { winner: 'notice' },
  class_teacher: { winner: 'notice' },
  term: { sort_order: 'quiet' },
  subject: { sort_order: 'quiet' },
  assessment: { sort_order: 'quiet' },
  report_book: {
    status: { furthest: ['draft', 'published', 'sent_to_ministry'], of: 'status' },
    snapshot: 'notice',
    student_group_id: 'notice',
    approval: 'quiet',
  },
  sync_conflict: { status: 'notice' },
}

export const ruleOf = (table: Replicated, unit: string): Rule => policy[table]?.[unit] ?? 'later'

/** Units of which the furthest step stands; their stamps count how often the row was made anew. */
export const furthestOf = (table: Replicated): readonly string[] =>
  Object.entries(policy[table] ?? {}).flatMap(([unit, each]) => (typeof each === 'object' ? [unit] : []))

const stepIn = (rule: Rule, values: Values): number => (typeof rule === 'object' ? rule.furthest.indexOf(String(values[rule.of])) : -1)

/** Whether the values `after` stand at an earlier step of the unit than those `before`. */
export const isStepBack = (table: Replicated, unit: string, before: Values, after: Values): boolean =>
  stepIn(ruleOf(table, unit), after) < stepIn(ruleOf(table, unit), before)

export function isLastStep(table: Replicated, unit: string, values: Values): boolean {
  const rule = ruleOf(table, unit)
  return typeof rule === 'object' && stepIn(rule, values) === rule.furthest.length - 1
}

/** Units that remember the highest value a column ever had, for the rules between rows: unit → how it is read from the values. */
const highOf: Partial<Record<Replicated, Readonly<Record<string, (values: Readonly<Record<string, unknown>>) => number>>>> = {
  assessment: { scoring: ({ max_score }) => Number(max_score) },
  school_management: { role: ({ role }) => (role === 'admin' ? 1 : 0) },
}

export const highsOf = (table: Replicated, row: Readonly<Record<string, unknown>>): Record<string, number> =>
  Object.fromEntries(Object.entries(highOf[table] ?? {}).map(([unit, read]) => [unit, read(row)]))
