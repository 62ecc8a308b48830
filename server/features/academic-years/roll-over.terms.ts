import { type NewTerm, termsOutside } from '@markbook/shared/contract/terms'
import { isSameTermName, termInEnglish } from '@markbook/shared/domain/term-names'
import type { Issue } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../store/tx.ts'
import { termsOfYear } from '../terms/terms.policy.ts'
import { rollOverIssue } from './roll-over.issues.ts'

type Year = Row<'academic_year'>
/** The terms that a roll-over creates in `year`, the existing ones, and the issues. */
export type RolledTerms = { made: readonly NewTerm[]; existing: readonly Row<'term'>[]; issues: Issue[] }

export async function termsOfRollOver(tx: ReadTx, year: Year, made: readonly NewTerm[] = []): Promise<RolledTerms> {
  if (made.length === 0) return { made, existing: [], issues: [] }
  const existing = await termsOfYear(tx, { school: year.school_id, year: year.id })
  const issues = made.flatMap((term, at) =>
    termsOutside([term], { startDate: year.start_date, endDate: year.end_date }).map(({ path }) =>
      rollOverIssue(path.replace('terms.0', `terms.${at}`), 'term_outside', { term: term.name }),
    ),
  )
  for (const [at, { name }] of made.entries())
    if (existing.some((other) => isSameTermName(other.name, name)))
      issues.push(rollOverIssue(`terms.${at}.name`, 'term_taken', { term: name }, { term: termInEnglish(name) }))
  if (existing.length + made.length > limits.termsPerYear)
    issues.push(rollOverIssue('terms', 'too_many_terms', { max: limits.termsPerYear }))
  return { made, existing, issues }
}
