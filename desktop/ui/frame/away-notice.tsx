import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useOldestSeen } from '../api/last-seen.ts'
import { refetchStale } from '../api/queries.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/page.tsx'
import { moment } from '../words/format.ts'
import { canKeepApp, openNewApp, useNewApp } from './service-worker.ts'

/** The interval of checks whether the server is back, in ms. */
const LOOK_EVERY = 10_000

/**
 * Says that the shown data is old, since the server cannot be reached, and reads it again when the server is back. `waiting`: the text and
 * retry function of entries that wait for the server, so that there is one notice instead of two.
 */
export function AwayNotice({ waiting }: { waiting?: { text: string; tone: 'warn' | 'bad'; retry: () => void } | undefined }) {
  const { t } = useTranslation('app')
  const at = useOldestSeen()
  const isOld = at !== null
  useEffect(() => {
    if (!isOld) return
    const look = () => void refetchStale()
    const timer = setInterval(look, LOOK_EVERY)
    addEventListener('online', look)
    return () => {
      clearInterval(timer)
      removeEventListener('online', look)
    }
  }, [isOld])
  const again = () => {
    waiting?.retry()
    void refetchStale()
  }
  const seen = at === null ? '' : moment(new Date(at).toISOString())
  return (
    at !== null && (
      <Notice tone={waiting?.tone ?? 'warn'}>
        <span>
          {waiting ? `${waiting.text} ${t('away.since', { at: seen })}` : t('away.old', { at: seen })} {!canKeepApp() && t('away.http')}
        </span>
        <Button size="small" onClick={again}>
          {t('action.retry')}
        </Button>
      </Notice>
    )
  )
}

/** Offers a newer version of the app. Without a press it is used the next time the app is opened. */
export function NewAppNotice() {
  const { t } = useTranslation('app')
  return (
    useNewApp() && (
      <Notice>
        <span>{t('newApp.text')}</span>
        <Button size="small" onClick={openNewApp}>
          {t('newApp.open')}
        </Button>
      </Notice>
    )
  )
}
