import { Failure } from '@markbook/shared/failures'
import type { TFunction } from 'i18next'
import { retryAfterMs } from './countdown.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Why a code was refused, as a sentence; undefined for another failure. */
export function codeProblemOf(failure: unknown, t: TFunction<'sign-in'>): string | undefined {
  const code = failure instanceof Failure ? failure.code : ''
  if (code === 'otp_invalid') return t('code.wrong')
  if (code === 'validation_failed') return t('code.incomplete')
  if (code !== 'otp_locked') return undefined
  const wait = retryAfterMs(failure)
  if (wait === null) return t('code.stopped')
  return wait > 2 * HOUR ? t('code.lockedHours', { count: Math.ceil(wait / HOUR) }) : t('code.locked', { count: Math.ceil(wait / MINUTE) })
}
