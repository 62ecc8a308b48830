import type { Failure } from '@markbook/shared/failures'
import i18next from 'i18next'
import { fieldSentence } from './issue.ts'

/** A failure as a sentence: translated where the catalogue has its code, or that of what it says more exactly, else the server's message. */
export function sentenceOf(failure: unknown): string {
  const { code, message, issues } = (failure ?? {}) as Partial<Failure>
  const key = code?.replaceAll('.', '_') ?? ''
  const [issue] = issues ?? []
  const known = [`${key}_${issue?.code}`, key].find((each) => key && i18next.exists(each, { ns: 'failures' }))
  const own = known && i18next.t(known as 'unreachable', { ns: 'failures', ...issue?.values })
  return own ?? message ?? i18next.t('unknown', { ns: 'failures' })
}

/** What is wrong with one field of a body that was refused (`issues` of decisions §1). */
export function issueOf(failure: unknown, path: string): string | undefined {
  const found = (failure as Partial<Failure> | null)?.issues?.find((issue) => issue.path === path)
  return found && fieldSentence(found.message)
}
