import type { Failure, Issue } from '@markbook/shared/failures'
import i18next from 'i18next'
import { fieldSentence } from './issue.ts'
import { termLabel } from './term-label.ts'

/** A failure as a sentence: translated where the catalogue has its code, or that of what it says more exactly, else the server's message. */
export function sentenceOf(failure: unknown): string {
  const { code, message, issues } = (failure ?? {}) as Partial<Failure>
  const [issue] = issues ?? []
  const own = code && ((issue && known(code, issue)) ?? inCatalogue(keyOf(code), issue?.values))
  return own || message || i18next.t('unknown', { ns: 'failures' })
}

const keyOf = (code: string) => code.replaceAll('.', '_')

type Values = Issue['values']

/** In the app's words where they have it. Terms have names that the app knows. */
function inCatalogue(key: string, values: Values): string | undefined {
  if (!i18next.exists(key, { ns: 'failures' })) return undefined
  const term = values?.['term']
  return i18next.t(key as 'unreachable', { ns: 'failures', ...values, ...(typeof term === 'string' && { term: termLabel(term) }) })
}

const known = (code: string, issue: Issue) =>
  issue.code === undefined ? undefined : inCatalogue(`${keyOf(code)}_${issue.code}`, issue.values)

/** One thing of several that stand against something, as a sentence: that of `code`, the failure which they would be. */
export const sentenceOfIssue = (code: string, issue: Issue): string => known(code, issue) ?? fieldSentence(issue.message)

/** What is wrong with one field of a body that was refused (`issues` of decisions §1). */
export function issueOf(failure: unknown, path: string): string | undefined {
  const found = (failure as Partial<Failure> | null)?.issues?.find((issue) => issue.path === path)
  return found && fieldSentence(found.message)
}
