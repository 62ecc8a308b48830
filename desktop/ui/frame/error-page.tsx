import { Failure } from '@markbook/shared/failures'
import { useTranslation } from 'react-i18next'
import { Button } from '../components/button.tsx'
import { ButtonLink } from '../components/button-link.tsx'
import layout from '../components/layout.module.css'
import { Notice } from '../components/page.tsx'
import { sentenceOf } from '../words/failure.ts'
import styles from './frame.module.css'

/** Shown instead of a page that failed: the sentence of a refusal; for an error of the app, that nothing is lost. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation('app')
  const isRefusal = error instanceof Failure
  return (
    <main className={`${layout['spaced']} ${styles['lonely']}`}>
      <h1>{t('crash.title')}</h1>
      <Notice tone="bad">{isRefusal ? sentenceOf(error) : t('crash.text')}</Notice>
      <Button look="primary" onClick={() => (isRefusal ? reset() : location.reload())}>
        {isRefusal ? t('action.retry') : t('crash.reload')}
      </Button>
    </main>
  )
}

export function NotFoundPage() {
  const { t } = useTranslation('app')
  return (
    <main className={`${layout['spaced']} ${styles['lonely']}`}>
      <h1>{t('missing.title')}</h1>
      <p>{t('missing.text')}</p>
      <ButtonLink to="/" look="primary">
        {t('missing.home')}
      </ButtonLink>
    </main>
  )
}
