import type { Failure } from '@markbook/shared/failures'
import i18next from 'i18next'

/** A failure as a sentence: translated where the catalogue has its code, else the server's message. */
export function sentenceOf(failure: unknown): string {
  const { code, message, issues } = (failure ?? {}) as Partial<Failure>
  const key = code?.replaceAll('.', '_') ?? ''
  const own =
    key && i18next.exists(key, { ns: 'failures' }) ? i18next.t(key as 'unreachable', { ns: 'failures', ...issues?.[0]?.values }) : null
  return own ?? message ?? i18next.t('unknown', { ns: 'failures' })
}

/** What is wrong with one field of a body that was refused (`issues` of decisions §1). */
export const issueOf = (failure: unknown, path: string): string | undefined =>
  (failure as Partial<Failure> | null)?.issues?.find((issue) => issue.path === path)?.message
