import { type NewTerm, termFailures, termsOutside } from '@markbook/shared/contract/terms'
import { isSameTermName, termInEnglish } from '@markbook/shared/domain/term-names'
import type { Issue } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../store/tx.ts'
import { termsOfYear } from '../terms/terms.policy.ts'

type Year = Row<'academic_year'>
/** The terms that a roll-over makes in `year`, those that it has already, and what stands against it. */
export type RolledTerms = { made: readonly NewTerm[]; existing: readonly Row<'term'>[]; issues: Issue[] }

export async function termsOfRollOver(tx: ReadTx, year: Year, made: readonly NewTerm[] = []): Promise<RolledTerms> {
  if (made.length === 0) return { made, existing: [], issues: [] }
  const existing = await termsOfYear(tx, { school: year.school_id, year: year.id })
  const issues = termsOutside(made, { startDate: year.start_date, endDate: year.end_date })
  for (const [at, { name }] of made.entries())
    if (existing.some((other) => isSameTermName(other.name, name)))
      issues.push({ path: `terms.${at}.name`, message: `This year already has a term called ${termInEnglish(name)}.` })
  if (existing.length + made.length > limits.termsOfYear) issues.push({ path: 'terms', message: termFailures.tooMany().message })
  return { made, existing, issues }
}
