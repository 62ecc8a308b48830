import type { Failure, Issue } from '@markbook/shared/failures'
import i18next from 'i18next'
import { fieldSentence } from './issue.ts'
import { termLabel } from './term-label.ts'

/** The sentence of a failure: from the catalogue, by the code of its first issue or by its own; else the message of the server. */
export function sentenceOf(failure: unknown): string {
  const { code, message, issues } = (failure ?? {}) as Partial<Failure>
  const [issue] = issues ?? []
  const own = code && ((issue && known(code, issue)) ?? inCatalogue(keyOf(code), issue?.values))
  return own || message || i18next.t('unknown', { ns: 'failures' })
}

const keyOf = (code: string) => code.replaceAll('.', '_')

type Values = Issue['values']

/** The sentence from the catalogue, with the names of terms in the app's words; undefined where there is none. */
function inCatalogue(key: string, values: Values): string | undefined {
  if (!i18next.exists(key, { ns: 'failures' })) return undefined
  const term = values?.['term']
  return i18next.t(key as 'unreachable', { ns: 'failures', ...values, ...(typeof term === 'string' && { term: termLabel(term) }) })
}

const known = (code: string, issue: Issue) =>
  issue.code === undefined ? undefined : inCatalogue(`${keyOf(code)}_${issue.code}`, issue.values)

/** The sentence of one issue of several. `code`: that of the failure that has the issue. */
export const sentenceOfIssue = (code: string, issue: Issue): string => known(code, issue) ?? fieldSentence(issue.message)

/** What is wrong with a field of a refused body (`issues` of decisions §1); undefined where nothing is. */
export function issueOf(failure: unknown, path: string): string | undefined {
  const found = (failure as Partial<Failure> | null)?.issues?.find((issue) => issue.path === path)
  return found && fieldSentence(found.message)
}
